#pragma once

#include "../base/way.hpp"
#include "../cost/cost.hpp"

#include <string>
#include <string_view>

/// What a model costs on a target, as text.
namespace ane::inline ANEMONE_WAY {

/// How the rates of an estimate are known: "measured fit", "predicted".
constexpr std::string_view mark_text(const roofline& r) {
    return r.known_by == mark::measured ? "measured fit" : name(r.known_by);
}

/// One line: "0.85 MFLOP, 0.21 MB, 4.0 FLOP/byte, dispatch-bound on h13 (M1): between 0.20 and 0.27 ms, typically
/// 0.23 ms (measured fit)".
ANEMONE_API std::string cost_line(const cost& c);

/// Whether a dispatch takes longer than everything that it does (R111).
constexpr bool is_below_the_floor(const cost& c) { return c.roof && c.seconds && c.limit == bound::dispatch; }

/// What the rules advise on the cost of a program, a line each; nothing where the time is not known.
/// "warn: the work takes 19 us, a dispatch 220 us; try: larger batches, ... [R111, measured]"
ANEMONE_API std::string cost_advice(const cost& c);

/// A table with a row for each layer of a lowered graph, what the figures rest on, and advice.
ANEMONE_API std::string cost_table(const graph_view& lowered, const cost& c);

/// The table of a model on a target; the model is lowered first.
ANEMONE_API std::string cost_report(const graph_view& model, const target_description& d);
ANEMONE_API std::string cost_report(const graph_view& model, target t);

} // namespace ane::inline ANEMONE_WAY

#if !defined(ANEMONE_COMPILED)
#include "cost_report.ipp"
#endif
