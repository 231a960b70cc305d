// Advice on operations, norms and order, and on targets and routes.

#include "advised.hpp"

namespace advised {

namespace {

dynamic_graph normed(const extents& shape, int groups) {
    return built([&](dynamic_builder& b) {
        const extents channels{shape.channels()};
        return b.add(op::group_norm, {b.input("x", shape), b.weight("gamma", channels), b.weight("beta", channels)},
                     grouping{.groups = groups});
    });
}

/// A group norm of a volume.
dynamic_graph normed_volume(bool folds) {
    return built([&](dynamic_builder& b) {
        tensor x = b.input("x", {1, 8, 2, 4, 4});
        x = folds ? b.reshape(x, {1, 8, 8, 4}) : x;
        x = b.add(op::group_norm, {x, b.weight("gamma", {8}), b.weight("beta", {8})}, grouping{.groups = 2});
        return folds ? b.reshape(x, {1, 8, 2, 4, 4}) : x;
    });
}

/// Activations of one product.
dynamic_graph activated(int times_applied) {
    return built_by([&](dynamic_builder& b) {
        const tensor y = b.add(op::linear, {b.input("x", {4, 8}), b.weight("w", {8, 8})});
        const tensor first = b.add(op::relu, {y});
        const tensor second = times_applied == 2 ? b.add(op::relu, {y}) : first;
        b.output("a", b.add(op::abs, {first}));
        b.output("b", b.add(op::sqrt, {second}));
    });
}

dynamic_graph selected(int k, bool drops) {
    return built([&](dynamic_builder& b) {
        const tensor all = b.add(op::top_k, {b.input("x", {4, 8})}, selection{.k = drops ? 5 : k, .axis = 1});
        return drops ? cut(b, all, 1, 0, k) : all;
    });
}

dynamic_graph folded_sine(bool polynomial) {
    return built([&](dynamic_builder& b) {
        const tensor x = b.input("x", {8}, bounded(1.5));
        if (!polynomial) {
            return b.add(op::sin, {x});
        }
        const tensor s = b.add(op::square, {x});
        tensor sum = b.add(op::add, {times(b, s, 1 / 120.0), b.constant(-1 / 6.0)});
        sum = b.add(op::add, {b.add(op::mul, {sum, s}), b.constant(1)});
        return b.add(op::mul, {sum, x});
    });
}

dynamic_graph divided_by_an_input(bool inverts) {
    return built([&](dynamic_builder& b) {
        const tensor x = b.input("x", {8}, bounded(1));
        const tensor d = b.input("d", {8}, within(0.5, 2));
        return inverts ? b.add(op::mul, {x, b.add(op::inverse, {d}, stabilizer{})}) : b.add(op::div, {x, d});
    });
}

/// A tensor without elements beside one with some.
dynamic_graph with_an_empty_part() {
    return one_node::make(op::concat, axis{0}, {one_node::in({2, 8}), one_node::in({0, 8})}, {2, 8}, true);
}

dynamic_graph image(bool converts) {
    dynamic_graph g = one_node::sources_of({one_node::in({8}, {}, dtype::uint8)});
    if (converts) {
        g = one_node::then(g, op::cast, no_attributes{}, {0});
    }
    return one_node::then(g, op::relu, no_attributes{}, {converts ? 1 : 0});
}

} // namespace

std::vector<pair_of_models> advised_operations() {
    static constexpr target_description without_softmax = derive(describe(h13), [](auto& d) { d.has.softmax = false; });
    static constexpr target_description without_instance_norm =
        derive(describe(h13), [](auto& d) { d.has.instance_norm = false; });
    const policy mil = on_route(compile_route::mil);
    const policy netplist = on_route(compile_route::netplist);
    const auto running = [](bool turns) {
        return built([&](dynamic_builder& b) {
            const tensor x = b.input("x", {4, 8}, bounded(1));
            return turns ? turned(b, b.add(op::cumsum, {turned(b, x, 1, 0)}, cumulation{.axis = 1}), 1, 0)
                         : b.add(op::cumsum, {x}, cumulation{.axis = 0});
        });
    };
    const auto rms = [](bool reshapes) {
        return built([&](dynamic_builder& b) {
            const tensor x = b.input("x", {1, 4, 8});
            const tensor gamma = b.weight("gamma", {8});
            const stabilizer small{.epsilon = 1e-3F};
            return reshapes ? b.reshape(b.add(op::rms_norm, {b.reshape(x, {4, 8}), gamma}, small), {1, 4, 8})
                            : b.add(op::rms_norm, {x, gamma}, small);
        });
    };
    const auto minmax = [](bool moves) {
        return built([&](dynamic_builder& b) {
            const tensor x = b.input("x", {1, 8, 4, 4});
            const auto norm = [&](const tensor& of, int index) {
                return b.add(op::minmax_norm, {of}, stabilizer{.epsilon = 1e-3F, .axis = index});
            };
            return moves ? turned(b, norm(turned(b, x, 0, 2, 3, 1), 3), 0, 3, 1, 2) : norm(x, 1);
        });
    };
    const dynamic_graph prelu_of_rank_two =
        one_node::make(op::prelu, no_attributes{}, {one_node::in({4, 8}), one_node::weight({8})}, {4, 8}, true);
    const dynamic_graph prelu_of_rank_three = built([](dynamic_builder& b) {
        const tensor x = b.reshape(b.input("x", {4, 8}), {4, 8, 1});
        return b.reshape(b.add(op::prelu, {x, b.weight("slope", {8})}), {4, 8});
    });
    const dynamic_graph instance = built([](dynamic_builder& b) {
        const tensor x = b.input("x", {1, 8, 4, 4});
        return b.add(op::instance_norm, {x, b.weight("gamma", {8}), b.weight("beta", {8})},
                     stabilizer{.epsilon = 1e-5F});
    });
    const dynamic_graph instance_by_means = built([](dynamic_builder& b) {
        const tensor x = b.input("x", {1, 8, 4, 4});
        const tensor gamma = b.reshape(b.weight("gamma", {8}), {1, 8, 1, 1});
        const tensor beta = b.reshape(b.weight("beta", {8}), {1, 8, 1, 1});
        const tensor d = b.add(op::sub, {x, b.add(op::reduce_mean, {x}, axes{2, 3})});
        // Scaled, so that squares of any fp16 number stay in fp16; so does the epsilon.
        const tensor s = times(b, d, 0x1p-9);
        const tensor variance = b.add(op::reduce_mean, {b.add(op::square, {s})}, axes{2, 3});
        const tensor normal = b.add(op::mul, {s, b.add(op::rsqrt, {variance}, stabilizer{.epsilon = 1e-5F})});
        return b.add(op::add, {b.add(op::mul, {normal, gamma}), beta});
    });
    const dynamic_graph attention_model = built([](dynamic_builder& b) {
        const extents heads{1, 2, 8, 64};
        return b.add(op::attention, {b.input("q", heads), b.input("k", heads), b.input("v", heads)},
                     score_scaling{0.125F});
    });
    return {
        {rule::operation_below_its_floor,
         "choose a later",
         h12,
         function_of(op::sqrt, {8}, within(0, 4)),
         function_of(op::sqrt, {8}, within(0, 4)),
         0.01,
         {},
         {},
         h13},
        {rule::operation_below_its_floor, "write it with other", h12, function_of(op::exp2, {8}, bounded(4)),
         built(
             [](dynamic_builder& b) { return b.add(op::exp, {times(b, b.input("x", {8}, bounded(4)), 0.69314718)}); })},
        {rule::sine_is_not_native, "fold the range", h14, folded_sine(false), folded_sine(true)},
        {rule::code_generator_lacks_the_operation,
         "choose A14",
         h13,
         selected(2, false),
         selected(2, false),
         0.01,
         {},
         {},
         h14},
        {rule::texture_engine_is_missing,
         "choose A14",
         h13,
         built([](dynamic_builder& b) {
             return b.add(op::affine, {b.input("x", {1, 2, 8, 8}), b.weight("map", {1, 6})}, sampling{.extent = 4});
         }),
         built([](dynamic_builder& b) {
             return b.add(op::affine, {b.input("x", {1, 2, 8, 8}), b.weight("map", {1, 6})}, sampling{.extent = 4});
         }),
         0.01,
         {},
         {},
         h14},
        {rule::divisor_is_not_constant, "multiply by the inverse", h12, divided_by_an_input(false),
         divided_by_an_input(true)},
        {rule::reduction_is_multiplied_by_zero, "subtract the tensor", h13, built([](dynamic_builder& b) {
             const tensor sum = b.add(op::reduce_sum, {b.input("x", {4, 8}, bounded(1))}, axes{1});
             return b.add(op::mul, {sum, b.constant({4, 1}, 0)});
         }),
         built([](dynamic_builder& b) {
             const tensor sum = b.add(op::reduce_sum, {b.input("x", {4, 8}, bounded(1))}, axes{1});
             return b.add(op::sub, {sum, sum});
         })},
        {rule::target_has_no_mil, "use the netplist route", h12, function_of(op::relu, {8}), function_of(op::relu, {8}),
         0, mil, netplist},
        {rule::arg_reduction_has_no_mil_form, "use the netplist route", h13,
         function_of(op::arg_max, {4, 8}, {}, axis{1}), function_of(op::arg_max, {4, 8}, {}, axis{1}), 0, mil,
         netplist},
        {rule::operation_has_no_mil_form, "use the netplist route", h17s, built([](dynamic_builder& b) {
             return b.add(op::cross_product, {b.input("x", {1, 3, 1, 1}), b.input("z", {1, 3, 1, 1})});
         }),
         built([](dynamic_builder& b) {
             return b.add(op::cross_product, {b.input("x", {1, 3, 1, 1}), b.input("z", {1, 3, 1, 1})});
         }),
         0, mil, netplist},
        {rule::operation_has_no_netplist_form, "use the MIL route", h17s, function_of(op::reverse, {4, 8}, {}, axes{1}),
         function_of(op::reverse, {4, 8}, {}, axes{1}), 0, netplist, mil},
        {rule::response_norm_channels_exceed, "use the MIL route", h13,
         function_of(op::local_response_norm, {1, 16, 8, 8}, {}, response_norm_shape{}),
         function_of(op::local_response_norm, {1, 16, 8, 8}, {}, response_norm_shape{}), 0, netplist, mil},
        {rule::space_to_channel_batch_exceeds_one, "use the MIL route", h17s,
         function_of(op::space_to_depth, {2, 4, 8, 8}, {}, factors{2}),
         function_of(op::space_to_depth, {2, 4, 8, 8}, {}, factors{2}), 0, netplist, mil},
        {rule::operation_is_not_written, "waive this rule", h13, function_of(op::relu, {}), function_of(op::relu, {}),
         0, mil, mil | waive(rule::operation_is_not_written)},
        {rule::operation_is_newer_than_the_system, "ask for the newer", h14,
         function_of(op::resize, {1, 2, 8, 8}, {}, sampling{.extent = 16}),
         function_of(op::resize, {1, 2, 8, 8}, {}, sampling{.extent = 16}), 0.01, on_system(operating_system::macos13),
         on_system(operating_system::macos14)},
        {rule::operation_is_newer_than_the_system, "let anemone convert", h14, attention_model, attention_model, 0.01,
         on_system(operating_system::macos14) | of_own_layers(), on_system(operating_system::macos14)},
        {rule::resize_is_decomposed,
         "choose A14",
         h13,
         function_of(op::resize, {1, 2, 8, 8}, {}, sampling{.extent = 16}),
         function_of(op::resize, {1, 2, 8, 8}, {}, sampling{.extent = 16}),
         0.01,
         {},
         {},
         h14},
        {rule::top_k_over_width_is_in_dispute,
         "compile it there",
         h16g,
         selected(5, false),
         selected(5, false),
         0.01,
         {},
         {},
         h18},
        {rule::top_k_is_three_or_four, "select 5", h17s, selected(3, false), selected(3, true)},
        {rule::uint8_reaches_arithmetic, "convert the image", h13, image(false), image(true), another_model},
        {rule::normalization_result_is_not_float, "quantize the result", h13,
         [] {
             dynamic_graph g = one_node::make(op::softmax, axis{1}, {one_node::in({4, 8})});
             g.nodes.back().type = dtype::int8;
             return g;
         }(),
         built([](dynamic_builder& b) {
             const tensor y = b.add(op::softmax, {b.input("x", {4, 8})}, axis{1});
             const tensor step = b.constant({1}, 1 / 127.0);
             const quantization bytes{.type = dtype::int8};
             return b.add(op::dequantize, {b.add(op::quantize, {y, step}, bytes), step}, bytes);
         }),
         another_model},
        {rule::softmax_is_not_supported,
         "write it as exp",
         h13,
         function_of(op::softmax, {4, 8}, bounded(100), axis{1}),
         built([](dynamic_builder& b) {
             const tensor x = b.input("x", {4, 8}, bounded(100));
             const tensor e = b.add(op::exp, {b.add(op::sub, {x, b.add(op::reduce_max, {x}, axes{1})})});
             return b.add(op::div, {e, b.add(op::reduce_sum, {e}, axes{1})});
         }),
         0.01,
         {},
         {},
         {},
         &without_softmax},
        {rule::instance_norm_is_not_supported,
         "write it with means",
         h13,
         instance,
         instance_by_means,
         another_model,
         {},
         {},
         {},
         &without_instance_norm},
        {rule::cumulated_axis_is_not_the_last, "transpose", h13, running(false), running(true)},
        {rule::rms_norm_rank_is_not_two, "reshape", h13, rms(false), rms(true)},
        {rule::minmax_norm_is_over_channels, "move the axis", h13, minmax(false), minmax(true)},
        {rule::prelu_rank_is_below_three, "reshape", h13, prelu_of_rank_two, prelu_of_rank_three, another_model},
        {rule::normalized_group_exceeds, "use a smaller image or more groups", h14, normed({1, 32770, 2, 2}, 2),
         normed({1, 32770, 2, 2}, 10), another_model},
        {rule::normalized_groups_have_depth, "fold the depth", h13, normed_volume(false), normed_volume(true)},
        {rule::producer_has_other_readers, "apply the activation", h13, activated(2), activated(1)},
        {rule::concat_has_one_operand, "use the operand", h13,
         one_node::then(one_node::make(op::concat, axis{1}, {one_node::in({1, 8})}), op::relu, no_attributes{}, {1}),
         function_of(op::relu, {1, 8}), another_model},
        {rule::extent_is_zero, "remove the tensor", h13, with_an_empty_part(), function_of(op::identity, {2, 8}),
         another_model},
        {rule::concat_operands_are_not_two, "join pairwise", h13, built([](dynamic_builder& b) {
             return joined(b, {b.input("x", {1, 8}), b.input("z", {1, 8}), b.input("w", {1, 8})}, 1);
         }),
         built([](dynamic_builder& b) {
             return joined(b, {joined(b, {b.input("x", {1, 8}), b.input("z", {1, 8})}, 1), b.input("w", {1, 8})}, 1);
         }),
         0, netplist, netplist},
    };
}

} // namespace advised
