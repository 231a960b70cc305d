#pragma once

#include "../base/formatted.hpp"
#include "../base/way.hpp"
#include "../diff/remedies.hpp"
#include "../diff/wide_diff.hpp"

#include <cmath>
#include <string>
#include <string_view>
#include <vector>

/// Comparisons with double precision as sentences.
namespace ane::detail::inline ANEMONE_WAY {

/// "0.0021"; "inf" where an element is not finite.
ANEMONE_INLINE std::string relative_text(const wide_error& e) {
    return e.count == 0 ? "" : e.not_finite > 0 ? "inf" : formatted("{:.2g}", e.relative);
}
ANEMONE_INLINE std::string beyond_text(const wide_error& e) {
    return formatted("{:.3g} %", 100.0 * static_cast<double>(e.beyond) / static_cast<double>(e.count));
}

/// What makes a layer differ, as a sentence about it.
ANEMONE_INLINE std::string explanation_of(const layer_error& layer) {
    switch (layer.cause) {
    case difference_cause::none: return "alone it is within the bound: the errors of the layers before it add up";
    case difference_cause::ceiling: return "a sum of its products reaches 2^15, where the engine's register ends";
    case difference_cause::width_slice:
        return "it slices inside the width, where the engine multiplies by 16 for a while";
    case difference_cause::int8_activation: return "it multiplies values above 4094 by int8 weights";
    case difference_cause::overflow:
        return layer.largest > half_max
                   ? formatted("its values reach {:.6g}, and fp16 ends at 65504", layer.largest)
                   : std::string("a step inside it, such as a square, leaves fp16, which ends at 65504");
    case difference_cause::mask:
        return formatted("what a mask adds reaches -{:.6g}, which is -infinity in fp16", layer.largest);
    case difference_cause::special_value: return "NaN and infinity follow other rules there";
    case difference_cause::integer: return "it reads whole numbers above 2048, of which fp16 does not have every one";
    case difference_cause::cancellation:
        return "it magnifies the rounding of its operands to fp16: what they have in common cancels";
    case difference_cause::code_scale:
        return "the scale of its stored weight is applied to the rounded sum of the codes";
    case difference_cause::flush: return "numbers below 2^-14 lose digits in fp16, and those below 2^-25 are zero";
    case difference_cause::fixed_point: return "its products are rounded to multiples of 2^-16";
    case difference_cause::table: return "the engine looks its function up in a table of 33 knots";
    case difference_cause::reduction: return "the engine adds in tiles of four, at 12 bits";
    case difference_cause::rounding: return "it is rounded, to the nearest number or in a step inside";
    }
    return {};
}

/// "x 2^-4"
ANEMONE_INLINE std::string step_text(const remedy_step& step, const std::vector<std::string>& names) {
    const std::string at = step.node < 0 ? std::string() : names[static_cast<std::size_t>(step.node)];
    switch (step.kind) {
    case remedy_kind::scale:
        return formatted("scale {} by 2^{}, and back where what follows fits into fp16", at, -step.power);
    case remedy_kind::clamp:
        return formatted("clamp {} {} to +-{:.6g}", step.on_operand ? "what goes into" : "the result of", at,
                         step.limit);
    case remedy_kind::paired_sum: return formatted("add in two stages in {}", at);
    case remedy_kind::rewrite: return formatted("rewrite by {} (anemone optimize --values)", step.rewrite);
    case remedy_kind::cpu_segment: return formatted("compute {} on the CPU, in a segment of its own", at);
    case remedy_kind::host: return formatted("compute {} on the host in fp32", at);
    }
    return {};
}

ANEMONE_INLINE std::string remedy_text(const remedy& r, const std::vector<std::string>& names) {
    std::string text;
    for (const remedy_step& step : r.steps) {
        text += (text.empty() ? "" : "; ") + step_text(step, names);
    }
    const bool leaves = !r.on_host.empty();
    if (leaves && r.on_host.size() > r.steps.size()) {
        text += formatted(", {} operations with those that read what fp16 does not hold", r.on_host.size());
    }
    return text;
}

/// "all outputs within the bound, relative error 0.0004"
ANEMONE_INLINE std::string outcome_text(const outputs_error& e, std::size_t samples) {
    const std::string error = "relative error " + relative_text(e.worst);
    if (e.affected == 0) {
        return "the outputs are within the bound, " + error;
    }
    return samples == 1 ? "the outputs are still beyond the bound, " + error
                        : formatted("{} samples are still beyond the bound, {}", e.affected, error);
}

} // namespace ane::detail::inline ANEMONE_WAY
