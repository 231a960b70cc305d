#pragma once

#include "graph/builder.hpp"
#include "graph/graph.hpp"
#include "graph/refused_model.hpp"
#include "passes/prune.hpp"
#include "passes/validate.hpp"

#include <concepts>
#include <cstddef>
#include <type_traits>
#include <utility>

namespace ane {

namespace detail {

/// Runs the author's function over a builder.
template <class Function> constexpr dynamic_graph describe_with(const Function& describe) {
    dynamic_graph raw;
    builder g(raw);
    describe(g);
    if (raw.outputs.empty()) {
        raw.refuse(model_rule::the_model_has_no_output, "graph", site{});
    }
    return raw;
}

/// What is known of a model before it is stored: how large it is, or the first thing that its builder refused.
struct description {
    graph_size size;
    refused first_refusal;
    short_text subject;
};
template <class Function> constexpr description describe() {
    const dynamic_graph raw = describe_with(Function{});
    return {size_of(raw), raw.first_refusal, short_text(raw.view().text(raw.first_refusal.subject))};
}

/// One constant for each stage, since compilers bound the steps of each: sizes, then values, before and after pruning.
template <class Function> inline constexpr description described_as = describe<Function>();
template <class Function> struct described {
    static constexpr static_graph<described_as<Function>.size> value{describe_with(Function{})};
};
/// The second opinion: all shapes again, from the values instead of the types; 512 nodes in one constant.
template <class Function, std::size_t Chunk> constexpr bool chunk_is_valid() {
    constexpr int size = described<Function>::value.view().size();
    constexpr int first = static_cast<int>(Chunk) * 512;
    validate_nodes(described<Function>::value, first, first + 512 < size ? first + 512 : size);
    return true;
}
template <class Function, std::size_t Chunk> inline constexpr bool valid_chunk = chunk_is_valid<Function, Chunk>();
template <class Function, std::size_t... Chunk> constexpr bool described_well(std::index_sequence<Chunk...>) {
    validate_outputs(described<Function>::value);
    static_assert((valid_chunk<Function, Chunk> && ...));
    return true;
}
template <class Function> inline constexpr graph_size pruned_size = size_of(prune(described<Function>::value));

// Plain constants before template arguments: g++ 12 fails on members of members there.
template <const description& D> inline constexpr refused refusal_in = D.first_refusal;
template <const description& D, class Sequence> struct shapes_in;
template <const description& D, std::size_t... Axis> struct shapes_in<D, std::index_sequence<Axis...>> {
    using asked = asked_for<shape<D.first_refusal.shape.extent[Axis]...>>;
    using known = known_as<shape<D.first_refusal.known_shape.extent[Axis]...>>;
};
template <const description& D>
inline constexpr fixed_string<D.subject.size + 1> subject_in = fixed_string<D.subject.size + 1>(D.subject.characters);

/// What a builder refused, as a type; void where it refused nothing.
template <const description& D> constexpr auto find_refusal() {
    constexpr model_rule why = refusal_in<D>.why;
    constexpr int at = refusal_in<D>.where.line;
    if constexpr (!refusal_in<D>.any) {
        return std::type_identity<void>{};
    } else if constexpr (why == model_rule::the_model_has_no_output) {
        return std::type_identity<refused_model<why>>{};
    } else if constexpr (why == model_rule::a_weight_is_asked_for_with_two_shapes) {
        constexpr auto asked = static_cast<std::size_t>(refusal_in<D>.shape.rank);
        constexpr auto known = static_cast<std::size_t>(refusal_in<D>.known_shape.rank);
        using asked_shape = typename shapes_in<D, std::make_index_sequence<asked>>::asked;
        using known_shape = typename shapes_in<D, std::make_index_sequence<known>>::known;
        return std::type_identity<refused_model<why, named<subject_in<D>>, in_line<at>, asked_shape, known_shape>>{};
    } else if constexpr (refusal_in<D>.counted) {
        return std::type_identity<refused_model<why, named<subject_in<D>>, in_line<at>, found_value<refusal_in<D>.got>,
                                                wanted_value<refusal_in<D>.want>>>{};
    } else {
        return std::type_identity<refused_model<why, named<subject_in<D>>, in_line<at>>>{};
    }
}
/// The same of a function, before anything is described.
template <class Function> constexpr auto find_refusal_of() {
    if constexpr (!std::is_empty_v<Function> || !std::default_initializable<Function>) {
        return std::type_identity<refused_model<model_rule::the_function_must_not_capture>>{};
    } else if constexpr (!std::invocable<Function, builder&>) {
        return std::type_identity<refused_model<model_rule::the_function_takes_no_builder_or_has_an_error>>{};
    } else {
        return find_refusal<described_as<Function>>();
    }
}
template <class Function> using refusal_of = typename decltype(find_refusal_of<Function>())::type;
template <class Function>
concept accepted = std::same_as < refusal_of<Function>,
void > ;

/// Whether a function can be run in a constant: not where an operation in it is refused.
template <bool> struct constant {};
template <class Function>
concept describable = !std::is_empty_v<Function> || !std::invocable<Function, builder&> || requires {
    typename constant<(describe<Function>(), true)>;
};

/// A parameter that nobody can give.
struct nothing {};

} // namespace detail

/// Never chosen and not defined. To rank it, a compiler converts the caller's function to this pointer, and so reads its
/// body right where the model is written: what is wrong in there is told without a stack of the library's templates.
void graph(void (*)(builder&), detail::nothing = {});

/// Builds a model at compile time from a function over a builder: `constexpr auto m = graph([](auto& g) { ... });`
/// The function must not capture anything. The result is exactly as large as the graph is.
template <class Function>
    requires detail::describable<Function> && detail::accepted<Function>
consteval auto graph(Function) {
    constexpr std::size_t chunks = (detail::described_as<Function>.size.nodes + 511) / 512;
    static_assert(detail::described_well<Function>(std::make_index_sequence<chunks>{}));
    return static_graph<detail::pruned_size<Function>>(prune(detail::described<Function>::value));
}
/// Of a function that describes no model: the type says why, and no constant can hold it.
template <class Function>
    requires(detail::describable<Function> && !detail::accepted<Function>)
auto graph(Function) { return detail::refusal_of<Function>(); }
/// Of a function that is no constant expression: running it lets the compiler say why.
template <class Function>
    requires(!detail::describable<Function>)
consteval static_graph<graph_size{}> graph(Function) {
    static_assert((detail::describe<Function>(), true));
    return static_graph<graph_size{}>{};
}

/// Builds a model at run time; the function may capture.
template <class Function> dynamic_graph build_graph(const Function& describe) {
    const dynamic_graph described = detail::describe_with(describe);
    validate(described);
    return prune(described);
}

} // namespace ane
