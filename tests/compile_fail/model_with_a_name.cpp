// A model is given a name.
// expect: a model has no name but its variable's: constexpr auto net = graph([](auto& g) { ... })
#include <anemone/model.hpp>

using namespace ane;

#ifdef OK
constexpr auto model = graph([](ane::builder& g) { g.output("y"_s, relu(g.input("x"_s, f16<1, 16>))); });
#else
constexpr auto model = graph("net", [](ane::builder& g) { g.output("y"_s, relu(g.input("x"_s, f16<1, 16>))); });
#endif

int main() {}
