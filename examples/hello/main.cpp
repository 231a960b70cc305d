/// The smallest program: a model in three lines, run on the CPU.
#include <anemone/anemone.hpp>
#include <anemone/fmt.hpp>

#include <fmt/format.h>

using namespace ane::literals; // "x"_s, the name of a port

// Built by the compiler: shapes, types and operations are known before the program starts.
constexpr auto model = ane::graph([](auto& g) {
    auto x = g.input("x"_s, ane::f16<6>);
    g.output("y"_s, relu(x * 2 - 3));
});

int main() {
    auto program = ane::compile<model>(ane::backend::cpu{});
    const ane::ndarray<ane::shape<6>> x{0, 1, 1.5, 2, 3, 4}; // the shape is part of the type
    const auto result = program({"x"_s = x});                // another name or shape would not compile
    const auto y = result["y"_s];

    fmt::print("x             = {}\n", fmt::join(x, " "));
    fmt::print("relu(2 x - 3) = {}\n", fmt::join(y, " "));

    for (std::size_t i = 0; i < y.size; ++i) {
        const double expected = std::max(2 * static_cast<double>(x[i]) - 3, 0.0);
        if (static_cast<double>(y[i]) != expected) { // small integers are exact in fp16
            fmt::print("element {} should be {}\n", i, expected);
            return 1;
        }
    }
}
