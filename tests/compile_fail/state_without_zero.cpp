// A promise that the state breaks before the first run.
// expect: refused_model<ane::model_rule::the_promise_of_a_state_must_include_0
// expect: in_line<14>
// expect-gcc: {"count"}
// expect-clang: 'c', 'o', 'u', 'n', 't'
#include <anemone/model.hpp>

using namespace ane;

constexpr auto model = graph([](ane::builder& g) {
#ifdef OK
    auto count = g.state("count"_s, f16<1>, within(0, 8));
#else
    auto count = g.state("count"_s, f16<1>, within(1, 8));
#endif
    write(count, minimum(read(count) + 1, 8));
    g.output("y"_s, read(count));
});

int main() {}
