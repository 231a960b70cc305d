// A mask that would make the cache larger.
// expect: shape_fault<ane::op::select, ane::fault::mask_and_value_must_not_be_larger_than_the_state
#include <anemone/model.hpp>

using namespace ane;

constexpr auto model = graph([](ane::builder& g) {
    auto row = g.input("row"_s, f16<1, 16>);
    auto cache = g.state("cache"_s, f16<64, 16>);
#ifdef OK
    write_where(cache, g.input("at"_s, u8<64, 1>), row);
#else
    write_where(cache, g.input("at"_s, u8<2, 1, 1>), row);
#endif
    g.output("y"_s, reduce_sum<axes{0}>(read(cache)));
});

int main() {}
