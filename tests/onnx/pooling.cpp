#include "../from_environment.hpp"
#include "models.hpp"
#include <anemone/onnx/onnx.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <random>

using models::list;
using models::model;
using models::numbers;
using models::set;

namespace {

/// An AveragePool of one channel.
struct average {
    list extent, kernel, strides, before, after;
    bool ceil_mode = false;
    bool counts_padding = false;

    /// Windows along an axis: with ceil_mode also a last one that begins on the input or the padding before it.
    std::int64_t windows(std::size_t axis) const {
        const std::int64_t room = extent[axis] + before[axis] + after[axis] - kernel[axis];
        std::int64_t count = room / strides[axis] + 1;
        const bool more = room % strides[axis] != 0 && count * strides[axis] < extent[axis] + before[axis];
        return count + (ceil_mode && more ? 1 : 0);
    }
    /// By ONNX's definition: over the places of a window that lie on the input, or on the padded input.
    numbers wanted(const numbers& x) const {
        numbers y;
        for (std::int64_t i = 0; i < windows(0); ++i) {
            for (std::int64_t j = 0; j < windows(1); ++j) {
                double sum = 0;
                double places = 0;
                for (std::int64_t u = i * strides[0] - before[0]; u < i * strides[0] - before[0] + kernel[0]; ++u) {
                    for (std::int64_t v = j * strides[1] - before[1]; v < j * strides[1] - before[1] + kernel[1]; ++v) {
                        const bool inside = u >= 0 && v >= 0 && u < extent[0] && v < extent[1];
                        const bool padded = u < extent[0] + after[0] && v < extent[1] + after[1];
                        sum += inside ? x[static_cast<std::size_t>(u * extent[1] + v)] : 0;
                        places += (counts_padding ? padded : inside) ? 1 : 0;
                    }
                }
                y.push_back(sum / places);
            }
        }
        return y;
    }
    numbers found(const numbers& x) const {
        model m;
        m.input("x", {1, 1, extent[0], extent[1]}).output("y");
        ::onnx::NodeProto& n = m.node("AveragePool", {"x"}, {"y"});
        set(n, "kernel_shape", kernel);
        set(n, "strides", strides);
        set(n, "pads", list{before[0], before[1], after[0], after[1]});
        set(n, "ceil_mode", ceil_mode ? 1 : 0);
        set(n, "count_include_pad", counts_padding ? 1 : 0);
        return m.run({x})[0];
    }
};

} // namespace

TEST_CASE("a mean divides by the places on the padded input, also where ceil_mode adds windows") {
    // One row 1 2 3 4 with a zero on each side, windows of 3 every 2: 0 1 2, 2 3 4, and of the last 4 0.
    average row{.extent = {1, 4}, .kernel = {1, 3}, .strides = {1, 2}, .before = {0, 1}, .after = {0, 1}};
    row.ceil_mode = row.counts_padding = true;
    CHECK(row.found({3, 6, 9, 12}) == numbers{3, 9, 6}); // 9 / 3, 27 / 3, 12 / 2
    row.counts_padding = false;
    CHECK(row.found({3, 6, 9, 12}) == numbers{4.5, 9, 12});
    // Without padding the last window has one place of two.
    average plain{.extent = {1, 3}, .kernel = {1, 2}, .strides = {1, 2}, .before = {0, 0}, .after = {0, 0}};
    plain.ceil_mode = plain.counts_padding = true;
    CHECK(plain.found({2, 4, 8}) == numbers{3, 8});
}

TEST_CASE("means by ONNX's definition, random windows") {
    std::mt19937 random(from_environment::seed());
    const auto pick = [&](std::int64_t least, std::int64_t most) {
        return least + static_cast<std::int64_t>(random() % static_cast<unsigned>(most - least + 1));
    };
    int added = 0;
    for (int round = 0; round < 400; ++round) {
        average a;
        for (int axis = 0; axis < 2; ++axis) {
            a.kernel.push_back(pick(1, 4));
            a.strides.push_back(pick(1, 4));
            a.before.push_back(pick(0, a.kernel.back() - 1));
            a.after.push_back(pick(0, a.kernel.back() - 1));
            a.extent.push_back(pick(std::max<std::int64_t>(1, a.kernel.back() - a.before.back() - a.after.back()), 9));
        }
        a.ceil_mode = pick(0, 3) > 0;
        a.counts_padding = pick(0, 3) > 0;
        numbers x;
        for (std::int64_t i = 0; i < a.extent[0] * a.extent[1]; ++i) {
            x.push_back(static_cast<double>(pick(-8, 8)));
        }
        average less = a;
        less.ceil_mode = false;
        added += a.counts_padding && (a.windows(0) > less.windows(0) || a.windows(1) > less.windows(1)) ? 1 : 0;
        const numbers wanted = a.wanted(x);
        const numbers found = a.found(x);
        CAPTURE(round);
        REQUIRE(found.size() == wanted.size());
        for (std::size_t i = 0; i < wanted.size(); ++i) {
            CAPTURE(i);
            REQUIRE(std::fabs(found[i] - wanted[i]) <= 0x1p-10 * std::fabs(wanted[i])); // fp16, once
        }
    }
    MESSAGE(added, " of 400 have windows that ceil_mode adds, with the padding counted");
    CHECK(added > 40);
}
