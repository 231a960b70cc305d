#pragma once

#include "../base/text.hpp"
#include "../base/way.hpp"
#include "../values/ndarray.hpp"
#include "backend.hpp"

#include <type_traits>

/// What is wrong with the values that a run binds to ports, as types that compilers print (see ops/shape_fault.hpp).
namespace ane {

enum class port_rule : std::uint8_t {
    the_model_has_no_input_of_this_name,
    the_model_has_no_output_of_this_name,
    the_model_has_no_state_of_this_name,
    an_input_of_the_model_is_left_out,
    an_input_is_bound_twice,
    a_value_must_be_an_ndarray_or_an_ndview,
    the_value_must_have_the_shape_of_the_port,
    the_value_must_have_the_element_type_of_the_port
};

/// A rule of ports that a binding breaks: the port's name, what was given and what is wanted.
template <port_rule Rule, class Port, class... GivenAndWanted> struct port_fault {};

} // namespace ane

namespace ane::detail::inline ANEMONE_WAY {

/// The shape and element of an input, as types, from the model's value; only for names that it has.
template <const auto& Model, fixed_string Name> struct input_types {
    // Plain constants first: g++ 12 crashes on the expressions as template arguments.
    static constexpr int node = input_node(Model, input_position(Model, Name.view()));
    static constexpr extents extent = Model.view()[node].shape;
    static constexpr dtype type = Model.view()[node].type;
    using shape_type = shape_of<extent>;
    using element_type = element_t<type>;
};

/// The fault of one binding, or void.
template <const auto& Model, fixed_string Name, class Value> constexpr auto find_port_fault() {
    using name = named<Name>;
    if constexpr (input_position(Model, Name.view()) < 0) {
        return std::type_identity<port_fault<port_rule::the_model_has_no_input_of_this_name, name>>{};
    } else if constexpr (!typed_elements<Value>) {
        return std::type_identity<port_fault<port_rule::a_value_must_be_an_ndarray_or_an_ndview, name, Value>>{};
    } else {
        using port = input_types<Model, Name>;
        if constexpr (!std::is_same_v<typename Value::shape_type, typename port::shape_type>) {
            return std::type_identity<port_fault<port_rule::the_value_must_have_the_shape_of_the_port, name,
                                                 typename Value::shape_type, typename port::shape_type>>{};
        } else if constexpr (!std::is_same_v<typename Value::element_type, typename port::element_type>) {
            return std::type_identity<port_fault<port_rule::the_value_must_have_the_element_type_of_the_port, name,
                                                 typename Value::element_type, typename port::element_type>>{};
        } else {
            return std::type_identity<void>{};
        }
    }
}
template <const auto& Model, fixed_string Name, class Value>
using port_fault_in = typename decltype(find_port_fault<Model, Name, Value>())::type;

template <fixed_string Name> constexpr int occurrences(std::initializer_list<std::string_view> names) {
    int count = 0;
    for (const std::string_view name : names) {
        count += name == Name.view() ? 1 : 0;
    }
    return count;
}

/// The first fault of several bindings, or void.
template <const auto& Model, fixed_string... Names> struct bindings {
    static constexpr std::size_t inputs = static_cast<std::size_t>(input_count(Model));
    /// The first input that is not among the names; the number of inputs where all are.
    static constexpr std::size_t missing = [] {
        for (std::size_t i = 0; i < inputs; ++i) {
            bool bound = false;
            for (const std::string_view name : {Names.view()..., std::string_view{}}) {
                bound = bound || (!name.empty() && input_position(Model, name) == static_cast<int>(i));
            }
            if (!bound) {
                return i;
            }
        }
        return inputs;
    }();
};

template <const auto& Model, std::size_t Position> struct name_of_input {
    static constexpr int node = input_node(Model, static_cast<int>(Position));
    static constexpr std::size_t size = Model.view().name(node).size();
    static constexpr fixed_string<size + 1> value{Model.view().name(node).data()};
};

template <const auto& Model, class... Bindings> struct first_port_fault { using type = void; };
template <const auto& Model, fixed_string Name, class Value, class... Rest>
struct first_port_fault<Model, binding<Name, Value>, Rest...> {
    using own = port_fault_in<Model, Name, Value>;
    using type = typename std::conditional_t<std::is_void_v<own>, first_port_fault<Model, Rest...>,
                                             std::type_identity<own>>::type;
};

template <const auto& Model, fixed_string... Names, class... Values>
constexpr auto find_binding_fault(binding<Names, Values>*...) {
    using single = typename first_port_fault<Model, binding<Names, Values>...>::type;
    constexpr std::size_t missing = bindings<Model, Names...>::missing;
    if constexpr (!std::is_void_v<single>) {
        return std::type_identity<single>{};
    } else if constexpr (((occurrences<Names>({Names.view()...}) > 1) || ...)) {
        return std::type_identity<port_fault<port_rule::an_input_is_bound_twice, named<Names>...>>{};
    } else if constexpr (missing < bindings<Model, Names...>::inputs) {
        return std::type_identity<
            port_fault<port_rule::an_input_of_the_model_is_left_out, named<name_of_input<Model, missing>::value>>>{};
    } else {
        return std::type_identity<void>{};
    }
}
template <const auto& Model, class... Bindings>
using binding_fault = typename decltype(find_binding_fault<Model>(static_cast<Bindings*>(nullptr)...))::type;

} // namespace ane::detail::inline ANEMONE_WAY

namespace ane::inline ANEMONE_WAY {

/// What `graph` returns for an invalid model: its error was reported there, and its runs are not checked.
template <const auto& Model>
concept no_model = (Model.view().size() == 0);

/// Whether bindings match what a run of the model needs.
template <const auto& Model, class... Bindings>
concept binds = no_model<Model> || std::is_void_v<detail::binding_fault<Model, Bindings...>>;
/// The fault of bindings; no type where they have none.
template <const auto& Model, class... Bindings>
    requires(!binds<Model, Bindings...>)
using broken_binding = detail::binding_fault<Model, Bindings...>;

template <const auto& Model, fixed_string Name>
concept has_output = (detail::output_position(Model, Name.view()) >= 0);
template <const auto& Model, fixed_string Name>
    requires(!has_output<Model, Name> && !no_model<Model>)
using unknown_output = port_fault<port_rule::the_model_has_no_output_of_this_name, named<Name>>;

template <const auto& Model, fixed_string Name>
concept has_state = (detail::state_node(Model, Name.view()) >= 0);
template <const auto& Model, fixed_string Name>
    requires(!has_state<Model, Name> && !no_model<Model>)
using unknown_state = port_fault<port_rule::the_model_has_no_state_of_this_name, named<Name>>;

} // namespace ane::inline ANEMONE_WAY
