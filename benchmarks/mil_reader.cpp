/// Reading MIL text: a program of 2,000 operations without weights, and one with a literal of 1,000,000 numbers.

#include <anemone/readers/mil.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <limits>
#include <span>
#include <string>

namespace {

double milliseconds(const std::string& text) {
    double best = std::numeric_limits<double>::infinity();
    for (int i = 0; i < 10; ++i) {
        const auto begin = std::chrono::steady_clock::now();
        ane::read_mil(text, [](const std::string&) { return std::span<const std::byte>(); });
        best =
            std::min(best, std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count());
    }
    return best;
}

std::string program(const std::string& body, const std::string& output) {
    return "program(1.3) { func main<ios18>(tensor<fp16, [1, 64]> x) {\n" + body + "} -> (" + output + "); }";
}

} // namespace

int main() {
    std::string operations;
    for (int i = 0; i < 2000; ++i) {
        operations +=
            fmt::format("tensor<fp16, [1, 64]> t{0} = add(x = {1}, y = fp16(0x1.8p-1))[name = string(\"t{0}\")];\n", i,
                        i == 0 ? "x" : fmt::format("t{}", i - 1));
    }
    std::string numbers;
    for (int i = 0; i < 1'000'000; ++i) {
        numbers += fmt::format("{}0x1.{:03x}p-3", i == 0 ? "" : ", ", i % 4096);
    }
    const std::string literal =
        fmt::format("tensor<fp16, [15625, 64]> w = const()[val = tensor<fp16, [15625, 64]>([{}])];\n"
                    "tensor<fp16, [15625, 64]> y = add(x = x, y = w);\n",
                    numbers);
    fmt::print("2,000 operations: {:.1f} ms\n", milliseconds(program(operations, "t1999")));
    fmt::print("a literal of 1,000,000 numbers: {:.1f} ms\n", milliseconds(program(literal, "y")));
}
