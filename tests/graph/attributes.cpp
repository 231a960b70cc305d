#include <anemone/base/error.hpp>
#include <anemone/graph/attributes.hpp>
#include <anemone/graph/reflection.hpp>

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

using namespace ane;

TEST_CASE("attributes are reflected, compared and guarded") {
    std::vector<std::string> members;
    for_each_member(conv{.groups = 3}, [&](std::string_view name, const auto&) { members.emplace_back(name); });
    CHECK(members == std::vector<std::string>{"stride", "dilation", "padding", "groups"});
    CHECK(attributes(conv{.stride = 2}) == attributes(conv{.stride = 2}));
    CHECK_FALSE(attributes(conv{.stride = 2}) == attributes(conv{}));
    CHECK_FALSE(attributes(conv{}) == attributes(pool{}));
    CHECK_THROWS_AS(attributes(conv{}).get<pool>(), error);
}
