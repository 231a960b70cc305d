// A row written into a cache as if it were the whole of it.
// expect: shape_fault<ane::op::input, ane::fault::written_value_must_have_the_extents_of_the_state, 1, 64>
#include <anemone/model.hpp>

using namespace ane;

constexpr auto model = graph([](ane::builder& g) {
    auto row = g.input("row"_s, f16<1, 16>);
    auto cache = g.state("cache"_s, f16<64, 16>);
#ifdef OK
    write_where(cache, g.input("at"_s, u8<64, 1>), row);
#else
    write(cache, row);
#endif
    g.output("y"_s, reduce_sum<axes{0}>(read(cache)));
});

int main() {}
