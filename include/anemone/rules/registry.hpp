#pragma once

#include "attention.hpp"
#include "convolution.hpp"
#include "extent.hpp"
#include "layout.hpp"
#include "matmul.hpp"
#include "memory.hpp"
#include "movement.hpp"
#include "pooling.hpp"
#include "reduction.hpp"
#include "support.hpp"
#include "type.hpp"
#include "value.hpp"

#include <array>
#include <cstdint>
#include <span>

/// All rules, by family, by name and by operation.
namespace ane {

/// One family of rules: its records, and for each operation the set of those that look at it.
struct rule_family {
    std::span<const rule_record> records;
    std::array<std::uint32_t, op_count> of_op{}; ///< bit i: `records[i]` looks at this operation

    constexpr explicit rule_family(std::span<const rule_record> all) : records(all) {
        for (std::size_t o = 0; o < op_count; ++o) {
            for (std::size_t i = 0; i < all.size(); ++i) {
                of_op[o] |= all[i].ops.contains(static_cast<op>(o)) ? std::uint32_t{1} << i : 0u;
            }
        }
    }
};

/// In the order in which several findings on one node are told.
inline constexpr std::array rule_families{
    rule_family(rules::support),     rule_family(rules::type),     rule_family(rules::extent),
    rule_family(rules::convolution), rule_family(rules::matmul),   rule_family(rules::pooling),
    rule_family(rules::reduction),   rule_family(rules::movement), rule_family(rules::attention),
    rule_family(rules::value),       rule_family(rules::layout),   rule_family(rules::memory)};

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

/// The record of a rule.
constexpr const rule_record& record_of(rule r) noexcept { return *detail::rules_by_id[static_cast<std::size_t>(r)]; }

/// The rules that look at an operation.
constexpr rule_set rules_of(op kind) noexcept {
    rule_set s;
    for (const rule_record* r : detail::rules_by_id) {
        if (r->ops.contains(kind)) {
            s.insert(r->id);
        }
    }
    return s;
}

} // namespace ane
