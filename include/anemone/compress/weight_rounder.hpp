#pragma once

#include "../backend/any.hpp"
#include "../backend/calibration.hpp"
#include "../backend/samples.hpp"
#include "../weights/encode.hpp"
#include "../weights/store.hpp"
#include "compress.hpp"
#include "error_feedback.hpp"
#include "moments.hpp"
#include "stored_forms.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace ane::compress::inline ANEMONE_WAY {

/// Which of the model's inputs a node is; -1: none.
ANEMONE_INLINE int input_port(const graph_view& g, int node) {
    int position = 0;
    for (int i = 0; ane::detail::is_bound(g, node) && i < g.size(); ++i) { // of others it is known at once
        if (ane::detail::is_bound(g, i)) {
            if (i == node) {
                return position;
            }
            ++position;
        }
    }
    return -1;
}

/// Whether a run of the model shows a node's values: those of constants and of what is not fp16 are not seen.
ANEMONE_INLINE bool is_seen(const graph_view& g, int node) {
    return g[node].type == dtype::f16 && (!is_source(g[node].kind) || input_port(g, node) >= 0);
}

/// Rounds one weight to what forms can hold: to the nearest, or with error feedback from what the weight met in runs.
class weight_rounder {
public:
    /// `reader`: the only operation that reads the weight; -1: there are several, and nothing is learnt. Nor is it where
    /// runs do not show what the weight meets.
    ANEMONE_INLINE weight_rounder(const graph_view& g, int weight, int reader, std::int64_t most_columns)
        : shape_(g[weight].shape), reader_(reader) {
        if (reader >= 0) {
            layout_ = matrix_of(g, reader);
            if (layout_.known() && layout_.columns <= most_columns && is_seen(g, g.operands(reader)[0])) {
                moments_ = no_moments(layout_);
            }
        }
    }

    /// Whether it wants to see what its reader's first operand was in runs.
    bool learns() const { return moments_.known(); }
    int reader() const { return reader_; }
    ANEMONE_INLINE void learn(const graph_view& g, std::span<const half> operand) {
        add_moments(moments_, g, reader_, operand);
    }
    ANEMONE_INLINE void has_learnt() {
        if (moments_.known()) {
            complete(moments_);
        }
    }
    /// Lets go of what it has learnt: it takes memory of the square of a row.
    ANEMONE_INLINE void forget() {
        moments_ = {};
        basis_ = {};
    }

    /// The nearest values that the form has.
    ANEMONE_INLINE void round_to_nearest(std::span<const half> exact, stored_candidate& to) const {
        set_values(exact, std::vector<half>(exact.begin(), exact.end()), to);
        if (has_optimal_table(*to.form) && to.weight_error > 0) {
            stored_candidate other = to;
            set_values(exact, nearest_entries(exact, optimal_table(exact, to.form->bits)), other);
            if (other.weight_error < to.weight_error) {
                to = std::move(other);
            }
        }
    }

    /// The same form with error feedback, if that can be.
    ANEMONE_INLINE std::optional<stored_candidate> fed_back(std::span<const half> exact,
                                                            const stored_candidate& nearest) {
        if (!moments_.known() || nearest.weight_error == 0) {
            return std::nullopt;
        }
        if (!basis_.known()) {
            basis_ = feedback_basis_of(moments_);
        }
        std::vector<half> table;
        if (has_optimal_table(*nearest.form)) {
            table = optimal_table(exact, nearest.form->bits);
        }
        auto values = with_error_feedback(exact, shape_, *nearest.form, layout_, basis_, table);
        if (!values) {
            return std::nullopt;
        }
        stored_candidate result = nearest;
        set_values(exact, std::move(*values), result);
        result.fed_back = true;
        return result;
    }

private:
    static bool has_optimal_table(const compression& form) {
        return form.form == weight_form::palette && form.vector == 1 && form.bits <= most_optimal_bits;
    }

    ANEMONE_INLINE void set_values(std::span<const half> exact, std::vector<half> values, stored_candidate& to) const {
        const std::vector<half> stored = stored_values(values, shape_, *to.form);
        to.weight_error = relative_distance(stored, exact);
        to.layer_error = layer_error(exact, stored);
        to.values = std::move(values);
    }

    ANEMONE_INLINE double layer_error(std::span<const half> exact, std::span<const half> stored) const {
        if (!moments_.known()) {
            return std::numeric_limits<double>::quiet_NaN();
        }
        std::vector<double> whole;
        std::vector<double> lost;
        for (std::size_t i = 0; i < exact.size(); ++i) {
            whole.push_back(static_cast<double>(exact[i]));
            lost.push_back(static_cast<double>(stored[i]) - static_cast<double>(exact[i]));
        }
        const std::int64_t stride = (layout_.rows + most_judged_rows - 1) / most_judged_rows;
        const double size = output_energy(moments_, layout_, whole, stride);
        const double moved = output_energy(moments_, layout_, lost, stride);
        return moved == 0 ? 0 : size > 0 ? std::sqrt(moved / size) : std::numeric_limits<double>::infinity();
    }

    static constexpr std::int64_t most_judged_rows = 128; ///< of a layer, for the error of its sums
    static constexpr int most_optimal_bits = 6;           ///< beyond, the steps and the memory outgrow what is won

    extents shape_;
    int reader_ = -1;
    weight_matrix layout_;
    moments moments_;
    feedback_basis basis_;
};

/// Runs the model on the samples and shows every rounder what its weight meets. Returns how often the model ran.
ANEMONE_INLINE int learn(std::vector<weight_rounder>& rounders, const graph_view& g, const weight_store& weights,
                         const model_samples& samples, const backend::any& place) {
    if (std::none_of(rounders.begin(), rounders.end(), [](const weight_rounder& r) { return r.learns(); })) {
        return 0;
    }
    calibration<backend::any> observed(place, g, weights);
    for (std::size_t run = 0; run < samples.size(); ++run) {
        const auto inputs = samples.inputs(run);
        observed.run(inputs);
        for (weight_rounder& rounder : rounders) {
            if (!rounder.learns()) {
                continue;
            }
            const int from = g.operands(rounder.reader())[0];
            std::vector<half> own;
            std::span<const half> values = observed.values(from);
            if (const int port = input_port(g, from); port >= 0 && g[from].type == dtype::f16) {
                own.resize(inputs[static_cast<std::size_t>(port)].size() / sizeof(half));
                std::memcpy(own.data(), inputs[static_cast<std::size_t>(port)].data(), own.size() * sizeof(half));
                values = own;
            }
            rounder.learn(g, values);
        }
    }
    for (weight_rounder& rounder : rounders) {
        rounder.has_learnt();
    }
    return 1;
}

} // namespace ane::compress::inline ANEMONE_WAY
