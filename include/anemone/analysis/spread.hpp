#pragma once

#include "../base/stop_point.hpp"
#include "../graph/graph.hpp"
#include "../graph/op_set.hpp"
#include "../ranges/interval.hpp"

#include <bit>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

/// How the values of a tensor are distributed, as far as it is declared or follows by a rule of thumb. Ranges say what
/// may happen, spreads what is likely: expected errors rest on them, proofs do not.
namespace ane {

/// What a spread rests on.
enum class spread_basis : std::uint8_t {
    nothing,   ///< nothing is known
    deviation, ///< a declared standard deviation
    range,     ///< a declared or derived range, taken as uniform
    propagated ///< the spreads of the operands, taken as independent
};

constexpr std::string_view name(spread_basis b) noexcept {
    constexpr std::string_view names[] = {"nothing", "deviation", "range", "propagated"};
    return names[static_cast<std::size_t>(b)];
}

enum class spread_form : std::uint8_t {
    uniform,  ///< on [low, high]
    gaussian, ///< around zero
    rectified ///< a Gaussian whose negative half is zero
};

/// A distribution by its form and its parameters.
struct spread {
    spread_basis basis = spread_basis::nothing;
    spread_form form = spread_form::uniform;
    double low = 0;       ///< uniform
    double high = 0;      ///< uniform
    double deviation = 0; ///< Gaussian; of the rectified form before it was rectified

