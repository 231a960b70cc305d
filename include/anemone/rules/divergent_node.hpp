#pragma once

#include "../numerics/datapath.hpp"
#include "../targets/table.hpp"
#include "evaluate.hpp"

#include <cstdint>
#include <string_view>

namespace ane {

/// What can differ, the most serious first.
enum class divergence : std::uint8_t {
    support,  ///< one target refuses the operation
    infinity, ///< one target turns a finite value into infinity
    rounding, ///< another route or several roundings: a few units in the last place
    one_ulp,  ///< one rounding with a different tie rule: one unit in the last place
    denormals ///< one target takes a subnormal operand for zero
};

constexpr std::string_view name(divergence d) noexcept {
    constexpr std::string_view names[] = {"support", "infinity", "rounding", "one ulp", "denormals"};
    return names[static_cast<std::size_t>(d)];
}

/// A target as its arithmetic and its capabilities: those of the table, or with what a user has measured.
struct machine {
    target_description device;
    numerics::datapath arithmetic;
};
constexpr machine machine_of(const target_description& t) { return {t, numerics::datapath_of(t.tier)}; }
constexpr machine machine_of(target t) { return machine_of(describe(t)); }

/// One way in which one node can differ. Nodes that only pass on what an earlier one has done are not listed.
struct divergent_node {
    int node = -1;  ///< of the model
    op operation{}; ///< where it arises: the node itself or, of a composed one, the part
    divergence kind{};
    mark evidence{};         ///< the weaker of what is known of the two targets
    const char* reason = ""; ///< a sentence
    const char* source = "";
    violation refusal{}; ///< of `support`: the rule, and the target that refuses
};

} // namespace ane
