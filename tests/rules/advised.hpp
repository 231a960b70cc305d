#pragma once

#include "one_node.hpp"
#include <anemone/dynamic_builder.hpp>

#include <optional>
#include <string_view>
#include <vector>

/// Models that break a rule, each beside the one that follows the rule's advice.
namespace advised {

using namespace ane;
using tensor = dynamic_tensor;

/// The model that follows computes something else, on purpose.
inline constexpr double another_model = -1;

struct pair_of_models {
    ane::rule rule;
    std::string_view suggestion; ///< how that of the record begins
    target on;
    dynamic_graph breaks;
    dynamic_graph follows;
    double within = 0.01;                       ///< the largest relative difference of what both compute
    policy under{};                             ///< of the first
    std::optional<policy> taken = std::nullopt; ///< of the second where the advice is another route or a waiver
    std::optional<target> there = std::nullopt; ///< the second's target where the advice is another target
    const target_description* device = nullptr; ///< in place of `on`
};

/// A suggestion that a twin of the examples (examples.hpp) follows: the rule's example with this number.
struct twin {
    ane::rule rule;
    std::string_view suggestion;
    int number = 0;
};

/// A suggestion that is no change of the model, and why it stands there.
struct not_a_model {
    ane::rule rule;
    std::string_view suggestion;
    std::string_view reason;
};

// By family, so that each file compiles quickly.
std::vector<pair_of_models> advised_values();
std::vector<pair_of_models> advised_digits();
std::vector<pair_of_models> advised_operations();
std::vector<pair_of_models> advised_convolutions();
std::vector<pair_of_models> advised_products();
std::vector<pair_of_models> advised_movement();
std::vector<pair_of_models> advised_shapes();
std::vector<pair_of_models> advised_weights();
std::vector<pair_of_models> advised_guidance();

/// A model of one output.
template <class Make> dynamic_graph built(Make make) {
    dynamic_builder b;
    b.output("y", make(b));
    return b.finish();
}
/// A model that names its outputs itself.
template <class Make> dynamic_graph built_by(Make make) {
    dynamic_builder b;
    make(b);
    return b.finish();
}

/// One function of the input "x".
inline dynamic_graph function_of(op kind, const extents& shape, const contract& promise = {},
                                 const attributes& values = {}) {
    return built([&](dynamic_builder& b) { return b.add(kind, {b.input("x", shape, promise)}, values); });
}

/// The elements [begin, begin + size) of one axis.
inline tensor cut(dynamic_builder& b, const tensor& x, int axis_index, std::int64_t begin, std::int64_t size) {
    window w{{}, x.shape()};
    for (int i = 0; i < x.shape().rank; ++i) {
        w.begin.append(i == axis_index ? begin : 0);
    }
    w.size[axis_index] = size;
    return b.add(op::slice, {x}, w);
}
inline tensor joined(dynamic_builder& b, const std::vector<tensor>& parts, int axis_index) {
    return b.add(op::concat, parts, axis{axis_index});
}
template <class... Index> tensor turned(dynamic_builder& b, const tensor& x, Index... order) {
    return b.add(op::transpose, {x}, permutation{order...});
}
inline tensor times(dynamic_builder& b, const tensor& x, double factor) {
    return b.add(op::mul, {x, b.constant(factor)});
}
inline tensor zeros(dynamic_builder& b, const extents& shape) { return b.constant(shape, 0.0); }

} // namespace advised
