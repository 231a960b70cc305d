// Random models of images through tiles: every bit stays, whatever overlaps, and what did not fit on the chip does.

#include "same.hpp"
#include <anemone/dynamic_builder.hpp>
#include <anemone/passes/validate.hpp>
#include <anemone/rewrites/tiles.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <random>
#include <string>
#include <vector>

using namespace ane;
using rewriting::compare;

namespace {

/// An M1 with so many bytes on the chip.
target_description chip_of(int bytes) {
    target_description d = describe(h13);
    d.memory.working_set_nominal = bytes;
    return d;
}

/// Layers over earlier values: convolutions of any window, stride, dilation, padding and grouping, poolings, functions,
/// sums, factors for each channel, concatenations, norms over any axis, softmaxes, turned axes and their way back.
class random_images {
public:
    explicit random_images(std::uint32_t seed) : random_(seed) {}

    dynamic_graph make(int layers) {
        values_.push_back(g_.input("x", {1 + below(3), 4, 7 + below(8), 6 + below(8)}));
        while (layers > 0) {
            const std::size_t back =
                static_cast<std::size_t>(below(values_.size() < 3 ? static_cast<int>(values_.size()) : 3));
            layers -= add_layer(values_[values_.size() - 1 - back]) ? 1 : 0;
        }
        g_.output("last", values_.back());
        g_.output("other", values_[static_cast<std::size_t>(below(static_cast<int>(values_.size())))]);
        return g_.finish();
    }

private:
    int below(int n) { return static_cast<int>(random_() % static_cast<std::uint32_t>(n)); }
    dynamic_tensor weight(const extents& shape) { return g_.weight("w" + std::to_string(weights_++), shape); }
    bool keep(const dynamic_tensor& made) {
        values_.push_back(made);
        return true;
    }
    padding2 padding(int most) { return {below(most + 1), below(most + 1), below(most + 1), below(most + 1)}; }

    bool add_layer(const dynamic_tensor& v) {
        const extents shape = v.shape();
        switch (below(11)) {
        case 0:
        case 1: {
            const size2 window{1 + below(3), 1 + below(3)};
            const size2 dilation{1 + below(2), 1 + below(2)};
            if ((window.height - 1) * dilation.height >= shape[2] || (window.width - 1) * dilation.width >= shape[3]) {
                return false;
            }
            const int groups = below(3) == 0 && shape[1] % 4 == 0 ? 4 : 1;
            const std::int64_t out = 4 * (1 + below(2));
            const conv how{.stride = size2{1 + below(2), 1 + below(2)},
                           .dilation = dilation,
                           .padding = padding(2),
                           .groups = groups};
            const auto w = weight({out, shape[1] / groups, window.height, window.width});
            return keep(below(2) == 0 ? g_.add(op::conv2d, {v, w}, how)
                                      : g_.add(op::conv2d, {v, w, weight({out})}, how));
        }
        case 2: {
            const size2 window{1 + below(3), 1 + below(3)};
            if (window.height > shape[2] || window.width > shape[3]) {
                return false;
            }
            const pool how{
                .kernel = window,
                .stride = size2{1 + below(2), 1 + below(2)},
                .padding = {below(window.height), below(window.height), below(window.width), below(window.width)},
                .ceil_mode = below(4) == 0,
                .exclude_padding = below(2) == 0};
            return keep(g_.add(below(2) == 0 ? op::max_pool : op::avg_pool, {v}, how));
        }
        case 3: return keep(g_.add(below(2) == 0 ? op::relu : op::tanh, {v}));
        case 4:
            for (const dynamic_tensor& other : values_) {
                if (other.shape() == shape && below(2) == 0) {
                    return keep(g_.add(below(3) == 0 ? op::mul : op::add, {v, other}));
                }
            }
            return false;
        case 5: return keep(g_.add(op::mul, {weight({shape[1], 1, 1}), v}));
        case 6:
            for (const dynamic_tensor& other : values_) {
                const extents& o = other.shape();
                if (o.rank == 4 && o[0] == shape[0] && o[2] == shape[2] && o[3] == shape[3] && shape[1] + o[1] <= 16) {
                    return keep(g_.add(op::concat, {v, other}, axis{1}));
                }
            }
            return false;
        case 7: {
            const int along = 1 + below(3);
            return keep(g_.add(op::rms_norm, {v, weight({shape[along]})}, stabilizer{1e-3F, along}));
        }
        case 8: return keep(g_.add(op::softmax, {v}, axis{below(4)}));
        case 9: { // channels last and back
            const auto last = g_.add(op::transpose, {v}, permutation{0, 2, 3, 1});
            const auto y = g_.add(op::linear, {last, weight({4, shape[1]})});
            return keep(g_.add(op::transpose, {y}, permutation{0, 3, 1, 2}));
        }
        default: { // a product of the places of an image
            const auto rows = g_.reshape(v, {shape[0], shape[1], shape[2] * shape[3]});
            const auto y = g_.add(op::matmul, {weight({4, shape[1]}), rows});
            return keep(g_.reshape(y, {shape[0], 4, shape[2], shape[3]}));
        }
        }
    }

    std::mt19937 random_;
    dynamic_builder g_;
    std::vector<dynamic_tensor> values_;
    int weights_ = 0;
};

} // namespace

TEST_CASE("random models of images: tiles keep every bit") {
    int tiled = 0, overlapping = 0;
    for (std::uint32_t seed = 1; seed <= 300; ++seed) {
        CAPTURE(seed);
        const dynamic_graph model = random_images(seed).make(3 + static_cast<int>(seed % 9));
        const int room = 300 + 150 * static_cast<int>(seed % 7);
        const rewritten made = detail::tile_layers(model, chip_of(room));
        if (made.places == 0) {
            continue;
        }
        ++tiled;
        validate(made.graph);
        for (const node& n : made.graph.nodes) {
            const bool windows = n.kind == op::conv2d || n.kind == op::max_pool || n.kind == op::avg_pool;
            overlapping += windows && n.shape.height() == 1 ? 1 : 0;
        }
        CHECK(compare(model, made.graph, seed % 2 == 0 ? h13 : h17s, seed, 1).same_bits);
        CHECK(detail::tile_layers(model, chip_of(room)).graph.nodes.size() == made.graph.nodes.size());
    }
    CHECK(tiled > 100);
    CHECK(overlapping > 0);
}
