#pragma once

#include "../graph/refused_model.hpp"
#include "evaluate.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace ane {

/// The first rule that a model breaks, as a type that compilers print: the operation, the rule, the target, the source
/// line, the node, the value and the limit; then the id of the rule's page, the file, and a name that distinguishes one
/// use of a block from another.
template <op Operation, rule Rule, target Target, int Line, int Node, std::int64_t Got, std::int64_t Limit,
          class... Place>
struct design_rule {
    static constexpr bool kept = false;
};
/// The same for a rule without a numeric bound.
template <op Operation, rule Rule, target Target, int Line, int Node, std::int64_t Limit, class... Place>
struct design_rule_without_bound {
    static constexpr bool kept = false;
};
/// Of a variable whose value is known in a run only, such as `const auto model = graph(...)` without constexpr.
struct the_model_must_be_constexpr {
    static constexpr bool kept = false;
};

struct all_design_rules {
    static constexpr bool kept = true;
};

/// Where a design rule is written down: the id of its page in docs/rules.
template <class Name> struct fact {};
/// Where a design rule is broken, beside `in_file`: the nearest name, of the weight or the input that the operation reads,
/// of the output that it gives, or of what comes last before it.
template <class Name> struct reads {};
template <class Name> struct gives {};
template <class Name> struct after {};

/// What exactly of an operation cannot be written, and what can be written instead.
template <form_reason Why> struct because {};
template <rewrite What> struct instead {};

namespace detail {

enum class nearness : std::uint8_t { nothing, reads, gives, after };

/// The name by which a reader of a message finds a node.
struct nearest_name {
    nearness how = nearness::nothing;
    short_text name;
};

constexpr nearest_name find_nearest_name(const graph_view& g, int index) {
    // What it reads: a weight says more than an input.
    for (const op kind : {op::weight, op::input}) {
        for (const int operand : g.operands(index)) {
            if (g[operand].kind == kind && g[operand].name.count > 0) {
                return {nearness::reads, short_text(g.name(operand))};
            }
        }
    }
    for (const output_port& port : g.outputs) {
        if (port.node == index) {
            return {nearness::gives, short_text(g.name(port))};
        }
    }
    // Upstream, along the first operands.
    for (int i = index; g[i].operands.count > 0;) {
        i = g.operands(i)[0];
        for (const int operand : g.operands(i)) {
            if (g[operand].name.count > 0) {
                return {nearness::after, short_text(g.name(operand))};
            }
        }
        if (g[i].name.count > 0) {
            return {nearness::after, short_text(g.name(i))};
        }
    }
    return {};
}

/// A violation of a model as a constant that template arguments are made of: without pointers to text.
struct told_violation {
    violation first{};
    short_text fact{};
    short_text file{};
    nearest_name nearest{};
};

template <const told_violation& V>
inline constexpr fixed_string<V.fact.size + 1> fact_of = fixed_string<V.fact.size + 1>(V.fact.characters);
template <const told_violation& V>
inline constexpr fixed_string<V.file.size + 1> file_of = fixed_string<V.file.size + 1>(V.file.characters);
template <const told_violation& V>
inline constexpr fixed_string<V.nearest.name.size + 1> nearest_of =
    fixed_string<V.nearest.name.size + 1>(V.nearest.name.characters);

/// `design_rule<...>` with what is known of the place.
template <const told_violation& V, class... Place> constexpr auto with_bound() {
    constexpr const violation& v = V.first;
    if constexpr (v.got >= no_bound) {
        return design_rule_without_bound<v.operation, v.rule, v.target, v.line, v.node, v.limit, Place...>{};
    } else {
        return design_rule<v.operation, v.rule, v.target, v.line, v.node, v.got, v.limit, Place...>{};
    }
}
template <const told_violation& V, class... Place> constexpr auto with_name() {
    using name = named<nearest_of<V>>;
    if constexpr (V.nearest.how == nearness::reads) {
        return with_bound<V, Place..., reads<name>>();
    } else if constexpr (V.nearest.how == nearness::gives) {
        return with_bound<V, Place..., gives<name>>();
    } else if constexpr (V.nearest.how == nearness::after) {
        return with_bound<V, Place..., after<name>>();
    } else {
        return with_bound<V, Place...>();
    }
}
template <const told_violation& V> constexpr auto as_design_rule() {
    if constexpr (!V.first.broken) {
        return all_design_rules{};
    } else if constexpr (V.first.form != form_reason::nothing && V.file.size > 0) {
        return with_name<V, because<V.first.form>, instead<rewrite_for(V.first.operation, V.first.form)>,
                         in_file<named<file_of<V>>>>();
    } else if constexpr (V.first.form != form_reason::nothing) {
        return with_name<V, because<V.first.form>, instead<rewrite_for(V.first.operation, V.first.form)>>();
    } else if constexpr (V.file.size > 0) {
        return with_name<V, ane::fact<named<fact_of<V>>>, in_file<named<file_of<V>>>>();
    } else {
        return with_name<V, ane::fact<named<fact_of<V>>>>();
    }
}

} // namespace detail

} // namespace ane
