// A model that is const, and not constexpr, is checked.
// expect: the_model_must_be_constexpr
#include <anemone/model.hpp>

using namespace ane;

#ifdef OK
constexpr auto model = graph([](ane::builder& g) { g.output("y"_s, relu(g.input("x"_s, f16<1, 16>))); });
#else
auto model = graph([](ane::builder& g) { g.output("y"_s, relu(g.input("x"_s, f16<1, 16>))); });
#endif
static_assert(conforms<model, h13>); // here

int main() {}
