// An image [N, H, W, C] is bound to a port [N, C, H, W].
// expect: port_fault<ane::port_rule::the_value_must_have_the_shape_of_the_port
// expect-gcc: {"image"}
// expect-clang: 'i', 'm', 'a', 'g', 'e'
// expect: ane::shape<1, 32, 32, 3>
// expect: ane::shape<1, 3, 32, 32>
#include <anemone/backend/program.hpp>
#include <anemone/model.hpp>

using namespace ane;

constexpr auto model = graph([](ane::builder& g) {
    auto x = g.input("image"_s, f16<1, 3, 32, 32>);
    g.output("y"_s, relu(x));
});

#ifdef OK
ndarray<shape<1, 3, 32, 32>> image;
#else
ndarray<shape<1, 32, 32, 3>> image;
#endif
arguments<model> bound{"image"_s = image}; // here

int main() {}
