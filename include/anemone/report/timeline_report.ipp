#pragma once

#include "../base/way.hpp"
ANEMONE_INCLUDED(anemone_report_timeline_report_hpp);

#include "../base/formatted.hpp"
#include "cost_text.hpp"
#include "timeline_report.hpp"
#include "timeline_text.hpp"

#include <algorithm>

namespace ane::detail::inline ANEMONE_WAY {

/// What first calls and pauses did, and which side of the sources that rests on.
ANEMONE_INLINE std::string wake_text(const timeline& t) {
    std::string text = formatted("first calls: {} took longer ({})\n", t.warm_ups,
                                 t.options.first_calls == warm_up::factors ? "3.6, 2.1, 1.13 times a steady call"
                                 : t.options.first_calls == warm_up::added ? "by 5.45, 2.45, 0.28 ms"
                                                                           : "all programs have run before");
    text += formatted("pauses: {} short, {} long ({})\n", t.short_idles, t.re_wakes,
                      t.options.pauses == idle_cost::re_wake
                          ? "1.2 to 1.7 times a call, 260 ms after 5 s; CC17: guide chapter 10"
                      : t.options.pauses == idle_cost::plateau ? "0.5 ms from 0.1 s on; CC17: guide chapter 31"
                                                               : "they cost nothing");
    if (t.unmeasured_pauses > 0) {
        text += formatted("{} between 1 and 5 s, of which nothing is known: taken as short\n",
                          counted(t.unmeasured_pauses, "pause"));
    }
    return text;
}

} // namespace ane::detail::inline ANEMONE_WAY

namespace ane::inline ANEMONE_WAY {

ANEMONE_BODY_OF std::string timeline_text(const timeline& t, const timeline_text_options& options) {
    detail::require_names(t, options.names);
    std::string text;
    const std::size_t rows = std::min(options.rows, t.requests.size());
    if (rows > 0) {
        std::size_t width = 7;
        for (int p = 0; p < t.programs; ++p) {
            width = std::max(width, detail::program_name(options.names, p).size());
        }
        text += formatted("{:>7}  {:<{}} {:>12} {:>10} {:>10} {:>10} {:>10}\n", "request", "program", width,
                          "arrives, ms", "waits", "engine", "ends", "latency");
        for (std::size_t i = 0; i < rows; ++i) {
            const served_request& s = t.requests[i];
            text += formatted("{:>7}  {:<{}} {:>12.3f} {:>10.3f} {:>10.3f} {:>10.3f} {:>10.3f}  {}\n", i,
                              detail::program_name(options.names, s.program), width, s.arrival * 1e3, s.waited() * 1e3,
                              (s.engine_end - s.engine) * 1e3, s.end * 1e3, s.latency() * 1e3, detail::remarks(s));
            while (text[text.size() - 2] == ' ') {
                text.erase(text.size() - 2, 1);
            }
        }
        if (rows < t.requests.size()) {
            text += formatted("and {} more\n", t.requests.size() - rows);
        }
    }
    text += detail::timeline_lines(t);
    if (t.requests.empty()) {
        return text;
    }
    text +=
        formatted("the engine has a request {:.1f} % of the time and works on one {:.1f} %; {} of the program; {}\n",
                  t.utilisation() * 100, t.work_share() * 100,
                  t.switches == 1 ? "1 switch" : formatted("{} switches", t.switches),
                  t.joules > 0 ? detail::millijoules(t.joules) : "energy not known");
    if (t.held_back > 0) {
        text += formatted("{} found {} of its program outstanding and was held back (R117)\n",
                          detail::counted(t.held_back, "request"), outstanding_requests_limit);
    }
    text += detail::wake_text(t);
    return text + (t.known_by == mark::measured
                       ? "simulated; the constants are measured on M1\n"
                       : "simulated; predicted: constants of the M1, carried over to this chip\n");
}

ANEMONE_BODY_OF std::string batch_text(std::span<const batch_point> points) {
    std::string text = formatted("{:>7} {:>12} {:>12} {:>8} {:>8} {:>12}\n", "batch", "dispatch", "a sample", "gain",
                                 "fixed", "a sample");
    for (const batch_point& p : points) {
        text += formatted("{:>7} {:>9.1f} us {:>9.2f} us {:>8.4g} {:>6.1f} % {:>9.2f} uJ\n", p.batch,
                          p.time.seconds() * 1e6, p.seconds_per_sample() * 1e6, p.gain, p.fixed_share() * 100,
                          p.joules_per_sample() * 1e6);
    }
    return text;
}

} // namespace ane::inline ANEMONE_WAY
