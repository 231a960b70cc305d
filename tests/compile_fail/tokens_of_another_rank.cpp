// Tokens [1, 8, 64] are joined with a vector [1, 64].
// expect: shape_fault<ane::op::concat, ane::fault::operands_must_have_the_same_rank, 2, 3>
#include <anemone/model.hpp>

using namespace ane;

constexpr auto model = graph([](ane::builder& g) {
    auto tokens = g.input("tokens"_s, f16<1, 8, 64>);
    auto token = g.input("token"_s, f16<1, 64>);
#ifdef OK
    auto y = concat<axis{1}>(tokens, expand_dims<axes{1}>(token));
#else
    auto y = concat<axis{1}>(tokens, token);
#endif
    g.output("y"_s, y);
});

int main() {}
