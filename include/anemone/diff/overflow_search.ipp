#pragma once

#include "../base/way.hpp"
ANEMONE_INCLUDED(anemone_diff_overflow_search_hpp);

#include "../analysis/envelope.hpp"
#include "../backend/calibration.hpp"
#include "../backend/cpu/cpu.hpp"
#include "../backend/samples.hpp"
#include "../passes/lowering.hpp"
#include "../passes/validate.hpp"
#include "overflow_search.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <span>
#include <utility>

namespace ane::detail::inline ANEMONE_WAY {

enum class range_end : std::uint8_t { largest, smallest, nearest_zero, random };

constexpr std::string_view phrase(range_end end) noexcept {
    constexpr std::string_view phrases[] = {"every input at its largest", "every input at its smallest",
                                            "every input as near to zero as it may be",
                                            "inputs at random ends of their ranges"};
    return phrases[static_cast<std::size_t>(end)];
}

/// The memory of one run at ends of the ranges; inputs that are no fp16 numbers as `random_samples` makes them.
ANEMONE_INLINE model_samples samples_at(const graph_view& g, range_end end, std::uint32_t seed) {
    const model_samples others = random_samples(g, 1, seed);
    const std::vector<std::span<const std::byte>> drawn = others.inputs(0);
    std::vector<std::vector<std::byte>> memory;
    std::mt19937 random(seed); // the same everywhere
    const sequence<char> bound = bound_nodes(g);
    for (int i = 0; i < g.size(); ++i) {
        if (bound[static_cast<std::size_t>(i)] == 0) {
            continue;
        }
        const std::span<const std::byte> from = drawn[memory.size()];
        std::vector<std::byte>& to = memory.emplace_back(from.begin(), from.end());
        const contract& c = g[i].get<contract>();
        if (g[i].type != dtype::f16 || !c.declared) {
            continue;
        }
        for (std::size_t k = 0; k < to.size(); k += sizeof(half)) {
            const double zero = std::clamp(0.0, c.low, c.high);
            const bool high = end == range_end::largest || (end == range_end::random && random() % 2 == 0);
            const half value(
                std::clamp(end == range_end::nearest_zero ? zero : (high ? c.high : c.low), -half_max, half_max));
            std::memcpy(to.data() + k, &value, sizeof value);
        }
    }
    model_samples samples;
    samples.add(std::vector<std::span<const std::byte>>(memory.begin(), memory.end()));
    return samples;
}

/// What a lowered model computes for one sample, with what is asked about its values.
class observed_run {
public:
    ANEMONE_INLINE observed_run(const graph_view& g, const weight_store& weights)
        : g_(g), bound_(bound_nodes(g)), run_(backend::cpu{}.rounding(rounding::each_operation), g, weights),
          inputs_(g.nodes.size()) {}

    ANEMONE_INLINE void at(const model_samples& samples) {
        const auto memory = samples.inputs(0);
        std::size_t position = 0;
        for (int i = 0; i < g_.size(); ++i) {
            if (bound_[static_cast<std::size_t>(i)] == 0) {
                continue;
            }
            const std::span<const std::byte> input = memory[position++];
            if (g_[i].type == dtype::f16) {
                std::vector<half>& values = inputs_[static_cast<std::size_t>(i)];
                values.resize(input.size() / sizeof(half));
                std::memcpy(values.data(), input.data(), input.size());
            }
        }
        run_.run(memory);
    }

    /// The nodes that leave fp16 though what they read does not: those behind them say nothing more.
    ANEMONE_INLINE std::vector<int> overflows() const {
        std::vector<bool> spoiled(g_.nodes.size(), false);
        std::vector<int> first;
        for (int i = 0; i < g_.size(); ++i) {
            const std::span<const int> operands = g_.operands(i);
            const bool behind = std::any_of(operands.begin(), operands.end(),
                                            [&](int o) { return spoiled[static_cast<std::size_t>(o)]; });
            const bool leaves = !behind && !is_source(g_[i].kind) && g_[i].type == dtype::f16 && leaves_fp16(i);
            spoiled[static_cast<std::size_t>(i)] = behind || leaves;
            if (leaves) {
                first.push_back(i);
            }
        }
        return first;
    }

private:
    template <class Test> static bool has(std::span<const half> values, Test test) {
        return std::any_of(values.begin(), values.end(), [&](half v) { return test(static_cast<double>(v)); });
    }

    ANEMONE_INLINE bool leaves_fp16(int index) const {
        const node& n = g_[index];
        const double limit = is_contraction(n.kind) ? accumulator_ceiling : half_overflow;
        return has(values(index), [=](double v) { return !(std::fabs(v) < limit); }) || is_undefined(n);
    }

    /// Whether it divides by zero, or takes the logarithm of a number that is not positive.
    ANEMONE_INLINE bool is_undefined(const node& n) const {
        const auto epsilon = static_cast<double>(half(added_epsilon(n)));
        if (quotients.contains(n.kind)) {
            return has(values(g_.operands(n).back()), [=](double v) { return v + epsilon == 0; });
        }
        return logarithms.contains(n.kind) && n.kind != op::reduce_log_sum &&
               has(values(g_.operands(n)[0]), [=](double v) { return v + epsilon <= 0; });
    }

    ANEMONE_INLINE std::span<const half> values(int index) const {
        if (bound_[static_cast<std::size_t>(index)] == 0) {
            return run_.values(index);
        }
        return inputs_[static_cast<std::size_t>(index)];
    }

    graph_view g_;
    sequence<char> bound_;
    calibration<backend::cpu> run_;
    std::vector<std::vector<half>> inputs_; ///< by node; empty for other types
};

} // namespace ane::detail::inline ANEMONE_WAY

namespace ane::inline ANEMONE_WAY {

ANEMONE_BODY_OF std::vector<overflow_found> find_overflows(const graph_view& model, const weight_store& weights,
                                                           std::size_t random) {
    validate(model);
    lowered_graph lowered;
    try {
        lowered = lower(model);
    } catch (const error& refused) {
        if (refused.code() == errc::lowering) {
            return {};
        }
        throw;
    }
    const graph_view g = lowered.view();
    detail::observed_run run(g, weights);
    std::vector<overflow_found> found;
    for (std::size_t k = 0; k < 3 + random; ++k) {
        const auto end = static_cast<detail::range_end>(std::min<std::size_t>(k, 3));
        run.at(detail::samples_at(g, end, static_cast<std::uint32_t>(k)));
        for (const int i : run.overflows()) {
            const int node = lowered.origins[static_cast<std::size_t>(i)];
            const bool known =
                std::any_of(found.begin(), found.end(), [node](const overflow_found& f) { return f.node == node; });
            if (!known) {
                found.push_back({node, std::string(detail::phrase(end))});
            }
        }
    }
    std::stable_sort(found.begin(), found.end(),
                     [](const overflow_found& a, const overflow_found& b) { return a.node < b.node; });
    return found;
}

} // namespace ane::inline ANEMONE_WAY
