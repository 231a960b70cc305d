#include "fit.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>

using namespace ane;

namespace cost_points {

namespace {

std::vector<const cost_constant*> fitted() {
    std::vector<const cost_constant*> list;
    for (const cost_constant& c : cost_constants) {
        if (c.origin == cost_origin::fitted) {
            list.push_back(&c);
        }
    }
    return list;
}

/// What a constant is drawn towards, or where it begins.
double centre(const cost_constant& c) { return c.published > 0 ? c.published : c.value; }

/// The rates of an anchor with the fitted constants at other values.
cost_rates rates_with(target anchor, const constants& values) {
    static const std::vector<const cost_constant*> list = fitted();
    cost_rates mine = detail::stated_rates(anchor);
    cost_rates whole = detail::stated_rates(h17s);
    for (std::size_t i = 0; i < list.size(); ++i) {
        const double value = centre(*list[i]) * std::exp(values[i]);
        if (list[i]->anchor == anchor) {
            mine.*list[i]->member = value;
        }
        if (list[i]->anchor == h17s) {
            whole.*list[i]->member = value;
        }
    }
    return completed(mine, whole);
}

/// Rates of the three anchors that have points.
struct all_rates {
    cost_rates of_h13, of_h14, of_h17s;

    explicit all_rates(const constants& c)
        : of_h13(rates_with(h13, c)), of_h14(rates_with(h14, c)), of_h17s(rates_with(h17s, c)) {}
    const cost_rates& of(target chip) const { return chip == h13 ? of_h13 : chip == h14 ? of_h14 : of_h17s; }
};

double seconds(const observation& o, const cost_rates& r) {
    const cost c = price(o.program, r);
    return o.from->what == quantity::least ? c.least.typical : c.clock.typical;
}

} // namespace

std::vector<observation> observe(const std::vector<point>& points) {
    std::vector<observation> all;
    for (const point& p : points) {
        all.push_back({&p, demand_of(p.graph, p.chip)});
    }
    return all;
}

constants published() { return constants(fitted().size(), 0.0); }

constants stated() {
    constants c;
    for (const cost_constant* each : fitted()) {
        c.push_back(std::log(each->value / centre(*each)));
    }
    return c;
}

double predicted(const observation& o, const constants& c) { return seconds(o, all_rates(c).of(o.from->chip)); }

double loss(const std::vector<observation>& all, std::size_t left_out, const constants& c) {
    const all_rates rates(c);
    double sum = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (i != left_out) {
            const double error = std::log(seconds(all[i], rates.of(all[i].from->chip)) / all[i].from->seconds);
            sum += std::sqrt(error * error + 0.03 * 0.03);
        }
    }
    static const std::vector<const cost_constant*> list = fitted();
    for (std::size_t i = 0; i < c.size(); ++i) {
        sum += list[i]->published > 0 ? c[i] * c[i] : 0;
    }
    return sum;
}

constants fit(const std::vector<observation>& all, std::size_t left_out, constants from, int rounds) {
    double best = loss(all, left_out, from);
    std::vector<double> steps;
    for (int round = 0; round < rounds; ++round) {
        if (round % 30 == 0) {
            steps.assign(from.size(), 0.2); // out of a narrow valley
        }
        for (std::size_t i = 0; i < from.size(); ++i) {
            const double here = from[i];
            bool moved = false;
            for (const double direction : {1.0, -1.0}) {
                from[i] = here + direction * steps[i];
                const double there = loss(all, left_out, from);
                if (there < best) {
                    best = there;
                    moved = true;
                    break;
                }
                from[i] = here;
            }
            steps[i] *= moved ? 1.3 : 0.6;
        }
    }
    return from;
}

} // namespace cost_points
