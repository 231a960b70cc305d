#include <anemone/backend/engine/objc/layout.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <span>
#include <vector>

using namespace ane;
using objc::completed;
using objc::port_layout;

namespace {

/// Every element at its place, by the formula of the facts (engine-runtime 10.3).
void scattered_by_the_formula(const port_layout& layout) {
    std::vector<std::byte> dense(static_cast<std::size_t>(layout.dense()));
    for (std::size_t i = 0; i < dense.size(); ++i) {
        dense[i] = static_cast<std::byte>(i * 7 + 1);
    }
    const std::byte untouched{0xEE};
    std::vector<std::byte> surface(static_cast<std::size_t>(layout.surface), untouched);
    std::vector<std::byte> wanted = surface;
    const auto& e = layout.extent;
    std::size_t from = 0;
    for (std::int64_t b = 0; b < e[0]; ++b) {
        for (std::int64_t d = 0; d < e[1]; ++d) {
            for (std::int64_t c = 0; c < e[2]; ++c) {
                for (std::int64_t h = 0; h < e[3]; ++h) {
                    for (std::int64_t w = 0; w < e[4]; ++w) {
                        for (std::int64_t k = 0; k < layout.element; ++k) {
                            const std::int64_t to = b * layout.stride[0] + d * layout.stride[1] + c * layout.stride[2] +
                                                    h * layout.stride[3] + w * layout.element + k;
                            wanted[static_cast<std::size_t>(to)] = dense[from++];
                        }
                    }
                }
            }
        }
    }
    objc::scatter(layout, dense, surface.data());
    CHECK(surface == wanted);
    std::vector<std::byte> back(dense.size());
    objc::gather(layout, surface.data(), back);
    CHECK(back == dense);
}

} // namespace

TEST_CASE("netplist layout: absent strides are derived, rows rounded up to 64 bytes") {
    const port_layout x = completed({.extent = {2, 1, 3, 4, 5}}, "x");
    CHECK(x.stride == std::array<std::int64_t, 5>{768, 1536, 256, 64, 2});
    CHECK(x.surface == 1536);
    const port_layout wide = completed({.extent = {1, 1, 1, 2, 33}}, "x");
    CHECK(wide.stride[3] == 128);
    CHECK(wide.surface == 256);
    const port_layout volume = completed({.extent = {2, 3, 4, 5, 6}}, "x"); // depth outermost
    CHECK(volume.stride == std::array<std::int64_t, 5>{1280, 2560, 320, 64, 2});
    CHECK(volume.surface == 7680);
    const port_layout given = completed({.extent = {1, 1, 2, 3, 4}, .stride = {0, 0, 512, 128, 0}}, "x");
    CHECK(given.stride == std::array<std::int64_t, 5>{1024, 1024, 512, 128, 2});
    CHECK(given.surface == 1024);
}

TEST_CASE("netplist layout: elements lie where the formula says, tight, padded and in volumes") {
    scattered_by_the_formula(completed({.extent = {2, 1, 3, 4, 5}}, "x"));
    scattered_by_the_formula(completed({.extent = {1, 1, 1, 1, 1}}, "x"));
    scattered_by_the_formula(completed({.extent = {1, 1, 2, 3, 32}}, "x"));              // tight rows
    scattered_by_the_formula(completed({.extent = {2, 3, 2, 2, 3}}, "x"));               // depth outside batches
    scattered_by_the_formula(completed({.extent = {2, 1, 3, 2, 7}, .element = 1}, "x")); // bytes
    scattered_by_the_formula(completed({.extent = {1, 1, 3, 2, 7}, .stride = {0, 0, 256, 16, 0}, .element = 1}, "x"));
    scattered_by_the_formula(completed({.extent = {1, 1, 3, 2, 8}, .stride = {0, 0, 0, 16, 0}}, "x")); // all tight
}

TEST_CASE("netplist layout: strides in which elements overlap, and sizes that are none, are refused by name") {
    CHECK_THROWS_WITH_AS(completed({.extent = {1, 1, 1, 2, 5}, .stride = {0, 0, 0, 8, 0}}, "port 'x'"),
                         doctest::Contains("port 'x': RowStride is 8 bytes, what lies within takes 10"), error);
    CHECK_THROWS_WITH_AS(completed({.extent = {1, 1, 2, 2, 5}, .stride = {0, 0, 64, 64, 0}}, "x"),
                         doctest::Contains("PlaneStride is 64 bytes, what lies within takes 128"), error);
    CHECK_THROWS_AS(completed({.extent = {1, 1, 1, 1, 5}, .stride = {0, 0, 0, -64, 0}}, "x"), error);
    CHECK_THROWS_AS(completed({.extent = {1, 1, 1, 4, 5}, .stride = {0, 0, 0, std::int64_t{1} << 62, 0}}, "x"), error);
}
