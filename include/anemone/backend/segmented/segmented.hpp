#ifndef ANEMONE_BACKEND_SEGMENTED_SEGMENTED_HPP
#define ANEMONE_BACKEND_SEGMENTED_SEGMENTED_HPP

#include "../../base/hidden.hpp"
#include "../../base/way.hpp"
#include "../../segments/segments.hpp"
#include "../any.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace ane::backend::inline ANEMONE_WAY {

/// How the `segmented` backend cuts, and where segments run that are not for its device.
struct segmented_options {
    /// For what no door of the engine takes; empty: the CPU, which rounds as the engine does it, after each operation.
    std::optional<any> host{};
    std::optional<any> netplist{}; ///< for segments of the netplist route; empty: an engine's own door, or the device
    segment_limits limits{};
};

/// A model as several programs, which run in order. A value that goes from one to the next stays in the memory into which
/// its program wrote it. Move-only; a moved-from program throws `error` (errc::argument) on use.
class segmented_program {
public:
    /// Does the work of `segmented::compile`.
    ANEMONE_API_OF(anemone_backend_segmented_segmented_hpp)
    segmented_program(const graph_view& model, const weight_store& weights, const target_description& generation,
                      const any& device, const segmented_options& options);

    /// Throws `error`: port for buffers that do not match the ports in number and size, argument while another thread is
    /// running the program, and what a segment throws. Then the states that earlier segments keep have their next
    /// values already.
    ANEMONE_API void run(input_buffers inputs, output_buffers outputs);

    /// The value of a state of the model: what the last run left, zeros before the first one. What is written there, the
    /// next run reads. Throws `error` (errc::port) if no state has this name. The memory stays until the next run.
    ANEMONE_API std::span<std::byte> state(std::string_view name);
    /// Sets every state to zeros.
    ANEMONE_API void reset();

    /// The segments (segments/segments.hpp), and what they are and cost as text. The costs take the host for the CPU
    /// beside the target's anchor, and an operation that an engine gets whole for its parts.
    ANEMONE_API segmentation_view segments() const;
    ANEMONE_API const std::string& report() const;
    /// The program of one segment: for what its own backend says of it.
    ANEMONE_API any_program& program(int segment);

private:
    struct members;
    hidden<members> state_; // buffers refer to each other, so they keep their address
};

/// A backend made of others: cuts a model into segments for a target and compiles each for the device, or for the host.
///
///     auto program = compile<model>(backend::segmented(h13, backend::oracle{h13}), weights);
class segmented {
public:
    ANEMONE_API_OF(anemone_backend_segmented_segmented_hpp)
    segmented(const target_description& generation, any device, segmented_options options = {});
    ANEMONE_API_OF(anemone_backend_segmented_segmented_hpp)
    segmented(target generation, any device, segmented_options options = {});
    /// On an engine, whose netplist door takes what its other one does not.
    template <class Engine>
        requires requires(const Engine& device) { device.by_netplists(); }
    segmented(target generation, Engine device, segmented_options options = {})
        : segmented(describe(generation), any(device), with_both_doors(device, std::move(options))) {}

    /// "... in segments", after the name of the device.
    ANEMONE_API std::string name() const;
    /// Whether the device, by either door, or the host computes the operation.
    ANEMONE_API bool supports(op kind) const;
    static constexpr bool verifies_weights = true; // each segment verifies its own

    /// Throws `error`: graph where the model cannot be cut within the limits, and what the backends of the segments throw.
    ANEMONE_API segmented_program compile(const graph_view& model, const weight_store& weights) const;

private:
    template <class Engine> static segmented_options with_both_doors(const Engine& device, segmented_options options) {
        if (!options.netplist) {
            options.netplist = any(device.by_netplists());
        }
        return options;
    }

    target_description generation_;
    any device_;
    segmented_options options_;
};

} // namespace ane::backend::inline ANEMONE_WAY

#endif
#if ANEMONE_BODIES
#include "segmented.ipp"
#endif
