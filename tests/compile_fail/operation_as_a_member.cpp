// An operation as a member of a tensor.
// expect: operations are functions of tensors: relu(x)
// except-clang: errors 3: clang tells twice of an unavailable member
#include <anemone/model.hpp>

using namespace ane;

constexpr auto model = graph([](ane::builder& g) {
    auto x = g.input("x"_s, f16<1, 16>);
#ifdef OK
    auto y = relu(x);
#else
    auto y = x.relu();
#endif
    g.output("y"_s, y);
});

int main() {}
