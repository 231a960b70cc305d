#pragma once

#include <anemone/graph/op_set.hpp>

/// The operations of a lowered graph that both formats have (docs/formats.md), written down here once more, apart from the
/// vocabularies that they are held against.
inline constexpr ane::op_set both_formats{ane::op::conv2d,      ane::op::conv_transpose2d,
                                          ane::op::matmul,      ane::op::add,
                                          ane::op::sub,         ane::op::mul,
                                          ane::op::div,         ane::op::minimum,
                                          ane::op::maximum,     ane::op::relu,
                                          ane::op::relu6,       ane::op::leaky_relu,
                                          ane::op::clamp,       ane::op::sigmoid,
                                          ane::op::tanh,        ane::op::gelu,
                                          ane::op::silu,        ane::op::exp,
                                          ane::op::log,         ane::op::sqrt,
                                          ane::op::rsqrt,       ane::op::abs,
                                          ane::op::max_pool,    ane::op::avg_pool,
                                          ane::op::softmax,     ane::op::reduce_sum,
                                          ane::op::reduce_mean, ane::op::reduce_max,
                                          ane::op::reduce_min,  ane::op::reshape,
                                          ane::op::transpose,   ane::op::concat,
                                          ane::op::slice,       ane::op::pad};
