#pragma once

#include "../numerics/datapath.hpp"
#include "../numerics/quantized_products.hpp"
#include "../numerics/width_offset.hpp"
#include "../targets/table.hpp"
#include "ranges.hpp"

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

/// The fp16 envelope: what the ranges of values prove or refute about a target's arithmetic, node by node. Where the
/// engine's limits are and on which families they hold: guide chapter 3, numerics-datapath, R056, R090, R093, R133,
/// R150-R159, R161. Marks of the limits are those of their rules (rules/value.hpp).
namespace ane {

/// What may happen to the values of a node.
enum class hazard : std::uint8_t {
    stored_value,       ///< a value passes 65504 and is stored as infinity
    inner_value,        ///< so does a square, a sum or a score that an operation stores on the way to its result
    accumulator,        ///< a sum of products reaches 2^15 and is infinite for good (R056)
    width_slice,        ///< a slice that begins inside the last axis carries more than 4094 (R090)
    int8_activation,    ///< an activation above 4094 meets int8 weights (R093)
    loss_scale,         ///< a width slice of a tensor that was multiplied by 512 or more: a scaled gradient (R154)
    exponential,        ///< e^x overflows (R150)
    square,             ///< x^2 overflows (R151)
    trigonometric,      ///< an argument beyond the folded half period (R133)
    logarithm_of_zero,  ///< -45440 instead of minus infinity (R157)
    reciprocal_of_zero, ///< a zero divisor: infinity, of -0 that of the wrong sign (R158)
    infinite_argument,  ///< softsign of infinity gives 0 (R159; softplus is written so that it does not)
    denormal,           ///< a subnormal operand of a product counts as zero (R156)
    cancellation,       ///< large terms nearly cancel and leave mostly their rounding (R152)
    table_domain,       ///< an argument outside a table, clamped to its last knot (R161)
    nan_input,          ///< a NaN enters as infinity (R155)
    product_scale       ///< the codes of a quantized product take another scale (N211)
};

constexpr std::string_view name(hazard h) noexcept {
    constexpr std::string_view names[] = {
        "stored value", "inner value",  "accumulator",   "width slice",       "int8 activation",    "loss scale",
        "exponential",  "square",       "trigonometric", "logarithm of zero", "reciprocal of zero", "infinite argument",
        "denormal",     "cancellation", "table domain",  "nan input",         "product scale"};
    return names[static_cast<std::size_t>(h)];
}

enum class proof : std::uint8_t {
    proven,  ///< it cannot happen, as long as the contracts are kept
    refuted, ///< the declared ranges permit it
    open     ///< nothing is promised that decides it
};

constexpr std::string_view name(proof p) noexcept {
    constexpr std::string_view names[] = {"proven", "refuted", "open"};
    return names[static_cast<std::size_t>(p)];
}

/// One limit compared with the ranges at one node.
struct demand {
    bool applies = false;
    bool holds = true;     ///< cannot be passed
    bool exceeded = false; ///< the ranges pass it; neither: sources differ on where it lies
    bool declared = false; ///< everything it rests on is declared
    double bound = 0;
    double limit = 0;

    constexpr proof verdict() const noexcept {
        return holds ? proof::proven : (exceeded && declared ? proof::refuted : proof::open);
    }
    /// Whether the promises themselves permit it: only then does a rule report it.
    constexpr bool refuted() const noexcept { return applies && verdict() == proof::refuted; }
};

/// Accumulators up to here pass on every source: sweeps on M1 to M6 place the cliff between 32752 and 32759, the study
/// of M4 and M6 at 32768.
inline constexpr double accumulator_safe = 32753.0;
/// First argument whose exponential is infinite: 11.094 (measured M1, M2), between 11.086 and 11.094 in fp16.
inline constexpr double exponential_limit = 11.09;
inline constexpr double square_limit = 256.0;
inline constexpr double half_period = 3.1416;
inline constexpr double smallest_normal = 0x1p-14;
/// Terms over result from which a cancellation leaves mostly rounding (R152).
inline constexpr double amplification_limit = 1e4;
/// The factor of a loss from which scaled gradients overflow in width slices; up to 384 none was seen (R154).
inline constexpr double loss_scale_limit = 512.0;
/// Operations that take the logarithm of an operand or of a sum of it.
inline constexpr op_set logarithms{op::log, op::log2, op::reduce_log_sum};
/// Operations that divide by their last operand.
inline constexpr op_set quotients{op::inverse, op::rsqrt, op::div, op::floor_div};

namespace detail {

/// A node with the ranges of all earlier nodes.
struct ranged_node {
    const graph_view& g;
    const node& n;
    std::span<const interval> known;

