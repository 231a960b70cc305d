#pragma once

#include "../values/dtype.hpp"
#include "graph.hpp"

#include <concepts>
#include <cstdint>
#include <string_view>

namespace ane {

/// The graph that a handle belongs to. Refuses access if a different graph now occupies the same address. (If nothing
/// does, it dangles like any pointer: handles must not outlive their graph.)
class graph_pointer {
public:
    constexpr graph_pointer() = default;
    constexpr graph_pointer(dynamic_graph* graph) // NOLINT(google-explicit-constructor): what a pointer to it says
        : graph_(graph), number_(graph->number()) {}

    constexpr dynamic_graph* operator->() const {
        if (graph_ == nullptr) {
            detail::refuse_graph("tensor", "no builder made this handle");
        }
        if (graph_->number() != number_) {
            detail::refuse_graph("tensor", "the graph of this handle is gone, another one has taken its place");
        }
        return graph_;
    }
    friend constexpr bool operator==(const graph_pointer&, const graph_pointer&) = default;

private:
    dynamic_graph* graph_ = nullptr;
    std::uint64_t number_ = 0;
};

template <class Shape, dtype Type = dtype::f16> struct tensor;

/// What handles of every type have: the value, and what other libraries give to theirs. None of the latter compiles: each
/// says how it is written here.
struct handle {
    graph_pointer graph;
    int node = -1;

    /// What std::abs(x) takes a tensor for: the functions of the standard library are of numbers.
    template <std::same_as<double> Number>
    __attribute__((
        unavailable("a tensor is no number while its model is described: functions of tensors are those of ane, "
                    "abs(x) or ane::abs(x) in place of std::abs(x)"))) constexpr
    operator Number() const { // NOLINT(google-explicit-constructor)
        return 0;
    }

    // Operations as members.
#define ANEMONE_MEMBER(name, how)                                                                                      \
    template <auto... constants, class... Operands>                                                                    \
    __attribute__((unavailable("operations are functions of tensors: " how))) constexpr auto name(const Operands&...)  \
        const {                                                                                                        \
        return refused<Operands...>(#name);                                                                            \
    }
#define ANEMONE_OPERATION(name, ...) ANEMONE_MEMBER(name, #name "(x), its constants in angle brackets")
#define ANEMONE_FUNCTION(name, onnx, meaning) ANEMONE_MEMBER(name, #name "(x)")
#define ANEMONE_ARITHMETIC(name, onnx, meaning) ANEMONE_MEMBER(name, #name "(x, y)")
#define ANEMONE_COMPARISON(name, onnx, meaning) ANEMONE_MEMBER(name, #name "(x, y)")
#define ANEMONE_LOGIC(name, onnx, meaning) ANEMONE_MEMBER(name, #name "(x, y)")
#define ANEMONE_REDUCTION(name, onnx, meaning) ANEMONE_MEMBER(name, #name "<axes{1}>(x)")
#define ANEMONE_EXTREME_INDEX(name, onnx, meaning) ANEMONE_MEMBER(name, #name "<axis{1}>(x)")
#include "operations.def"
    ANEMONE_MEMBER(view, "reshape<1, 64>(x)")
    ANEMONE_MEMBER(flatten, "flatten<axis{1}>(x)")
    ANEMONE_MEMBER(permute, "transpose<permutation{0, 2, 1}>(x)")
    ANEMONE_MEMBER(unsqueeze, "expand_dims<axes{0}>(x)")
    ANEMONE_MEMBER(sum, "reduce_sum<axes{1}>(x)")
    ANEMONE_MEMBER(mean, "reduce_mean<axes{1}>(x)")
    ANEMONE_MEMBER(max, "maximum(x, y), or of an axis reduce_max<axes{1}>(x)")
    ANEMONE_MEMBER(min, "minimum(x, y), or of an axis reduce_min<axes{1}>(x)")
#undef ANEMONE_MEMBER

private:
    template <class...> constexpr auto refused(std::string_view name) const;
};

} // namespace ane
