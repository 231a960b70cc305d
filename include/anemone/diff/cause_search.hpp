#pragma once

#include "../backend/cpu/cpu.hpp"
#include "../backend/oracle/oracle.hpp"
#include "../base/way.hpp"
#include "../catalogue/engine_path.hpp"
#include "../numerics/datapath.hpp"
#include "../values/half.hpp"
#include "cause.hpp"
#include "replay.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

namespace ane::detail::inline ANEMONE_WAY {

/// How far a result is from the reference: elements where only one of the two is finite, and the sum of the others'
/// distances.
struct departure {
    std::int64_t not_finite = 0;
    double distance = 0;
};

ANEMONE_INLINE departure departure_of(std::span<const half> reference, std::span<const half> given) {
    departure d;
    for (std::size_t i = 0; i < reference.size(); ++i) {
        if (is_finite(reference[i]) && is_finite(given[i])) {
            const double apart = static_cast<double>(reference[i]) - static_cast<double>(given[i]);
            d.distance += apart < 0 ? -apart : apart;
        } else if (!(is_nan(reference[i]) && is_nan(given[i])) && reference[i] != given[i]) {
            ++d.not_finite;
        }
    }
    return d;
}

ANEMONE_INLINE std::span<const half> as_halves(std::span<const std::byte> memory) {
    return {reinterpret_cast<const half*>(memory.data()), memory.size() / sizeof(half)};
}

/// The most significant path of an operation that uses several. Those not named here look up a reciprocal, an
/// exponential or a root in a table.
ANEMONE_INLINE difference_cause cause_by_parts(const numerics::datapath& path, op kind) {
    if (kind == op::hard_sigmoid) {
        return difference_cause::rounding;
    }
    if (signature(kind).group == op_group::texture && kind != op::gather_hw) {
        return path.texture_engine ? difference_cause::rounding : difference_cause::fixed_point;
    }
    const bool adds_up = kind == op::local_response_norm || kind == op::furthest_point_sampling;
    return adds_up ? difference_cause::reduction : difference_cause::table;
}

/// The most serious path among the operations of the last run.
ANEMONE_INLINE difference_cause cause_by_path(const replay& engine) {
    difference_cause found = difference_cause::rounding;
    const auto take = [&](difference_cause cause) { found = cause < found ? cause : found; };
    for (const int step : engine.steps()) {
        const op kind = engine.kind(step);
        switch (engine_path_of(kind).path) {
        case numerics::arithmetic_path::multiply_accumulate:
            take(engine.sums(step) ? difference_cause::reduction : difference_cause::fixed_point);
            break;
        case numerics::arithmetic_path::composed: take(cause_by_parts(engine.arithmetic(), kind)); break;
        case numerics::arithmetic_path::table: take(difference_cause::table); break;
        case numerics::arithmetic_path::reduction: take(difference_cause::reduction); break;
        case numerics::arithmetic_path::elementwise:
        case numerics::arithmetic_path::movement: break;
        }
    }
    return found;
}

/// The arithmetic of what an oracle is compared with.
struct reference_rules {
    numerics::datapath path;
    bool fp16_steps; ///< the steps inside an operation are in fp16 too
};

/// Without an engine there are no rules.
ANEMONE_INLINE reference_rules rules_of(const backend::cpu&) {
    numerics::datapath plain;
    plain.mac_ceiling = false;
    plain.mac_exponent_floor = -64;
    plain.width_slice_gain = 1;
    plain.int8_activation_gain = 1;
    plain.weight_scale = numerics::scale_rule::before_products;
    return {plain, false};
}
ANEMONE_INLINE reference_rules rules_of(const backend::oracle& engine) { return {engine.arithmetic(), true}; }

/// Runs the node again with one rule at a time set as in the reference, and finds the one on which the difference
/// depends.
ANEMONE_INLINE difference_cause cause_of(replay& engine, int node, std::span<const half> expected,
                                         std::span<const half> result, const reference_rules& reference) {
    const departure all = departure_of(expected, result);
    if (all.not_finite == 0 && all.distance == 0) {
        return difference_cause::none;
    }
    const numerics::datapath path = engine.arithmetic();
    const auto hangs_on = [&](auto change) {
        numerics::datapath other = path;
        change(other);
        const departure rest = departure_of(expected, as_halves(engine.run(node, other)));
        return rest.not_finite < all.not_finite ||
               (rest.not_finite == all.not_finite && rest.distance < all.distance / 2);
    };
    if (hangs_on([&](numerics::datapath& d) { d.mac_ceiling = reference.path.mac_ceiling; })) {
        return difference_cause::ceiling;
    }
    if (hangs_on([&](numerics::datapath& d) { d.width_slice_gain = reference.path.width_slice_gain; })) {
        return difference_cause::width_slice;
    }
    if (hangs_on([&](numerics::datapath& d) { d.int8_activation_gain = reference.path.int8_activation_gain; })) {
        return difference_cause::int8_activation;
    }
    for (const half h : expected) {
        if (!is_finite(h)) {
            return difference_cause::special_value;
        }
    }
    engine.run(node, path);
    if (!reference.fp16_steps && engine.overflowed()) {
        return difference_cause::overflow;
    }
    if (hangs_on([&](numerics::datapath& d) { d.weight_scale = reference.path.weight_scale; })) {
        return difference_cause::code_scale;
    }
    engine.run(node, path);
    const difference_cause cause = cause_by_path(engine);
    const bool flushes = cause == difference_cause::fixed_point && hangs_on([&](numerics::datapath& d) {
                             d.mac_exponent_floor = reference.path.mac_exponent_floor;
                             d.mac_keeps_subnormals = reference.path.mac_keeps_subnormals;
                         });
    return flushes ? difference_cause::flush : cause;
}

} // namespace ane::detail::inline ANEMONE_WAY
