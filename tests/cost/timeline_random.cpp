#include "../from_environment.hpp"
#include <anemone/cost/timeline.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <deque>
#include <limits>
#include <random>
#include <vector>

using namespace ane;

namespace {

constexpr double microsecond = 1e-6;

// A second simulation, which steps from event to event and looks at every request each time. A slow clerk: it knows who
// waits, who is outstanding and who is served, and asks the definitions of warm-up and pauses by their figures.
struct clerk {
    std::vector<program_time> programs;
    std::vector<request> list;
    timeline_options options;
    double static_power = 0;

    enum class place { absent, caller, held, waiting, served };
    struct entry {
        place at = place::absent;
        double arrival = 0, ready = 0, queued = 0, start = 0, end = 0;
    };

    std::vector<entry> run() const {
        std::vector<entry> all(list.size());
        std::vector<int> calls(programs.size(), 0);
        std::deque<int> line;                               // those outstanding, in order
        std::vector<std::deque<int>> held(programs.size()); // those that are not, in order
        double now = 0, free = 0;
        int last = -1, begun = 0;
        const auto part = [](double fixed, double microseconds) { return fixed * microseconds / 190; };
        const auto outstanding = [&](int program) {
            int count = 0;
            for (std::size_t i = 0; i < all.size(); ++i) {
                count += list[i].program == program &&
                         (all[i].at == place::waiting || (all[i].at == place::served && all[i].end > now));
            }
            return count;
        };
        while (true) {
            // Everybody whose time has come goes on, until nothing moves.
            for (bool moved = true; moved;) {
                moved = false;
                for (std::size_t p = 0; p < programs.size(); ++p) {
                    while (!held[p].empty() && outstanding(static_cast<int>(p)) < 127) {
                        entry& e = all[static_cast<std::size_t>(held[p].front())];
                        e.at = place::waiting;
                        e.queued = now;
                        line.push_back(held[p].front());
                        held[p].pop_front();
                        moved = true;
                    }
                }
                for (std::size_t i = 0; i < list.size(); ++i) {
                    entry& e = all[i];
                    const program_time& t = programs[static_cast<std::size_t>(list[i].program)];
                    if (e.at == place::absent) {
                        const int after = list[i].after;
                        const bool known = after < 0 || all[static_cast<std::size_t>(after)].at == place::served;
                        if (known) {
                            e.arrival = (after < 0 ? 0 : all[static_cast<std::size_t>(after)].end) + list[i].at;
                            e.ready = e.arrival + part(t.fixed, 6.5);
                            if (options.held == held_part::engine) {
                                e.ready += part(t.fixed, 25 + 16 + 2.5) + t.ports;
                            }
                            e.at = place::caller;
                            moved = true;
                        }
                    }
                }
                int next = -1; // of those ready, the earliest
                for (std::size_t i = 0; i < list.size(); ++i) {
                    if (all[i].at == place::caller && all[i].ready <= now &&
                        (next < 0 || all[i].ready < all[static_cast<std::size_t>(next)].ready)) {
                        next = static_cast<int>(i);
                    }
                }
                if (next >= 0) {
                    entry& e = all[static_cast<std::size_t>(next)];
                    const int program = list[static_cast<std::size_t>(next)].program;
                    if (outstanding(program) < 127 && held[static_cast<std::size_t>(program)].empty()) {
                        e.at = place::waiting;
                        e.queued = now;
                        line.push_back(next);
                    } else {
                        e.at = place::held;
                        held[static_cast<std::size_t>(program)].push_back(next);
                    }
                    moved = true;
                }
                if (!line.empty() && free <= now) {
                    const int index = line.front();
                    line.pop_front();
                    entry& e = all[static_cast<std::size_t>(index)];
                    const int program = list[static_cast<std::size_t>(index)].program;
                    const program_time& t = programs[static_cast<std::size_t>(program)];
                    const double whole = t.fixed + t.ports + t.work;
                    const double pause = begun > 0 ? now - free : options.idle_before;
                    double more = 0;
                    const int call = calls[static_cast<std::size_t>(program)]++;
                    if (options.first_calls == warm_up::factors && call < 3) {
                        more = whole * (call == 0 ? 2.6 : call == 1 ? 1.1 : 0.13);
                    } else if (options.first_calls == warm_up::added && call < 3) {
                        more = call == 0 ? 5.45e-3 : call == 1 ? 2.45e-3 : 0.28e-3;
                    }
                    const double rise = std::min(pause / 0.1, 1.0);
                    if (options.pauses == idle_cost::plateau) {
                        more = std::max(more, 0.5e-3 * rise);
                    } else if (options.pauses == idle_cost::re_wake) {
                        more = std::max(more, pause >= 5 ? 0.26 - 2.11e-3 : 0.43 * whole * rise);
                    }
                    const double change = begun > 0 && last != program ? options.switch_seconds : 0;
                    const double on_host = options.held == held_part::call ? part(t.fixed, 25 + 16 + 2.5) + t.ports : 0;
                    const double done = now + on_host + part(t.fixed, 130) + more + change + t.work;
                    e.start = now;
                    e.end = done + part(t.fixed, 10);
                    free = options.held == held_part::call ? e.end : done;
                    e.at = place::served;
                    last = program;
                    ++begun;
                    moved = true;
                }
            }
            // To the next moment at which something can happen.
            double next = std::numeric_limits<double>::infinity();
            const auto consider = [&](double when) { next = when > now ? std::min(next, when) : next; };
            consider(free);
            for (const entry& e : all) {
                if (e.at == place::caller) {
                    consider(e.ready);
                } else if (e.at == place::served) {
                    consider(e.end);
                }
            }
            if (!std::isfinite(next)) {
                return all;
            }
            now = next;
        }
    }
};

} // namespace

