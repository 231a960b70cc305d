#pragma once

#include "../base/text.hpp"
#include "../base/way.hpp"
#include "../graph/refused_model.hpp"
#include "../passes/validate.hpp"
#include "../values/mask.hpp"
#include "../values/ndarray.hpp"
#include "../weights/verify.hpp"
#include "any.hpp"
#include "backend.hpp"
#include "input_check.hpp"
#include "port_fault.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace ane::inline ANEMONE_WAY {

/// The shape and element of an output, as types, from the model's value.
template <const auto& Model, fixed_string Name> struct output_port_type {
    static constexpr int position = detail::output_position(Model, Name.view());
    static constexpr int node = detail::output_node(Model, position < 0 ? 0 : position);
    static constexpr extents extent = Model.view()[node].shape;
    static constexpr dtype type = Model.view()[node].type;
    using shape_type = shape_of<extent>;
    using element_type = element_t<type>;
};

/// The shape and element of a state, as types, from the model's value.
template <const auto& Model, fixed_string Name> struct state_type {
    static constexpr int found = detail::state_node(Model, Name.view());
    static constexpr extents extent = Model.view()[found < 0 ? 0 : found].shape;
    static constexpr dtype type = Model.view()[found < 0 ? 0 : found].type;
    using shape_type = shape_of<extent>;
    using element_type = element_t<type>;
};

} // namespace ane::inline ANEMONE_WAY

namespace ane::inline ANEMONE_WAY {} // namespace ane::inline ANEMONE_WAY

namespace ane::detail::inline ANEMONE_WAY {

template <class T> inline constexpr bool binds_a_name = false;
template <fixed_string Name, class Value> inline constexpr bool binds_a_name<binding<Name, Value>> = true;

/// What braces around a text and a value would be, which binds nothing.
struct text_and_value {
    template <class Value> text_and_value(const char*, const Value&) {}
};

} // namespace ane::detail::inline ANEMONE_WAY

