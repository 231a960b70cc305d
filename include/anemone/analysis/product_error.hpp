#pragma once

#include "../numerics/datapath.hpp"
#include "../values/power_of_two.hpp"
#include "spread.hpp"

#include <array>

/// The error of one product in the Q15.16 accumulator (numerics/accumulator.hpp), as moments over the distributions of
/// its operands. Binade by binade, because whether a product counts depends on the operands' exponents alone.
namespace ane {

/// The quantum of the accumulator, 2^-16: counted products are rounded to multiples of it.
inline constexpr double accumulator_quantum = 0x1p-16;

namespace detail {

/// The part of a distribution up to some magnitude: probability, mean magnitude, mean square.
struct partial_moments {
    double mass = 0;
    double first = 0;
    double second = 0;
};

/// Of |z| <= t for a standard Gaussian z, by the alternating series of the error function and its relatives.
constexpr partial_moments half_normal(double t) {
    constexpr double density = 0.797884560802865356; // sqrt(2 / pi), of |z| at 0
    if (t >= 6) {
        return {1, density, 1};
    }
    const double step = -t * t / 2;
    partial_moments sum;
    double term = 1; // (-t^2 / 2)^n / n!
    for (int n = 0; n < 80; ++n) {
        const double k = 2 * n;
        sum.mass += term / (k + 1);
        sum.first += term / (k + 2);
        sum.second += term / (k + 3);
        term *= step / (n + 1);
        if (term < 1e-18 && term > -1e-18) {
            break;
        }
    }
    return {density * t * sum.mass, density * t * t * sum.first, density * t * t * t * sum.second};
}

/// Of a density of one on [from, to] up to magnitude t, where 0 <= from <= to.
constexpr partial_moments flat(double from, double to, double t) {
    const double end = t < to ? t : to;
    if (end <= from) {
        return {};
    }
    return {end - from, (end * end - from * from) / 2, (end * end * end - from * from * from) / 3};
}

} // namespace detail

/// A distribution by binades as the multiplier sees them: place 0 are the subnormals, which it takes at exponent -14,
/// place i is [2^(i-15), 2^(i-14)), up to 2^16.
struct binade_moments {
    static constexpr int count = 31;
    static constexpr int lowest = -14; ///< the smallest exponent of an operand
    struct moments {
        double mass = 0;   ///< probability
        double first = 0;  ///< of the value, with its sign
        double second = 0; ///< of its square
    };
    std::array<moments, count> place{};

    static constexpr int exponent(int i) { return i == 0 ? lowest : i - 15; }

