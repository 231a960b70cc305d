// An extent that is left open, as other libraries write it.
// expect: no_extent_is_open_each_size_is_a_model_of_its_own
#include <anemone/model.hpp>

using namespace ane;

constexpr auto model = graph([](ane::builder& g) {
#ifdef OK
    auto x = g.input("x"_s, f16<1, 16, 8, 8>);
#else
    auto x = g.input("x"_s, f16<-1, 16, 8, 8>);
#endif
    g.output("y"_s, relu(x));
});

int main() {}
