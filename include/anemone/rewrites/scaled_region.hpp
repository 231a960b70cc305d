#pragma once

#include "../graph/attributes.hpp"
#include "../graph/op_facet.hpp"
#include "../values/power_of_two.hpp"
#include "rewrite.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

/// Values that fp16 does not hold, times a power of two: a rewrite at one place, for what a run showed there or the ranges
/// allow. Products with a power of two are exact, so nothing else changes.
namespace ane::detail {

/// A model after a change, and for each of its nodes the one that it comes from.
struct changed_graph {
    dynamic_graph graph;
    sequence<int> origins;
};

/// What an operation makes of operands that are held as 2^-e of themselves.
enum class scaled_form : std::uint8_t {
    none,            ///< nothing that is known
    kept,            ///< 2^-e of its result; its other operands stay what they are
    doubled,         ///< squares: 2^-2e
    halved,          ///< the root: 2^-e/2
    reciprocal,      ///< 2^e
    reciprocal_root, ///< 2^e/2
    product,         ///< exponents add up
    quotient,        ///< and are taken off
    layer,           ///< a product with a bias
    equal,           ///< all operands alike: the same
    chosen,          ///< the second and the third
    compared,        ///< all alike: a truth value
    invariant,       ///< the same result, with a small number 2^-2e of itself
    invariant_range, ///< the same, with 2^-e of it
    logarithm        ///< less e ln 2
};

inline constexpr op_facet<scaled_form> scaled_forms{{op::square, scaled_form::doubled},
                                                    {op::reduce_sum_square, scaled_form::doubled},
                                                    {op::sqrt, scaled_form::halved},
                                                    {op::inverse, scaled_form::reciprocal},
                                                    {op::rsqrt, scaled_form::reciprocal_root},
                                                    {op::mul, scaled_form::product},
                                                    {op::matmul, scaled_form::product},
                                                    {op::div, scaled_form::quotient},
                                                    {op::linear, scaled_form::layer},
                                                    {op::conv2d, scaled_form::layer},
                                                    {op::conv_transpose2d, scaled_form::layer},
                                                    {op::add, scaled_form::equal},
                                                    {op::sub, scaled_form::equal},
                                                    {op::maximum, scaled_form::equal},
                                                    {op::minimum, scaled_form::equal},
                                                    {op::concat, scaled_form::equal},
                                                    {op::slice_update, scaled_form::equal},
                                                    {op::pad, scaled_form::equal},
                                                    {op::select, scaled_form::chosen},
                                                    {op::equal, scaled_form::compared},
                                                    {op::not_equal, scaled_form::compared},
                                                    {op::greater, scaled_form::compared},
                                                    {op::greater_equal, scaled_form::compared},
                                                    {op::less, scaled_form::compared},
                                                    {op::less_equal, scaled_form::compared},
                                                    {op::layer_norm, scaled_form::invariant},
                                                    {op::rms_norm, scaled_form::invariant},
                                                    {op::l2_norm, scaled_form::invariant},
                                                    {op::instance_norm, scaled_form::invariant},
                                                    {op::group_norm, scaled_form::invariant},
                                                    {op::minmax_norm, scaled_form::invariant_range},
                                                    {op::log, scaled_form::logarithm},
                                                    {op::reduce_log_sum, scaled_form::logarithm},
                                                    {op::relu, scaled_form::kept},
                                                    {op::leaky_relu, scaled_form::kept},
                                                    {op::prelu, scaled_form::kept},
                                                    {op::abs, scaled_form::kept},
                                                    {op::reduce_sum, scaled_form::kept},
                                                    {op::reduce_mean, scaled_form::kept},
                                                    {op::reduce_max, scaled_form::kept},
                                                    {op::reduce_min, scaled_form::kept},
                                                    {op::reduce_l1_norm, scaled_form::kept},
                                                    {op::reduce_l2_norm, scaled_form::kept},
                                                    {op::cumsum, scaled_form::kept},
                                                    {op::max_pool, scaled_form::kept},
                                                    {op::avg_pool, scaled_form::kept},
                                                    {op::l2_pool, scaled_form::kept},
                                                    {op::identity, scaled_form::kept},
                                                    {op::dropout, scaled_form::kept},
                                                    {op::reshape, scaled_form::kept},
                                                    {op::transpose, scaled_form::kept},
                                                    {op::slice, scaled_form::kept},
                                                    {op::strided_slice, scaled_form::kept},
                                                    {op::dynamic_slice, scaled_form::kept},
                                                    {op::reflect_pad, scaled_form::kept},
                                                    {op::symmetric_pad, scaled_form::kept},
                                                    {op::replicate_pad, scaled_form::kept},
                                                    {op::tile, scaled_form::kept},
                                                    {op::reverse, scaled_form::kept},
                                                    {op::gather, scaled_form::kept},
                                                    {op::gather_along_axis, scaled_form::kept},
                                                    {op::gather_nd, scaled_form::kept},
                                                    {op::pixel_shuffle, scaled_form::kept},
                                                    {op::pixel_unshuffle, scaled_form::kept},
                                                    {op::depth_to_space, scaled_form::kept},
                                                    {op::space_to_depth, scaled_form::kept},
                                                    {op::space_to_batch, scaled_form::kept},
                                                    {op::batch_to_space, scaled_form::kept}};

/// How a value is held: as 2^-exponent of itself.
class region_scaler {
public:
    constexpr region_scaler(const graph_view& g, std::span<const char> fits)
        : g_(g), fits_(fits), w_(g), exponents_(g.nodes.size(), 0) {}

