// A mask of bytes is added to the scores.
// expect: shape_fault<ane::op::attention, ane::fault::a_mask_is_added_to_the_scores_write_select_of_it_with_0_and_minus_30000, 1, 3>
#include <anemone/model.hpp>

using namespace ane;

constexpr auto model = graph([](ane::builder& g) {
    auto x = g.input("x"_s, f16<1, 4, 8>);
    auto seen = g.input("seen"_s, u8<4, 4>);
#ifdef OK
    auto y = attention(x, x, x, select(not_equal(to_f16(seen), 0), 0, -30000));
#else
    auto y = attention(x, x, x, seen);
#endif
    g.output("y"_s, y);
});

int main() {}
