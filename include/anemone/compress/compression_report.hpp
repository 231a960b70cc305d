#ifndef ANEMONE_COMPRESS_COMPRESSION_REPORT_HPP
#define ANEMONE_COMPRESS_COMPRESSION_REPORT_HPP

#include "../base/way.hpp"
#include "../drawing/options.hpp"
#include "compress.hpp"

#include <string>

namespace ane::inline ANEMONE_WAY {

/// A plan as text: a line for each weight with its form, bytes and errors; sizes, times, the loss and its limit; what
/// one form for all would have cost; and which forms were refused, and why.
ANEMONE_API_OF(anemone_compress_compression_report_hpp) std::string compression_report(const compression_plan& plan);

/// The plan's steps, one form for all, and the plan itself as points: the output's relative error over the bytes of the
/// weights, or over the estimated time. Throws `error` (errc::argument) where no point has both, such as for a time on a
/// target whose rates are not known.
ANEMONE_API_OF(anemone_compress_compression_report_hpp)
std::string draw_pareto(const compression_plan& plan, compression_goal over = compression_goal::size,
                        drawing::theme theme = drawing::theme::automatic);

} // namespace ane::inline ANEMONE_WAY

#endif
#if ANEMONE_BODIES
#include "compression_report.ipp"
#endif
