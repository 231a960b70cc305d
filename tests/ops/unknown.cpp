// After a mistake clang goes on: what a refused operation gives is taken by every other one, so that nothing is told twice.
#include <anemone/model.hpp>

#include <doctest/doctest.h>

#include <array>
#include <tuple>
#include <type_traits>
#include <utility>

namespace {

using namespace ane;

using image_tensor = tensor<shape<1, 16, 8, 8>>;
using rows = tensor<shape<4, 6>>;
using some = unknown_tensor;

/// Any element type.
template <class T> inline constexpr bool is_unknown = false;
template <dtype Type> inline constexpr bool is_unknown<tensor<unknown_shape, Type>> = true;

/// Compiled and never run: an error in a body would be one here.
template <class... T> constexpr bool all_unknown(T...) { return (is_unknown<T> && ...); }

template <class U> constexpr bool takes_unknown(U u, image_tensor x, rows r, builder& g) {
    bool all = all_unknown(u + x, x - u, u * 2.0, 1.0 / u, -u, greater(u, x), pow(u, 2.0), floor_div(u, x), equal(u, x),
                           logical_not(u), logical_and(u, u), logical_or(u, u), logical_xor(u, u), greater(u, x),
                           select(u, x, x), select(less(u, 0.0), u, x), to_f16(u));
    all &= all_unknown(exp(u), sqrt(u), rsqrt(u), inverse(u), round(u), relu(u), gelu(u), leaky_relu(u, 0.1),
                       prelu(u, r), sigmoid_hard(u, 0.2, 0.5), clamp(u, 0, 1), identity(u), dropout(u, 0.5));
    all &= all_unknown(conv2d(u, x), conv2d(x, u), conv2d<conv{.stride = 2, .padding = same}>(u, u, u),
                       conv2d(u, scaled<3>(x)), conv2d(x, scaled<3>(u)), conv_transpose2d(u, x), linear(u, r),
                       linear(r, u, r), matmul(u, x), matmul<transposed{.b = true}>(x, u), attention(u, x, x),
                       attention(x, x, u), attention(x, x, x, u), attention(u, u, u, x), einsum<"ij,jk->ik">(u, r));
    all &= all_unknown(max_pool<pool{.kernel = 2}>(u), avg_pool<pool{.kernel = 2}>(u), softmax(u), layer_norm(u, r, r),
                       layer_norm(x, u, u), rms_norm(u, r), batch_norm(u, r, r, r, r), instance_norm(u, r, r),
                       group_norm<4>(u, r, r), l2_norm(u), local_response_norm<3>(u));
    all &= all_unknown(reshape<1, 1024>(u), flatten(u), flatten2d(u), transpose<permutation{0, 2, 1, 3}>(u),
                       concat(x, u), concat<axis{2}>(u, x, x), slice<window{{0, 0}, {1, 1}}>(u),
                       pad<pads{{0, 1}, {0, 1}}>(u, 0.0), reflect_pad<pads{{0, 1}, {0, 1}}>(u),
                       replicate_pad<pads{{0, 1}, {0, 1}}>(u), expand_dims<axes{0}>(u), squeeze(u), stack(u, x),
                       stack(x, u), reshape_like(u, x), tile<repeats{1, 2}>(u), reverse(u), unstack(u)[0]);
    all &= all_unknown(split<2>(u)[1], std::get<1>(split<axis{1}, 2, 3>(u)), top_k<5>(u).values, top_k<5>(u).indices,
                       sort(u), arg_sort(u), strided_slice<index_range{{0}, {2}}>(u), crop<1, 1, 1, 1>(u), gather(u, x),
                       gather(x, u), gather_along_axis(u, x), gather_nd(u, x), dynamic_slice<axis{1}, 2>(u, r),
                       input_view<axis{1}, 0, 2>(u), slice_update<indices{0, 0}>(u, x));
    all &= all_unknown(
        quantize(u, r), dequantize(u, r), pixel_shuffle<factors{2, 2}>(u), pixel_unshuffle<factors{2, 2}>(u),
        space_to_batch<factors{2, 2}>(u), resize<sampling{.extent = {4, 4}}>(u), resize_bilinear<size2{4, 4}>(u),
        upsample_nearest_neighbor<factors{2, 2}>(u), resample(u, x), affine<sampling{.extent = {4, 4}}>(u, r),
        crop_resize<sampling{.extent = {4, 4}}>(u, r), cross_correlation(u, x), cross_product(u, x),
        cost_volume<4>(u, x), scaled_elementwise<scaled_function::add>(u, x));
    all &= all_unknown(reduce_sum<axes{1}>(u), reduce_mean<axes{1}, false>(u), reduce_max(u), reduce_l2_norm(u),
                       reduce_log_sum_exp(u), arg_max(u), global_arg_min(u), cumsum(u), g.output("y"_s, u));
    return all;
}
using instantiated = std::integral_constant<bool (*)(some, image_tensor, rows, builder&), &takes_unknown<some>>;

template <class A, class B>
concept unknown_addable = requires(A a, B b) {
    a + b;
};
static_assert(unknown_addable<some, image_tensor> && !unknown_addable<some, const char*>);

} // namespace

TEST_CASE("what a refused operation gives has a type of its own") {
    CHECK((instantiated::value != nullptr));
    static_assert(is_unknown<decltype(std::declval<some>() + std::declval<image_tensor>())>);
}
