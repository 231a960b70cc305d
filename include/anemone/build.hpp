#pragma once

#include "graph/builder.hpp"
#include "graph/graph.hpp"
#include "graph/placement.hpp"
#include "graph/refused_model.hpp"
#include "passes/prune.hpp"
#include "passes/validate.hpp"

#include <concepts>
#include <cstddef>
#include <type_traits>
#include <utility>

namespace ane {

namespace detail {

/// Runs the author's function over a builder. In a constant expression a refusal is recorded instead of thrown.
template <class Function> constexpr dynamic_graph describe_with(const Function& describe, bool keeps_refusals) {
    dynamic_graph raw;
    raw.keeps_refusals = keeps_refusals;
    builder g(raw);
    describe(g);
    for (const output_port& port : raw.outputs) {
        if (port.is_state() && port.node == port.state) {
            const node& unwritten = raw.nodes[static_cast<std::size_t>(port.state)];
            raw.refuse(model_rule::a_state_is_never_written, raw.view().text(unwritten.name), unwritten.where);
        }
    }
    if (raw.outputs.empty()) {
        raw.refuse(model_rule::the_model_has_no_output, "graph", source_location{});
    }
    return raw;
}

/// What is known about a model before it is stored: its size, and the first thing that its builder refused. Values of
/// this type are template arguments.
struct description {
    graph_size size{};
    bool refused = false;
    model_rule why{};
    short_text subject{};
    short_text instead{};
    short_text file{};
    int line = 0;
    extents shape{};
    extents known_shape{};
    std::int64_t got = 0;
    std::int64_t want = 0;
    bool counted = false;
};
constexpr description description_of(const dynamic_graph& raw) {
    const refused& r = raw.first_refusal;
    return {size_of(raw),
            r.any,
            r.why,
            short_text(raw.view().text(r.subject)),
            short_text(raw.view().text(r.instead)),
            short_text(r.any ? base_name(r.where.file) : ""),
            r.where.line,
            r.shape,
            r.known_shape,
            r.got,
            r.want,
            r.counted};
}
template <class Function> constexpr description describe() {
    if constexpr (!std::is_empty_v<Function> || !std::default_initializable<Function>) {
        return {.refused = true, .why = model_rule::the_function_must_not_capture};
    } else if constexpr (!std::invocable<Function, builder&>) {
        return {.refused = true, .why = model_rule::the_function_takes_no_builder_or_has_an_error};
    } else {
        // No variable for the graph: with one, clang would evaluate all of it a second time.
        return description_of(describe_with(Function{}, true));
    }
}

/// One constant per stage, since compilers limit the steps of each constant expression: sizes, then values, before and
/// after pruning.
template <class Function, graph_size Size> struct described {
    static constexpr static_graph<Size> value{describe_with(Function{}, true)};
};
/// The second opinion: infers all shapes again, from values instead of types; 512 nodes per constant expression.
template <class Described, std::size_t Chunk> constexpr bool chunk_is_valid() {
    constexpr int size = Described::value.view().size();
    constexpr int first = static_cast<int>(Chunk) * 512;
    validate_nodes(Described::value, first, first + 512 < size ? first + 512 : size);
    return true;
}
template <class Described, std::size_t Chunk> inline constexpr bool valid_chunk = chunk_is_valid<Described, Chunk>();
template <class Described, std::size_t... Chunk> constexpr bool described_well(std::index_sequence<Chunk...>) {
    validate_outputs(Described::value);
    static_assert((valid_chunk<Described, Chunk> && ...));
    return true;
}
template <class Described> inline constexpr graph_size pruned_size = size_of(prune(Described::value));

// Plain constants before template arguments: g++ 12 fails on members of members there.
template <description D, class Sequence> struct shapes_in;
template <description D, std::size_t... Axis> struct shapes_in<D, std::index_sequence<Axis...>> {
    using asked = asked_for<shape<D.shape.extent[Axis]...>>;
    using known = known_as<shape<D.known_shape.extent[Axis]...>>;
};
template <description D>
inline constexpr fixed_string<D.subject.size + 1> subject_in = fixed_string<D.subject.size + 1>(D.subject.characters);
template <description D>
inline constexpr fixed_string<D.instead.size + 1> instead_in = fixed_string<D.instead.size + 1>(D.instead.characters);
template <description D>
inline constexpr fixed_string<D.file.size + 1> file_in = fixed_string<D.file.size + 1>(D.file.characters);

/// What a builder refused, as a type.
template <description D> constexpr auto find_refusal() {
    constexpr model_rule why = D.why;
    constexpr int at = D.line;
    if constexpr (D.subject.size == 0 || why == model_rule::the_model_has_no_output) {
        return std::type_identity<refused_model<why>>{};
    } else if constexpr (why == model_rule::a_weight_is_asked_for_with_two_shapes) {
        constexpr auto asked = static_cast<std::size_t>(D.shape.rank);
        constexpr auto known = static_cast<std::size_t>(D.known_shape.rank);
        using asked_shape = typename shapes_in<D, std::make_index_sequence<asked>>::asked;
        using known_shape = typename shapes_in<D, std::make_index_sequence<known>>::known;
        return std::type_identity<refused_model<why, named<subject_in<D>>, in_line<at>, asked_shape, known_shape,
                                                in_file<named<file_in<D>>>>>{};
    } else if constexpr (D.counted) {
        constexpr std::int64_t got = D.got;
        constexpr std::int64_t want = D.want;
        return std::type_identity<refused_model<why, named<subject_in<D>>, in_line<at>, found_value<got>,
                                                wanted_value<want>, in_file<named<file_in<D>>>>>{};
    } else if constexpr (D.instead.size > 0) {
        return std::type_identity<refused_model<why, named<subject_in<D>>, in_line<at>,
                                                write_instead<named<instead_in<D>>>, in_file<named<file_in<D>>>>>{};
    } else {
        return std::type_identity<refused_model<why, named<subject_in<D>>, in_line<at>, in_file<named<file_in<D>>>>>{};
    }
}

/// Holds a type as the type of an object, because clang then prints the type itself rather than how it was computed.
template <class T> T instance(std::type_identity<T>) { return T(); }

/// The type of a parameter for which no argument exists.
struct nothing {};

} // namespace detail

/// Never chosen and not defined. To rank this overload, a compiler converts the caller's function to this pointer and
/// so checks its body right where the model is written: errors in it are reported without a stack of the library's
/// templates.
void graph(void (*)(builder&), detail::nothing = {});

/// Builds a model at compile time from a function over a builder: `constexpr auto m = graph([](auto& g) { ... });` The
/// function must not capture anything. The result is exactly as large as the graph. Where the function describes no
/// valid model, the type of the result says why, and no constant can hold it.
template <class Function, detail::description D = detail::describe<Function>()> constexpr auto graph(Function) {
    if constexpr (D.refused) {
        return detail::instance(detail::find_refusal<D>());
    } else {
        constexpr graph_size size = D.size;
        using described = detail::described<Function, size>;
        static_assert(detail::described_well<described>(std::make_index_sequence<(size.nodes + 511) / 512>{}));
        return static_graph<detail::pruned_size<described>>(prune(described::value));
    }
}
/// For a function that is not a constant expression: the overload above is then no candidate, and the compiler says
/// why.
template <class Function, class... None>
    requires(sizeof...(None) == 0)
consteval static_graph<graph_size{}> graph(Function, None...) {
    // The compiler shows the line, and so what ends a limit of its own:
    static_assert((detail::describe<Function>(), true)); // limit of steps? weights, dynamic_builder: compile_time.md
    return static_graph<graph_size{}>{};
}

/// For a call with a name: a model has that of its variable.
template <class Function>
__attribute__((unavailable(
    "a model has no name but its variable's: constexpr auto net = graph([](auto& g) { ... })"))) constexpr static_graph<graph_size{}>
graph(const char*, Function) {
    return {};
}

/// Builds a model at run time; the function may capture.
template <class Function> dynamic_graph build_graph(const Function& describe) {
    const dynamic_graph described = detail::describe_with(describe, false);
    validate(described);
    return prune(described);
}

} // namespace ane
