#pragma once

#include "../base/way.hpp"
#include "../graph/op_facet.hpp"
#include "netplist_convolution.hpp"
#include "netplist_elementwise.hpp"
#include "netplist_matmul.hpp"
#include "netplist_movement.hpp"

namespace ane::formats::inline ANEMONE_WAY {

/// The function that writes each operation of `netplist_vocabulary`. (A template, because a table would compile all
/// writers wherever it is seen.)
template <class Lazy>
inline constexpr op_facet<netplist_unit_writer> netplist_unit_writers{{op::conv2d, write_conv},
                                                                      {op::conv_transpose2d, write_conv_transpose},
                                                                      {op::matmul, write_matmul},
                                                                      {op::add, write_binary},
                                                                      {op::sub, write_binary},
                                                                      {op::mul, write_binary},
                                                                      {op::div, write_div},
                                                                      {op::minimum, write_binary},
                                                                      {op::maximum, write_binary},
                                                                      {op::relu, write_unary},
                                                                      {op::relu6, write_clamp},
                                                                      {op::leaky_relu, write_leaky_relu},
                                                                      {op::clamp, write_clamp},
                                                                      {op::sigmoid, write_unary},
                                                                      {op::tanh, write_unary},
                                                                      {op::gelu, write_unary},
                                                                      {op::silu, write_silu},
                                                                      {op::exp, write_exp},
                                                                      {op::log, write_log},
                                                                      {op::log2, write_unary},
                                                                      {op::sqrt, write_unary},
                                                                      {op::rsqrt, write_rsqrt},
                                                                      {op::abs, write_unary},
                                                                      {op::max_pool, write_pool},
                                                                      {op::avg_pool, write_pool},
                                                                      {op::softmax, write_softmax},
                                                                      {op::reduce_sum, write_reduction},
                                                                      {op::reduce_mean, write_reduction},
                                                                      {op::reduce_max, write_reduction},
                                                                      {op::reduce_min, write_reduction},
                                                                      {op::arg_max, write_arg},
                                                                      {op::arg_min, write_arg},
                                                                      {op::reshape, write_reshape},
                                                                      {op::transpose, write_transpose},
                                                                      {op::concat, write_concat},
                                                                      {op::slice, write_slice},
                                                                      {op::pad, write_pad}};

} // namespace ane::formats::inline ANEMONE_WAY
