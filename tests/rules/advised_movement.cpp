// Advice on the movement of data.

#include "advised.hpp"

namespace advised {

namespace {

dynamic_graph moved(const extents& shape, const permutation& order) {
    return function_of(op::transpose, shape, {}, order);
}

dynamic_graph with_depth(bool broadcasts, bool tiles) {
    return built([&](dynamic_builder& b) {
        const tensor x = b.input("x", {1, 2, 3, 4, 5});
        const tensor z = b.input("z", {1, 1, 3, 4, 5});
        if (broadcasts) {
            return b.add(op::add, {x, z});
        }
        if (tiles) {
            return b.add(op::add, {x, b.add(op::tile, {z}, repeats{1, 2, 1, 1, 1})});
        }
        const tensor sum = b.add(op::add, {b.reshape(x, {2, 3, 4, 5}), b.reshape(z, {1, 3, 4, 5})});
        return b.reshape(sum, {1, 2, 3, 4, 5});
    });
}

/// Rows of a table at indices, by the operation, by a product with a one-hot matrix, or joined.
dynamic_graph looked_up() {
    return built([](dynamic_builder& b) {
        return b.add(op::gather, {b.input("x", {8, 4}), b.input("at", {2}, within(0, 7))}, axis{0});
    });
}
dynamic_graph one_hot() {
    return built([](dynamic_builder& b) {
        const tensor table = b.input("x", {8, 4});
        const tensor at = b.reshape(b.input("at", {2}, within(0, 7)), {2, 1});
        const std::vector<float> rows{0, 1, 2, 3, 4, 5, 6, 7};
        const tensor is_row = b.add(op::equal, {at, b.constant({1, 8}, rows)});
        const tensor mask = b.add(op::select, {is_row, b.constant({2, 8}, 1), b.constant({2, 8}, 0)});
        return b.add(op::matmul, {mask, table}, transposed{});
    });
}
dynamic_graph rows_five_and_two(bool joins) {
    return built([&](dynamic_builder& b) {
        const tensor table = b.input("x", {8, 4});
        const std::vector<float> rows{5, 2};
        return joins ? joined(b, {cut(b, table, 0, 5, 1), cut(b, table, 0, 2, 1)}, 0)
                     : b.add(op::gather, {table, b.constant({2}, rows)}, axis{0});
    });
}

/// A mirrored border of one element of the height and the width: by the operation, or joined on the last axis but one.
dynamic_graph mirrored(bool joins) {
    return built([&](dynamic_builder& b) {
        tensor x = b.input("x", {1, 4, 8, 8});
        if (!joins) {
            return b.add(op::symmetric_pad, {x}, pads{{0, 0, 1, 1}, {0, 0, 1, 1}});
        }
        for (int i = 0; i < 2; ++i) {
            x = joined(b, {cut(b, x, 2, 0, 1), x, cut(b, x, 2, 7, 1)}, 2);
            x = turned(b, x, 0, 1, 3, 2);
        }
        return x;
    });
}

dynamic_graph tiled(int times_repeated) { return function_of(op::tile, {4, 8}, {}, repeats{1, times_repeated}); }

} // namespace

std::vector<pair_of_models> advised_movement() {
    return {
        {rule::transposed_extent_exceeds, "split", h13, moved({1, 16385, 4, 4}, {0, 2, 1, 3}),
         built_by([](dynamic_builder& b) {
             const tensor x = b.input("x", {1, 16385, 4, 4});
             b.output("first", turned(b, cut(b, x, 1, 0, 8192), 0, 2, 1, 3));
             b.output("second", turned(b, cut(b, x, 1, 8192, 8193), 0, 2, 1, 3));
         }),
         another_model},
        {rule::channel_transpose_is_not_native, "keep the channels", h12, moved({1, 10, 1, 7}, {0, 3, 2, 1}),
         moved({1, 10, 1, 7}, {0, 1, 3, 2}), another_model},
        {rule::batch_transpose_has_channels, "reshape", h13, moved({2, 3, 4, 4}, {1, 0, 2, 3}),
         built([](dynamic_builder& b) {
             const tensor x = b.reshape(b.input("x", {2, 3, 4, 4}), {1, 2, 3, 16});
             return b.reshape(turned(b, x, 0, 2, 1, 3), {3, 2, 4, 4});
         })},
        {rule::broadcast_along_depth_is_not_supported, "fold", h13, with_depth(true, false), with_depth(false, false)},
        {rule::broadcast_along_depth_is_not_supported, "tile", h13, with_depth(true, false), with_depth(false, true)},
        {rule::concat_row_exceeds, "tile the rows", h17s,
         one_node::make(op::concat, axis{1}, {one_node::in({1, 50000}), one_node::in({1, 50352})}),
         built_by([](dynamic_builder& b) {
             const tensor x = b.input("x", {1, 50000});
             const tensor z = b.input("z", {1, 50352});
             b.output("first", joined(b, {x, cut(b, z, 1, 0, 176)}, 1));
             b.output("second", cut(b, z, 1, 176, 50176));
         }),
         another_model},
        {rule::reshape_does_not_flatten,
         "choose A13",
         h12,
         built([](dynamic_builder& b) {
             return b.reshape(b.input("x", {1, 8, 4, 4}), {4, 8, 4});
         }),
         built([](dynamic_builder& b) {
             return b.reshape(b.input("x", {1, 8, 4, 4}), {4, 8, 4});
         }),
         0,
         {},
         {},
         h13},
        {rule::reversed_slice_is_not_whole, "reverse", h13,
         one_node::make(op::strided_slice, strided_window{{0, 7}, {1, -1}}, {one_node::in({4, 8})}, {4, 7}, true),
         built([](dynamic_builder& b) {
             return cut(b, b.add(op::reverse, {b.input("x", {4, 8})}, axes{1}), 1, 0, 7);
         }),
         another_model},
        {rule::padding_is_not_on_height_or_width, "join", h13,
         function_of(op::replicate_pad, {1, 4, 8, 8}, {}, pads{{0, 1, 0, 0}, {0, 0, 0, 0}}),
         built([](dynamic_builder& b) {
             const tensor x = b.input("x", {1, 4, 8, 8});
             return joined(b, {cut(b, x, 1, 0, 1), x}, 1);
         })},
        {rule::padding_is_not_on_height_or_width, "join", h13, built([](dynamic_builder& b) {
             return b.add(op::pad, {b.input("x", {1, 4, 8, 8}), b.constant(0)}, pads{{0, 1, 0, 0}, {0, 0, 0, 0}});
         }),
         built([](dynamic_builder& b) {
             return joined(b, {zeros(b, {1, 1, 8, 8}), b.input("x", {1, 4, 8, 8})}, 1);
         })},
        {rule::padding_mode_needs_the_texture_engine, "join slices", h13, mirrored(false), mirrored(true)},
        {rule::shuffle_factor_is_not_native, "use reshape", h13,
         function_of(op::pixel_shuffle, {1, 100, 4, 4}, {}, factors{5}), built([](dynamic_builder& b) {
             const tensor blocks = b.reshape(b.input("x", {1, 100, 4, 4}), {4, 5, 5, 4, 4});
             return b.reshape(turned(b, blocks, 0, 3, 1, 4, 2), {1, 4, 20, 20});
         })},
        {rule::shuffle_factor_is_not_native, "two steps", h13,
         function_of(op::pixel_shuffle, {1, 36, 4, 4}, {}, factors{6}), built([](dynamic_builder& b) {
             // Channel (2 a + i) (2 b + j) of the one step is channel i, j of the block a, b of the other.
             tensor x = b.reshape(b.input("x", {1, 36, 4, 4}), {1, 3, 2, 3, 32});
             x = b.reshape(x, {3, 2, 3, 2, 16});
             x = b.reshape(turned(b, x, 0, 2, 1, 3, 4), {1, 36, 4, 4});
             return b.add(op::pixel_shuffle, {b.add(op::pixel_shuffle, {x}, factors{2})}, factors{3});
         }),
         another_model},
        {rule::shuffled_channels_are_not_divisible, "pad", h13,
         one_node::make(op::depth_to_space, factors{2}, {one_node::in({1, 6, 4, 4})}, {1, 6, 4, 4}, true),
         built([](dynamic_builder& b) {
             const tensor x = joined(b, {b.input("x", {1, 6, 4, 4}), zeros(b, {1, 2, 4, 4})}, 1);
             return b.add(op::depth_to_space, {x}, factors{2});
         }),
         another_model},
        {rule::batch_factor_is_not_native, "use reshape", h13,
         function_of(op::space_to_batch, {1, 4, 10, 10}, {}, factors{5}), built([](dynamic_builder& b) {
             tensor x = b.reshape(b.input("x", {1, 4, 10, 10}), {1, 1, 80, 5}); // each axis is moved alone
             x = turned(b, x, 0, 1, 3, 2);
             x = turned(b, b.reshape(x, {1, 40, 5, 2}), 0, 2, 1, 3);
             return b.reshape(x, {25, 4, 2, 2});
         })},
        {rule::batch_is_not_divisible, "pad", h13,
         one_node::make(op::batch_to_space, factors{2}, {one_node::in({6, 4, 8, 8})}, {6, 4, 8, 8}, true),
         built([](dynamic_builder& b) {
             const tensor x = joined(b, {b.input("x", {6, 4, 8, 8}), zeros(b, {2, 4, 8, 8})}, 0);
             return b.add(op::batch_to_space, {x}, factors{2});
         }),
         another_model},
        {rule::tile_factor_is_not_native, "join copies", h13, tiled(5), built([](dynamic_builder& b) {
             const tensor x = b.input("x", {4, 8});
             return joined(b, {x, x, x, x, x}, 1);
         })},
        {rule::tile_factor_is_not_native, "repeat in steps", h13, tiled(10), built([](dynamic_builder& b) {
             const tensor x = b.add(op::tile, {b.input("x", {4, 8})}, repeats{1, 2});
             return joined(b, {x, x, x, x, x}, 1);
         })},
        {rule::gather_needs_one_batch_one_plane_and_3_components, "multiply", h13, looked_up(), one_hot()},
        {rule::gather_needs_one_batch_one_plane_and_3_components, "join", h13, rows_five_and_two(false),
         rows_five_and_two(true)},
        {rule::index_exceeds_half_precision, "work on parts", h13, function_of(op::arg_min, {4096, 4}, {}, axis{0}),
         built_by([](dynamic_builder& b) {
             const tensor x = b.input("x", {4096, 4});
             b.output("first", b.add(op::arg_min, {cut(b, x, 0, 0, 2048)}, axis{0}));
             b.output("second", b.add(op::arg_min, {cut(b, x, 0, 2048, 2048)}, axis{0}));
         }),
         another_model},
        {rule::index_exceeds_half_precision, "promise", h14, built([](dynamic_builder& b) {
             return b.add(op::gather, {b.weight("t", {30000, 16}), b.input("at", {8})}, axis{0});
         }),
         built([](dynamic_builder& b) {
             return b.add(op::gather, {b.weight("t", {30000, 16}), b.input("at", {8}, within(0, 2047))}, axis{0});
         }),
         another_model, waive(rule::operation_is_not_written)},
        {rule::arg_reduction_axis_exceeds, "reduce in two levels", h13,
         function_of(op::arg_max, {4, 4096}, {}, axis{1}), built_by([](dynamic_builder& b) {
             const tensor x = b.reshape(b.input("x", {4, 4096}), {4, 2, 2048});
             const tensor most = b.reshape(b.add(op::reduce_max, {x}, axes{2}), {4, 2});
             b.output("part", b.add(op::arg_max, {most}, axis{1}));
             b.output("within", b.add(op::arg_max, {x}, axis{2}));
         }),
         another_model},
    };
}

std::vector<pair_of_models> advised_shapes() {
    const auto activated = [](const extents& shape) { return function_of(op::relu, shape); };
    const auto in_two = [](const extents& first, const extents& second) {
        return built_by([&](dynamic_builder& b) {
            b.output("first", b.add(op::relu, {b.input("x", first)}));
            b.output("second", b.add(op::relu, {b.input("z", second)}));
        });
    };
    return {
        {rule::rank_exceeds_five, "reshape or split", h13,
         one_node::make(op::relu, no_attributes{}, {one_node::in({1, 1, 1, 2, 2, 2})}), activated({1, 1, 2, 2, 2}),
         another_model},
        {rule::tensor_width_exceeds, "tile the last axis", h13, activated({4, 16400}), in_two({4, 8200}, {4, 8200}),
         another_model},
        {rule::tensor_height_exceeds, "tile the axis", h13, activated({16400, 8}), in_two({8200, 8}, {8200, 8}),
         another_model},
        {rule::tensor_channels_exceed, "split the channels", h13, activated({1, 65540, 2, 2}),
         in_two({1, 32770, 2, 2}, {1, 32770, 2, 2}), another_model},
        {rule::tensor_depth_exceeds, "fold the depth", h13, activated({1, 16385, 2, 2, 2}), activated({16385, 2, 2, 2}),
         another_model},
        {rule::tensor_batch_exceeds, "split the batch", h13, activated({65537, 1, 1, 1}),
         in_two({32769, 1, 1, 1}, {32768, 1, 1, 1}), another_model},
        {rule::width_is_one, "move a longer axis", h13, activated({1, 8, 16, 1}), activated({1, 8, 1, 16}),
         another_model},
    };
}

} // namespace advised
