// Included by simd/each_set.inl: the tables of one instruction set, by family, and all of them together. The loops that
// fill them are in level.inl; the compiled library makes an object of each family and set (cmake/anemone_library.cmake).

namespace ane::cpu::detail::inline ANEMONE_WAY {
namespace ANEMONE_SET {

template <kernel_needs Needs> struct float_loops { static const float_kernels table; };
template <kernel_needs Needs> struct half_loops { static const half_kernels table; };
template <kernel_needs Needs> struct chain_loops { static const chain_kernels table; };
template <kernel_needs Needs> struct norm_loops { static const norm_kernels table; };
template <kernel_needs Needs> struct reduce_loops { static const reduce_kernels table; };
template <kernel_needs Needs> struct product_loops { static const product_kernels table; };
template <kernel_needs Needs> struct attention_loops { static const attention_kernels table; };
template <kernel_needs Needs> struct plane_loops { static const plane_kernels table; };
template <kernel_needs Needs> struct convolution_loops { static const convolution_kernels table; };
template <kernel_needs Needs> struct depthwise_loops { static const depthwise_kernels table; };
template <kernel_needs Needs> struct winograd_loops { static const winograd_kernels table; };

template <kernel_needs Needs> const kernel_table& kernels() {
    static constinit const kernel_table table{.level = isa_level::ANEMONE_SET_LEVEL,
                                              .floats = float_loops<Needs>::table,
                                              .halves = half_loops<Needs>::table,
                                              .chains = chain_loops<Needs>::table,
                                              .norms = norm_loops<Needs>::table,
                                              .reductions = reduce_loops<Needs>::table,
                                              .products = product_loops<Needs>::table,
                                              .attention = attention_loops<Needs>::table,
                                              .planes = plane_loops<Needs>::table,
                                              .convolutions = convolution_loops<Needs>::table,
                                              .depthwise = depthwise_loops<Needs>::table,
                                              .winograd = winograd_loops<Needs>::table};
    return table;
}

} // namespace ANEMONE_SET
} // namespace ane::cpu::detail::inline ANEMONE_WAY
