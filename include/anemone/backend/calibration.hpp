#ifndef ANEMONE_BACKEND_CALIBRATION_HPP
#define ANEMONE_BACKEND_CALIBRATION_HPP

#include "../analysis/ranges.hpp"
#include "../base/way.hpp"
#include "backend.hpp"

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

/// The ranges of a model's values observed on data, for where promises are missing or wide.
namespace ane::detail::inline ANEMONE_WAY {

/// A model with all its fp16 results as outputs, their memory, and the ranges observed there.
class observation {
public:
    /// Allocates the memory of all observed results.
    ANEMONE_API explicit observation(const graph_view& g);

    graph_view model() const { return graph_; }

    /// The memory of all outputs, for one run.
    ANEMONE_API std::vector<std::span<std::byte>> outputs();
    /// Widens the ranges by what that run read and wrote.
    ANEMONE_API void widen(input_buffers inputs);

    /// The ranges observed so far.
    ANEMONE_API std::span<const measured_range> measured() const;
    /// What the last run wrote for a node; empty for one that is not observed.
    ANEMONE_API std::span<const half> values(int node) const;

private:
    struct kept {
        int input; ///< nodes
        int next;
    };

    dynamic_graph graph_;
    std::vector<kept> states_;
    std::vector<int> inputs_; ///< nodes
    std::vector<int> nodes_;  ///< of the outputs
    std::vector<std::vector<half>> results_;
    std::vector<measured_range> ranges_;
};

} // namespace ane::detail::inline ANEMONE_WAY

namespace ane::inline ANEMONE_WAY {

/// Runs a model on data and keeps the smallest and the largest value of every node that it computes in fp16, and of its
/// fp16 inputs. States go on from run to run, from zeros. Backends may observe different values: the oracle of a target observes what that engine computes.
template <runnable_backend Backend> class calibration {
public:
    /// Throws `error` as the backend's `compile` does.
    ANEMONE_API_OF(anemone_backend_calibration_hpp)
    calibration(const Backend& backend, const graph_view& g, const weight_store& weights)
        : observed_(g), program_(backend.compile(observed_.model(), weights)) {}

    /// One run; `inputs` is the memory of the model's inputs in their order.
    void run(input_buffers inputs) {
        program_.run(inputs, observed_.outputs());
        observed_.widen(inputs);
    }

    /// What was observed at each node, for `ranges(g, measured)` and for the report.
    std::span<const measured_range> measured() const { return observed_.measured(); }
    /// The values of node `node` in the last run; empty for one that is no fp16 result.
    std::span<const half> values(int node) const { return observed_.values(node); }

private:
    using program = decltype(std::declval<const Backend&>().compile(std::declval<const graph_view&>(),
                                                                    std::declval<const weight_store&>()));
    detail::observation observed_;
    program program_;
};

} // namespace ane::inline ANEMONE_WAY

#endif
#if ANEMONE_BODIES
#include "calibration.ipp"
#endif
