#include "built.hpp"

#include <cstdint>
#include <limits>
#include <string>

using namespace ane;
using built::breaks;
using built::image;
using built::infer_breaks;
using built::keeps;

namespace {

constexpr pads five{{0, 0, 0, 7}, {0, 0, 5, 0}};
constexpr pads as_large{{0, 0, 6, 8}, {0, 0, 6, 8}};
constexpr factors f{2, 3};

} // namespace

TEST_CASE("strided slices: the builder, and both sides of every limit") {
    built::check(op::strided_slice, {2, 4, 3, 3}, strided_window{{0, 4, 0, 2}, {1, 2, 2, 2}}, [](builder& g) {
        return strided_slice<index_range{{0, 4, 0, 2}, {to_end, to_end, -1, to_end}, {1, 2, 2, 2}}>(image(g));
    });
    built::check(op::strided_slice, {1, 12, 2, 8}, strided_window{{1, 0, 4, 0}, {1, 1, 1, 1}}, [](builder& g) {
        return strided_slice<index_range{{-1, 0, -2, 0}, {to_end, 12, to_end, 8}}>(image(g));
    });
    const extents x{4, 6};
    keeps(shape_rule(index_range{{0, 0}, {4, 6}}, x), {4, 6});
    keeps(shape_rule(index_range{{3, 5}, {4, 6}}, x), {1, 1});
    breaks(shape_rule(index_range{{3, 6}, {4, 6}}, x), fault::every_extent_must_be_at_least_1_R019, 0, 1);
    breaks(shape_rule(index_range{{0, 0}, {4, 7}}, x), fault::slice_must_end_within_the_tensor_R094, 7, 6);
    breaks(shape_rule(index_range{{-5, 0}, {4, 6}}, x), fault::slice_must_begin_at_0_or_later_R094, -1, 0);
    breaks(shape_rule(index_range{{0, 0}, {4, 6}, {1, 0}}, x), fault::stride_must_be_at_least_1, 0, 1);
    breaks(shape_rule(index_range{{0, 0}, {4, 6}, {1, -1}}, x), fault::stride_must_be_at_least_1, -1, 1);
    breaks(shape_rule(index_range{{0}, {4}}, x), fault::begin_must_have_one_number_for_each_axis, 1, 2);
    breaks(shape_rule(index_range{{0, 0}, {4}}, x), fault::end_must_have_one_number_for_each_axis, 1, 2);
    breaks(shape_rule(index_range{{0, 0}, {4, 6}, {1}}, x), fault::stride_must_have_one_number_for_each_axis, 1, 2);

    // The attribute has no end: the node's own shape says how many elements there are.
    keeps(shape_rule(strided_window{{0, 1}, {1, 2}}, x, {4, 3}), {4, 3});
    breaks(shape_rule(strided_window{{0, 1}, {1, 2}}, x, {4, 4}), fault::slice_must_end_within_the_tensor_R094, 4, 3);
    breaks(shape_rule(strided_window{{4, 0}, {1, 1}}, x, {1, 1}), fault::slice_must_end_within_the_tensor_R094, 4, 3);
    breaks(shape_rule(strided_window{{0, 0}, {1, 1}}, x, {4, 0}), fault::every_extent_must_be_at_least_1_R019, 0, 1);
    breaks(shape_rule(strided_window{{0, 0}, {1, 1}}, x, {4}), fault::size_must_have_one_number_for_each_axis, 1, 2);
    const std::int64_t huge = std::int64_t{1} << 62;
    keeps(shape_rule(strided_window{{0, 0}, {1, huge}}, x, {4, 1}), {4, 1});
    breaks(shape_rule(strided_window{{0, 0}, {1, huge}}, x, {4, 2}), fault::slice_must_end_within_the_tensor_R094, 2,
           1);
    infer_breaks(strided_window{{0, 1, 0, 0}, {1, 1, 1, 1}}, fault::slice_must_end_within_the_tensor_R094,
                 [](builder& g) {
                     return strided_slice<index_range{{0, 0, 0, 0}, {2, 12, 6, 8}}>(image(g));
                 });
}

