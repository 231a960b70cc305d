#pragma once

#include "../backend/composer.hpp"
#include <anemone/backend/cpu/cpu.hpp>
#include <anemone/backend/oracle/oracle.hpp>
#include <anemone/diff/replay.hpp>
#include <anemone/diff/trace.hpp>
#include <anemone/passes/print.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string>
#include <vector>

/// How close the oracle's value of one operation must be to the CPU's on the same operands. The bounds are the errors
/// that docs/oracle.md gives for each path and table, with room for the roundings of both; they tell a wrong operation
/// from the engine's arithmetic, not one reading of that arithmetic from another.
namespace differential {

using namespace ane;

/// An allowed distance: of the CPU's value, of the largest term, and absolute.
struct bound {
    double relative = 0;
    double of_terms = 0;
    double absolute = 0;
};

/// Where no bound is known: positions that hang on a rounding, and samples that a rounding moves to another pixel.
inline bool has_bound(const node& n) {
    switch (n.kind) {
    case op::furthest_point_sampling:
    case op::floor_div: return false;
    case op::resample:
    case op::affine:
    case op::crop_resize:
    case op::resize: return n.get<sampling>().method == sampling_method::bilinear;
    default: return true;
    }
}

/// Subnormal operands and results are zero on some generations: an absolute bound of a few of them everywhere.
inline constexpr double small = 0x1p-13;

inline bound bound_of(const node& n) {
    switch (n.kind) {
    case op::add:
    case op::sub:
    case op::mul:
    case op::dequantize:
    case op::scaled_elementwise:
    case op::cost_volume:
    case op::prelu:
    case op::leaky_relu:
    case op::clamped_relu:
    case op::square:
    case op::thresholded_relu: return {0x1p-10, 0, small};
    case op::pow: return {0x1p-8, 0, small};
    case op::div: return {0x1p-8, 0, small};
    case op::inverse:
    case op::sqrt:
    case op::rsqrt: return {0x1p-8, 0, small};
    case op::exp:
    case op::exp2: return {0.02, 0, small};
    case op::log2:
    case op::log: return {0x1p-9, 0, 0.0085};
    case op::sigmoid:
    case op::hard_sigmoid: return {0, 0, 0.0045};
    case op::tanh: return {0, 0, 0.0025};
    case op::scaled_tanh: return {0, 0, 0.0025 * std::fabs(static_cast<double>(n.get<tanh_scaling>().alpha)) + small};
    case op::erf: return {0, 0, 0.0015};
    case op::gelu:
    case op::gelu_sigmoid: return {0x1p-8, 0, 0.0085};
    case op::silu: return {0x1p-8, 0, 0.018};
    case op::elu: return {0x1p-9, 0, 0.0085 * std::max(1.0, std::fabs(static_cast<double>(n.get<saturation>().alpha)))};
    case op::softplus:
    case op::parametric_softplus: return {0.02, 0, 0.03};
    case op::softsign: return {0, 0, 0.0045};
    case op::atan: return {0, 0, 0.07};
    case op::sin:
    case op::cos: return {0, 0x1p-9, 0.09};
    case op::round: return {0, 0, 1}; // ties
    case op::conv2d:
    case op::conv_transpose2d:
    case op::linear:
    case op::matmul:
    case op::cross_correlation:
    case op::cumsum: return {0x1p-10, 0x1p-9, 0x1p-9};
    case op::reduce_sum:
    case op::reduce_mean:
    case op::reduce_sum_square:
    case op::reduce_l1_norm:
    case op::reduce_l2_norm:
    case op::avg_pool:
    case op::l2_pool: return {0x1p-8, 0x1p-8, small};
    case op::reduce_log_sum: return {0.01, 0x1p-5, 0.04};
    case op::reduce_log_sum_exp: return {0.01, 0x1p-7, 0.04};
    case op::softmax: return {0.03, 0, 0.004};
    case op::attention: return {0, 0.08, 0.02};
    case op::layer_norm:
    case op::batch_norm:
    case op::instance_norm:
    case op::group_norm:
    case op::rms_norm:
    case op::l2_norm:
    case op::minmax_norm: return {0.03, 0.25, 0.05};
    case op::local_response_norm: return {0.03, 0, small};
    case op::cross_product: return {0, 0x1p-7, small};
    case op::resize: return {0, 0x1p-7, small};
    case op::crop_resize:
    case op::resample:
    case op::affine: return {0, 0.1, small};
    default: return {};
    }
}

/// The largest operand and result, in magnitude, of which the two arithmetics are compared: below every ceiling, gain
/// and overflow inside an operation.
inline constexpr double range = 200;

/// For each node whether its value hangs on an input; the others are folded, by what tests/backend/folding.cpp holds.
inline std::vector<char> reached_by_inputs(const graph_view& g) {
    std::vector<char> reached(g.nodes.size());
    for (int i = 0; i < g.size(); ++i) {
        const auto operands = g.operands(i);
        const bool begins = operands.empty() && g[i].kind != op::weight && g[i].kind != op::constant;
        reached[static_cast<std::size_t>(i)] =
            begins || std::any_of(operands.begin(), operands.end(),
                                  [&](int operand) { return reached[static_cast<std::size_t>(operand)] != 0; });
    }
    return reached;
}

/// Compares every fp16 node of a model, alone on the CPU's operands.
class closeness {
public:
    closeness(const graph_view& model, const weight_store& weights, const backend::oracle& engine, input_buffers inputs)
        : model_(model), weights_(fold_constants(model, weights)),
          given_(trace_of(model, backend::cpu{}, weights, inputs)), alone_(model, weights, engine, given_, inputs),
          engine_(engine), inputs_(inputs) {}

