#pragma once

#include "advice.hpp"
#include "attention.hpp"
#include "convolution.hpp"
#include "elementwise.hpp"
#include "extent.hpp"
#include "field.hpp"
#include "layout.hpp"
#include "matmul.hpp"
#include "memory.hpp"
#include "movement.hpp"
#include "native.hpp"
#include "normalization.hpp"
#include "order.hpp"
#include "own_layer.hpp"
#include "pooling.hpp"
#include "precision.hpp"
#include "program.hpp"
#include "rearrange.hpp"
#include "reduction.hpp"
#include "runtime.hpp"
#include "stored_value.hpp"
#include "support.hpp"
#include "system.hpp"
#include "texture.hpp"
#include "type.hpp"
#include "value.hpp"
#include "vendor.hpp"
#include "weight.hpp"
#include "written.hpp"

#include <array>
#include <cstdint>
#include <span>

/// All rules, by family, by name and by operation.
namespace ane {

/// One family of rules.
struct rule_family {
    std::span<const rule_record> records;
};

inline constexpr std::array rule_families{
    rule_family{rules::support},      rule_family{rules::type},          rule_family{rules::extent},
    rule_family{rules::convolution},  rule_family{rules::matmul},        rule_family{rules::pooling},
    rule_family{rules::reduction},    rule_family{rules::movement},      rule_family{rules::attention},
    rule_family{rules::rearrange},    rule_family{rules::normalization}, rule_family{rules::elementwise},
    rule_family{rules::texture},      rule_family{rules::order},         rule_family{rules::native},
    rule_family{rules::weight},       rule_family{rules::value},         rule_family{rules::precision},
    rule_family{rules::layout},       rule_family{rules::memory},        rule_family{rules::program},
    rule_family{rules::runtime},      rule_family{rules::advice},        rule_family{rules::written},
    rule_family{rules::stored_value}, rule_family{rules::own_layer},     rule_family{rules::system},
    rule_family{rules::field},        rule_family{rules::vendor}};

namespace detail {

/// The records in the order of `rule`.
inline constexpr std::array<const rule_record*, rule_count> rules_by_id = [] {
    std::array<const rule_record*, rule_count> all{};
    for (const rule_family& f : rule_families) {
        for (const rule_record& r : f.records) {
            all[static_cast<std::size_t>(r.id)] = &r;
        }
    }
    return all;
}();

inline constexpr bool every_rule_has_a_record = [] {
    // Counted, not compared with null: under -fsanitize=undefined g++ 12 takes no address comparison in a constant.
    std::array<std::size_t, rule_count> records{};
    for (const rule_family& f : rule_families) {
        for (const rule_record& r : f.records) {
            ++records[static_cast<std::size_t>(r.id)];
        }
    }
    for (const std::size_t count : records) {
        if (count != 1) {
            return false;
        }
    }
    return true;
}();
static_assert(every_rule_has_a_record, "each name in rule.hpp has exactly one record in a family");

} // namespace detail

namespace detail {
inline constexpr std::array<rule_set, op_count> rules_by_op = [] {
    std::array<rule_set, op_count> all{};
    for (const rule_family& f : rule_families) {
        for (const rule_record& r : f.records) {
            for (std::size_t o = 0; o < op_count; ++o) {
                if (r.ops.contains(static_cast<op>(o))) {
                    all[o].insert(r.id);
                }
            }
        }
    }
    return all;
}();
} // namespace detail

/// The record of a rule.
constexpr const rule_record& record_of(rule r) noexcept { return *detail::rules_by_id[static_cast<std::size_t>(r)]; }

/// The rules that look at an operation.
constexpr const rule_set& rules_of(op kind) noexcept { return detail::rules_by_op[static_cast<std::size_t>(kind)]; }

/// The rules that say that a value may leave fp16 and become infinite.
inline constexpr rule_set overflow_rules{rule::contraction_may_reach_ceiling,
                                         rule::int8_activation_may_saturate,
                                         rule::width_slice_may_saturate,
                                         rule::exponential_may_overflow,
                                         rule::square_may_overflow,
                                         rule::logarithm_of_zero,
                                         rule::reciprocal_of_zero,
                                         rule::divisor_may_be_zero,
                                         rule::value_may_leave_half_precision,
                                         rule::inner_value_may_leave_half_precision};

} // namespace ane
