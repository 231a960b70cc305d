#ifndef ANEMONE_COMPRESS_COMPRESS_HPP
#define ANEMONE_COMPRESS_COMPRESS_HPP

#include "../backend/any.hpp"
#include "../backend/samples.hpp"
#include "../base/way.hpp"
#include "../graph/graph.hpp"
#include "../targets/description.hpp"
#include "../targets/target.hpp"
#include "../values/half.hpp"
#include "../weights/store.hpp"
#include "output_loss.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

/// Which weights of a model to store in which form: as small, or as fast, as a bound on the loss allows.
namespace ane::inline ANEMONE_WAY {

/// What compression is to save.
enum class compression_goal : std::uint8_t {
    size, ///< bytes of the weights
    time  ///< what `estimate` gives: forms that the target expands save nothing
};

/// The file that is to hold the weights: a form that it writes as fp16 saves nothing there.
enum class weight_file : std::uint8_t {
    mil,            ///< MIL text as `emit_mil` writes it by default: the forms that a source has run
    mil_every_form, ///< with `mil_options::every_stored_form`
    netplist,       ///< holds fp16 alone
    any             ///< no file: only what the target takes counts
};

/// A weight that the caller decides on.
struct required_form {
    std::string weight;
    std::optional<compression> form; ///< none: fp16
};

struct compression_options {
    compression_goal goal = compression_goal::size;
    double most_loss = 0.01; ///< the gate: no plan has a larger loss on the samples that it is chosen by
    output_loss loss{};
    weight_file file = weight_file::mil;
    std::vector<compression> forms{}; ///< to choose from; empty: `usual_forms()`
    std::vector<required_form> required{};
    bool error_feedback = true; ///< besides rounding to the nearest; what moves the outputs less is kept
    /// What error feedback learns from; null: a part of the samples that no gate sees, for error feedback fits to its
    /// data, and a gate on the same data would pass what fails on new data.
    const model_samples* calibration = nullptr;
    /// Runs that tell the loss of the plan and decide nothing; null: a quarter of the samples. With a calibration all
    /// samples are the gate's, and runs are held out only where they are given.
    const model_samples* held_out = nullptr;
    std::int64_t most_feedback_columns = 2048; ///< longer rows are rounded: feedback takes their length cubed steps
    const backend::any* place = nullptr;       ///< where the samples run; null: on the CPU
};

/// int8 by channel, in blocks of 32; integers of 4 bits in blocks of 32; palettes of 8, 6, 4, 3, 2 bits, of 4 bits for
/// pairs; sparse.
ANEMONE_API_OF(anemone_compress_compress_hpp) std::vector<compression> usual_forms();

/// A form that a weight could have.
struct stored_candidate {
    std::optional<compression> form; ///< none: fp16
    std::string refused;             ///< why the target or the file cannot hold it; nothing else is known then
    std::string passed_over;         ///< why it is not worth its loss
    bool streams = false;            ///< crosses the memory as stored
    bool fed_back = false;           ///< rounded with error feedback
    std::int64_t bytes = 0;
    double weight_error = 0; ///< relative, of the elements
    double layer_error = std::numeric_limits<
        double>::quiet_NaN();            ///< relative, of the sums on the calibration data (of 128 rows at most)
    double output_error = 0;             ///< relative, of the model's outputs where this weight alone is stored so, or
                                         ///< its part of what its group does
    double nearest_error = 0;            ///< the same where every element is rounded to the nearest
    std::optional<double> saved_seconds; ///< by this weight alone
    std::vector<half> values;            ///< that `encode_weight` makes the stored form of

    bool usable() const { return refused.empty() && passed_over.empty(); }
};

/// A weight and its forms.
struct weight_choice {
    std::string name;
    extents shape;
    std::vector<stored_candidate> candidates; ///< the first is fp16
    std::size_t chosen = 0;