TEST_CASE("random arrivals are served as by a second simulation") {
    const unsigned seed = from_environment::seed();
    std::mt19937 random(seed);
    const auto uniform = [&](double low, double high) {
        return std::uniform_real_distribution<double>(low, high)(random);
    };
    const auto whole = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); };
    int waited = 0, held = 0, woken = 0;
    for (int round = 0; round < 60; ++round) {
        CAPTURE(round);
        clerk c;
        const int count = whole(1, 5);
        for (int p = 0; p < count; ++p) {
            c.programs.push_back(
                {uniform(50, 300) * microsecond, uniform(0, 50) * microsecond, uniform(0, 2000) * microsecond, 1});
        }
        const bool crowded = round % 6 == 0; // more than 127 of one program at once
        const int requests = crowded ? 300 : whole(1, 80);
        const double span = crowded ? 1000 * microsecond : std::pow(10.0, uniform(-3, 1.5));
        for (int i = 0; i < requests; ++i) {
            const bool chained = i > 0 && whole(0, crowded ? 19 : 3) == 0;
            const bool of_the_first = crowded && i % 8 != 0;
            c.list.push_back({of_the_first ? 0 : whole(0, count - 1), uniform(0, chained ? span / 10 : span),
                              chained ? whole(0, i - 1) : -1});
        }
        c.options = {.held = whole(0, 1) == 0 ? held_part::call : held_part::engine,
                     .first_calls = static_cast<warm_up>(whole(0, 2)),
                     .pauses = static_cast<idle_cost>(whole(0, 2)),
                     .switch_seconds = whole(0, 1) * uniform(0, 300) * microsecond,
                     .idle_before = whole(0, 1) * uniform(0, 8)};
        const timeline t = simulate(c.programs, c.list, h13, c.options);
        const std::vector<clerk::entry> expected = c.run();
        double engine = 0;
        for (std::size_t i = 0; i < expected.size(); ++i) {
            CAPTURE(i);
            const served_request& s = t.requests[i];
            const double tolerance = 1e-9;
            REQUIRE(std::fabs(s.arrival - expected[i].arrival) < tolerance);
            REQUIRE(std::fabs(s.ready - expected[i].ready) < tolerance);
            REQUIRE(std::fabs(s.queued - expected[i].queued) < tolerance);
            REQUIRE(std::fabs(s.start - expected[i].start) < tolerance);
            REQUIRE(std::fabs(s.end - expected[i].end) < tolerance);
            waited += s.waited() > 0;
            woken += s.wake > 0;
            engine += s.engine_end - s.engine;
        }
        held += t.held_back;
        CHECK(t.engine_seconds == doctest::Approx(engine));
        CHECK(t.utilisation() <= 1);
        // No two are on the engine at once, and what is on the engine is never earlier than what came before.
        std::vector<served_request> order(t.requests.begin(), t.requests.end());
        std::sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.engine < b.engine; });
        for (std::size_t i = 1; i < order.size(); ++i) {
            CHECK(order[i].engine >= order[i - 1].engine_end - 1e-12);
        }
    }
    CHECK(waited > 0);
    CHECK(held > 0);
    CHECK(woken > 0);
}
