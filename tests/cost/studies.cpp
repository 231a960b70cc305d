// The cost model by studies: a fit that has seen no point of a study predicts all of them.

#include "studies.hpp"

#include "decoder.hpp"
#include "fit.hpp"
#include "guide_models.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>

using namespace ane;

namespace cost_points {

namespace {

std::string study_of(std::string_view id) {
    constexpr std::pair<std::string_view, std::string_view> studies[] = {
        {"mm_", "ANEForge, table of its cost model, M5 Pro"},
        {"cv_", "ANEForge, table of its cost model, M5 Pro"},
        {"un_", "ANEForge, table of its cost model, M5 Pro"},
        {"br_", "ANEForge, table of its cost model, M5 Pro"},
        {"bm_", "ANEForge, benchmarks, M1 Max and M5"},
        {"gn_", "ANEForge, benchmarks, M1 Max and M5"},
        {"gv_", "ANEForge, benchmarks, M1 Max and M5"},
        {"ot_", "ANEForge, benchmarks, M1 Max and M5"},
        {"CC12", "ANEForge, benchmarks, M1 Max and M5"},
        {"m1_005", "ANEForge, tests of its cost model"},
        {"m5c_", "ANEForge, tests of its cost model"},
        {"m1_", "guide 18, M1"},
        {"ramp_", "guide 11, M1"},
        {"cls_", "guide 11, M1"},
        {"bud_", "guide 2 and 10, M1"},
        {"pow_", "guide 2 and 10, M1"},
        {"cmp_", "guide 7, M2"},
        {"m2p_", "guide 10, M2"},
    };
    for (const auto& [prefix, name] : studies) {
        if (id.substr(0, prefix.size()) == prefix) {
            return std::string(name);
        }
    }
    return "of no study";
}

/// Whether a prediction moves with a constant.
bool rests_on(const observation& o, std::size_t constant) {
    constants c = stated();
    const double before = predicted(o, c);
    c[constant] += 0.1;
    return std::abs(std::log(predicted(o, c) / before)) > 0.003;
}

judged_point judged(const std::string& id, double measured, double found, const time_interval& t) {
    const double moved = found / t.typical;
    return {id, std::exp(std::abs(std::log(found / measured))),
            measured >= t.at_least * moved && measured <= t.at_most * moved};
}

judged_study judged_by_others(const std::string& name, const std::vector<observation>& all) {
    std::vector<const cost_constant*> fitted;
    for (const cost_constant& c : cost_constants) {
        if (c.origin == cost_origin::fitted) {
            fitted.push_back(&c);
        }
    }
    std::vector<observation> rest;
    for (const observation& o : all) {
        if (study_of(o.from->id) != name) {
            rest.push_back(o);
        }
    }
    const constants without = fit(rest, none, published(), 150);
    std::vector<bool> unknown; // nothing is published of a constant, and no other study says anything of it
    for (std::size_t i = 0; i < fitted.size(); ++i) {
        unknown.push_back(fitted[i]->published == 0 &&
                          std::none_of(rest.begin(), rest.end(), [&](const observation& o) { return rests_on(o, i); }));
    }
    judged_study study{name, {}, 0};
    for (const observation& o : all) {
        if (study_of(o.from->id) != name) {
            continue;
        }
        bool alone = false;
        for (std::size_t i = 0; i < fitted.size() && !alone; ++i) {
            alone = unknown[i] && rests_on(o, i);
        }
        study.alone += alone ? 1 : 0;
        if (!alone) {
            const cost c = price(o.program, rates_of(o.from->chip));
            study.points.push_back(judged(o.from->id, o.from->seconds, predicted(o, without),
                                          o.from->what == quantity::least ? c.least : c.clock));
        }
    }
    return study;
}

/// What no fit sees.
std::vector<judged_study> judged_field() {
    judged_study decoders{"field-2026, Qwen3-4B, M5 Pro", {}, 0};
    const auto add = [](judged_study& to, const std::string& id, double measured, const dynamic_graph& g, target t,
                        port_transfer ports) {
        const cost c = estimate(lower(g).view(), t, ports);
        to.points.push_back(judged(id, measured, *c.seconds, c.clock));
    };
    struct decoding {
        std::int64_t positions, capacity;
        double seconds;
    };
    for (const decoding& d : {decoding{8, 756, 1 / 15.03}, decoding{8, 2304, 1 / 13.70}, decoding{8, 8448, 1 / 7.47},
                              decoding{8, 32768, 1 / 3.11}, decoding{64, 756, 64 / 938.5},
                              decoding{64, 2304, 64 / 764.0}, decoding{64, 8448, 64 / 315.6}}) {
        add(decoders, fmt::format("{} over {}", d.positions, d.capacity), d.seconds,
            decoders::decoder(decoders::qwen3_4b, d.positions, d.capacity), h17s, port_transfer::copied);
    }
    judged_study chains{"field-2026, chains of layers, M5 Pro, shared ports", {}, 0};
    struct chain {
        int layers;
        double ms;
    };
    for (const chain& c :
         {chain{1, 0.3457}, chain{2, 0.4474}, chain{8, 0.8345}, chain{32, 2.2547}, chain{128, 7.7991}}) {
        add(chains, fmt::format("{} layers", c.layers), c.ms * 1e-3,
            guide_models::convolutions(c.layers, 512, 1, 4096, 1, 0.736), h17s, port_transfer::shared);
    }
    judged_study max{"field-2026, M3 Max", {}, 0};
    add(max, "[1, 2560] x [2560, 2560]", 0.32e-3, placed_models::products(1, 2560, 2560), h15g, port_transfer::copied);
    return {decoders, chains, max};
}

std::vector<judged_study> judge() {
    const std::vector<point> points = all();
    const std::vector<observation> observations = observe(points);
    std::vector<std::string> names;
    for (const point& p : points) {
        if (std::find(names.begin(), names.end(), study_of(p.id)) == names.end()) {
            names.push_back(study_of(p.id));
        }
    }
    std::vector<judged_study> found;
    for (const std::string& name : names) {
        found.push_back(judged_by_others(name, observations));
    }
    for (judged_study& study : judged_field()) {
        found.push_back(std::move(study));
    }
    return found;
}

struct summary {
    std::vector<double> factors; // from the least
    int inside = 0;
    int alone = 0;