    const stored_candidate& form() const { return candidates[chosen]; }
};

/// A whole model with chosen forms, as measured.
struct compression_point {
    std::string label;
    std::int64_t bytes = 0;        ///< of all weights
    std::optional<double> seconds; ///< estimated, where the target's rates are known
    double output_error = 0;       ///< relative, on the samples
    double loss = 0;               ///< by the options' measure
    std::vector<std::size_t> chosen;
};

/// The loss of a plan on runs that it was not chosen by. A plan is the cheapest of many that pass its gate, so its loss on
/// the gate's own runs is less than on others.
struct held_out_loss {
    std::size_t runs = 0;                ///< 0: none could be held out
    double loss = 0;                     ///< of all of them
    std::optional<double> at_least = {}; ///< where the loss of a further run like them lies, nine times of ten:
    std::optional<double> at_most = {};  ///< known of relative errors, from 2 runs on, where all of them are finite
};

/// What was found. `weights[i].chosen` may be changed before `apply`; the totals are those of the plan.
struct compression_plan {
    std::string target;
    compression_goal goal = compression_goal::size;
    double most_loss = 0;
    std::vector<weight_choice> weights;     ///< those that a convolution or product reads; others stay as they are
    compression_point before;               ///< nothing stored otherwise
    compression_point after;                ///< the plan: on the runs that it is chosen by not above `most_loss`
    held_out_loss held_out{};               ///< of the plan, on other runs
    std::vector<compression_point> path;    ///< from `before` to everything in its smallest form, a step at a time
    std::vector<compression_point> uniform; ///< one form for all weights that can have it
    std::int64_t other_bytes = 0;           ///< of the weights that stay
    int runs = 0;                           ///< how often the samples ran
    dynamic_graph model;
    weight_store store;

    /// How many times smaller the weights are; 1 for a model without any.
    double ratio() const {
        return after.bytes > 0 ? static_cast<double>(before.bytes) / static_cast<double>(after.bytes) : 1;
    }
};

/// A graph whose weights are wrapped in `op::compressed`, and the store that goes with it: ready for every backend,
/// `emit_mil` and `emit_netplist`.
struct compressed_model {
    dynamic_graph graph;
    weight_store weights;
};

/// Chooses a form for every weight that a convolution, a linear layer or a product reads. Every form that the target and
/// the file hold is tried for each weight alone, rounded to the nearest and with error feedback. Then the model goes from
/// fp16 to the smallest forms step by step, each the one that saves the most for its error, and every step is run; of
/// those that keep to the gate, the cheapest is the plan, with what can still be added to it. Deterministic: the same
/// arguments give the same plan.
///
/// Of more than 96 weights, neighbours are tried and changed together, in at most 96 groups: a model of thousands of weights
/// takes no more runs than one of 96. What is measured of a group counts for its weights in equal parts.
///
/// Every other run is learnt from. Those between are by turns the gate's, and held out: these tell the loss of the plan that
/// was found. Runs of a model with states follow from each other: all of them are the gate's, and none is held out.
///
/// Throws `error` (errc::argument) for no samples, samples without a finite output, a bound that is no number from 0 on, a
/// required form of a weight that there is not, or that the target or the file cannot hold, required forms that break the
/// gate, a loss of the uncompressed model above it, and `goal::time` on a target whose rates are not known.
ANEMONE_API_OF(anemone_compress_compress_hpp)
compression_plan choose_compression(const graph_view& g, const weight_store& weights, const target_description& t,
                                    const model_samples& samples, const compression_options& options = {});
ANEMONE_API_OF(anemone_compress_compress_hpp)
compression_plan choose_compression(const graph_view& g, const weight_store& weights, target t,
                                    const model_samples& samples, const compression_options& options = {});

/// The model in the plan's forms. Throws `error` (errc::argument) for a choice that is not a candidate or one that
/// was refused.
ANEMONE_API_OF(anemone_compress_compress_hpp) compressed_model apply(const compression_plan& plan);

} // namespace ane::inline ANEMONE_WAY

#endif
#if ANEMONE_BODIES
#include "compress.ipp"
#endif
