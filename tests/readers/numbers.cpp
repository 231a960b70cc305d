// Numbers in text: each form against the C library's strtod, alone and in the lists that are read without tokens.

#include "../from_environment.hpp"
#include "mil_support.hpp"

#include <doctest/doctest.h>

#include <bit>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

using namespace reading;

namespace {

/// A number in one of the forms that tools write, up to 1000 in magnitude, so that fp16 holds something of it.
std::string some_number(std::mt19937_64& random) {
    char text[64];
    const double value = std::uniform_real_distribution<double>(-1000, 1000)(random);
    const auto form = static_cast<unsigned>(random() % 10);
    const char* const forms[] = {"%.0f", "%.3f", "%.9f", "%.17g", "%.25f", "%.5e", "%a", "%.16e", "%.2a", "%A"};
    (void)std::snprintf(text, sizeof text, forms[form], random() % 5 == 0 ? value * 1e-30 : value);
    return text;
}

} // namespace

TEST_CASE("numbers of every form are what strtod makes of them, in lists however they are written") {
    std::mt19937_64 random(from_environment::seed());
    const char* const separators[] = {",", ", ", " , ", ",\n", ", // a comment, [3\n", ", /* two, */ "};
    for (int round = 0; round < 40; ++round) {
        const int count = 1 + static_cast<int>(random() % 40);
        std::string list;
        std::vector<double> wanted;
        for (int i = 0; i < count; ++i) {
            const std::string number = some_number(random);
            wanted.push_back(static_cast<double>(ane::half(std::strtod(number.c_str(), nullptr))));
            list += number + (i + 1 < count       ? separators[random() % std::size(separators)]
                              : random() % 4 == 0 ? ","
                                                  : "");
        }
        CAPTURE(list);
        const std::string size = "tensor<fp16, [" + std::to_string(count) + "]>";
        const ane::read_model model = read(program_of(size + " x", size + " c = const()[val = " + size + "([" + list +
                                                                       "])];\n" + size + " y = add(x = x, y = c);"));
        const numbers zeros(static_cast<std::size_t>(count));
        const numbers y = run(model, {zeros}).at(0);
        for (std::size_t i = 0; i < wanted.size(); ++i) {
            CHECK(y[i] == wanted[i]);
        }
    }
}

TEST_CASE("a fault behind a long list has its line and column") {
    std::string list = "0.5";
    for (int i = 0; i < 5000; ++i) {
        list += i % 100 == 99 ? ",\n0.5" : ", 0.5";
    }
    const std::string size = "tensor<fp16, [5001]>";
    for (const std::string wrong : {"0.5.5", "0x1.8q", "1e", "12_3"}) {
        CAPTURE(wrong);
        try {
            read("program(1.3)\n{ func main<ios18>(" + size + " x) {\n" + size + " c = const()[val = " + size + "([" +
                 list + ", " + wrong + "])]; } -> (c); }");
            FAIL("was read");
        } catch (const ane::unreadable& e) {
            REQUIRE_FALSE(e.faults().empty());
            CHECK(e.faults()[0].line == 53);  // 2 lines before, 50 breaks within
            CHECK(e.faults()[0].column == 6); // behind "0.5, "
            CHECK(e.faults()[0].reason.find(wrong.substr(0, 2)) != std::string::npos);
        }
    }
}