    /// Empty, or the first node that is too far away.
    std::string fault() {
        const std::vector<char> reached = reached_by_inputs(model_);
        for (int i = 0; i < model_.size(); ++i) {
            const node& n = model_[i];
            if (is_source(n.kind) || reached[static_cast<std::size_t>(i)] == 0 || reads_folded(n, reached) ||
                n.type != dtype::f16 || !given_.known(i) || !alone_.has_value(i) || !has_bound(n) || !is_ordinary(n)) {
                continue;
            }
            const auto got = alone_.run(i, engine_.arithmetic());
            const std::span<const half> oracle{reinterpret_cast<const half*>(got.data()), got.size() / sizeof(half)};
            if (alone_.overflowed() || holds_another(n)) {
                continue;
            }
            ++compared[static_cast<std::size_t>(n.kind)];
            const bound b = bound_of(n);
            const std::vector<double> terms = b.of_terms > 0 ? terms_of(n) : std::vector<double>(oracle.size(), 0.0);
            const auto cpu = given_.halves(i);
            for (std::size_t k = 0; k < cpu.size(); ++k) {
                const double wanted = static_cast<double>(cpu[k]);
                const double found = static_cast<double>(oracle[k]);
                // The logarithm of a sum close to zero has what the sum is off as often as it is smaller than one.
                const double steep = n.kind == op::reduce_log_sum ? std::exp(-wanted) : 1;
                const double allowed = b.relative * std::fabs(wanted) + b.of_terms * steep * terms[k] + b.absolute;
                // Where the sum may be off by all that it is, its logarithm may be that of zero.
                const bool lost = steep != 1 && b.of_terms * steep * terms[k] >= 1;
                const bool far = lost || !(std::fabs(wanted) <= range) || terms[k] > range;
                if (!far && !(std::fabs(wanted - found) <= allowed)) {
                    return fmt::format("{} {}: element {} is {} on the CPU, {} in {}, allowed {}", print(model_, i),
                                       print(n.shape), k, wanted, found, engine_.name(), allowed);
                }
            }
        }
        return {};
    }

