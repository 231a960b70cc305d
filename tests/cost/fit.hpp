#pragma once

#include "points.hpp"
#include <anemone/cost/cost.hpp>

#include <vector>

/// How the constants of the cost model are found from the points.
namespace cost_points {

/// A point with the demands of its program, which no constant changes.
struct observation {
    const point* from;
    ane::program_demand program;
};
std::vector<observation> observe(const std::vector<point>& points);

/// The constants that are fitted, in logarithms of their ratio to the published figure, or to the stated one where none
/// is published.
using constants = std::vector<double>;
constants published();
/// What targets/cost_rates.hpp states.
constants stated();

/// The estimate of an observation, s.
double predicted(const observation& o, const constants& c);

/// The sum of sqrt(e^2 + 0.03^2) over all observations but `left_out`, and of r^2 over the constants that have a
/// published figure: e is the logarithm of estimate over measurement, r that of constant over published figure.
double loss(const std::vector<observation>& all, std::size_t left_out, const constants& c);
inline constexpr std::size_t none = static_cast<std::size_t>(-1);

/// The constants that make `loss` least, by coordinate descent from `from`: deterministic.
constants fit(const std::vector<observation>& all, std::size_t left_out, constants from, int rounds);

} // namespace cost_points