    /// The model with the value of a node held as 2^-exponent of itself, and so on with what reads it, until the values
    /// fit. Empty where an operation on the way has no such form, or an output would be scaled.
    constexpr std::optional<changed_graph> scaled(int node, int exponent) {
        grows_ = exponent < 0;
        for (int i = 0; i < g_.size(); ++i) {
            w_.visit(i);
            const bool reads = std::any_of(g_.operands(i).begin(), g_.operands(i).end(),
                                           [this](int operand) { return exponents_[at(operand)] != 0; });
            int made = -1;
            if (i == node) {
                made = enter(i, exponent);
            } else if (reads) {
                made = pass(i, exponents_of(i));
            } else {
                w_.rename(i, w_.copy(i));
                continue;
            }
            if (made < 0) {
                return std::nullopt;
            }
            if (exponents_[at(i)] != 0 && fits_[at(i)] != 0) {
                made = times(made, exponents_[at(i)]);
                exponents_[at(i)] = 0;
            }
            w_.rename(i, made);
        }
        for (const output_port& port : g_.outputs) {
            if (exponents_[at(port.node)] != 0) {
                return std::nullopt;
            }
            w_.add_output(w_.renamed(port.node), port);
        }
        return changed_graph{w_.result(), w_.origins()};
    }

private:
    static constexpr std::size_t at(int index) { return static_cast<std::size_t>(index); }

    constexpr std::vector<int> exponents_of(int index) const {
        std::vector<int> of;
        for (const int operand : g_.operands(index)) {
            of.push_back(exponents_[at(operand)]);
        }
        return of;
    }

    /// A new node times 2^power, in factors that fp16 has.
    constexpr int times(int made, int power) {
        for (int rest = power; rest != 0;) {
            const int step = std::clamp(rest, -12, 12);
            made = w_.emit(op::mul, no_attributes{}, {made, w_.scalar(static_cast<float>(power_of_two(step)))});
            rest -= step;
        }
        return made;
    }

    /// A node that is the first to be scaled, its operands by as much as makes its result 2^-exponent of itself, or what
    /// it computes inside.
    constexpr int enter(int index, int exponent) {
        const auto operands = g_.operands(index);
        const scaled_form form = scaled_forms[g_[index].kind];
        if (operands.empty() || form == scaled_form::none) {
            return -1;
        }
        std::vector<int> wanted(operands.size(), 0);
        const int one_of_two = exponent >= 0 ? (exponent + 1) / 2 : exponent / 2;
        const bool multiplies = form == scaled_form::product || form == scaled_form::layer;
        if (multiplies && operands[0] == operands[1]) {
            wanted[0] = wanted[1] = one_of_two;
        } else if (multiplies && is_given(operands[1])) {
            wanted[1] = exponent; // folded
        } else if (multiplies && is_given(operands[0])) {
            wanted[0] = exponent;
        } else if (form == scaled_form::product) {
            wanted[0] = one_of_two;
            wanted[1] = exponent - one_of_two;
        } else if (form == scaled_form::equal) {
            std::fill(wanted.begin(), wanted.end(), exponent);
        } else if (form == scaled_form::chosen) {
            wanted[1] = wanted[2] = exponent;
        } else {
            wanted[0] = form == scaled_form::doubled ? one_of_two : exponent;
        }
        for (std::size_t k = 0; k < wanted.size(); ++k) {
            wanted[k] += exponents_[at(operands[k])]; // scaled already, by another way here
        }
        return pass(index, wanted);
    }
    /// The exponent of operands that are to be held alike.
    constexpr int farther(const std::vector<int>& e) const {
        return grows_ ? *std::min_element(e.begin(), e.end()) : *std::max_element(e.begin(), e.end());
    }
    constexpr bool is_given(int index) const {
        const op kind = g_[index].kind;
        return kind == op::weight || kind == op::constant || kind == op::compressed;
    }

