#ifndef ANEMONE_DIFF_REMEDIES_HPP
#define ANEMONE_DIFF_REMEDIES_HPP

#include "../base/way.hpp"
#include "../targets/target.hpp"
#include "wide_diff.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// What helps a model whose results fp16 spoils: changes that are tried, each by a run.
namespace ane::inline ANEMONE_WAY {

enum class remedy_kind : std::uint8_t {
    scale,       ///< a value times a power of two, and back where what follows from it fits
    clamp,       ///< a result within +-65504, or the operand of a function within what fp16 holds of it
    paired_sum,  ///< a long sum in two stages
    rewrite,     ///< one of rewrites/registry.hpp
    cpu_segment, ///< some nodes on the CPU, each result rounded to fp16
    host         ///< some nodes on the host in fp32 or wider, rounded where others read them
};

constexpr std::string_view name(remedy_kind kind) noexcept {
    constexpr std::string_view names[] = {"scale", "clamp", "paired sum", "rewrite", "CPU segment", "host"};
    return names[static_cast<std::size_t>(kind)];
}

/// The outputs of a model against double precision, over all samples.
struct outputs_error {
    std::size_t affected = 0; ///< samples with an output beyond the bound
    wide_error worst{};       ///< of the output, in the sample, that is farthest off
};

/// One change at one place.
struct remedy_step {
    remedy_kind kind = remedy_kind::scale;
    int node = -1;           ///< of the model; -1 where the change has no one place
    int power = 0;           ///< scale: the value is held times 2^-power
    double limit = 0;        ///< clamp: the largest magnitude
    bool on_operand = false; ///< clamp: of the operand
    std::string rewrite{};   ///< its name in the registry
};

struct remedy {
    std::vector<remedy_step> steps;
    outputs_error after;        ///< the changed model, run in the arithmetic that is judged
    dynamic_graph graph{};      ///< the changed model; the model itself where nodes went elsewhere
    std::vector<int> on_host{}; ///< those nodes
};

struct remedy_search {
    outputs_error before;
    std::vector<remedy> helpful; ///< the best first; what did not help is not among them
    int tried = 0;
    std::int64_t layers_run = 0; ///< operations that were computed for it, in either arithmetic
    bool of_part = false;        ///< whether only a part of the model was run, from where the error arises on
    bool is_cut_short = false;   ///< whether `most_layers` ended it
};

struct remedy_options {
    wide_diff_options diff{};      ///< its bound
    std::optional<target> chip{};  ///< whose rewrites are tried
    std::size_t most_samples = 16; ///< that a change is run on
    std::int64_t most_layers = 0;  ///< no change is tried beyond so many `layers_run`; 0: as many as it takes
};

/// Tries what may help at the first layer where an error arises, and then at the next: the changed model is run in the
/// arithmetic that is judged, and its outputs are compared with the exact ones of the model. `found` is of the same model
/// and samples; where it has a part, that is run instead of the model.
ANEMONE_API_OF(anemone_diff_remedies_hpp)
remedy_search find_remedies(const graph_view& model, const backend::cpu& judged, const backend::wide& reference,
                            const weight_store& weights, const model_samples& samples, const wide_difference& found,
                            const remedy_options& options = {});
ANEMONE_API_OF(anemone_diff_remedies_hpp)
remedy_search find_remedies(const graph_view& model, const backend::oracle& judged, const backend::wide& reference,
                            const weight_store& weights, const model_samples& samples, const wide_difference& found,
                            const remedy_options& options = {});

} // namespace ane::inline ANEMONE_WAY

#endif
#if ANEMONE_BODIES
#include "remedies.ipp"
#endif