TEST_CASE("strided slices have as many elements as counting finds") {
    const std::int64_t extent = 7;
    for (std::int64_t begin = -9; begin <= 9; ++begin) {
        for (std::int64_t end = -9; end <= 9; ++end) {
            for (std::int64_t stride = 1; stride <= 4; ++stride) {
                CAPTURE(begin);
                CAPTURE(end);
                CAPTURE(stride);
                const std::int64_t first = begin < 0 ? begin + extent : begin;
                const std::int64_t last = end < 0 ? end + extent : end;
                std::int64_t count = 0;
                for (std::int64_t i = first; i < last; i += stride) {
                    ++count;
                }
                const inferred r = shape_rule(index_range{{begin}, {end}, {stride}}, extents{extent});
                REQUIRE(r.ok() == (count > 0 && first >= 0 && last <= extent));
                if (r.ok()) {
                    REQUIRE(r.shape[0] == count);
                }
            }
        }
    }
}

TEST_CASE("slice updates take the shape of the tensor") {
    built::check(op::slice_update, {2, 12, 6, 8}, strided_window{{0, 2, 0, 1}, {1, 3, 1, 2}}, [](builder& g) {
        return slice_update<strided_window{{0, 2, 0, 1}, {1, 3, 1, 2}}>(image(g), g.input("u", f16<2, 4, 6, 4>));
    });
    built::check(op::slice_update, {2, 12, 6, 8}, strided_window{{0, 8, 0, 0}, {1, 1, 1, 1}}, [](builder& g) {
        return slice_update<indices{0, -4, 0, 0}>(image(g), g.input("u", f16<2, 4, 6, 8>));
    });
    keeps(slice_update_rule({{0, 2}, {1, 1}}, {4, 6}, {4, 4}), {4, 6});
    breaks(slice_update_rule({{0, 2}, {1, 1}}, {4, 6}, {4, 5}), fault::slice_must_end_within_the_tensor_R094, 5, 4);
    breaks(slice_update_rule({{0, -1}, {1, 1}}, {4, 6}, {4, 5}), fault::slice_must_begin_at_0_or_later_R094, -1, 0);
}

TEST_CASE("dynamic slices move along one axis") {
    built::check(op::dynamic_slice, {2, 12, 6, 3}, window{{0, 0, 0, 0}, {2, 12, 6, 3}},
                 [](builder& g) { return dynamic_slice<axis{-1}, 3>(image(g), g.input("start", f16<1>)); });
    built::check(op::dynamic_slice, {2, 12, 6, 8}, window{{0, 0, 0, 0}, {2, 12, 6, 8}},
                 [](builder& g) { return dynamic_slice<axis{1}, 12>(image(g), g.input("start", f16<>)); });
    const extents x{4, 6};
    keeps(dynamic_slice_rule({{0, 0}, {4, 1}}, x, {1}), {4, 1});
    keeps(dynamic_slice_rule({{0, 0}, {4, 1}}, x, {1, 1}), {4, 1});
    breaks(dynamic_slice_rule({{0, 0}, {4, 1}}, x, {2}), fault::start_must_have_one_element, 2, 1);
    breaks(dynamic_slice_rule({{0, 0}, {3, 5}}, x, {1}), fault::window_must_move_along_one_axis, 2, 1);
    breaks(dynamic_slice_rule({{0, 0}, {4, 7}}, x, {1}), fault::slice_must_end_within_the_tensor_R094, 7, 6);
    breaks(detail::window_along_rule(x, {2}, 0, 1), fault::axis_must_be_one_of_the_tensor, 2, 2);
    breaks(detail::window_along_rule(x, {-3}, 0, 1), fault::axis_must_be_one_of_the_tensor, -3, 2);
    infer_breaks(window{{0, 0, 0, 0}, {1, 12, 6, 3}}, fault::window_must_move_along_one_axis,
                 [](builder& g) { return dynamic_slice<axis{-1}, 3>(image(g), g.input("start", f16<1>)); });
}