    /// The operand at a position as 2^-exponent of itself.
    constexpr int held(int index, std::size_t position, int exponent) {
        const int operand = g_.operands(index)[position];
        return times(w_.renamed(operand), exponents_[at(operand)] - exponent);
    }

    /// The node with its operands held by these exponents; its own follows. -1 where it has no such form.
    constexpr int pass(int index, std::vector<int> e) {
        const node& n = g_[index];
        const scaled_form form = scaled_forms[n.kind];
        attributes how = n.attributes;
        int own = 0;
        switch (form) {
        case scaled_form::none: return -1;
        case scaled_form::kept: own = e[0]; break;
        case scaled_form::doubled: own = 2 * e[0]; break;
        case scaled_form::halved:
            e[0] += e[0] % 2 != 0 ? 1 : 0;
            own = e[0] / 2;
            break;
        case scaled_form::reciprocal:
            scale_epsilon(how, e[0]);
            own = -e[0];
            break;
        case scaled_form::reciprocal_root:
            e[0] += e[0] % 2 != 0 ? 1 : 0;
            scale_epsilon(how, e[0]);
            own = -e[0] / 2;
            break;
        case scaled_form::product: own = e[0] + e[1]; break;
        case scaled_form::quotient: own = e[0] - e[1]; break;
        case scaled_form::layer:
            own = e[0] + e[1];
            if (e.size() == 3) {
                e[2] = own;
            }
            break;
        case scaled_form::equal:
        case scaled_form::compared:
            std::fill(e.begin(), e.end(), farther(e));
            own = form == scaled_form::equal ? e[0] : 0;
            break;
        case scaled_form::chosen:
            own = farther({e[1], e[2]});
            e[1] = e[2] = own;
            break;
        case scaled_form::invariant: scale_epsilon(how, 2 * e[0]); break;
        case scaled_form::invariant_range:
        case scaled_form::logarithm: scale_epsilon(how, e[0]); break;
        }
        const bool first_alone = form == scaled_form::kept || form == scaled_form::invariant;
        if (first_alone && std::any_of(e.begin() + 1, e.end(), [](int each) { return each != 0; })) {
            return -1; // slopes, gains and indices stay what they are
        }
        sequence<int> operands;
        for (std::size_t k = 0; k < e.size(); ++k) {
            operands.push_back(held(index, k, e[k]));
        }
        int made = w_.copy(index, how, {operands.data(), operands.size()});
        if (form == scaled_form::logarithm && e[0] != 0) {
            made = w_.emit(op::add, no_attributes{}, {made, w_.scalar(static_cast<float>(e[0]) * 0.69314718F)});
        }
        exponents_[at(index)] = own;
        return made;
    }

    static constexpr float held_epsilon(float epsilon, int power) {
        return static_cast<float>(static_cast<double>(epsilon) * power_of_two(power));
    }

    /// The small number of an operation on 2^-exponent of its operand.
    static constexpr void scale_epsilon(attributes& how, int exponent) {
        if (how.kind() == attribute_kind::stabilizer) {
            stabilizer s = how.get<stabilizer>();
            s.epsilon = held_epsilon(s.epsilon, -exponent);
            how = s;
        } else if (how.kind() == attribute_kind::grouping) {
            grouping g = how.get<grouping>();
            g.epsilon = held_epsilon(g.epsilon, -exponent);
            how = g;
        }
    }

    graph_view g_;
    std::span<const char> fits_;
    rewriter w_;
    std::vector<int> exponents_; ///< by node
    bool grows_ = false;         ///< held as more than itself
};

/// The model with the value of one node held as 2^-exponent of itself, and what follows with it, until `fits` marks a
/// node whose value fp16 holds. Empty where that has no form.
constexpr std::optional<changed_graph> scaled_region(const graph_view& g, int node, int exponent,
                                                     std::span<const char> fits) {
    return region_scaler(g, fits).scaled(node, exponent);
}

} // namespace ane::detail