    std::array<int, op_count> compared{}; ///< how many nodes, by operation

private:
    /// The value of an fp16 node, wherever it lies.
    std::span<const half> value(int i) const {
        if (given_.known(i)) {
            return given_.halves(i);
        }
        if (model_[i].kind == op::input) {
            std::size_t port = 0;
            for (int before = 0; before < i; ++before) {
                port += model_[before].kind == op::input ? 1U : 0U;
            }
            return {reinterpret_cast<const half*>(inputs_[port].data()), inputs_[port].size() / sizeof(half)};
        }
        return weights_.values[static_cast<std::size_t>(i)];
    }
    /// Whether all operands are finite, in range, and not so small that some generations take them for zero.
    bool is_ordinary(const node& n) const {
        // alpha ln(1 + e^(beta x)): the engine's own softplus is 0 from 11.09 on, and is not kept from it here.
        const double most = n.kind == op::parametric_softplus ? 3 : range;
        for (const int operand : model_.operands(n)) {
            if (model_[operand].type != dtype::f16) {
                continue;
            }
            for (const half h : value(operand)) {
                const double v = std::fabs(static_cast<double>(h));
                if (!(v <= most) || (v != 0 && v < 0x1p-12)) {
                    return false;
                }
            }
        }
        return true;
    }
    /// Whether an operand is folded: of one that lowering takes apart, each backend folds another form.
    bool reads_folded(const node& n, const std::vector<char>& reached) const {
        const auto operands = model_.operands(n);
        return std::any_of(operands.begin(), operands.end(), [&](int operand) {
            return reached[static_cast<std::size_t>(operand)] == 0 && !is_source(model_[operand].kind);
        });
    }
    /// Whether the engine computes an operand together with the node, and rounds them once.
    bool holds_another(const node& n) const {
        const auto operands = model_.operands(n);
        return std::any_of(operands.begin(), operands.end(),
                           [this](int operand) { return given_.known(operand) && !alone_.has_value(operand); });
    }
    /// What an error of an operand weighs in each element: the same operation on magnitudes where it is a sum, the
    /// largest operand elsewhere.
    std::vector<double> terms_of(const node& n) const {
        const bool sums = is_contraction(n.kind) || n.kind == op::cross_correlation || n.kind == op::cumsum ||
                          n.kind == op::reduce_sum || n.kind == op::reduce_mean || n.kind == op::avg_pool;
        const auto operands = model_.operands(n);
        double largest = 0;
        std::vector<std::vector<half>> magnitudes;
        for (const int operand : operands) {
            auto& values = magnitudes.emplace_back();
            for (const half h : value(operand)) {
                values.push_back(is_negative(h) ? -h : h);
                largest = std::max(largest, static_cast<double>(values.back()));
            }
        }
        std::vector<double> terms(static_cast<std::size_t>(n.shape.count()), largest);
        if (!sums) {
            return terms;
        }
        dynamic_builder g;
        std::vector<dynamic_tensor> ports;
        std::vector<std::span<const std::byte>> read;
        for (std::size_t k = 0; k < operands.size(); ++k) {
            ports.push_back(g.input("x" + std::to_string(k), model_[operands[k]].shape));
            read.push_back(std::as_bytes(std::span<const half>(magnitudes[k])));
        }
        g.output("y", g.add(n.kind, ports, n.attributes));
        std::vector<half> sum(terms.size());
        std::span<std::byte> written[] = {std::as_writable_bytes(std::span(sum))};
        backend::cpu{}.compile(g.finish(), {}).run(read, written);
        std::copy(sum.begin(), sum.end(), terms.begin());
        return terms;
    }
    static bool is_negative(half h) { return (h.bits & 0x8000U) != 0; }

    graph_view model_;
    folded_constants weights_;
    trace given_;
    replay alone_;
    const backend::oracle& engine_;
    input_buffers inputs_;
};

} // namespace differential
