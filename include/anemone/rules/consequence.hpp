#pragma once

#include "../catalogue/catalogue.hpp"
#include "../graph/constants.hpp"
#include "record.hpp"

#include <span>
#include <vector>

/// What follows from an overflow is not told again: the node where it begins is, and whatever would break no rule but for it
/// says nothing new. What has a cause of its own, such as a divisor that may be zero, is told behind an overflow too.
namespace ane::rules::detail {

constexpr bool may_be_infinite(const interval& x) { return x.declared && !x.bounded(); }

/// What a value that may be infinite is next to one: what it might be if nothing before it overflowed.
constexpr interval tamed(const interval& x) {
    if (x.low > -unbounded) {
        return {x.low, x.low > 1 ? x.low : 1, x.declared};
    }
    if (x.high < unbounded) {
        return {x.high < -1 ? x.high : -1, x.high, x.declared};
    }
    return {1, 1, x.declared};
}

/// Decides it for the findings of one graph, with the memory for it.
class consequences {
public:
    /// `constant` says of each node whether it is known when a model is compiled, so that no rule is asked about it: such
    /// overflows are errors of the weights, and not told here.
    constexpr explicit consequences(std::span<const char> constant) : constant_(constant) {}

    /// Whether a rule that `s` breaks is kept if no operand is infinite.
    constexpr bool contains(const rule_record& r, const subject& s) {
        const auto has_overflowed = [&](int operand) {
            const auto at = static_cast<std::size_t>(operand);
            return may_be_infinite(s.value_ranges[at]) && !(is_foldable(s.g[operand].kind) && constant_[at] != 0);
        };
        bool follows = false;
        for (const int i : s.g.operands(s.n)) {
            follows = follows || has_overflowed(i);
        }
        if (!follows || r.of_infinity) {
            return false;
        }
        if (known_.empty()) {
            known_.assign(s.value_ranges.begin(), s.value_ranges.end());
        }
        const auto known = [this](int i) -> interval& { return known_[static_cast<std::size_t>(i)]; };
        for (const int i : s.g.operands(s.n)) {
            known(i) = has_overflowed(i) ? tamed(s.value_ranges[static_cast<std::size_t>(i)]) : known(i);
        }
        known(s.index) = ane::detail::range_of_node(s.g, s.n, gather_.of(s.g.operands(s.n), known));
        subject tame = s;
        tame.value_ranges = known_;
        const bool kept = !r.check(tame).broken;
        for (const int i : s.g.operands(s.n)) {
            known(i) = s.value_ranges[static_cast<std::size_t>(i)];
        }
        known(s.index) = s.value_ranges[static_cast<std::size_t>(s.index)];
        return kept;
    }

private:
    std::span<const char> constant_;
    std::vector<interval> known_;
    ane::detail::catalogue::operand_gatherer gather_;
};

} // namespace ane::rules::detail