    constexpr binade_moments() = default;
    constexpr explicit binade_moments(const spread& s) {
        if (s.form != spread_form::uniform) {
            fill_gaussian(s);
        } else if (s.low < s.high) {
            const double density = 1 / (s.high - s.low);
            fill_uniform(s.low > 0 ? s.low : 0, s.high > 0 ? s.high : 0, density, 1);
            fill_uniform(s.high < 0 ? -s.high : 0, s.low < 0 ? -s.low : 0, density, -1);
        } else {
            int i = 0;
            const double magnitude = s.low < 0 ? -s.low : s.low;
            for (double end = 0x1p-14; i < count - 1 && magnitude >= end; end *= 2) {
                ++i;
            }
            place[static_cast<std::size_t>(i)] = {1, s.low, s.low * s.low};
        }
    }

private:
    constexpr void fill_uniform(double from, double to, double density, double sign) {
        if (from >= to) {
            return;
        }
        detail::partial_moments before;
        double end = 0x1p-14;
        for (moments& m : place) {
            const detail::partial_moments upto = detail::flat(from, to, end);
            m.mass += density * (upto.mass - before.mass);
            m.first += sign * density * (upto.first - before.first);
            m.second += density * (upto.second - before.second);
            if (end >= to) {
                return;
            }
            before = upto;
            end *= 2;
        }
    }
    constexpr void fill_gaussian(const spread& s) {
        const bool one_sided = s.form == spread_form::rectified;
        const double share = one_sided ? 0.5 : 1;
        const double sigma = s.deviation;
        if (sigma <= 0) {
            place[0].mass = 1;
            return;
        }
        detail::partial_moments before;
        double end = 0x1p-14;
        for (moments& m : place) {
            const detail::partial_moments upto = detail::half_normal(end / sigma);
            m.mass = share * (upto.mass - before.mass);
            m.first = one_sided ? share * sigma * (upto.first - before.first) : 0;
            m.second = share * sigma * sigma * (upto.second - before.second);
            if (upto.mass >= 1) {
                break;
            }
            before = upto;
            end *= 2;
        }
        place[0].mass += 1 - share; // what was cut off is zero
    }
};

/// The error of one product: its mean and its mean square, and the share of products that are dropped.
struct product_error {
    double mean = 0;
    double square = 0;
    double dropped = 0; ///< probability
};

/// Sums over pairs of binades. A pair whose exponents add up to less than the floor loses the product; one that counts
/// is rounded, with an error that is uniform within half a quantum (true to 1 % from the first pair that counts on), up
/// to exponents that add up to 4, from where every product is a multiple of the quantum.
constexpr product_error error_of_product(const binade_moments& x, const binade_moments& w,
                                         const numerics::datapath& path) {
    constexpr int count = binade_moments::count;
    // Sums of w over the places below i.
    std::array<binade_moments::moments, count + 1> below{};
    for (std::size_t i = 0; i < count; ++i) {
        const binade_moments::moments& m = w.place[i];
        below[i + 1] = {below[i].mass + m.mass, below[i].first + m.first, below[i].second + m.second};
    }
    // The first place of w whose exponent is at least `exponent`.
    const auto place_of = [](int exponent) {
        const int place = exponent <= binade_moments::lowest ? 0 : exponent + 15;
        return static_cast<std::size_t>(place > count ? count : place);
    };
    product_error e;
    for (int i = 0; i < count; ++i) {
        const binade_moments::moments& m = x.place[static_cast<std::size_t>(i)];
        if (m.mass == 0) {
            continue;
        }
        const int exponent = binade_moments::exponent(i);
        std::size_t counts = place_of(path.mac_exponent_floor - exponent);
        if (!path.mac_keeps_subnormals) {
            counts = i == 0 ? count : (counts == 0 ? 1 : counts);
        }
        const std::size_t exact = place_of(4 - exponent);
        e.mean -= m.first * below[counts].first;
        e.square += m.second * below[counts].second;
        e.dropped += m.mass * below[counts].mass;
        if (exact > counts) {
            e.square +=
                m.mass * (below[exact].mass - below[counts].mass) * accumulator_quantum * accumulator_quantum / 12;
        }
    }
    return e;
}

/// The largest error of one product whose operands lie in these ranges: half a quantum if it counts, its own magnitude
/// if it is dropped. Never above 2^-15 unless subnormals are zero to the multiplier.
constexpr double worst_error_of_product(const interval& x, const interval& w, const numerics::datapath& path) {
    constexpr double largest = 2 - 0x1p-10; // significand
    const auto least = [](const interval& r) { return r.low > 0 ? r.low : (r.high < 0 ? -r.high : 0); };
    const auto smaller = [](double a, double b) { return a < b ? a : b; };
    const double most_x = smaller(x.magnitude(), half_max);
    const double most_w = smaller(w.magnitude(), half_max);
    double worst = accumulator_quantum / 2;
    double start = 0x1p-14;
    for (int a = binade_moments::lowest; a < 16; ++a, start *= 2) {
        const int b = path.mac_exponent_floor - 1 - a; // the largest exponent of a partner that drops the product
        const double top_x = smaller(most_x, largest * start);
        const double top_w = smaller(most_w, largest * power_of_two(b));
        const bool exists_x = a == binade_moments::lowest || most_x >= start;
        if (b >= binade_moments::lowest && exists_x && top_x >= least(x) && top_w >= least(w)) {
            worst = top_x * top_w > worst ? top_x * top_w : worst;
        }
    }
    if (!path.mac_keeps_subnormals) {
        constexpr double subnormal = 0x1p-14 - 0x1p-24; // the largest
        const double lost_x = least(x) <= subnormal ? smaller(most_x, subnormal) * most_w : 0;
        const double lost_w = least(w) <= subnormal ? smaller(most_w, subnormal) * most_x : 0;
        worst = lost_x > worst ? lost_x : worst;
        worst = lost_w > worst ? lost_w : worst;
    }
    return worst;
}

} // namespace ane
