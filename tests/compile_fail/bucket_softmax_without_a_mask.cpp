// A model at several lengths whose padding would take part in a softmax.
// expect: padding_leak<ane::op::softmax, ane::padding_rule::padding_takes_part_in_a_softmax_and_is_not_masked, 128, 16, 1
#include <anemone/backend/bucketed.hpp>
#include <anemone/model.hpp>

using namespace ane;

constexpr auto encoder = [](auto& g, auto length) {
    auto x = g.input("x"_s, f16<1, length, 16>, within(-1, 1));
    auto seen = g.input("seen"_s, u8<length, 1>);
#ifdef OK
    auto scores = select(not_equal(to_f16(seen), 0), x, -10000);
#else
    auto scores = x;
#endif
    g.output("y"_s, softmax<axis{1}>(scores));
    g.output("z"_s, to_f16(seen));
};
static_assert(pads_harmlessly<encoder, 64, 128>); // here
