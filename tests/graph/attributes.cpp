#include <anemone/base/error.hpp>
#include <anemone/graph/attributes.hpp>
#include <anemone/graph/reflection.hpp>

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

using namespace ane;

static_assert(boost::hana::Struct<conv>::value && boost::hana::Struct<no_attributes>::value);
static_assert(!boost::hana::Struct<size2>::value);

TEST_CASE("attributes are reflected, compared and guarded") {
    std::vector<std::string> members;
    for_each_member(conv{.groups = 3}, [&](std::string_view name, const auto&) { members.emplace_back(name); });
    CHECK(members == std::vector<std::string>{"stride", "dilation", "padding", "groups"});
    for_each_member(no_attributes{}, [&](std::string_view name, const auto&) { members.emplace_back(name); });
    CHECK(members.size() == 4);
    response_norm_shape changed;
    float next = 2;
    for_each_member(changed, [&]<class T>(std::string_view, T& value) { value = static_cast<T>(next++); });
    CHECK(changed == response_norm_shape{.size = 2, .alpha = 3, .beta = 4, .k = 5});
    CHECK(attributes(conv{.stride = 2}) == attributes(conv{.stride = 2}));
    CHECK_FALSE(attributes(conv{.stride = 2}) == attributes(conv{}));
    CHECK_FALSE(attributes(conv{}) == attributes(pool{}));
    CHECK_THROWS_AS(attributes(conv{}).get<pool>(), error);
}