    constexpr const interval& in(int position) const {
        return known[static_cast<std::size_t>(g.operands(n)[static_cast<std::size_t>(position)])];
    }
    constexpr const node& operand(int position) const { return g.operand(n, position); }
    /// Of node `index`.
    constexpr const interval& operator()(int index) const { return known[static_cast<std::size_t>(index)]; }
};

constexpr demand up_to(double bound, double limit, bool declared) {
    return {true, bound <= limit, bound > limit, declared, bound, limit};
}
constexpr demand less_than(double bound, double limit, bool declared) {
    return {true, bound < limit, bound >= limit, declared, bound, limit};
}

constexpr demand accumulator_demand(const ranged_node& s) {
    const contraction_bound b = accumulator_bound(s.g, s.n, s.known);
    return {
        true, b.accumulator < accumulator_safe, b.overflows(), b.value.declared, b.accumulator, accumulator_ceiling};
}

constexpr demand slice_demand(const ranged_node& s, bool saturates) {
    if (!saturates || !reads_inside_width(s.g, s.n)) {
        return {};
    }
    return up_to(s.in(0).magnitude(), gain_ceiling, s.in(0).declared);
}

/// Whether operand `position` is a weight that is stored in 8-bit integers.
constexpr bool is_int8_weight(const ranged_node& s, int position) { return ane::is_int8_weight(s.operand(position)); }

constexpr demand int8_demand(const ranged_node& s) {
    const int weight = s.n.kind == op::matmul && is_int8_weight(s, 0) ? 0 : 1;
    return is_int8_weight(s, weight) ? up_to(s.in(1 - weight).magnitude(), gain_ceiling, s.in(1 - weight).declared)
                                     : demand{};
}

/// Sums of the codes of a weight, where the target scales them afterwards: their largest is that of every channel.
constexpr demand codes_demand(const ranged_node& s, const numerics::datapath& path) {
    if (path.weight_scale != numerics::scale_rule::after_sum || !may_add_codes(s.g, s.n) ||
        s.operand(1).get<compression>().bits != 8) {
        return {};
    }
    return less_than(sum_of_codes(s.g, s.n, s.in(0)), accumulator_ceiling, s.in(0).declared);
}

/// The scalar that a tensor was multiplied by, seen through movements; 0 where there is none.
constexpr double loss_scale_of(const graph_view& g, const node& from) {
    const node* n = &from;
    for (int step = 0; step < 8; ++step) {
        if (n->kind == op::mul) {
            for (int i = 0; i < 2; ++i) {
                const node& factor = g.operand(*n, i);
                if (factor.kind == op::constant && factor.shape.count() == 1) {
                    return magnitude(static_cast<double>(g.values(factor)[0]));
                }
            }
            return 0;
        }
        if (signature(n->kind).group != op_group::movement || n->operands.count == 0) {
            return 0;
        }
        n = &g.operand(*n, 0);
    }
    return 0;
}

/// Gradients go into a convolution's weight gradient through slices of the last axis (R154: kernel width above 1).
constexpr demand loss_demand(const ranged_node& s, bool saturates) {
    const bool slices = s.n.kind == op::cross_correlation || reads_inside_width(s.g, s.n);
    const double scale = saturates && slices ? loss_scale_of(s.g, s.operand(0)) : 0;
    if (scale == 0) {
        return {};
    }
    demand d = less_than(scale, loss_scale_limit, true);
    d.holds = d.holds || s.in(0).magnitude() <= gain_ceiling; // normalised values are within whatever the factor
    d.exceeded = !d.holds;
    return d;
}

constexpr demand denormal_demand(const ranged_node& s, bool keeps_subnormals) {
    if (keeps_subnormals) {
        return {};
    }
    const interval& x = s.in(0);
    const interval& w = s.in(1);
    const double least = least_magnitude(x) < least_magnitude(w) ? least_magnitude(x) : least_magnitude(w);
    const double most = x.magnitude() < w.magnitude() ? x.magnitude() : w.magnitude();
    return {true, least >= smallest_normal, most > 0 && most < smallest_normal, x.declared && w.declared,
            most, smallest_normal};
}

/// Terms relative to the result. By ranges alone a sum is as wide as its terms; only known weights, or a measured
/// result, can show that it is narrower.
constexpr demand cancellation_demand(const ranged_node& s, const interval& result) {
    double terms = 0;
    double left = result.magnitude();
    bool declared = false;
    if (is_contraction(s.n.kind)) {
        const contraction_bound b = accumulator_bound(s.g, s.n, s.known);
        terms = b.magnitudes;
        left = left < b.value.magnitude() ? left : b.value.magnitude();
        declared = b.value.declared;
    } else {
        terms = s.in(0).magnitude() + s.in(1).magnitude();
        declared = s.in(0).declared && s.in(1).declared;
    }
    if (terms >= unbounded || left <= 0) {
        return {};
    }
    return up_to(terms / left, amplification_limit, declared);
}

constexpr demand stored_demand(const interval& x) { return up_to(x.magnitude(), half_max, x.declared); }

/// The result of a node: where it leaves fp16, `result` does not say how far, but what it is before rounding does.
constexpr demand result_demand(const ranged_node& s, const interval& result) {
    if (result.bounded()) {
        return stored_demand(result);
    }
    catalogue::operand_gatherer gather;
    const interval exact = unrounded_range_of_node(s.g, s.n, gather.of(s.g.operands(s.n), s));
    return stored_demand(exact.magnitude() > half_max ? exact : result);
}
constexpr demand parts_demand(const ranged_node& s) {
    catalogue::operand_gatherer gather;
    return stored_demand(range_of_parts(s.g, s.n, gather.of(s.g.operands(s.n), s)));
}

/// The epsilon that is added to an operand.
constexpr float added_epsilon(const node& n) {
    return signature(n.kind).attributes == attribute_kind::stabilizer ? n.get<stabilizer>().epsilon : 0;
}

/// Of log and log2, or of the sum of reduce_log_sum.
constexpr demand logarithm_demand(const ranged_node& s) {
    const interval y = s.n.kind == op::reduce_log_sum ? narrow_sum(s.in(0), reduced_terms(s.g, s.n))
                                                      : shifted(s.in(0), added_epsilon(s.n));
    const bool positive = static_cast<double>(half(y.low)) > 0;
    return {true, positive, !positive, s.in(0).declared, y.low, 0};
}

/// Whether a divisor may be zero as fp16. Constants are known element by element.
constexpr bool may_be_zero(const graph_view& g, const node& divisor, const interval& range) {
    if (divisor.kind != op::constant) {
        return range.contains(0);
    }
    for (const float v : g.values(divisor)) {
        if (half(v) == half(0.0F)) {
            return true;
        }
    }
    return false;
}

/// The operand of inverse and rsqrt, the divisor of div and floor_div.
constexpr demand reciprocal_demand(const ranged_node& s) {
    const int position = s.n.operands.count - 1;
    const interval y = shifted(s.in(position), added_epsilon(s.n));
    const bool zero = may_be_zero(s.g, s.operand(position), y);
    return {true, !zero, zero, y.declared, 0, 0};
}

/// Published ends of the sigmoid's table: -9.938 and 8.320 (measured M1).
constexpr demand table_demand(const ranged_node& s) {
    const interval& x = s.in(0);
    const bool below_table = x.low < -9.938;
    return {true,       !below_table && x.high <= 8.32, below_table || x.high > 8.32,
            x.declared, below_table ? -x.low : x.high,  below_table ? 9.938 : 8.32};
}

/// The limits on arguments of functions.
template <class Sink> constexpr void visit_argument_demands(const ranged_node& s, Sink sink) {
    if (s.n.operands.count == 0) { // random_uniform
        return;
    }
    const interval& x = s.in(0);
    const auto is = [&s](op kind) { return s.n.kind == kind; };
    if (is(op::exp) || is(op::exp2)) {
        sink(hazard::exponential, less_than(x.high, is(op::exp) ? exponential_limit : 16, x.declared));
    } else if (is(op::square) || (is(op::mul) && s.g.operands(s.n)[0] == s.g.operands(s.n)[1])) {
        sink(hazard::square, less_than(x.magnitude(), square_limit, x.declared));
    } else if (is(op::sin) || is(op::cos)) {
        sink(hazard::trigonometric, up_to(x.magnitude(), half_period, x.declared));
    } else if (logarithms.contains(s.n.kind)) {
        sink(hazard::logarithm_of_zero, logarithm_demand(s));
    } else if (quotients.contains(s.n.kind)) {
        sink(hazard::reciprocal_of_zero, reciprocal_demand(s));
    } else if (is(op::softsign)) {
        sink(hazard::infinite_argument, up_to(x.high, half_max, x.declared));
    } else if (is(op::sigmoid)) {
        sink(hazard::table_domain, table_demand(s));
    }
}

/// Calls `sink(hazard, demand)` for each limit that concerns node `index`. `read`: `uses(g)`.
template <class Sink>
constexpr void visit_demands(const graph_view& g, int index, std::span<const interval> known, std::span<const int> read,
                             const target_description& t, Sink sink) {
    const node& n = g[index];
    const ranged_node s{g, n, known};
    const interval& result = known[static_cast<std::size_t>(index)];
    if (n.kind == op::input) {
        sink(hazard::nan_input, demand{n.type == dtype::f16, n.get<contract>().declared, false, false, 0, 0});
    }
    if (is_source(n.kind) || n.type != dtype::f16) {
        return;
    }
    sink(hazard::stored_value, result_demand(s, result));
    if (composed_ops.contains(n.kind)) {
        sink(hazard::inner_value, parts_demand(s));
    }
    if (is_contraction(n.kind) || n.kind == op::attention) {
        sink(hazard::accumulator, accumulator_demand(s));
        sink(hazard::denormal, denormal_demand(s, numerics::datapath_of(t.tier).mac_keeps_subnormals));
    }
    if (is_contraction(n.kind)) {
        sink(hazard::int8_activation, int8_demand(s));
    }
    if (is_contraction(n.kind) || n.kind == op::add || n.kind == op::sub) {
        sink(hazard::cancellation, cancellation_demand(s, result));
    }
    const bool may_read_inside = width_offsets.kinds().contains(n.kind);
    if (may_read_inside) {
        sink(hazard::width_slice, slice_demand(s, t.has.slice_width_saturates));
    }
    if (may_read_inside || n.kind == op::cross_correlation) {
        sink(hazard::loss_scale, loss_demand(s, t.has.slice_width_saturates));
    }
    if (n.kind == op::mul && takes_another_scale(g, index, read)) {
        sink(hazard::product_scale, demand{true, false, true, true, 0, 0});
    }
    visit_argument_demands(s, sink);
}

} // namespace detail

/// One line of an envelope.
struct envelope_entry {
    int node = 0;
    ane::hazard hazard{};
    proof verdict = proof::open;
    double bound = 0; ///< the largest value that the ranges allow, in the hazard's own unit
    double limit = 0;
};

/// Everything that the ranges say about a graph on a target, in the order of its nodes. `known` comes from `ranges(g)`,
/// from measured ranges or from `affine_ranges(g)`.
constexpr std::vector<envelope_entry> envelope(const graph_view& g, const target_description& t,
                                               std::span<const interval> known) {
    std::vector<envelope_entry> all;
    const sequence<int> read = uses(g);
    for (int i = 0; i < g.size(); ++i) {
        detail::visit_demands(g, i, known, read, t, [&all, i](hazard h, const demand& d) {
            if (d.applies) {
                all.push_back({i, h, d.verdict(), d.bound, d.limit});
            }
        });
    }
    return all;
}
constexpr std::vector<envelope_entry> envelope(const graph_view& g, const target_description& t) {
    return envelope(g, t, ranges(g));
}
constexpr std::vector<envelope_entry> envelope(const graph_view& g, target t) { return envelope(g, describe(t)); }

/// Whether a hazard is proven absent from every node of a graph.
constexpr bool proves(const graph_view& g, target t, hazard h) {
    for (const envelope_entry& e : envelope(g, t)) {
        if (e.hazard == h && e.verdict != proof::proven) {
            return false;
        }
    }
    return true;
}

} // namespace ane