TEST_CASE("views and crops are slices") {
    built::check(op::slice, {2, 4, 6, 8}, window{{0, 3, 0, 0}, {2, 4, 6, 8}},
                 [](builder& g) { return input_view<axis{1}, 3, 4>(image(g)); });
    built::check(op::slice, {2, 12, 3, 7}, window{{0, 0, 1, 0}, {2, 12, 3, 7}},
                 [](builder& g) { return crop<1, 2, 0, 1>(image(g)); });
    keeps(detail::window_along_rule({4, 6}, {-1}, 2, 4), {4, 4});
    breaks(detail::window_along_rule({4, 6}, {-1}, 2, 5), fault::slice_must_end_within_the_tensor_R094, 7, 6);
    breaks(detail::window_along_rule({4, 6}, {-1}, -1, 5), fault::slice_must_begin_at_0_or_later_R094, -1, 0);
    keeps(detail::crop_rule({4, 6}, 1, 2, 2, 3), {1, 1});
    breaks(detail::crop_rule({4, 6}, 2, 2, 0, 0), fault::every_extent_must_be_at_least_1_R019, 0, 1);
    breaks(detail::crop_rule({4, 6}, 0, 0, -1, 0), fault::padding_must_not_be_negative, -1, 0);
    breaks(detail::crop_rule({6}, 0, 0, 0, 0), fault::operand_must_have_rows_and_columns, 1, 2);
}

TEST_CASE("mirroring pads reach at most to the other border") {
    built::check(op::reflect_pad, {2, 12, 11, 15}, five, [](builder& g) { return reflect_pad<five>(image(g)); });
    built::check(op::symmetric_pad, {2, 12, 18, 24}, as_large,
                 [](builder& g) { return symmetric_pad<as_large>(image(g)); });
    breaks(mirror_rule({{6}, {0}}, {6}, false), fault::mirrored_padding_must_not_exceed_the_axis, 6, 5);
    breaks(mirror_rule({{0}, {6}}, {6}, false), fault::mirrored_padding_must_not_exceed_the_axis, 6, 5);
    breaks(mirror_rule({{0}, {7}}, {6}, true), fault::mirrored_padding_must_not_exceed_the_axis, 7, 6);
    breaks(mirror_rule({{-1}, {0}}, {6}, true), fault::padding_must_not_be_negative, -1, 0);
    breaks(mirror_rule({{1}, {0}}, {6, 6}, true), fault::padding_must_have_one_number_for_each_axis, 1, 2);
    keeps(mirror_rule({{0}, {0}}, {1}, false), {1});
    infer_breaks(pads{{0, 0, 0, 8}, {0, 0, 0, 0}}, fault::mirrored_padding_must_not_exceed_the_axis,
                 [](builder& g) { return reflect_pad<five>(image(g)); });
    infer_breaks(pads{{0, 0, 0, 9}, {0, 0, 0, 0}}, fault::mirrored_padding_must_not_exceed_the_axis,
                 [](builder& g) { return symmetric_pad<as_large>(image(g)); });
    built::check(op::identity, {2, 12, 6, 8}, no_attributes{}, [](builder& g) { return identity(image(g)); });
}

TEST_CASE("a replicating pad reaches as far as it likes") {
    static constexpr pads wide{{0, 0, 40, 0}, {0, 0, 0, 9}};
    built::check(op::replicate_pad, {2, 12, 46, 17}, wide, [](builder& g) { return replicate_pad<wide>(image(g)); });
    infer_breaks(pads{{0, 0, 0, -1}, {0, 0, 0, 0}}, fault::padding_must_not_be_negative,
                 [](builder& g) { return replicate_pad<wide>(image(g)); });
}

