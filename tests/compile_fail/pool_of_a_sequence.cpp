// A pool over a sequence [N, T, C].
// expect: shape_fault<ane::op::max_pool, ane::fault::input_must_have_rank_4_as_N_C_H_W, 3, 4>
#include <anemone/model.hpp>

using namespace ane;

constexpr auto model = graph([](ane::builder& g) {
    auto x = g.input("tokens"_s, f16<1, 128, 64>);
#ifdef OK
    auto y = max_pool<pool{.kernel = {1, 2}}>(reshape<1, 64, 1, 128>(x));
#else
    auto y = max_pool<pool{.kernel = 2}>(x);
#endif
    g.output("y"_s, y);
});

int main() {}
