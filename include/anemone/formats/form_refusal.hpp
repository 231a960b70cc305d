#pragma once

#include "../base/error.hpp"
#include "../base/formatted.hpp"
#include "../base/text.hpp"
#include "../base/way.hpp"
#include "../forms/form_text.hpp"
#include "../passes/print.hpp"
#include "../weights/fold_constants.hpp"

#include <cstddef>
#include <string>

namespace ane::formats::inline ANEMONE_WAY {

/// Throws `error` (errc::lowering) for the first node that a format cannot hold: which it is, why, and what to write
/// instead.
ANEMONE_INLINE void refuse_faults(const graph_view& lowered, const sequence<form_fault>& faults,
                                  const folded_constants& constants) {
    for (int i = 0; i < lowered.size(); ++i) {
        const form_fault& fault = faults[static_cast<std::size_t>(i)];
        if (!fault || constants.known(i)) {
            continue;
        }
        const source_location& where = lowered[i].where;
        const std::string why = forms::phrase(fault);
        throw error(errc::lowering, print(lowered, i),
                    formatted("{}; try: {} ({}:{})", why, forms::phrase(rewrite_for(lowered[i].kind, fault.why)),
                              where.file, where.line));
    }
}

} // namespace ane::formats::inline ANEMONE_WAY