TEST_CASE("tile and reverse") {
    built::check(op::tile, {4, 12, 18, 8}, repeats{2, 1, 3, 1}, [](builder& g) {
        return tile<repeats{2, 1, 3, 1}>(image(g));
    });
    breaks(shape_rule(repeats{2, 0}, {4, 6}), fault::every_axis_must_occur_at_least_once, 0, 1);
    breaks(shape_rule(repeats{2}, {4, 6}), fault::counts_must_have_one_number_for_each_axis, 1, 2);
    keeps(shape_rule(repeats{1, 1}, {4, 6}), {4, 6});

    built::check(op::reverse, {2, 12, 6, 8}, axes{3, 2}, [](builder& g) { return reverse<axes{-1, 2}>(image(g)); });
    built::check(op::reverse, {2, 12, 6, 8}, axes{0, 1, 2, 3}, [](builder& g) { return reverse(image(g)); });
    keeps(reverse_rule(axes{1}, {4, 6}), {4, 6});
    breaks(reverse_rule(axes{2}, {4, 6}), fault::axis_must_be_one_of_the_tensor, 2, 2);
    breaks(reverse_rule(axes{-1, 1}, {4, 6}), fault::axis_must_not_be_given_twice, 1, 1);
    infer_breaks(axes{4}, fault::axis_must_be_one_of_the_tensor, [](builder& g) { return reverse(image(g)); });
}

TEST_CASE("gathers replace axes by those of the indices") {
    built::check(op::gather, {2, 3, 5, 6, 8}, axis{1},
                 [](builder& g) { return gather<axis{1}>(image(g), g.input("i", f16<3, 5>)); });
    built::check(op::gather, {12, 6, 8}, axis{0}, [](builder& g) { return gather(image(g), g.input("i", f16<>)); });
    built::check(op::gather, {2, 12, 6, 9}, axis{3},
                 [](builder& g) { return gather<axis{-1}>(image(g), g.input("i", f16<9>)); });
    breaks(gather_rule({4}, {2, 12, 6, 8}, {3}), fault::axis_must_be_one_of_the_tensor, 4, 4);
    breaks(gather_rule({-5}, {2, 12, 6, 8}, {3}), fault::axis_must_be_one_of_the_tensor, -5, 4);
    keeps(gather_rule({0}, {2, 1, 1, 1, 1}, {1, 1, 1, 1}), {1, 1, 1, 1, 1, 1, 1, 1});
    breaks(gather_rule({0}, {2, 1, 1, 1, 1}, {1, 1, 1, 1, 1}), fault::tensor_must_not_have_more_than_8_axes, 9, 8);

    built::check(op::gather_along_axis, {2, 12, 5, 8}, axis{2},
                 [](builder& g) { return gather_along_axis<axis{-2}>(image(g), g.input("i", f16<2, 12, 5, 8>)); });
    breaks(gather_along_axis_rule({0}, {4, 6}, {3, 5}), fault::indices_must_have_the_extents_of_every_other_axis, 5, 6);
    breaks(gather_along_axis_rule({0}, {4, 6}, {3}), fault::indices_must_have_the_rank_of_the_tensor, 1, 2);
    breaks(gather_along_axis_rule({2}, {4, 6}, {3, 6}), fault::axis_must_be_one_of_the_tensor, 2, 2);
    keeps(gather_along_axis_rule({0}, {4, 6}, {9, 6}), {9, 6});

    built::check(op::gather_nd, {7, 6, 8}, no_attributes{},
                 [](builder& g) { return gather_nd(image(g), g.input("i", f16<7, 2>)); });
    built::check(op::gather_nd, {7, 3}, no_attributes{},
                 [](builder& g) { return gather_nd(image(g), g.input("i", f16<7, 3, 4>)); });
    breaks(gather_nd_rule({4, 6}, {7, 3}), fault::indices_must_have_a_number_for_each_gathered_axis, 3, 2);
    keeps(gather_nd_rule({4, 6}, {7, 2}), {7});
    keeps(gather_nd_rule({4, 6}, {1}), {6});
    breaks(gather_nd_rule({4, 6}, {}), fault::operand_must_have_an_axis, 0, 1);
    breaks(gather_nd_rule({1, 1, 1, 1, 1}, {1, 1, 1, 1, 1, 1}), fault::tensor_must_not_have_more_than_8_axes, 9, 8);

    built::check(op::gather_hw, {2, 12, 5, 7}, no_attributes{},
                 [](builder& g) { return gather_hw(image(g), g.input("i", f16<1, 2, 5, 7>)); });
    breaks(gather_hw_rule({2, 12, 6, 8}, {2, 1, 5, 7}), fault::coordinates_must_have_two_channels_y_and_x, 1, 2);
    breaks(gather_hw_rule({2, 12, 6, 8}, {3, 2, 5, 7}), fault::there_must_be_one_entry_for_each_image_or_one_for_all, 3,
           2);
    infer_breaks(axis{4}, fault::axis_must_be_one_of_the_tensor,
                 [](builder& g) { return gather<axis{1}>(image(g), g.input("i", f16<3>)); });
}