    void add(const judged_study& study) {
        for (const judged_point& p : study.points) {
            factors.push_back(p.factor);
            inside += p.is_inside ? 1 : 0;
        }
        alone += study.alone;
        std::sort(factors.begin(), factors.end());
    }
    double median() const { return factors[factors.size() / 2]; }
    double nine_of_ten() const { return factors[factors.size() * 9 / 10]; }
    double share_inside() const { return inside / static_cast<double>(factors.size()); }
    std::string row(const std::string& name) const {
        const std::string aside = alone > 0 ? fmt::format("{}", alone) : "";
        return factors.empty() ? fmt::format("| {} | 0 | {} | | | | |\n", name, aside)
                               : fmt::format("| {} | {} | {} | {:.2f} | {:.2f} | {:.2f} | {} |\n", name, factors.size(),
                                             aside, median(), nine_of_ten(), factors.back(), inside);
    }
};

summary of_all() {
    summary all;
    for (const judged_study& study : judged_studies()) {
        all.add(study);
    }
    return all;
}

} // namespace

const std::vector<judged_study>& judged_studies() {
    static const std::vector<judged_study> studies = judge();
    return studies;
}

std::string study_table() {
    std::string made = "| Study | Points | Alone | Median | Nine of ten | Worst | In the interval |\n"
                       "|---|---:|---:|---:|---:|---:|---:|\n";
    for (const judged_study& study : judged_studies()) {
        summary one;
        one.add(study);
        made += one.row(study.name);
    }
    return made + of_all().row("all");
}

} // namespace cost_points

TEST_CASE("cost: a study that no fit has seen is predicted within the limits that were set") {
    using namespace cost_points;
    for (const judged_study& study : judged_studies()) {
        CAPTURE(study.name);
        CHECK(study.name != "of no study");
    }
    const summary all = of_all();
    MESSAGE("median " << all.median() << ", nine of ten " << all.nine_of_ten() << ", inside " << all.share_inside());
    CHECK(all.median() <= 1.15);
    CHECK(all.nine_of_ten() <= 1.5);
    CHECK(all.share_inside() >= 0.85);
}
