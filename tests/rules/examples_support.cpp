// Examples: operations that a target or a route does not have, and element types.

#include "examples.hpp"

namespace one_node {

std::vector<example> support_examples() {
    const policy mil = on_route(compile_route::mil);
    const policy netplist = on_route(compile_route::netplist);
    const auto dropped = [](float rate) { return unary(op::dropout, {4, 8}, drop_ratio{rate}); };
    const auto divided = [](op divisor) { return make(op::div, no_attributes{}, {in({8}), {divisor, {8}}}); };
    const auto zeroed = [](float factor) {
        const dynamic_graph sources = sources_of({in({4, 8}), constant({4, 1}, factor)});
        return then(then(sources, op::reduce_sum, axes{1}, {0}), op::mul, no_attributes{}, {2, 1});
    };
    const auto typed = [](dtype type) { return make(op::relu, no_attributes{}, {in({8}, {}, type)}); };
    const auto cast_to = [](dtype type) {
        dynamic_graph g = make(op::cast, no_attributes{}, {in({8}, {}, dtype::uint8)}, {8}, true);
        g.nodes.back().type = type;
        return g;
    };
    const auto normalized = [](dtype type) {
        dynamic_graph g = unary(op::softmax, {4, 8}, axis{1});
        g.nodes.back().type = type;
        return g;
    };
    const dynamic_graph resized = unary(op::resize, {1, 2, 8, 8}, sampling{.extent = 16});
    const dynamic_graph attended = make(op::attention, score_scaling{1},
                                        {in({1, 1, 8, 64}), in({1, 1, 8, 64}), in({1, 1, 8, 64})}, {1, 1, 8, 64}, true);
    static constexpr target_description without_softmax = derive(describe(h13), [](auto& d) { d.has.softmax = false; });
    return {
        {rule::operation_below_its_floor, h12, 1, 2, unary(op::sqrt, {8}), unary(op::relu, {8}), h13},
        {rule::operation_below_its_floor, u1, 0, 2, unary(op::erf, {8}), unary(op::tanh, {8}), h13},
        {rule::operation_below_its_floor, h14, 3, 4, unary(op::global_arg_max, {4, 8}, axis{1}), unary(op::exp2, {8}),
         h15},
        {rule::sine_is_not_native, h14, 3, 4, unary(op::sin, {8}), unary(op::atan, {8}), h15},
        {rule::sine_is_not_native, h13, 2, 4, unary(op::cos, {8}), unary(op::atan, {8}), m11},
        {rule::code_generator_lacks_the_operation, h13, 2, 3, unary(op::top_k, {4, 8}, selection{.k = 2, .axis = 1}),
         unary(op::reduce_max, {4, 8}, axes{1}), h14},
        {rule::code_generator_lacks_the_operation, h13g, 2, 3, unary(op::sort, {4, 8}, selection{.k = 8, .axis = 1}),
         unary(op::relu, {8}), h14},
        {rule::random_numbers_are_not_supported, h14, 0, 0, dropped(0.5F), dropped(0), h15},
        {rule::texture_engine_is_missing, h13, 0, 0,
         make(op::resample, sampling{.extent = 4}, {in({1, 2, 8, 8}), in({1, 4, 4, 2})}, {1, 2, 4, 4}, true),
         unary(op::resize, {1, 2, 8, 8}, sampling{.extent = 4}), h14},
        {rule::divisor_is_not_constant, h12, 0, 0, divided(op::input), divided(op::weight), h13},
        {rule::reduction_is_multiplied_by_zero, h13, 0, 0, zeroed(0), zeroed(2)},
        // Told of a program, at its first output; no program keeps it on this target.
        {rule::target_has_no_mil, h12, 0, 0, unary(op::relu, {8}), sources_of({in({8})}), h13, mil},
        {rule::arg_reduction_has_no_mil_form, h13, 0, 0, unary(op::arg_max, {4, 8}, axis{1}), unary(op::relu, {8}),
         std::nullopt, mil},
        {rule::operation_has_no_mil_form, h17s, 0, 0,
         make(op::cross_product, no_attributes{}, {in({1, 3, 1, 1}), in({1, 3, 1, 1})}, {1, 3, 1, 1}, true),
         make(op::mul, no_attributes{}, {in({1, 3, 1, 1}), in({1, 3, 1, 1})}), std::nullopt, mil},
        {rule::operation_has_no_netplist_form, h17s, 0, 0, unary(op::reverse, {4, 8}, axes{1}), unary(op::relu, {4, 8}),
         std::nullopt, netplist},
        {rule::operation_is_not_written, h13, 0, 0, unary(op::relu, {}), unary(op::relu, {1}), std::nullopt, mil},
        {rule::operation_is_newer_than_the_system, h14, 14, 13, resized, unary(op::relu, {1, 2, 8, 8}), std::nullopt,
         on_system(operating_system::macos13)},
        {rule::operation_is_newer_than_the_system, h17s, 15, 14, attended, unary(op::softmax, {4, 8}, axis{1}),
         std::nullopt, on_system(operating_system::macos14) | of_own_layers()},
        {rule::uint8_reaches_arithmetic, h13, 0, 0, typed(dtype::uint8), typed(dtype::f16)},
        {rule::element_type_is_not_f16, h13, static_cast<int>(dtype::f32), 3, typed(dtype::f32), typed(dtype::f16)},
        {rule::cast_gives_int32, h13, 0, 0, cast_to(dtype::int32), cast_to(dtype::f16)},
        {rule::normalization_result_is_not_float, h13, static_cast<int>(dtype::int8), 3, normalized(dtype::int8),
         normalized(dtype::f16)},
        {rule::softmax_is_not_supported,
         h13,
         0,
         0,
         unary(op::softmax, {4, 8}, axis{1}),
         unary(op::relu, {4, 8}),
         h13,
         {},
         &without_softmax},
    };
}

std::vector<example> extent_examples() {
    const auto relu_of = [](const extents& shape) { return unary(op::relu, shape); };
    return {
        {rule::rank_exceeds_five, h13, 6, 5, relu_of({1, 1, 1, 2, 2, 2}), relu_of({1, 1, 2, 2, 2})},
        {rule::extent_is_zero, h13, 1, 1, relu_of({1, 0}), relu_of({1, 1})},
        {rule::extent_is_not_known, h13, 0, 0, relu_of({-1, 8}), relu_of({1, 8})},
        {rule::tensor_width_exceeds, h13, 16385, 16384, relu_of({16385}), relu_of({16384}), h16},
        {rule::tensor_width_exceeds, h14, 16385, 16384, relu_of({4, 16385}), relu_of({4, 16384}), h17},
        {rule::tensor_width_exceeds, h15, 16385, 16384, relu_of({4, 16385}), relu_of({4, 16384}), h18},
        {rule::tensor_width_exceeds, h16, 65537, 65536, relu_of({65537}), relu_of({65536})},
        {rule::tensor_width_exceeds, h17s, 65537, 65536, relu_of({65537}), relu_of({65536})},
        {rule::tensor_height_exceeds, h13, 16385, 16384, relu_of({16385, 8}), relu_of({16384, 8}), h16},
        {rule::tensor_height_exceeds, h18, 65537, 65536, relu_of({65537, 8}), relu_of({65536, 8})},
        {rule::tensor_channels_exceed, h13, 65537, 65536, relu_of({1, 65537, 2, 2}), relu_of({1, 65536, 2, 2})},
        {rule::tensor_channels_exceed, h17s, 65537, 65536, relu_of({1, 65537, 2, 2}), relu_of({1, 65536, 2, 2})},
        {rule::tensor_depth_exceeds, h13, 16385, 16384, relu_of({1, 16385, 2, 2, 2}), relu_of({1, 16384, 2, 2, 2}),
         h16},
        {rule::tensor_depth_exceeds, h12, 2, 1, relu_of({1, 2, 2, 2, 2}), relu_of({1, 1, 2, 2, 2}), h13},
        {rule::tensor_batch_exceeds, h12, 4097, 4096, relu_of({4097, 1, 1, 1}), relu_of({4096, 1, 1, 1}), h13},
        {rule::tensor_batch_exceeds, h13, 65537, 65536, relu_of({65537, 1, 1, 1}), relu_of({65536, 1, 1, 1})},
    };
}

} // namespace one_node
