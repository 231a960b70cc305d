// Control, state and recurrence.
// expect: while_loop has no path on any target (R123); instead: the body written out a fixed number of times
// expect: cond has no path on any target (R123); instead: both branches, and select of their results
// expect: lstm has no path on any target (R130); instead: a fixed number of steps of linear and activations
// expect: read_state has no path on any target (R122); instead: builder.state, and read
// forbid: called in a constant expression
#include <anemone/build.hpp>
#include <anemone/ops/ops.hpp>

using namespace ane;

constexpr auto model = graph([](auto& g) {
    auto x = g.input("x"_s, f16<1, 8>);
    auto w = g.weight("w", f16<8, 8>);
#ifdef OK
    auto a = x;
    for (int step = 0; step < 3; ++step) {
        a = relu(linear(a, w));
    }
    auto b = select(greater(x, 0), relu(x), exp(x));
    auto c = tanh(linear(tanh(linear(x, w)), w));
    auto d = g.input("state"_s, f16<1, 8>);
#endif
#ifndef OK
    auto a = while_loop([](auto v) { return greater(v, 0); }, [](auto v) { return relu(v); }, x);
    auto b = cond(
        greater(x, 0), [&] { return relu(x); }, [&] { return exp(x); });
    auto c = lstm(x, w, 2);
    auto d = read_state(g, "state", x);
#endif
    g.output("y"_s, a);
    g.output("z"_s, b);
    g.output("c"_s, c);
    g.output("d"_s, d + x);
});

int main() {}
