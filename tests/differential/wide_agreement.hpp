#pragma once

#include "../backend/composer.hpp"
#include "closeness.hpp"
#include <anemone/backend/wide/wide.hpp>
#include <anemone/diff/trace.hpp>
#include <anemone/diff/wide_walk.hpp>
#include <anemone/graph/constants.hpp>
#include <anemone/passes/print.hpp>

#include <fmt/format.h>

#include <cmath>
#include <string>
#include <vector>

/// Whether the CPU's value of each operation is that in double precision, on the operands that the CPU had, within what
/// fp32 and one rounding to fp16 may do.
namespace differential {

/// Operations whose result may be another where a rounding of fp32 decides.
inline bool decides_by_rounding(op kind) {
    return kind == op::floor_div || kind == op::quantize || kind == op::furthest_point_sampling ||
           kind == op::radius_search || kind == op::affine || kind == op::crop_resize;
}

class wide_agreement {
public:
    wide_agreement(const graph_view& model, const weight_store& weights, input_buffers inputs)
        : model_(model), given_(trace_of(model, backend::cpu{}.rounding(rounding::each_operation), weights, inputs)),
          known_(constant_nodes(model)), folded_(fold_constants(model, weights)),
          exact_(model, weights, wide_reference::every_step()), inputs_(inputs) {}

    /// Empty, or the first node that is too far away.
    std::string fault() {
        std::size_t port = 0;
        for (int i = 0; i < model_.size(); ++i) {
            const node& n = model_[i];
            if (n.kind == op::input) {
                exact_.set(i, inputs_[port++]);
                continue;
            }
            exact_.compute(i);
            if (is_source(n.kind) || known_[static_cast<std::size_t>(i)] != 0) {
                set_folded(i);
                continue;
            }
            if (!decides_by_rounding(n.kind)) {
                if (std::string far = compare(i); !far.empty()) {
                    return far;
                }
            }
            exact_.set(i, given_.bytes(i)); // for what reads it
        }
        return {};
    }

    std::array<int, op_count> compared{}; ///< how many nodes, by operation

private:
    /// What is folded has the roundings of folding.
    void set_folded(int i) {
        const std::byte* const memory = folded_.memory(i);
        exact_.set(i, {memory, static_cast<std::size_t>(bytes(model_[i].type, model_[i].shape.count()))});
    }

    std::string compare(int i) {
        const node& n = model_[i];
        const detail::numbers_view wanted = n.type == dtype::f16 ? detail::numbers_view(exact_.numbers(i))
                                                                 : detail::numbers_view(n.type, exact_.bytes(i));
        const detail::numbers_view got(n.type, given_.bytes(i));
        // Of a sum the terms, of which some may be as large as the largest operand.
        double largest = detail::sizes_of(wanted).magnitude;
        for (const int operand : model_.operands(i)) {
            if (model_[operand].type == dtype::f16) {
                for (const double x : exact_.numbers(operand)) {
                    largest = std::isfinite(x) ? std::max(largest, std::fabs(x)) : largest;
                }
            }
        }
        if (n.kind == op::attention && largest > 4096) {
            return {}; // scores beyond 2^31, of which the CPU's exponential makes a NaN
        }
        ++compared[static_cast<std::size_t>(n.kind)];
        for (std::int64_t k = 0; k < wanted.count(); ++k) {
            const double want = static_cast<double>(half(wanted[k])); // beyond fp16: infinity
            const double have = got[k];
            const double allowed = 0x1p-10 * std::fabs(want) + 0x1p-17 * largest * largest + 0x1p-23;
            const bool same =
                want == have || (std::isnan(want) && std::isnan(have)) || std::fabs(want - have) <= allowed;
            const bool at_the_end = std::fabs(wanted[k]) > 65400 && std::isinf(have) && (have > 0) == (wanted[k] > 0);
            if (!same && !at_the_end) {
                return fmt::format("{} {}: element {} is {} on the CPU, {} in double precision, allowed {}",
                                   print(model_, i), print(n.shape), k, have, wanted[k], allowed);
            }
        }
        return {};
    }

    graph_view model_;
    trace given_;
    sequence<char> known_;
    folded_constants folded_;
    wide_reference::evaluation exact_;
    input_buffers inputs_;
};

} // namespace differential