namespace ane::inline ANEMONE_WAY {

/// The inputs of one run: `{"image"_s = image, "mask"_s = mask}`, in any order. An unknown name, a wrong shape, a wrong
/// element type or a missing input does not compile.
template <const auto& Model> class arguments {
public:
    static constexpr std::size_t count = static_cast<std::size_t>(detail::input_count(Model));

    // NOLINTBEGIN(google-explicit-constructor): made by braces at the call
    template <fixed_string... Names, class... Values>
        requires binds<Model, binding<Names, Values>...> arguments(binding<Names, Values>... bound) {
            (bind<Names>(bound.value), ...);
        }
    template <class... Given>
        requires(sizeof...(Given) > 0 && (!detail::binds_a_name<Given> && ...))
    __attribute__((unavailable("an input is bound by its name: program({\"x\"_s = x})"))) arguments(const Given&...) {}
    __attribute__((unavailable("an input is bound by its name: program({\"x\"_s = x})")))
    arguments(std::initializer_list<detail::text_and_value>) {}
    // NOLINTEND(google-explicit-constructor)
    template <fixed_string... Names, class... Values, class Broken = broken_binding<Model, binding<Names, Values>...>>
    arguments(binding<Names, Values>...) = delete;

    input_buffers buffers() const { return buffers_; }

private:
    template <fixed_string Name, class Value> void bind(const Value& value) {
        if constexpr (!no_model<Model>) {
            constexpr auto position = static_cast<std::size_t>(detail::input_position(Model, Name.view()));
            buffers_[position] = std::as_bytes(std::span(value.elements()));
        }
    }

    std::array<std::span<const std::byte>, count> buffers_{};
};

/// The outputs of a run. `outputs["probabilities"_s]` is a view with the port's shape in its type; on a temporary, as
/// in `program({...})["probabilities"_s]`, it is an array that owns its elements.
template <const auto& Model> class results {
public:
    static constexpr std::size_t count = static_cast<std::size_t>(detail::output_count(Model));

    results() {
        for (std::size_t i = 0; i < count; ++i) {
            const node& n = Model.view()[detail::output_node(Model, static_cast<int>(i))];
            storage_[i].resize(static_cast<std::size_t>(bytes(n.type, n.shape.count())));
        }
    }

    template <fixed_string Name>
        requires has_output<Model, Name>
    auto operator[](port_name<Name>) const& { return view<Name>(); }
    template <fixed_string Name>
        requires has_output<Model, Name>
    auto operator[](port_name<Name>) const&& {
        using port = output_port_type<Model, Name>;
        const auto from = view<Name>();
        ndarray<typename port::shape_type, typename port::element_type> copy;
        std::copy(from.begin(), from.end(), copy.begin());
        return copy;
    }

    template <fixed_string Name>
        requires no_model<Model> ndarray<shape<1>>
    operator[](port_name<Name>) const { return {}; }
    template <fixed_string Name, class Broken = unknown_output<Model, Name>>
    void operator[](port_name<Name>) const = delete;
    __attribute__((unavailable("an output is read by its name: results[\"y\"_s]"))) ndarray<shape<1>> operator[](
        const char*) const {
        return {};
    }

    std::array<std::span<std::byte>, count> buffers() {
        std::array<std::span<std::byte>, count> spans;
        for (std::size_t i = 0; i < count; ++i) {
            spans[i] = storage_[i];
        }
        return spans;
    }

private:
    template <fixed_string Name> auto view() const {
        using port = output_port_type<Model, Name>;
        using element = const typename port::element_type;
        const auto& memory = storage_[port::position < 0 ? 0 : static_cast<std::size_t>(port::position)];
        return ndview<typename port::shape_type, element>(
            {reinterpret_cast<element*>(memory.data()), memory.size() / sizeof(element)});
    }

    std::array<std::vector<std::byte>, count> storage_;
};

/// A model compiled for a backend. Calling it runs it; `run` does the same into results that the caller keeps, without
/// allocating. A program is for one thread at a time: of two simultaneous runs one throws `error` (errc::argument).
template <const auto& Model, executable Executable> class program {
public:
    explicit program(Executable compiled) : executable_(std::move(compiled)) {}
    /// A program of any backend from one of a certain backend.
    template <class Other>
        requires(std::same_as<Executable, any_program> && !std::same_as<Other, any_program>)
    program(program<Model, Other>&& other) // NOLINT(google-explicit-constructor): it is one
        : executable_(std::move(other.compiled())) {}

    results<Model> operator()(const arguments<Model>& inputs) {
        results<Model> outputs;
        run(inputs, outputs);
        return outputs;
    }
    void run(const arguments<Model>& inputs, results<Model>& outputs) {
        if (check_ != input_check::off) {
            ane::check_inputs(Model, inputs.buffers(), check_);
        }
        const auto spans = outputs.buffers();
        executable_.run(inputs.buffers(), spans);
    }

    /// Whether runs check that inputs are in the ranges that the model promises; one that is not throws `error`
    /// (errc::port) and runs nothing. Off at first.
    void check_inputs(input_check how) { check_ = how; }

    /// The value of a state: what the last run left, zeros before the first one. Writing to it sets what the next run
    /// reads. The view holds until the next run.
    template <fixed_string Name>
        requires has_state<Model, Name>
    auto state(port_name<Name>) {
        using port = state_type<Model, Name>;
        using element = typename port::element_type;
        const std::span<std::byte> memory = executable_.state(Name.view());
        return ndview<typename port::shape_type, element>(
            {reinterpret_cast<element*>(memory.data()), memory.size() / sizeof(element)});
    }
    template <fixed_string Name, class Broken = unknown_state<Model, Name>> void state(port_name<Name>) = delete;
    /// Sets every state to zeros.
    void reset() { executable_.reset(); }

    /// The backend's own object: paths of the files it wrote, its plan, and so on.
    const Executable& compiled() const { return executable_; }
    Executable& compiled() { return executable_; }

private:
    Executable executable_;
    input_check check_ = input_check::off;
};

} // namespace ane::inline ANEMONE_WAY