TEST_CASE("the pixel-shuffle family") {
    built::check(op::pixel_shuffle, {2, 2, 12, 24}, f, [](builder& g) { return pixel_shuffle<f>(image(g)); });
    built::check(op::depth_to_space, {2, 3, 12, 16}, factors{2},
                 [](builder& g) { return depth_to_space<2>(image(g)); });
    built::check(op::pixel_unshuffle, {2, 48, 3, 4}, factors{2},
                 [](builder& g) { return pixel_unshuffle<2>(image(g)); });
    built::check(op::space_to_depth, {2, 72, 2, 4}, factors{3, 2}, [](builder& g) {
        return space_to_depth<factors{3, 2}>(image(g));
    });
    built::check(op::space_to_batch, {8, 12, 3, 4}, factors{2}, [](builder& g) { return space_to_batch<2>(image(g)); });
    built::check(op::batch_to_space, {1, 12, 12, 8}, factors{2, 1}, [](builder& g) {
        return batch_to_space<factors{2, 1}>(image(g));
    });
    const extents x{4, 12, 6, 8};
    breaks(channels_to_pixels_rule({5, 1}, x), fault::channels_must_be_divisible_by_the_factors_R098, 12, 5);
    breaks(channels_to_pixels_rule({0, 1}, x), fault::factor_must_be_at_least_1_R098, 0, 1);
    breaks(channels_to_pixels_rule({1, 0}, x), fault::factor_must_be_at_least_1_R098, 0, 1);
    breaks(channels_to_pixels_rule({2, 2}, {12, 6, 8}), fault::input_must_have_rank_4_as_N_C_H_W, 3, 4);
    breaks(pixels_to_channels_rule({4, 2}, x), fault::height_must_be_divisible_by_its_factor_R098, 6, 4);
    breaks(pixels_to_channels_rule({2, 3}, x), fault::width_must_be_divisible_by_its_factor_R098, 8, 3);
    breaks(pixels_to_channels_rule({0, 3}, x), fault::factor_must_be_at_least_1_R098, 0, 1);
    breaks(pixels_to_channels_rule({2, 3}, {1, 4, 12, 6, 8}), fault::input_must_have_rank_4_as_N_C_H_W, 5, 4);
    breaks(space_to_batch_rule({4, 2}, x), fault::height_must_be_divisible_by_its_factor_R098, 6, 4);
    breaks(batch_to_space_rule({2, 4}, x), fault::batch_must_be_divisible_by_the_factors_R099, 4, 8);
    breaks(batch_to_space_rule({2, -2}, x), fault::factor_must_be_at_least_1_R098, -2, 1);
    breaks(batch_to_space_rule({2, 2}, {4}), fault::input_must_have_rank_4_as_N_C_H_W, 1, 4);
    // Each undoes the other.
    keeps(pixels_to_channels_rule({3, 2}, channels_to_pixels_rule({3, 2}, x).shape), x);
    keeps(batch_to_space_rule({3, 2}, space_to_batch_rule({3, 2}, x).shape), x);
    infer_breaks(factors{5, 1}, fault::channels_must_be_divisible_by_the_factors_R098,
                 [](builder& g) { return pixel_shuffle<f>(image(g)); });
    infer_breaks(factors{3, 1}, fault::batch_must_be_divisible_by_the_factors_R099,
                 [](builder& g) { return batch_to_space<1>(image(g)); });
}

