// Random models of rows and channels through every rewrite: what the oracle computes stays.

#include "same.hpp"
#include <anemone/dynamic_builder.hpp>
#include <anemone/passes/validate.hpp>
#include <anemone/rewrites/optimize.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

using namespace ane;
using rewriting::compare;
using rewriting::own_error;

namespace {

/// An M1 whose on-chip memory is small, so that small models leave it.
constexpr target_description cramped = derive(describe(h13), [](auto& d) {
    d.memory.working_set_nominal = 32;
    d.memory.working_set_measured = 64;
});

/// Layers over earlier values: linear ones, products with weights on either side, norms, functions, sums, factors,
/// permutations, reshapes and windows of any kind, products with ones, weights in int8, heads that are split and joined, attentions, 1x1 convolutions.
class random_rows {
public:
    /// Every third promises inputs and weights of which sums may overflow, every third weights that are small.
    explicit random_rows(std::uint32_t seed)
        : random_(seed), of_inputs_(seed % 3 == 0   ? within(-20000, 20000)
                                    : seed % 3 == 1 ? deviating(1)
                                                    : contract{}),
          of_weights_(seed % 3 == 0   ? bounded(1)
                      : seed % 3 == 1 ? deviating(0.1)
                                      : contract{}) {}

    dynamic_graph make(int layers) {
        const int rank = 2 + below(3);
        extents shape = rank == 2 ? extents{5, 8} : rank == 3 ? extents{1 + below(2), 5, 8} : extents{1, 2, 4, 8};
        values_.push_back(g_.input("x", shape, of_inputs_));
        values_.push_back(g_.input("y", shape, of_inputs_));
        while (layers > 0) {
            layers -=
                add_layer(
                    values_[values_.size() - 1 -
                            static_cast<std::size_t>(below(values_.size() < 4 ? static_cast<int>(values_.size()) : 4))])
                    ? 1
                    : 0;
        }
        g_.output("last", values_.back());
        g_.output("other", values_[static_cast<std::size_t>(below(static_cast<int>(values_.size())))]);
        return g_.finish();
    }

private:
    int below(int n) { return static_cast<int>(random_() % static_cast<std::uint32_t>(n)); }
    dynamic_tensor weight(const extents& shape) {
        return g_.weight("w" + std::to_string(weights_++), shape, of_weights_);
    }

    bool keep(const dynamic_tensor& made) {
        values_.push_back(made);
        return true;
    }

    bool add_layer(const dynamic_tensor& v) {
        const extents shape = v.shape();
        const int rank = shape.rank;
        const std::int64_t width = shape.width();
        switch (below(16)) {
        case 0: {
            const std::int64_t out = 4 * (1 + below(3));
            return keep(below(2) == 0 ? g_.add(op::linear, {v, weight({out, width})})
                                      : g_.add(op::linear, {v, weight({out, width}), weight({out})}));
        }
        case 1: {
            const std::int64_t out = 4 * (1 + below(3));
            const auto y = below(2) == 0 ? g_.add(op::matmul, {v, weight({width, out})})
                                         : g_.add(op::matmul, {v, weight({out, width})}, transposed{.b = true});
            return keep(below(2) == 0 ? y : g_.add(op::add, {weight({out}), y}));
        }
        case 2: { // of what leaves fp16 at the ends of a promise, too: the norm brings it back
            const auto x = below(2) == 0 ? g_.add(op::mul, {v, g_.constant(8.0F)}) : v;
            return keep(below(2) == 0
                            ? g_.add(op::layer_norm, {x, weight({width}), weight({width})}, stabilizer{1e-3F, rank - 1})
                            : g_.add(op::rms_norm, {x, weight({width})}, stabilizer{1e-3F, -1}));
        }
        case 3: return keep(g_.add(below(2) == 0 ? op::gelu : op::tanh, {v}));
        case 4: return keep(g_.add(op::softmax, {v}, axis{below(rank)}));
        case 5:
            for (const dynamic_tensor& other : values_) {
                if (other.shape() == shape && below(2) == 0) {
                    return keep(g_.add(below(3) == 0 ? op::sub : op::add, {v, other}));
                }
            }
            return false;
        case 6: return keep(g_.add(op::mul, {g_.add(op::mul, {v, g_.constant(0.7F)}), weight({width})}));
        case 7: {
            permutation order;
            for (int i = 0; i < rank; ++i) {
                order.order.append(i);
            }
            for (int i = rank - 1; i > 0; --i) {
                const int j = below(i + 1);
                const std::int64_t kept = order.order[i];
                order.order[i] = order.order[j];
                order.order[j] = kept;
            }
            return keep(g_.add(op::transpose, {v}, order));
        }
        case 8: // another split of the same elements
            return keep(below(2) == 0 ? g_.reshape(v, {shape.count() / width, width})
                                      : g_.reshape(v, {1, shape.count() / width, width}));
        case 9: {
            if (rank < 2 || width % 4 != 0) {
                return false;
            }
            const auto split = g_.reshape(v, {1, shape.count() / width, 4, width / 4});
            const permutation orders[] = {{0, 2, 1, 3}, {0, 2, 3, 1}};
            return keep(g_.add(op::transpose, {split}, orders[below(2)]));
        }
        case 13: { // any window
            window part;
            for (int i = 0; i < rank; ++i) {
                const std::int64_t size = 1 + below(static_cast<int>(shape[i]));
                part.begin.append(below(static_cast<int>(shape[i] - size + 1)));
                part.size.append(size);
            }
            return keep(g_.add(op::slice, {v}, part));
        }
        case 14: {
            if (rank < 2) {
                return false;
            }
            const bool turned = below(2) == 0;
            if (below(2) == 0) {
                const std::int64_t length = turned ? shape.height() : width;
                return keep(g_.add(op::matmul, {v, g_.constant({length, 1}, 1.0)}, transposed{.a = turned}));
            }
            const std::int64_t length = turned ? width : shape.height();
            return keep(g_.add(op::matmul, {g_.constant({1, length}, 1.0), v}, transposed{.b = turned}));
        }
        case 15: {
            const compression forms[] = {{.form = weight_form::affine, .bits = 8},
                                         {.form = weight_form::blockwise, .bits = 8, .block = 4}};
            const bool blocks = width % 4 == 0 && width > 4 && below(2) == 0;
            const auto stored = g_.add(op::compressed, {weight({4, width})}, forms[blocks ? 1 : 0]);
            return keep(below(2) == 0 ? g_.add(op::linear, {v, stored}) : g_.add(op::linear, {v, stored, weight({4})}));
        }
        case 10: {
            if (rank != 4) {
                return false;
            }
            const auto turned = g_.add(op::transpose, {v}, permutation{0, 2, 1, 3});
            return keep(g_.reshape(turned, {shape[0] * shape[2], shape[1] * shape[3]}));
        }
        case 11: {
            if (rank != 4) {
                return false;
            }
            if (below(2) == 0) {
                return keep(g_.add(op::attention, {v, v, v}, score_scaling{0.5F}));
            }
            const auto turned = g_.add(op::transpose, {v}, permutation{0, 1, 3, 2});
            return keep(g_.add(op::matmul, {v, turned}));
        }
        default: {
            if (rank != 4) {
                return false;
            }
            return keep(g_.add(op::conv2d, {v, weight({4, shape[1], 1, 1}), weight({4})}, conv{}));
        }
        }
    }

