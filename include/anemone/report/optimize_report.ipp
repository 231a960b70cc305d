#pragma once

#include "../base/way.hpp"
ANEMONE_INCLUDED(anemone_report_optimize_report_hpp);

#include "../base/formatted.hpp"
#include "../proof/proof.hpp"
#include "optimize_report.hpp"

#include <string_view>

namespace ane::inline ANEMONE_WAY {

ANEMONE_BODY_OF std::string optimize_text(const optimized& found, const target_description& d) {
    if (!has_cost_model(d)) {
        return formatted("no clock of {} is known: nothing is ranked\n", d.runtime);
    }
    std::string text;
    if (found.steps.empty()) {
        text = "no rewrite pays\n";
    } else {
        text = formatted("{:<22} {:>6}  {:<8} {:>10} {:>10}  {}\n", "rewrite", "places", "keeps", "before", "after",
                         "why");
        for (const rewrite_step& step : found.steps) {
            const rewrite_record& r = step.record();
            text += formatted("{:<22} {:>6}  {:<8} {:>7.0f} us {:>7.0f} us  {}\n", r.id, step.places, name(r.kept),
                              step.before * 1e6, step.after * 1e6, r.gain);
        }
    }
    if (found.apart > found.before) {
        text += formatted("{:.0f} us, each layer as a program of its own; {:.0f} us in one: {:.2f} times as fast\n",
                          found.apart * 1e6, found.before * 1e6, found.apart / found.before);
    }
    if (found.refused_before > 0) {
        text += formatted("{} refuses {} of the model as written, and {} after it\n", d.runtime,
                          found.refused_before == 1 ? "1 layer" : formatted("{} layers", found.refused_before),
                          found.refused_after);
    }
    if (found.refuted_before > 0) {
        text += formatted("the declared ranges let {} of the model pass a limit, and {} after it\n",
                          found.refuted_before == 1 ? "1 value" : formatted("{} values", found.refuted_before),
                          found.refuted_after);
    }
    if (found.error_before > 0) {
        text +=
            formatted("the least exact product is expected to be off by {:.2g} of its result, and by {:.2g} after it\n",
                      found.error_before, found.error_after);
    }
    return text + formatted("{:.0f} us become {:.0f} us on {}, {:.2f} times as fast, by the cost model\n",
                            found.before * 1e6, found.after * 1e6, d.runtime, found.gain());
}
ANEMONE_BODY_OF std::string optimize_text(const optimized& found, target t) {
    return optimize_text(found, describe(t));
}

ANEMONE_BODY_OF std::string proof_text(const rewrite_proof& proof) {
    const auto row = [](std::string_view what, const output_difference& d, const std::string& allowed, bool holds) {
        return formatted("{:<22} {:>10} of {:<10} {:>9.2g} {:>9.2g}  {:<16} {}\n", what, d.differing, d.values,
                         d.relative, d.largest, allowed, holds ? "holds" : "FAILS") +
               (d.mended == 0 ? std::string()
                              : formatted("{:<22} {:>10} overflowed before it, and do not after it\n", "", d.mended));
    };
    std::string text = formatted("{:<22} {:>24} {:>9} {:>9}  {:<16} {}\n", "proof", "values that differ", "relative",
                                 "largest", "allowed", "verdict");
    for (const step_proof& s : proof.steps) {
        text += row(s.step.record().id, s.difference,
                    s.step.record().kept == rewrite_exactness::bits ? "no bit"
                                                                    : formatted("relative {:.2g}", s.most_relative),
                    s.holds());
    }
    return text + row("all of them", proof.whole, "", proof.holds());
}

ANEMONE_BODY_OF std::string rewrites_text() {
    std::string text;
    for (const rewrite_record& r : rewrite_table) {
        text +=
            formatted("{:<22} {:<8} {:<8} {}: {}  [{}]\n", r.id, name(r.goal), name(r.kept), r.when, r.gain, r.source);
    }
    return text;
}

} // namespace ane::inline ANEMONE_WAY
