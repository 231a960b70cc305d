// The cost model against measured latencies, each predicted by a fit that did not see it; and docs/cost.md, whose tables
// follow from that. ANEMONE_UPDATE_DOCS=1 writes them anew.

#include "../rules/page_text.hpp"
#include "fit.hpp"
#include "studies.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <sstream>
#include <string>
#include <vector>

using namespace ane;
using namespace cost_points;

namespace {

const std::filesystem::path page = std::filesystem::path(ANEMONE_TEST_DATA) / ".." / "docs" / "cost.md";

struct residual {
    const observation* of;
    double stated; ///< s, with the constants of targets/cost_rates.hpp
    double unseen; ///< s, with the constants of a fit without this point
    double factor() const { return std::exp(std::abs(std::log(unseen / of->from->seconds))); }
};

struct study {
    std::vector<point> points = all();
    std::vector<observation> observations = observe(points);
    constants best = fit(observations, none, published(), 300);
    std::vector<constants> without;
    std::vector<residual> residuals;

    study() {
        for (std::size_t i = 0; i < observations.size(); ++i) {
            without.push_back(fit(observations, i, best, 60));
            residuals.push_back(
                {&observations[i], predicted(observations[i], stated()), predicted(observations[i], without.back())});
        }
    }
    /// The factors by which unseen points are missed, from the least.
    std::vector<double> factors() const {
        std::vector<double> all;
        for (const residual& r : residuals) {
            if (!r.of->from->is_alone) {
                all.push_back(r.factor());
            }
        }
        std::sort(all.begin(), all.end());
        return all;
    }
};

const study& done() {
    static const study s;
    return s;
}

/// Ranks from 0; equal values share the mean of theirs.
std::vector<double> ranks(const std::vector<double>& values) {
    std::vector<std::size_t> order(values.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
    std::vector<double> r(values.size());
    for (std::size_t i = 0, end = 0; i < order.size(); i = end) {
        for (end = i; end < order.size() && values[order[end]] == values[order[i]]; ++end) {}
        for (std::size_t k = i; k < end; ++k) {
            r[order[k]] = static_cast<double>(i + end - 1) / 2;
        }
    }
    return r;
}

double correlation(const std::vector<double>& a, const std::vector<double>& b) {
    const double n = static_cast<double>(a.size());
    const double mean_a = std::accumulate(a.begin(), a.end(), 0.0) / n;
    const double mean_b = std::accumulate(b.begin(), b.end(), 0.0) / n;
    double ab = 0, aa = 0, bb = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        ab += (a[i] - mean_a) * (b[i] - mean_b);
        aa += (a[i] - mean_a) * (a[i] - mean_a);
        bb += (b[i] - mean_b) * (b[i] - mean_b);
    }
    return ab / std::sqrt(aa * bb);
}

double rank_correlation(const std::vector<residual>& all) {
    std::vector<double> measured, predicted;
    for (const residual& r : all) {
        measured.push_back(r.of->from->seconds);
        predicted.push_back(r.unseen);
    }
    return correlation(ranks(measured), ranks(predicted));
}

/// A figure with three digits and the prefix of thousands: "30.0 TFLOP/s", "213 us".
std::string figure(double value, std::string_view unit) {
    if (value == 0) {
        return "";
    }
    if (unit.empty()) { // a share
        return fmt::format("{:.3g}", value);
    }
    constexpr std::string_view prefixes[] = {"p", "n", "u", "m", "", "k", "M", "G", "T"};
    int step = 4;
    for (; value < 0.9995 && step > 0; --step) {
        value *= 1000;
    }
    for (; value >= 999.5 && step < 8; ++step) {
        value /= 1000;
    }
    return fmt::format("{:.3g} {}{}", value, prefixes[static_cast<std::size_t>(step)], unit);
}

std::string_view text(cost_origin o) {
    constexpr std::string_view texts[] = {"fitted", "published", "derived", "carried over"};
    return texts[static_cast<std::size_t>(o)];
}

/// How far a fitted constant moves when one point is left out: the largest factor over all points.
double largest_move(std::size_t constant) {
    double most = 0;
    for (const constants& each : done().without) {
        most = std::max(most, std::abs(each[constant] - done().best[constant]));
    }
    return std::exp(most);
}

std::string tables() {
    std::string made = "### The constants\n\n"
                       "| Chip | Constant | Value | Published | Origin | Moves by, a point left out | Mark | Source |\n"
                       "|---|---|---|---|---|---|---|---|\n";
    std::size_t fitted = 0;
    for (const cost_constant& c : cost_constants) {
        std::string moves;
        if (c.origin == cost_origin::fitted) {
            const double factor = largest_move(fitted++);
            moves = factor < 100 ? fmt::format("{:.2f}", factor) : "one point decides"; // without it nothing bounds it
        }
        made += fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} |\n", describe(c.anchor).runtime, c.name,
                            figure(c.value, c.unit), figure(c.published, c.unit), text(c.origin), moves,
                            name(c.known_by()), pages::cell(c.source));
    }
    made +=
        "\n### Studies\n\n"
        "All points of a study left out of the fit, and then predicted: constants that nothing is published of are taken "
        "from other studies alone, and points that need one that no other has are counted as alone. The field of 2026 is in no fit, "
        "but the gain of zeros and the rate of shared ports are its figures.\n\n" +
        study_table();
    const std::vector<double> factors = done().factors();
    made += fmt::format("\n### The residuals\n\n"
                        "{} points that other points say something of. Left out of the fit and then predicted: median "
                        "factor {:.2f}, nine of ten within {:.2f}, worst {:.2f}, rank correlation {:.3f}.\n\n"
                        "| Point | Chip | Quantity | Program | Measured | Model | Left out | Factor |\n"
                        "|---|---|---|---|---|---|---|---|\n",
                        factors.size(), factors[factors.size() / 2], factors[factors.size() * 9 / 10], factors.back(),
                        rank_correlation(done().residuals));
    for (const residual& r : done().residuals) {
        const point& p = *r.of->from;
        made += fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} |\n", p.id, describe(p.chip).runtime,
                            p.what == quantity::least ? "shortest" : "clock", pages::cell(p.shape),
                            figure(p.seconds, "s"), figure(r.stated, "s"), p.is_alone ? "" : figure(r.unseen, "s"),
                            p.is_alone ? std::string("alone") : fmt::format("{:.2f}", r.factor()));
    }
    return made;
}

} // namespace