    std::mt19937 random_;
    contract of_inputs_;
    contract of_weights_;
    dynamic_builder g_;
    std::vector<dynamic_tensor> values_;
    int weights_ = 0;
};

} // namespace

TEST_CASE("random models of rows: every rewrite keeps what it says") {
    std::vector<int> applied(std::size(rewrite_table), 0);
    for (std::uint32_t seed = 1; seed <= 600; ++seed) {
        CAPTURE(seed);
        const dynamic_graph model = random_rows(seed).make(4 + static_cast<int>(seed % 12));
        for (std::size_t r = 0; r < std::size(rewrite_table); ++r) {
            CAPTURE(std::string(rewrite_table[r].id));
            const rewritten made = rewrite_table[r].apply(model, cramped);
            if (made.places == 0) {
                continue;
            }
            ++applied[r];
            validate(made.graph);
            const auto c = compare(model, made.graph, h13, seed, 1);
            const bool mends_errors = rewrite_table[r].goal == rewrite_goal::errors; // the model's own, of small values
            const double bound = mends_errors ? 0x1p-2 : 0x1p-5;
            // Where terms cancel behind a norm, roundings elsewhere count as much as those of the model.
            CHECK((c.worst <= bound || c.worst <= 4 * own_error(model, h13, seed, 30)));
            CHECK((c.same_bits || rewrite_table[r].kept == rewrite_exactness::rounding));
        }
    }
    for (std::size_t r = 0; r < std::size(rewrite_table); ++r) {
        CAPTURE(std::string(rewrite_table[r].id));
        // Where shares become zero the logarithms of the model are wrong, and a rounding before a quantize may move a code by
        // one; nothing here is refused for its windows (polyphase.cpp) or borders (refused.cpp), and no norm is in parts (rewrites.cpp): only models of
        // their own are compared.
        const std::string_view id = rewrite_table[r].id;
        const bool has_own_model = id == "logarithms_of_shares" || id == "clamp_quantized_products" ||
                                   id == "polyphase_filters" || id == "whole_norms" || id == "borders_as_parts" ||
                                   id == "values_for_dynamic_codes";
        CHECK((applied[r] > 0 || has_own_model));
    }
}

TEST_CASE("random models of rows: a search is repeatable, never slower, and keeps values") {
    for (std::uint32_t seed = 501; seed <= 530; ++seed) {
        CAPTURE(seed);
        const dynamic_graph model = random_rows(seed).make(12);
        const optimized found = optimize(model, h17s);
        CHECK(found.after <= found.before);
        CHECK(found.refuted_after <= found.refuted_before);
        const optimized sound = optimize(model, h13, {.values = true, .beam = 2, .steps = 3});
        CHECK(sound.refuted_after <= sound.refuted_before);
        CHECK(compare(model, sound.graph, h13, seed, 1).worst <= 0x1p-5);
        CHECK(compare(model, found.graph, h17s, seed, 1).worst <= 0x1p-5);
        const optimized again = optimize(model, h17s);
        REQUIRE(again.steps.size() == found.steps.size());
        CHECK(again.after == found.after);
    }
}
