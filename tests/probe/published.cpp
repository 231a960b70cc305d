// The published records as tasks: the checks of tests/numerics, posed to the engine.

#include "asked.hpp"
#include "checks.hpp"
#include "facts.hpp"
#include "journal.hpp"
#include "more_probes.hpp"
#include "tasks.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace kit {
namespace {

/// Why a line of the facts is no question to an engine; empty where it is one.
std::string reason_against(std::string_view id) {
    for (const probing::beyond_arithmetic& r : probing::records_beyond()) {
        if (r.id == id) {
            return std::string(r.reason);
        }
    }
    for (const beyond_a_graph& r : records_beyond_a_graph()) {
        if (r.id == id) {
            return std::string(r.reason);
        }
    }
    return {};
}

struct question {
    void (*check)(const probing::generation&) = nullptr;
    std::string unmet; ///< why the model does not meet the record; the check then shows that
};

question question_of(std::string_view id) {
    std::vector<probing::probe> all = probing::all_probes();
    const auto more = more_probes();
    all.insert(all.end(), more.begin(), more.end());
    for (const probing::probe& p : all) {
        if (p.id == id) {
            return {p.check, {}};
        }
    }
    for (const probing::unmet& r : probing::records_unmet()) {
        if (r.id == id) {
            return {r.show, std::string(r.reason)};
        }
    }
    return {};
}

verdict pose(const fact& f, const question& q, open_door& door) {
    std::vector<std::string>& broken = listen_to_checks();
    const asked engine(door);
    const bool of_this_chip = probing::tiers_of(f.chip).count(describe(door.chip()).tier) != 0;
    std::string thrown;
    try {
        q.check(engine.chip());
    } catch (const std::exception& e) {
        thrown = e.what();
        tell("the check ends early: " + thrown);
        journal::instance().say(line::failure, "");
    }
    tell(engine.summary());
    const bool judged = of_this_chip && !engine.took_other_steps();
    for (std::size_t i = 0; judged && i < std::min<std::size_t>(broken.size(), 8); ++i) {
        tell("does not hold: " + broken[i]);
    }
    const bool met = broken.empty() && thrown.empty();
    const verdict bits = thrown.empty() ? engine.outcome() : verdict::failed;
    if (!q.unmet.empty()) {
        tell("published: not met by the model: " + q.unmet);
    } else if (engine.took_other_steps()) {
        tell("published: open, the netplist has other steps");
    } else if (!of_this_chip) {
        tell("published: for another chip");
    } else if (!met) {
        tell("published: NOT MET");
        return is_good(bits) ? verdict::contradicts : bits;
    } else {
        tell(engine.answered_all() ? "published: met" : "published: open, the engine did not answer all of it");
    }
    return bits;
}

} // namespace

std::vector<task> published_tasks() {
    std::vector<task> all;
    for (const fact& f : read_facts(ANEMONE_SOURCE_DIR "/tests/facts/numerics.csv")) {
        task t{f.id,
               fmt::format("{} | {} | {} | {} | {} | {}", f.operation, f.chip, f.inputs, f.expected, f.mark, f.source),
               {}};
        const question q = question_of(f.id);
        if (q.check != nullptr) {
            t.run = [f, q](open_door& door) { return pose(f, q, door); };
        } else {
            const std::string reason = reason_against(f.id);
            t.about += "\n" + (reason.empty() ? "no probe here, and no reason: a fault of the kit" : reason);
        }
        all.push_back(std::move(t));
    }
    return all;
}

} // namespace kit