TEST_CASE("cost: unseen points are predicted within the limits that were set") {
    const std::vector<double> factors = done().factors();
    CHECK(factors[factors.size() / 2] <= 1.15);
    CHECK(factors[factors.size() * 9 / 10] <= 1.5);
    CHECK(factors.back() <= 2.5);
    CHECK(rank_correlation(done().residuals) >= 0.95);
}

TEST_CASE("cost: the stated constants are those that the fit finds") {
    const constants stated = cost_points::stated();
    REQUIRE(stated.size() == done().best.size());
    for (std::size_t i = 0; i < stated.size(); ++i) {
        CAPTURE(i);
        CHECK(std::exp(std::abs(stated[i] - done().best[i])) < 1.03);
    }
}

TEST_CASE("cost: the interval holds nine of ten unseen points") {
    int inside = 0, counted = 0;
    for (const residual& r : done().residuals) {
        const point& p = *r.of->from;
        const cost c = price(r.of->program, rates_of(p.chip));
        const time_interval& t = p.what == quantity::least ? c.least : c.clock;
        const double factor = r.unseen / t.typical; // the interval of a fit that did not see the point
        counted += p.is_alone ? 0 : 1;
        inside += !p.is_alone && p.seconds >= t.at_least * factor && p.seconds <= t.at_most * factor ? 1 : 0;
    }
    const double share = static_cast<double>(inside) / static_cast<double>(counted);
    MESSAGE("inside: " << share);
    CHECK(share >= 0.9);
}

TEST_CASE("cost: wrong constants are told from right ones") {
    const double least = loss(done().observations, none, done().best);
    for (std::size_t i = 0; i < done().best.size(); ++i) {
        CAPTURE(i);
        for (const double wrong : {std::log(2.0), -std::log(2.0)}) {
            constants c = done().best;
            c[i] += wrong;
            CHECK(loss(done().observations, none, c) > least + 0.005); // the sort of one chip is hardly bound
        }
    }
}

TEST_CASE("docs/cost.md has the constants and the residuals of the fit") {
    constexpr std::string_view marker =
        "<!-- What follows is made by test_passes_cost: ANEMONE_UPDATE_DOCS=1 test_passes_cost -->\n";
    std::ifstream file(page);
    std::ostringstream written;
    written << file.rdbuf();
    const std::string whole = written.str();
    const std::size_t at = whole.find(marker);
    REQUIRE(at != std::string::npos);
    const std::string made = whole.substr(0, at) + std::string(marker) + "\n" + tables();
    if (std::getenv("ANEMONE_UPDATE_DOCS") != nullptr) {
        std::ofstream(page) << made;
        return;
    }
    CHECK_MESSAGE(whole == made, "docs/cost.md is out of date: ANEMONE_UPDATE_DOCS=1 test_passes_cost");
}