    constexpr bool known() const noexcept { return basis != spread_basis::nothing; }
    constexpr bool is_point() const noexcept { return known() && form == spread_form::uniform && low == high; }
    constexpr double mean() const noexcept {
        switch (form) {
        case spread_form::uniform: return (low + high) / 2;
        case spread_form::gaussian: return 0;
        default: return deviation * 0.398942280401432678; // 1 / sqrt(2 pi)
        }
    }
    /// The mean of the square.
    constexpr double square() const noexcept {
        switch (form) {
        case spread_form::uniform: return (low * low + low * high + high * high) / 3;
        case spread_form::gaussian: return deviation * deviation;
        default: return deviation * deviation / 2;
        }
    }
};

constexpr spread uniform_spread(double low, double high, spread_basis basis = spread_basis::range) {
    return {.basis = basis, .form = spread_form::uniform, .low = low, .high = high};
}
constexpr spread gaussian_spread(double deviation, spread_basis basis = spread_basis::propagated) {
    return {.basis = basis, .form = spread_form::gaussian, .deviation = deviation};
}
/// The spread of c x, for a number c.
constexpr spread scaled_spread(spread s, double c) {
    if (s.form == spread_form::rectified && c < 0) {
        return gaussian_spread(-c * s.deviation * 0.707106781186547524, s.basis);
    }
    const double ends[] = {s.low * c, s.high * c};
    s.low = ends[c < 0 ? 1 : 0];
    s.high = ends[c < 0 ? 0 : 1];
    s.deviation *= c < 0 ? -c : c;
    return s;
}

/// The largest number of products that one element of a contraction adds up: a stride leaves out part of the kernel of
/// a transposed convolution.
constexpr std::int64_t contraction_terms(const graph_view& g, const node& n) {
    const extents& x = g.operand(n, 0).shape;
    const extents& w = g.operand(n, 1).shape;
    if (n.kind == op::conv2d) {
        return w[1] * w[2] * w[3];
    }
    if (n.kind == op::conv_transpose2d) {
        const conv_transpose& a = n.get<conv_transpose>();
        const auto taps = [](std::int64_t kernel, int stride, int dilation) {
            int divisor = stride; // of the stride and the dilation, the greatest in common
            for (int rest = dilation; rest != 0;) {
                const int next = divisor % rest;
                divisor = rest;
                rest = next;
            }
            const int period = stride / divisor;
            return (kernel + period - 1) / period;
        };
        return x.channels() / a.groups * taps(w[2], a.stride.height, a.dilation.height) *
               taps(w[3], a.stride.width, a.dilation.width);
    }
    return n.kind == op::matmul && n.get<transposed>().a ? x.height() : x.width();
}

namespace detail {

inline constexpr op_set cut_at_zero{op::relu, op::gelu, op::silu};
inline constexpr op_set keep_spread{op::max_pool, op::reshape,  op::transpose, op::slice,   op::strided_slice,
                                    op::pad,      op::identity, op::tile,      op::reverse, op::cast};

/// The square root of a positive number, or zero; in few steps, for constant expressions.
constexpr double positive_root(double x) {
    if (x <= 0) {
        return 0;
    }
    // Half the exponent is off by at most 6 %, which four steps of Newton make exact but for the last bit.
    double root = std::bit_cast<double>((std::bit_cast<std::uint64_t>(x) >> 1U) + (std::uint64_t{1023} << 51U));
    for (int i = 0; i < 4; ++i) {
        root = 0.5 * (root + x / root);
    }
    return root;
}

/// The spread of a range that says something, or none.
constexpr spread spread_of_range(const interval& r) {
    return r.declared && r.magnitude() < unbounded ? uniform_spread(r.low, r.high) : spread{};
}

constexpr spread spread_of_source(const node& n, const interval& r) {
    if (n.kind != op::constant && n.get<contract>().deviation > 0) {
        return gaussian_spread(n.get<contract>().deviation, spread_basis::deviation);
    }
    return spread_of_range(r);
}

/// The mean square of a sum of `terms` products of independent operands.
constexpr double square_of_sum(const spread& x, const spread& w, double terms) {
    const double mean = x.mean() * w.mean();
    return terms * (x.square() * w.square() - mean * mean) + terms * terms * mean * mean;
}

constexpr spread rectified_spread(const spread& x) {
    if (x.form == spread_form::uniform) {
        if (x.low >= 0) {
            return x;
        }
        // The Gaussian of the same mean square: h^3 / 3 (h - l) of what lies above zero.
        const double square = x.high > 0 ? x.high * x.high * x.high / (3 * (x.high - x.low)) : 0;
        return {
            .basis = spread_basis::propagated, .form = spread_form::rectified, .deviation = positive_root(2 * square)};
    }
    return {.basis = spread_basis::propagated, .form = spread_form::rectified, .deviation = x.deviation};
}

/// A normalised value of deviation one, times gamma, plus beta; parameters of which nothing is known are one and zero.
constexpr spread spread_of_norm(const spread& gamma, const spread& beta) {
    const double square = (gamma.known() ? gamma.square() : 1) + (beta.known() ? beta.square() : 0);
    return gaussian_spread(positive_root(square));
}

/// The shares of a softmax over `count`, whose mean is 1 / count.
constexpr spread spread_of_shares(double count) {
    return uniform_spread(0, count > 2 ? 2 / count : 1, spread_basis::propagated);
}

constexpr spread spread_of_mul(const spread& a, const spread& b) {
    if (b.is_point()) {
        return scaled_spread(a, b.low);
    }
    return a.is_point() ? scaled_spread(b, a.low) : gaussian_spread(positive_root(a.square() * b.square()));
}

constexpr spread spread_of_sum(const spread& a, const spread& b, double sign) {
    const double square = a.square() + b.square() + 2 * sign * a.mean() * b.mean();
    return gaussian_spread(positive_root(square));
}

/// The spread of a node's value from those of its operands, which `in(i)` gives. Rules of thumb: contractions and sums
/// are Gaussian with the mean square of independent operands; relu, gelu and silu cut the negative half off; a norm
/// gives deviation one times its gamma; the shares of a softmax over n are uniform on [0, 2/n]; what moves elements
/// keeps their spread; of everything else the range counts.
template <class Operand>
constexpr spread spread_of_node(const graph_view& g, const node& n, const interval& range, Operand in) {
    if (is_source(n.kind)) {
        return spread_of_source(n, range);
    }
    if (is_contraction(n.kind)) {
        const spread x = in(0);
        const spread w = in(1);
        if (!x.known() || !w.known()) {
            return {};
        }
        const double square = square_of_sum(x, w, static_cast<double>(contraction_terms(g, n)));
        const spread bias = n.operands.count > 2 ? in(2) : spread{};
        return gaussian_spread(positive_root(square + (bias.known() ? bias.square() : 0)));
    }
    if (n.kind == op::add || n.kind == op::sub || n.kind == op::mul) {
        const spread a = in(0);
        const spread b = in(1);
        if (!a.known() || !b.known()) {
            return {};
        }
        return n.kind == op::mul ? spread_of_mul(a, b) : spread_of_sum(a, b, n.kind == op::add ? 1 : -1);
    }
    if (cut_at_zero.contains(n.kind)) {
        const spread x = in(0);
        return x.known() ? rectified_spread(x) : spread{};
    }
    if (n.kind == op::batch_norm) {
        return spread_of_norm(in(3), in(4));
    }
    if (n.kind == op::layer_norm || n.kind == op::instance_norm || n.kind == op::group_norm) {
        return spread_of_norm(in(1), in(2));
    }
    if (n.kind == op::rms_norm) {
        return spread_of_norm(in(1), {});
    }
    if (n.kind == op::softmax) {
        return spread_of_shares(static_cast<double>(n.shape[n.get<axis>().index]));
    }
    return keep_spread.contains(n.kind) ? in(0) : spread_of_range(range);
}

/// The spread of one node, looked for through at most `steps` operations before it; beyond them the ranges count. For
/// questions about one node, at a cost that does not grow with the graph.
constexpr spread spread_near(const graph_view& g, std::span<const interval> known, int index, int steps) {
    const interval& range = known[static_cast<std::size_t>(index)];
    const node& n = g[index];
    if (steps == 0 && !is_source(n.kind)) {
        return spread_of_range(range);
    }
    return spread_of_node(g, n, range, [&](int position) {
        return spread_near(g, known, g.operands(n)[static_cast<std::size_t>(position)], steps - 1);
    });
}

} // namespace detail

/// The spread of every node's value; `known` are the ranges of the graph.
constexpr std::vector<spread> spreads(const graph_view& g, std::span<const interval> known) {
    detail::stop_point();
    std::vector<spread> result;
    result.reserve(g.nodes.size());
    for (std::size_t i = 0; i < g.nodes.size(); ++i) {
        const node& n = g.nodes[i];
        result.push_back(detail::spread_of_node(g, n, known[i], [&](int position) -> const spread& {
            return result[static_cast<std::size_t>(g.operands(n)[static_cast<std::size_t>(position)])];
        }));
    }
    return result;
}

} // namespace ane
