// A mask of 0 and 1 is added to the scores.
// expect: refused_model<ane::model_rule::a_mask_is_added_to_the_scores_so_0_and_1_hide_nothing_write_select_with_0_and_minus_30000
// expect: in_line<14>
#include <anemone/model.hpp>

using namespace ane;

constexpr auto model = graph([](ane::builder& g) {
    auto x = g.input("x"_s, f16<1, 4, 8>);
    auto seen = g.input("seen"_s, u8<4, 4>);
#ifdef OK
    auto y = attention(x, x, x, select(not_equal(to_f16(seen), 0), 0, -30000));
#else
    auto y = attention(x, x, x, to_f16(seen));
#endif
    g.output("y"_s, y);
});

int main() {}