namespace ane::detail::inline ANEMONE_WAY {

inline constexpr static_graph<graph_size{}> nothing_to_run{};

/// What is made of a model that has no address in constants, of a backend, and of both.
struct model_of_a_function {
    template <graph_size Size> constexpr model_of_a_function(const static_graph<Size>&) {} // NOLINT
};
struct some_place {
    template <runnable_backend Backend> some_place(const Backend&) {} // NOLINT
};
struct nothing_program {
    void run(input_buffers, output_buffers) {}
    std::span<std::byte> state(std::string_view) { return {}; }
    void reset() {}
};

/// Compiles a model for a backend, which in the header-only way may take the kernels of the model's operations alone: a
/// program pays for what its model uses.
template <const auto& Model, class Backend> auto compile_model(const Backend& place, const weight_store& weights) {
    if constexpr (requires { place.template compile_model<Model>(weights); }) {
        return place.template compile_model<Model>(weights);
    } else {
        return place.compile(Model, weights);
    }
}

/// What a backend leaves to its caller: all of `verify_weights`, or names and shapes.
template <class Backend> void check_weights(const graph_view& valid, const weight_store& weights) {
    if constexpr (verifies_weights<Backend>) {
        verify_weight_names(valid, weights);
    } else {
        verify_weights_of_valid(valid, weights);
    }
}

} // namespace ane::detail::inline ANEMONE_WAY

namespace ane::inline ANEMONE_WAY {

/// Compiles a model for a backend with weights that were checked against it: `compile<digits>(backend::cpu{},
/// weights)`. Throws `error` for weights that do not fit the model, and whatever the backend's `compile` throws.
template <const auto& Model, runnable_backend Backend>
auto compile(const Backend& place, const weight_store& weights = {}) {
    if constexpr (is_refused_model<decltype(Model)>) { // reported where the model is defined
        return compile<detail::nothing_to_run>(place, weights);
    } else {
        detail::check_weights<Backend>(Model, weights);
        return program<Model, decltype(place.compile(Model, weights))>(detail::compile_model<Model>(place, weights));
    }
}

/// For a model that is a variable of a function.
template <detail::model_of_a_function Model>
__attribute__((
    unavailable("the model must be static constexpr, or stand outside of functions: a variable of a function "
                "has no address in constants"))) auto
compile(const detail::some_place&, const weight_store& = {}) {
    return program<detail::nothing_to_run, detail::nothing_program>({});
}

/// For a call without a backend.
template <const auto& Model>
__attribute__((
    unavailable("name what computes the model: compile<model>(backend::cpu{}, weights), or backend::oracle{h13} "
                "for the arithmetic of a chip"))) auto
compile() {
    return program<detail::nothing_to_run, detail::nothing_program>({});
}
template <const auto& Model>
__attribute__((unavailable("a target is no backend: compile<model>(backend::oracle{h13}, weights) computes in its "
                           "arithmetic"))) auto
compile(target, const weight_store& = {}) {
    return program<detail::nothing_to_run, detail::nothing_program>({});
}

template <const auto& Model, runnable_backend Backend>
__attribute__((unavailable("the backend stands before the weights: compile<model>(backend::cpu{}, weights)"))) auto
compile(const weight_store&, const Backend&) {
    return program<detail::nothing_to_run, detail::nothing_program>({});
}
template <std::same_as<target> Target>
__attribute__((unavailable("a target is no backend: compile(model, backend::oracle{h13}, weights) computes in its "
                           "arithmetic"))) auto
compile(const graph_view&, Target, const weight_store& = {}) {
    return program<detail::nothing_to_run, detail::nothing_program>({});
}

/// The same for a graph that was built or read at run time: the program runs on buffers in the order
/// of the ports.
template <runnable_backend Backend>
auto compile(const graph_view& model, const Backend& place, const weight_store& weights = {}) {
    detail::check_weights<Backend>(validated(model), weights);
    return place.compile(model, weights);
}

} // namespace ane::inline ANEMONE_WAY