TEST_CASE("axes of extent 1 come and go") {
    built::check(op::reshape, {1, 2, 12, 1, 6, 8}, no_attributes{}, [](builder& g) {
        return expand_dims<axes{0, 3}>(image(g));
    });
    built::check(op::reshape, {2, 12, 6, 8, 1}, no_attributes{},
                 [](builder& g) { return expand_dims<axes{-1}>(image(g)); });
    breaks(expand_dims_rule(axes{3}, {4, 6}), fault::axis_must_be_one_of_the_tensor, 3, 3);
    keeps(expand_dims_rule(axes{2}, {4, 6}), {4, 6, 1});
    breaks(expand_dims_rule(axes{1, -3}, {4, 6}), fault::axis_must_not_be_given_twice, 1, 1);
    breaks(expand_dims_rule(axes{0}, {1, 1, 1, 1, 1, 1, 1, 1}), fault::tensor_must_not_have_more_than_8_axes, 9, 8);

    built::check(op::reshape, {3, 4}, no_attributes{},
                 [](builder& g) { return squeeze(g.input("x", f16<1, 3, 1, 4>)); });
    built::check(op::reshape, {3, 1, 4}, no_attributes{},
                 [](builder& g) { return squeeze<axes{0}>(g.input("x", f16<1, 3, 1, 4>)); });
    built::check(op::reshape, {1, 3, 4}, no_attributes{},
                 [](builder& g) { return squeeze<axes{-2}>(g.input("x", f16<1, 3, 1, 4>)); });
    breaks(squeeze_rule(axes{1}, {1, 3, 1}), fault::squeezed_axis_must_have_extent_1_R128, 3, 1);
    breaks(squeeze_rule(axes{3}, {1, 3, 1}), fault::axis_must_be_one_of_the_tensor, 3, 3);
    breaks(squeeze_rule(axes{0, -3}, {1, 3, 1}), fault::axis_must_not_be_given_twice, 0, 0);
    keeps(squeeze_rule(axes{}, {1, 1}), {});

    built::check(op::reshape, {24, 48}, no_attributes{}, [](builder& g) { return flatten2d<axis{2}>(image(g)); });
    built::check(op::reshape, {4, 288}, no_attributes{},
                 [](builder& g) { return reshape_like(image(g), g.input("like", f16<4, 288>)); });
}

TEST_CASE("stack, split and unstack") {
    const auto stacked = built::build([](builder& g) {
        auto x = g.input("x", f16<3, 4>);
        return stack<axis{-1}>(x, g.input("z", f16<3, 4>), x);
    });
    CHECK(stacked.last().kind == op::concat);
    CHECK(stacked.last().shape == extents{3, 4, 3});
    CHECK(stacked.last().get<axis>().index == 2);
    CHECK(stacked.operand(1).kind == op::reshape);
    built::check(op::reshape, {1, 3, 4}, no_attributes{}, [](builder& g) { return stack(g.input("x", f16<3, 4>)); });

    int parts = 0;
    const dynamic_graph even = build_graph([&](builder& g) {
        const auto three = split<3, axis{2}>(image(g));
        static_assert(three.size() == 3);
        for (const auto& part : three) {
            g.output("y" + std::to_string(parts++), part);
        }
    });
    for (int i = 0; i < 3; ++i) {
        const node& n = even.view()[even.outputs[static_cast<std::size_t>(i)].node];
        CHECK(n.kind == op::slice);
        CHECK(n.get<window>() == window{{0, 0, 2 * i, 0}, {2, 12, 2, 8}});
    }
    const dynamic_graph sized = build_graph([](builder& g) {
        const auto [a, b, c] = split<axis{1}, 3, 8, 1>(image(g));
        static_assert(decltype(b)::extent == extents{2, 8, 6, 8});
        g.output("a", a);
        g.output("b", b);
        g.output("c", c);
    });
    CHECK(sized.view()[sized.outputs[1].node].get<window>() == window{{0, 3, 0, 0}, {2, 8, 6, 8}});
    CHECK(sized.view()[sized.outputs[2].node].get<window>() == window{{0, 11, 0, 0}, {2, 1, 6, 8}});
    const auto rows = built::build([](builder& g) {
        const auto all = unstack<axis{-2}>(g.input("x", f16<2, 3, 4>));
        static_assert(all.size() == 3 && decltype(all)::value_type::extent == extents{2, 4});
        return all[2];
    });
    CHECK(rows.last().kind == op::reshape);
    CHECK(rows.operand(0).get<window>() == window{{0, 2, 0}, {2, 1, 4}});

    breaks(detail::part_rule({0}, 5, {12}), fault::number_of_parts_must_divide_the_extent, 12, 5);
    breaks(detail::part_rule({0}, 0, {12}), fault::every_extent_must_be_at_least_1_R019, 0, 1);
    breaks(detail::part_rule({1}, 3, {12}), fault::axis_must_be_one_of_the_tensor, 1, 1);
    keeps(detail::part_rule({0}, 12, {12}), {1});
    breaks(detail::part_rule({0}, std::size_t{0}, {5, 6}, {12}), fault::sizes_of_the_parts_must_add_up_to_the_extent,
           11, 12);
    breaks(detail::part_rule({0}, std::size_t{0}, {12, 0}, {12}), fault::every_extent_must_be_at_least_1_R019, 0, 1);
    breaks(detail::part_rule({1}, std::size_t{0}, {12}, {12}), fault::axis_must_be_one_of_the_tensor, 1, 1);
    keeps(detail::part_rule({0}, std::size_t{1}, {5, 7}, {12}), {7});
}

