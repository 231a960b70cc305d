#ifndef ANEMONE_DIFF_WIDE_DIFF_HPP
#define ANEMONE_DIFF_WIDE_DIFF_HPP

#include "../backend/program.hpp"
#include "../backend/samples.hpp"
#include "../base/way.hpp"
#include "../graph/graph.hpp"
#include "../graph/sequence.hpp"
#include "cause.hpp"
#include "forward.hpp"
#include "wide_error.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

/// What fp16, or the engine's arithmetic, costs a model against double precision: which layer breaks.
namespace ane::inline ANEMONE_WAY {

struct wide_diff_options {
    error_bound bound{};
    /// Whether every layer is run alone too. If not, only those whose value is beyond the bound while those of its
    /// operands are not, which is where errors arise: a run of the model in each arithmetic and a few layers more.
    bool every_layer_alone = true;
    /// Nodes that are computed in double precision from what they read, as on the host; their values are rounded where
    /// other nodes read them.
    std::vector<int> on_host{};
    /// Whether each of them rounds its result, as the CPU backend does; else digits are kept between them.
    bool host_rounds = false;
    /// How many nodes of the model, from where an error first arises on, are kept as a model of their own with what they
    /// read, to try remedies on where the whole is too large; 0: none.
    int part_nodes = 0;
};

/// One layer: a node whose result the arithmetic that is judged rounds on its own.
struct layer_error {
    int node = 0;
    wide_error whole; ///< each run on its own values from the inputs on, in the worst of the samples
    /// The operation alone, on what it should read, rounded to what it does read; against the exact result of what it
    /// should read. Nothing is counted (`count` is 0) where it was not run alone.
    wide_error alone;
    difference_cause cause = difference_cause::none; ///< of `alone`, where that is beyond the bound
    double largest = 0;                              ///< the largest magnitude in double precision, of what is finite
    std::size_t samples = 0;                         ///< in how many samples `whole` is beyond the bound
    std::size_t sources = 0;                         ///< in how many `alone` is, and the operands are not
    std::size_t worst_sample = 0;

    bool fits = true; ///< whether its type holds its values, within the bound or, if that is finer, with fp16's digits

    bool is_beyond() const { return samples > 0; }
    bool is_source() const { return cause != difference_cause::none; }
};

/// How much was computed: of a plain run each layer is one, and all values of it are held at eight bytes an element.
struct wide_diff_work {
    std::int64_t reference_layers = 0; ///< operations in double precision
    std::int64_t judged_layers = 0;    ///< in the arithmetic that is judged, on their own values
    std::int64_t alone_layers = 0;     ///< and alone
    std::int64_t most_bytes = 0;       ///< of values that were held at the same time, in both
};

/// Some nodes of a model as a model, and what it reads: the exact values, rounded.
struct model_part {
    dynamic_graph graph;
    sequence<int> origins; ///< for each of its nodes that of the model, -1 for a port
    model_samples samples; ///< one
};

struct wide_difference {
    std::string judged; ///< the arithmetic: "oracle h13", "cpu, fp16"
    error_bound bound;
    std::vector<layer_error> layers; ///< in the order of the model
    /// The first layer that is beyond the bound in any sample, as a position in `layers`; -1: there is none.
    int first = -1;
    /// For each output that callers see, the position of its layer; -1 where an output computes nothing.
    std::vector<int> outputs;
    std::size_t samples = 0;
    std::size_t affected = 0; ///< samples in which an output is beyond the bound
    std::size_t broken = 0;   ///< samples in which any layer is
    std::size_t worst_sample =
        0; ///< the one in which an output is farthest off; of equals, that with a layer farthest off
    wide_diff_work work;
    model_part part{}; ///< empty unless requested

    bool within_bound() const { return first < 0; }
};

/// Runs a model in double precision and in another arithmetic side by side, layer by layer, on each of the samples (whose
/// states go on from sample to sample, from zeros), and compares every layer. What no later layer reads is forgotten, so
/// that memory is that of the values that are read across one layer. Throws `error` as `compile` and `run` do, and
/// (errc::argument) for no samples and for an invalid bound.
ANEMONE_API_OF(anemone_diff_wide_diff_hpp)
wide_difference diff(const graph_view& model, const backend::cpu& judged, const backend::wide& reference,
                     const weight_store& weights, const model_samples& samples, const wide_diff_options& options = {});
ANEMONE_API_OF(anemone_diff_wide_diff_hpp)
wide_difference diff(const graph_view& model, const backend::oracle& judged, const backend::wide& reference,
                     const weight_store& weights, const model_samples& samples, const wide_diff_options& options = {});

/// The same for a model that is a constant and one sample: `diff<model>(backend::oracle(h13), backend::wide{}, weights,
/// {"image"_s = image})`.
template <const auto& Model, class Judged>
wide_difference diff(const Judged& judged, const backend::wide& reference, const weight_store& weights,
                     const arguments<Model>& inputs, const wide_diff_options& options = {}) {
    model_samples samples;
    samples.add(inputs.buffers());
    return diff(Model, judged, reference, weights, samples, options);
}

} // namespace ane::inline ANEMONE_WAY

#endif
#if ANEMONE_BODIES
#include "wide_diff.ipp"
#endif
