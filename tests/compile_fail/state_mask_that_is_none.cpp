// A row of numbers given for a mask.
// expect: shape_fault<ane::op::select, ane::fault::mask_must_be_bytes_or_the_result_of_a_comparison
#include <anemone/model.hpp>

using namespace ane;

constexpr auto model = graph([](ane::builder& g) {
    auto row = g.input("row"_s, f16<1, 16>);
    auto cache = g.state("cache"_s, f16<64, 16>);
#ifdef OK
    write_where(cache, row > 0, 0.5 * row);
#else
    write_where(cache, row, 0.5 * row);
#endif
    g.output("y"_s, reduce_sum<axes{0}>(read(cache)));
});

int main() {}
