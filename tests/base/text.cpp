#include <anemone/base/text.hpp>

#include <doctest/doctest.h>

#include <type_traits>

using namespace ane;

TEST_CASE("names are values of the type system") {
    static_assert(("image"_s).view() == "image");
    static_assert(std::is_same_v<decltype("image"_s), decltype("image"_s)>);
    static_assert(!std::is_same_v<decltype("image"_s), decltype("imagE"_s)>);
    const int value = 3;
    const auto bound = ("x"_s = value);
    CHECK(&bound.value == &value);
}
