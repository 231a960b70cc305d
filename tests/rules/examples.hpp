#pragma once

#include "one_node.hpp"

#include <optional>
#include <vector>

/// A model on each side of a rule's limit.
namespace one_node {

struct example {
    ane::rule rule;
    ane::target on;
    std::int64_t got;   ///< what the first model is told for
    std::int64_t limit; ///< against this
    dynamic_graph breaks;
    dynamic_graph keeps;
    std::optional<target> allowed = std::nullopt; ///< a target on which the first model keeps the rule too
    policy under{};
    const target_description* device = nullptr; ///< in place of `on`

    const target_description& target_of() const { return device != nullptr ? *device : describe(on); }
};

// By family, so that each file of examples compiles quickly.
std::vector<example> support_examples();
std::vector<example> extent_examples();
std::vector<example> convolution_examples();
std::vector<example> reduction_examples();
std::vector<example> movement_examples();
std::vector<example> elementwise_examples();
std::vector<example> weight_examples();
std::vector<example> memory_examples();

/// A unary operation over one input.
inline dynamic_graph unary(op kind, const extents& shape, const attributes& values = no_attributes{}) {
    return make(kind, values, {in(shape)});
}

} // namespace one_node
