// A table whose numbers take a compiler more steps than it counts.
// expect: limit of steps? weights, dynamic_builder: compile_time.md
// expect-gcc: loop iteration count exceeds limit
// expect-clang: maximum step limit
// except-gcc: place 4: g++ tells of the check first, and then where it ended
// except-clang: place 7: clang tells of the check first, and then where it ended
#include <anemone/model.hpp>
#include <array>

using namespace ane;

#ifdef OK
inline constexpr int rows = 40;
#else
inline constexpr int rows = 3000;
#endif

constexpr auto model = graph([](ane::builder& g) { // here
    std::array<float, rows * 100> table{};
    for (std::size_t i = 0; i < table.size(); ++i) {
        table[i] = 0.5F; // here
    }
    auto x = g.input("x"_s, f16<1, rows, 100>);
    g.output("y"_s, x + g.constant(f16<1, rows, 100>, table));
});
static_assert(conforms<model, h13>);

int main() {}