TEST_CASE("constants by formula") {
    const auto filled = built::build([](builder& g) { return fill(g, f16<2, 3>, 0.5); });
    CHECK(filled.last().kind == op::constant);
    CHECK(filled.last().shape == extents{2, 3});
    CHECK(filled.view().value(filled.last(), 5) == 0.5F);
    const auto like = built::build([](builder& g) { return fill_like(image(g), -3); });
    CHECK(like.last().kind == op::constant);
    CHECK(like.last().shape == extents{2, 12, 6, 8});
    CHECK(like.view().value(like.last(), 7) == -3.0F);
    CHECK_THROWS_AS(built::build([](builder& g) { return fill_like(image(g), 70000); }), error);
    const auto range = built::build([](builder& g) { return range_1d<5>(g, 1, -0.5); });
    CHECK(range.last().shape == extents{5});
    for (int i = 0; i < 5; ++i) {
        CHECK(range.view().value(range.last(), i) == 1.0F - 0.5F * static_cast<float>(i));
    }
    const auto one = built::build([](builder& g) { return range_1d<1>(g, 4); });
    CHECK(one.view().value(one.last(), 0) == 4.0F);
    CHECK_THROWS_AS(built::build([](builder& g) { return range_1d<2>(g, 65504, 65504); }), error);
}

TEST_CASE("numbers that no tensor has are refused, not wrapped around") {
    constexpr std::int64_t huge = std::numeric_limits<std::int64_t>::max();
    constexpr std::int64_t wrapped = std::int64_t{1} << 32; // 0 as an int
    constexpr extents x{4, 6};
    CHECK(shape_rule(window{{0, huge}, {4, 6}}, x).broken == fault::slice_must_end_within_the_tensor_R094);
    CHECK(shape_rule(window{{0, 1}, {4, huge}}, x).broken == fault::slice_must_end_within_the_tensor_R094);
    CHECK(shape_rule(window{{0, 1}, {4, 5}}, x).ok());
    CHECK(mirror_rule(pads{{huge, 0}, {huge, 0}}, x, true).broken == fault::mirrored_padding_must_not_exceed_the_axis);
    CHECK(shape_rule(pads{{huge, 0}, {1, 0}}, x).shape[0] == huge);
    CHECK(shape_rule(repeats{huge, 1}, x).shape[0] == huge);
    CHECK(shape_rule(axes{wrapped}, x).broken == fault::axis_must_be_one_of_the_tensor);
    CHECK(shape_rule(axes{-wrapped}, x).broken == fault::axis_must_be_one_of_the_tensor);
    CHECK(shape_rule(permutation{wrapped + 1, wrapped}, x).broken == fault::axis_must_be_one_of_the_tensor);
    CHECK(expand_dims_rule(axes{wrapped}, x).broken == fault::axis_must_be_one_of_the_tensor);
}
