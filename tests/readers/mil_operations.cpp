// What statements of MIL text compute, against closed forms written down here: defaults, broadcasting, axes, padding.

#include "mil_support.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

using namespace reading;

namespace {

struct operation_case {
    const char* statement; ///< of x (and z), giving y
    const char* x;         ///< its shape
    numbers values;        ///< of x
    const char* y;         ///< the type of the result
    numbers expected;
    double tolerance = 0; ///< relative to the larger of 1 and the expected value
};

const double e = std::exp(1.0);

// clang-format off
const operation_case cases[] = {
    // Functions and their defaults.
    {"relu(x = x)", "[3]", {-1, 0, 2}, "tensor<fp16, [3]>", {0, 0, 2}},
    {"relu6(x = x)", "[3]", {-1, 3, 8}, "tensor<fp16, [3]>", {0, 3, 6}},
    {"sigmoid(x = x)", "[2]", {0, 1}, "tensor<fp16, [2]>", {0.5, 1 / (1 + 1 / e)}, 1e-3},
    {"tanh(x = x)", "[2]", {0, 1}, "tensor<fp16, [2]>", {0, std::tanh(1.0)}, 1e-3},
    {"silu(x = x)", "[2]", {0, 1}, "tensor<fp16, [2]>", {0, 1 / (1 + 1 / e)}, 1e-3},
    {"softplus(x = x)", "[2]", {0, 1}, "tensor<fp16, [2]>", {std::log(2.0), std::log(1 + e)}, 1e-3},
    {"softsign(x = x)", "[2]", {-1, 3}, "tensor<fp16, [2]>", {-0.5, 0.75}},
    {"erf(x = x)", "[2]", {0, 0.5}, "tensor<fp16, [2]>", {0, std::erf(0.5)}, 1e-3},
    {"exp(x = x)", "[2]", {0, 1}, "tensor<fp16, [2]>", {1, e}, 1e-3},
    {"exp2(x = x)", "[2]", {-1, 3}, "tensor<fp16, [2]>", {0.5, 8}},
    {"sqrt(x = x)", "[2]", {4, 2.25}, "tensor<fp16, [2]>", {2, 1.5}},
    {"square(x = x)", "[2]", {-3, 1.5}, "tensor<fp16, [2]>", {9, 2.25}},
    {"abs(x = x)", "[2]", {-3, 1.5}, "tensor<fp16, [2]>", {3, 1.5}},
    {"sign(x = x)", "[3]", {-3, 0, 1.5}, "tensor<fp16, [3]>", {-1, 0, 1}},
    {"ceil(x = x)", "[2]", {-1.5, 1.25}, "tensor<fp16, [2]>", {-1, 2}},
    {"floor(x = x)", "[2]", {-1.5, 1.25}, "tensor<fp16, [2]>", {-2, 1}},
    {"round(x = x)", "[2]", {-1.75, 1.25}, "tensor<fp16, [2]>", {-2, 1}},
    {"sin(x = x)", "[2]", {0, 1}, "tensor<fp16, [2]>", {0, std::sin(1.0)}, 1e-3},
    {"cos(x = x)", "[2]", {0, 1}, "tensor<fp16, [2]>", {1, std::cos(1.0)}, 1e-3},
    {"atan(x = x)", "[2]", {0, 1}, "tensor<fp16, [2]>", {0, std::atan(1.0)}, 1e-3},
    {"log(x = x)", "[2]", {1, 2}, "tensor<fp16, [2]>", {0, std::log(2.0)}, 1e-3},
    {"log(x = x, epsilon = fp16(1.0))", "[2]", {0, 1}, "tensor<fp16, [2]>", {0, std::log(2.0)}, 1e-3},
    {"rsqrt(x = x)", "[2]", {4, 0.25}, "tensor<fp16, [2]>", {0.5, 2}, 1e-3},
    {"rsqrt(x = x, epsilon = 3.0)", "[1]", {1}, "tensor<fp16, [1]>", {0.5}, 1e-3},
    {"inverse(x = x)", "[2]", {4, 0.5}, "tensor<fp16, [2]>", {0.25, 2}, 1e-3},
    {"gelu(x = x)", "[2]", {0, 1}, "tensor<fp16, [2]>", {0, 0.5 * (1 + std::erf(std::sqrt(0.5)))}, 1e-3},
    {"gelu(x = x, mode = string(\"SIGMOID_APPROXIMATION\"))", "[1]", {1}, "tensor<fp16, [1]>", {1 / (1 + std::exp(-1.702))}, 2e-3},
    {"clip(x = x, alpha = fp16(-1.0), beta = fp16(2.0))", "[3]", {-3, 1, 5}, "tensor<fp16, [3]>", {-1, 1, 2}},
    {"clip(x = x, alpha = fp16(-inf), beta = fp16(2.0))", "[3]", {-3, 1, 5}, "tensor<fp16, [3]>", {-3, 1, 2}},
    {"clip(x = x, alpha = fp32(0), beta = fp32(inf))", "[3]", {-3, 1, 5}, "tensor<fp16, [3]>", {0, 1, 5}},
    {"linear_activation(x = x, alpha = fp16(2), beta = fp16(1))", "[2]", {-3, 1}, "tensor<fp16, [2]>", {-5, 3}},
    {"linear_activation(x = x)", "[2]", {-3, 1}, "tensor<fp16, [2]>", {-3, 1}},
    {"leaky_relu(x = x, alpha = fp16(0.5))", "[2]", {-3, 1}, "tensor<fp16, [2]>", {-1.5, 1}},
    {"leaky_relu(x = x)", "[2]", {-100, 1}, "tensor<fp16, [2]>", {-1, 1}, 1e-3},
    {"elu(x = x)", "[2]", {-1, 1}, "tensor<fp16, [2]>", {1 / e - 1, 1}, 1e-3},
    {"thresholded_relu(x = x)", "[3]", {-3, 0.5, 1.5}, "tensor<fp16, [3]>", {0, 0, 1.5}},
    {"threshold(x = x, alpha = fp16(0.75))", "[3]", {-3, 0.5, 1.5}, "tensor<fp16, [3]>", {0.75, 0.75, 1.5}},
    {"clamped_relu(x = x, alpha = fp16(0.5), beta = fp16(1))", "[3]", {-3, 0.5, 1.5}, "tensor<fp16, [3]>", {-1.5, 0.5, 1}},
    {"sigmoid_hard(x = x)", "[3]", {-3, 1, 5}, "tensor<fp16, [3]>", {0, 0.7, 1}, 1e-3},
    {"scaled_tanh(x = x, alpha = fp16(2), beta = fp16(0.5))", "[1]", {2}, "tensor<fp16, [1]>", {2 * std::tanh(1.0)}, 1e-3},
    {"prelu(x = x, alpha = tensor<fp16, [2]>([0.5, 0.25]))", "[1, 2, 1]", {-2, -2}, "tensor<fp16, [1, 2, 1]>", {-1, -0.5}},
    {"softplus_parametric(x = x, alpha = tensor<fp16, [2]>([1, 2]), beta = tensor<fp16, [2]>([1, 2]))", "[1, 2, 1]", {0, 0}, "tensor<fp16, [1, 2, 1]>", {std::log(2.0), 2 * std::log(2.0)}, 1e-3},
    // Arithmetic with broadcasting, comparisons, logic, casts.
    {"add(x = x, y = tensor<fp16, [2, 1]>([[1], [2]]))", "[2]", {10, 20}, "tensor<fp16, [2, 2]>", {11, 21, 12, 22}},
    {"sub(x = fp16(1), y = x)", "[2]", {10, 20}, "tensor<fp16, [2]>", {-9, -19}},
    {"mul(x = x, y = x)", "[2]", {3, -4}, "tensor<fp16, [2]>", {9, 16}},
    {"real_div(x = x, y = fp16(4))", "[2]", {3, -4}, "tensor<fp16, [2]>", {0.75, -1}},
    {"floor_div(x = x, y = fp16(2))", "[2]", {3, -3}, "tensor<fp16, [2]>", {1, -2}},
    {"maximum(x = x, y = fp16(2))", "[2]", {3, -3}, "tensor<fp16, [2]>", {3, 2}},
    {"minimum(x = x, y = fp16(2))", "[2]", {3, -3}, "tensor<fp16, [2]>", {2, -3}},
    {"pow(x = x, y = fp16(2))", "[2]", {3, 0.5}, "tensor<fp16, [2]>", {9, 0.25}, 1e-3},
    {"equal(x = x, y = fp16(2))", "[3]", {1, 2, 3}, "tensor<bool, [3]>", {0, 1, 0}},
    {"not_equal(x = x, y = fp16(2))", "[3]", {1, 2, 3}, "tensor<bool, [3]>", {1, 0, 1}},
    {"greater(x = x, y = fp16(2))", "[3]", {1, 2, 3}, "tensor<bool, [3]>", {0, 0, 1}},
    {"greater_equal(x = x, y = fp16(2))", "[3]", {1, 2, 3}, "tensor<bool, [3]>", {0, 1, 1}},
    {"less(x = x, y = fp16(2))", "[3]", {1, 2, 3}, "tensor<bool, [3]>", {1, 0, 0}},
    {"less_equal(x = x, y = fp16(2))", "[3]", {1, 2, 3}, "tensor<bool, [3]>", {1, 1, 0}},
    {"cast(x = x, dtype = string(\"int32\"))", "[4]", {-1.75, -0.5, 0.75, 3}, "tensor<int32, [4]>", {-1, 0, 0, 3}},
    {"cast(x = x, dtype = string(\"bool\"))", "[3]", {-1.75, 0, 0.75}, "tensor<bool, [3]>", {1, 0, 1}},
    {"cast(x = x, dtype = \"fp32\")", "[2]", {-1.75, 0}, "tensor<fp32, [2]>", {-1.75, 0}},
    {"select(cond = tensor<bool, [3]>([true, false, true]), a = x, b = fp16(7))", "[3]", {1, 2, 3}, "tensor<fp16, [3]>", {1, 7, 3}},
    // Reductions: all axes and none kept by default.
    {"reduce_sum(x = x)", "[2, 2]", {1, 2, 3, 4}, "fp16", {10}},
    {"reduce_sum(x = x, axes = tensor<int32, [1]>([-1]))", "[2, 2]", {1, 2, 3, 4}, "tensor<fp16, [2]>", {3, 7}},
    {"reduce_sum(x = x, axes = [0], keep_dims = true)", "[2, 2]", {1, 2, 3, 4}, "tensor<fp16, [1, 2]>", {4, 6}},
    {"reduce_mean(x = x)", "[2, 2]", {1, 2, 3, 4}, "tensor<fp16, []>", {2.5}},
    {"reduce_max(x = x)", "[2, 2]", {1, 2, 3, 4}, "fp16", {4}},
    {"reduce_min(x = x)", "[2, 2]", {1, 2, 3, 4}, "fp16", {1}},
    {"reduce_sum_square(x = x)", "[2]", {3, 4}, "fp16", {25}},
    {"reduce_l1_norm(x = x)", "[2]", {3, -4}, "fp16", {7}},
    {"reduce_l2_norm(x = x)", "[2]", {3, -4}, "fp16", {5}},
    {"reduce_log_sum(x = x)", "[2]", {3, 4}, "fp16", {std::log(7.0)}, 1e-3},
    {"reduce_log_sum_exp(x = x)", "[2]", {0, 0}, "fp16", {std::log(2.0)}, 1e-3},
    {"reduce_argmax(x = x)", "[2, 3]", {1, 5, 5, 9, 2, 3}, "tensor<int32, [2]>", {1, 0}},
    {"reduce_argmin(x = x, axis = int32(0), keep_dims = bool(true))", "[2, 2]", {1, 5, 0, 9}, "tensor<int32, [1, 2]>", {1, 0}},
    {"reduce_argmax(x = x, axis = tensor<int32, [1]>([1]))", "[1, 3]", {1, 5, 4}, "tensor<int32, [1]>", {1}},
    {"cumsum(x = x)", "[2, 2]", {1, 2, 3, 4}, "tensor<fp16, [2, 2]>", {1, 2, 4, 6}},
    {"cumsum(x = x, axis = 1, exclusive = true, reverse = true)", "[1, 3]", {1, 2, 3}, "tensor<fp16, [1, 3]>", {5, 3, 0}},
    {"argsort(x = x)", "[3]", {1, 3, 2}, "tensor<int32, [3]>", {1, 2, 0}},
    // Volumes.
    {"conv(x = x, weight = tensor<fp16, [1, 1, 2, 1, 1]>([[[[[10]], [[1]]]]]))", "[1, 1, 3, 1, 1]", {1, 2, 3}, "tensor<fp16, [1, 1, 2, 1, 1]>", {12, 23}},
    {"conv(x = x, weight = tensor<fp16, [1, 1, 3, 1, 1]>([[[[[1]], [[1]], [[1]]]]]), bias = tensor<fp16, [1]>([5]), strides = [2, 1, 1], pad_type = \"same\")", "[1, 1, 3, 1, 1]", {1, 2, 3}, "tensor<fp16, [1, 1, 2, 1, 1]>", {8, 10}},
    {"max_pool(x = x, kernel_sizes = [2, 1, 2], pad_type = \"custom\", pad = [1, 0, 0, 0, 0, 0])", "[1, 1, 2, 1, 3]", {1, 5, 2, 4, 3, 9}, "tensor<fp16, [1, 1, 2, 1, 2]>", {5, 5, 5, 9}},
    {"avg_pool(x = x, kernel_sizes = [2, 1, 1], pad_type = \"custom\", pad = [1, 0, 0, 0, 0, 0])", "[1, 1, 2, 1, 1]", {4, 8}, "tensor<fp16, [1, 1, 2, 1, 1]>", {2, 6}},
    {"avg_pool(x = x, kernel_sizes = [2, 1, 1], pad_type = \"custom\", pad = [1, 0, 0, 0, 0, 0], exclude_padding_from_average = true)", "[1, 1, 2, 1, 1]", {4, 8}, "tensor<fp16, [1, 1, 2, 1, 1]>", {4, 6}},
    // Norms.
    {"softmax(x = x)", "[2, 2]", {0, 0, 1, 1}, "tensor<fp16, [2, 2]>", {0.5, 0.5, 0.5, 0.5}},
    {"softmax(x = x, axis = 0)", "[2, 1]", {0, std::log(3.0)}, "tensor<fp16, [2, 1]>", {0.25, 0.75}, 2e-3},
    {"batch_norm(x = x, mean = tensor<fp16, [2]>([1, 2]), variance = tensor<fp16, [2]>([4, 1]))", "[1, 2, 1]", {3, 3}, "tensor<fp16, [1, 2, 1]>", {1, 1}, 1e-3},
    {"batch_norm(x = x, mean = tensor<fp16, [1]>([1]), variance = tensor<fp16, [1]>([3]), gamma = tensor<fp16, [1]>([4]), beta = tensor<fp16, [1]>([5]), epsilon = fp16(1))", "[1, 1, 1]", {3}, "tensor<fp16, [1, 1, 1]>", {9}, 1e-3},
    {"instance_norm(x = x)", "[1, 1, 1, 2]", {1, 3}, "tensor<fp16, [1, 1, 1, 2]>", {-1, 1}, 1e-3},
    {"layer_norm(x = x)", "[2, 2]", {1, 1, 3, 3}, "tensor<fp16, [2, 2]>", {-1, -1, 1, 1}, 1e-3},
    {"layer_norm(x = x, axes = [-1], gamma = tensor<fp16, [2]>([2, 2]), beta = tensor<fp16, [2]>([1, 1]))", "[1, 2]", {1, 3}, "tensor<fp16, [1, 2]>", {-1, 3}, 1e-3},
    {"layer_norm(x = x, axes = [1, 2])", "[1, 2, 1, 2]", {1, 2, 3, 4}, "tensor<fp16, [1, 2, 1, 2]>", {-1, -1, 1, 1}, 1e-2},
    {"l2_norm(x = x)", "[1, 1, 2]", {3, 4}, "tensor<fp16, [1, 1, 2]>", {0.6, 0.8}, 1e-3},
    {"local_response_norm(x = x, size = 1, alpha = fp16(1), beta = fp16(1))", "[1, 2, 1, 1]", {1, 2}, "tensor<fp16, [1, 2, 1, 1]>", {0.5, 0.4}, 1e-3},
    // Shapes and moves.
    {"reshape(x = x, shape = [2, -1])", "[4]", {1, 2, 3, 4}, "tensor<fp16, [2, 2]>", {1, 2, 3, 4}},
    {"transpose(x = x, perm = [-1, 0])", "[2, 2]", {1, 2, 3, 4}, "tensor<fp16, [2, 2]>", {1, 3, 2, 4}},
    {"squeeze(x = x)", "[1, 2, 1]", {1, 2}, "tensor<fp16, [2]>", {1, 2}},
    {"squeeze(x = x, axes = [-1])", "[1, 2, 1]", {1, 2}, "tensor<fp16, [1, 2]>", {1, 2}},
    {"expand_dims(x = x, axes = [0, -1])", "[2]", {1, 2}, "tensor<fp16, [1, 2, 1]>", {1, 2}},
    {"flatten2d(x = x)", "[2, 1, 2]", {1, 2, 3, 4}, "tensor<fp16, [2, 2]>", {1, 2, 3, 4}},
    {"concat(values = (x, x), axis = -1)", "[2, 1]", {1, 2}, "tensor<fp16, [2, 2]>", {1, 1, 2, 2}},
    {"concat(values = (x, x), axis = 0, interleave = true)", "[2]", {1, 2}, "tensor<fp16, [4]>", {1, 1, 2, 2}},
    {"stack(values = (x, x), axis = 0)", "[2]", {1, 2}, "tensor<fp16, [2, 2]>", {1, 2, 1, 2}},
    {"stack(values = (x, x), axis = -1)", "[2]", {1, 2}, "tensor<fp16, [2, 2]>", {1, 1, 2, 2}},
    {"tile(x = x, reps = [2])", "[2]", {1, 2}, "tensor<fp16, [4]>", {1, 2, 1, 2}},
    {"reverse(x = x)", "[2, 2]", {1, 2, 3, 4}, "tensor<fp16, [2, 2]>", {4, 3, 2, 1}},
    {"reverse(x = x, axes = [1])", "[2, 2]", {1, 2, 3, 4}, "tensor<fp16, [2, 2]>", {2, 1, 4, 3}},
    {"identity(x = x)", "[2]", {1, 2}, "tensor<fp16, [2]>", {1, 2}},
    {"slice_by_index(x = x, begin = [1], end = [3])", "[4]", {1, 2, 3, 4}, "tensor<fp16, [2]>", {2, 3}},
    {"slice_by_index(x = x, begin = [-3], end = [-1])", "[4]", {1, 2, 3, 4}, "tensor<fp16, [2]>", {2, 3}},
    {"slice_by_index(x = x, begin = [0], end = [0], stride = [2], end_mask = [true])", "[4]", {1, 2, 3, 4}, "tensor<fp16, [2]>", {1, 3}},
    {"slice_by_index(x = x, begin = [3], end = [0], stride = [-2])", "[4]", {1, 2, 3, 4}, "tensor<fp16, [2]>", {4, 2}},
    {"slice_by_index(x = x, begin = [0], end = [0], stride = [-1], begin_mask = [true], end_mask = [true])", "[3]", {1, 2, 3}, "tensor<fp16, [3]>", {3, 2, 1}},
    {"slice_by_index(x = x, begin = [1, 0], end = [2, 9], squeeze_mask = [true, false])", "[2, 2]", {1, 2, 3, 4}, "tensor<fp16, [2]>", {3, 4}},
    {"slice_by_size(x = x, begin = [1], size = [-1])", "[4]", {1, 2, 3, 4}, "tensor<fp16, [3]>", {2, 3, 4}},
    {"slice_update(x = x, update = fp16_two, begin = [1], end = [3])", "[4]", {1, 2, 3, 4}, "tensor<fp16, [4]>", {1, 8, 9, 4}},
    {"crop(x = x, crop_height = [0, 1], crop_width = [1, 0])", "[1, 1, 2, 2]", {1, 2, 3, 4}, "tensor<fp16, [1, 1, 1, 1]>", {2}},
    {"gather(x = x, indices = tensor<int32, [3]>([2, 0, 2]))", "[3]", {5, 6, 7}, "tensor<fp16, [3]>", {7, 5, 7}},
    {"gather(x = x, indices = int32(1), axis = 1)", "[2, 2]", {1, 2, 3, 4}, "tensor<fp16, [2]>", {2, 4}},
    {"gather_along_axis(x = x, indices = tensor<int32, [1, 2]>([[1, 0]]))", "[2, 2]", {1, 2, 3, 4}, "tensor<fp16, [1, 2]>", {3, 2}},
    {"gather_nd(x = x, indices = tensor<uint16, [1, 2]>([[1, 0]]))", "[2, 2]", {1, 2, 3, 4}, "tensor<fp16, [1]>", {3}},
    {"pad(x = x, pad = [1, 2])", "[1, 1, 1, 1]", {5}, "tensor<fp16, [1, 1, 1, 4]>", {0, 5, 0, 0}},
    {"pad(x = x, pad = [0, 1], mode = \"constant\", constant_val = fp16(9))", "[1, 1, 1, 1]", {5}, "tensor<fp16, [1, 1, 1, 2]>", {5, 9}},
    {"pad(x = x, pad = [1, 1], mode = \"reflect\")", "[1, 1, 1, 3]", {1, 2, 3}, "tensor<fp16, [1, 1, 1, 5]>", {2, 1, 2, 3, 2}},
    {"log_softmax(x = x, axis = 0)", "[2, 1]", {0, std::log(3.0)}, "tensor<fp16, [2, 1]>", {std::log(0.25), std::log(0.75)}, 2e-3},
    {"pad(x = x, pad = [0, 0, 0, 1], mode = \"symmetric\")", "[1, 2]", {1, 2}, "tensor<fp16, [1, 3]>", {1, 2, 2}},
    {"pad(x = x, pad = [1, 0, 0, 2], mode = \"replicate\")", "[2, 2]", {1, 2, 3, 4}, "tensor<fp16, [3, 4]>", {1, 2, 2, 2, 1, 2, 2, 2, 3, 4, 4, 4}},
    {"pixel_shuffle(x = x, upscale_factor = 2)", "[1, 4, 1, 1]", {1, 2, 3, 4}, "tensor<fp16, [1, 1, 2, 2]>", {1, 2, 3, 4}},
    {"pixel_unshuffle(x = x, downscale_factor = uint32(2))", "[1, 1, 2, 2]", {1, 2, 3, 4}, "tensor<fp16, [1, 4, 1, 1]>", {1, 2, 3, 4}},
    // TensorFlow's order: the channel runs fastest within a pixel of the block.
    {"depth_to_space(x = x, block_size = 2)", "[1, 8, 1, 1]", {1, 2, 3, 4, 5, 6, 7, 8}, "tensor<fp16, [1, 2, 2, 2]>", {1, 3, 5, 7, 2, 4, 6, 8}},
    {"space_to_depth(x = x, block_size = 2)", "[1, 2, 2, 2]", {1, 3, 5, 7, 2, 4, 6, 8}, "tensor<fp16, [1, 8, 1, 1]>", {1, 2, 3, 4, 5, 6, 7, 8}},
    // Two images: the pixels of the block are outermost in the batch.
    {"space_to_batch(x = x, block_shape = [1, 2], paddings = [[0, 0], [0, 0]])", "[2, 1, 1, 2]", {1, 2, 3, 4}, "tensor<fp16, [4, 1, 1, 1]>", {1, 3, 2, 4}},
    {"space_to_batch(x = x, block_shape = [1, 2], paddings = [[0, 0], [0, 1]])", "[1, 1, 1, 1]", {5}, "tensor<fp16, [2, 1, 1, 1]>", {5, 0}},
    {"batch_to_space(x = x, block_shape = [1, 2], crops = [[0, 0], [0, 0]])", "[4, 1, 1, 1]", {1, 3, 2, 4}, "tensor<fp16, [2, 1, 1, 2]>", {1, 2, 3, 4}},
    {"batch_to_space(x = x, block_shape = [1, 2], crops = [[0, 0], [0, 1]])", "[4, 1, 1, 1]", {1, 3, 2, 4}, "tensor<fp16, [2, 1, 1, 1]>", {1, 3}},
    {"einsum(values = (x, tensor<fp16, [2, 1]>([1, 10])), equation = \"ij,jk->ik\")", "[2, 2]", {1, 2, 3, 4}, "tensor<fp16, [2, 1]>", {21, 43}},
    {"one_hot(indices = x, one_hot_vector_size = 3)", "[2]", {2, 0}, "tensor<int32, [2, 3]>", {0, 0, 1, 1, 0, 0}},
    {"fill_like(ref_tensor = x, value = fp16(3))", "[2]", {0, 0}, "tensor<fp16, [2]>", {3, 3}},
    // Products and windows.
    {"matmul(x = x, y = tensor<fp16, [2]>([1, 10]))", "[2]", {3, 4}, "fp16", {43}},
    {"matmul(x = x, y = tensor<fp16, [2]>([1, 10]))", "[2, 2]", {1, 2, 3, 4}, "tensor<fp16, [2]>", {21, 43}},
    {"matmul(x = x, y = tensor<fp16, [2, 1]>([1, 10]), transpose_x = true)", "[2, 2]", {1, 2, 3, 4}, "tensor<fp16, [2, 1]>", {31, 42}},
    {"matmul(x = x, y = tensor<fp16, [1, 2]>([1, 10]), transpose_y = bool(true))", "[2, 2]", {1, 2, 3, 4}, "tensor<fp16, [2, 1]>", {21, 43}},
    {"linear(x = x, weight = tensor<fp16, [1, 2]>([1, 10]))", "[2, 2]", {1, 2, 3, 4}, "tensor<fp16, [2, 1]>", {21, 43}},
    {"linear(x = x, weight = tensor<fp16, [1, 2]>([1, 10]), bias = tensor<fp16, [1]>([5]))", "[2]", {1, 2}, "tensor<fp16, [1]>", {26}},
    {"conv(x = x, weight = tensor<fp16, [1, 1, 2, 2]>([1, 10, 100, 1000]))", "[1, 1, 2, 2]", {1, 2, 3, 1}, "tensor<fp16, [1, 1, 1, 1]>", {1321}},
    {"conv(x = x, weight = tensor<fp16, [1, 1, 1, 2]>([1, 10]), pad_type = string(\"same\"))", "[1, 1, 1, 3]", {1, 2, 3}, "tensor<fp16, [1, 1, 1, 3]>", {21, 32, 3}},
    {"conv(x = x, weight = tensor<fp16, [1, 1, 1, 2]>([1, 10]), pad_type = string(\"same_lower\"))", "[1, 1, 1, 3]", {1, 2, 3}, "tensor<fp16, [1, 1, 1, 3]>", {10, 21, 32}},
    {"conv(x = x, weight = tensor<fp16, [1, 1, 1, 2]>([1, 10]), pad_type = string(\"custom\"), pad = [0, 0, 1, 0], strides = [1, 2], dilations = [1, 1], groups = 1)", "[1, 1, 1, 3]", {1, 2, 3}, "tensor<fp16, [1, 1, 1, 2]>", {10, 32}},
    {"conv(x = x, weight = tensor<fp16, [1, 1, 2]>([1, 10]), bias = tensor<fp16, [1]>([0.5]))", "[1, 1, 3]", {1, 2, 3}, "tensor<fp16, [1, 1, 2]>", {21.5, 32.5}},
    {"conv(x = x, weight = tensor<fp16, [1, 1, 2]>([1, 10]), pad_type = \"custom\", pad = [1, 0], strides = [2], dilations = [2])", "[1, 1, 4]", {1, 2, 3, 4}, "tensor<fp16, [1, 1, 2]>", {20, 42}},
    {"conv_transpose(x = x, weight = tensor<fp16, [1, 1, 1, 2]>([1, 10]), strides = [1, 2])", "[1, 1, 1, 2]", {1, 2}, "tensor<fp16, [1, 1, 1, 4]>", {1, 10, 2, 20}},
    {"conv_transpose(x = x, weight = tensor<fp16, [1, 1, 1, 3]>([1, 10, 100]), pad_type = \"same\", strides = [1, 2])", "[1, 1, 1, 2]", {1, 2}, "tensor<fp16, [1, 1, 1, 4]>", {1, 10, 102, 20}},
    {"conv_transpose(x = x, weight = tensor<fp16, [1, 1, 1, 1]>([3]), pad_type = \"same\", strides = [1, 2])", "[1, 1, 1, 2]", {1, 2}, "tensor<fp16, [1, 1, 1, 4]>", {3, 0, 6, 0}},
    {"conv_transpose(x = x, weight = tensor<fp16, [1, 1, 2]>([1, 10]), pad_type = \"same\", strides = [2], output_shape = [4])", "[1, 1, 2]", {1, 2}, "tensor<fp16, [1, 1, 4]>", {1, 10, 2, 20}},
    {"max_pool(x = x, kernel_sizes = [1, 2], pad_type = \"valid\")", "[1, 1, 1, 3]", {1, 3, 2}, "tensor<fp16, [1, 1, 1, 2]>", {3, 3}},
    {"max_pool(x = x, kernel_sizes = [2], strides = [2], pad_type = \"valid\", ceil_mode = true)", "[1, 1, 3]", {1, 3, 2}, "tensor<fp16, [1, 1, 2]>", {3, 2}},
    {"avg_pool(x = x, kernel_sizes = [1, 2], strides = [1, 2], pad_type = \"same\")", "[1, 1, 1, 3]", {1, 3, 2}, "tensor<fp16, [1, 1, 1, 2]>", {2, 1}},
    {"avg_pool(x = x, kernel_sizes = [1, 2], strides = [1, 2], pad_type = \"same\", exclude_padding_from_average = true)", "[1, 1, 1, 3]", {1, 3, 2}, "tensor<fp16, [1, 1, 1, 2]>", {2, 2}},
    {"l2_pool(x = x, kernel_sizes = [1, 2], pad_type = \"valid\")", "[1, 1, 1, 2]", {3, 4}, "tensor<fp16, [1, 1, 1, 1]>", {5}},
    // Images.
    {"upsample_nearest_neighbor(x = x, scale_factor_width = fp32(1.5))", "[1, 1, 1, 4]", {1, 2, 3, 4}, "tensor<fp16, [1, 1, 1, 6]>", {1, 1, 2, 3, 3, 4}},
    {"upsample_nearest_neighbor(x = x, scale_factor_width = fp32(2))", "[1, 1, 1, 2]", {1, 2}, "tensor<fp16, [1, 1, 1, 4]>", {1, 1, 2, 2}},
    {"upsample_bilinear(x = x, scale_factor_width = 2)", "[1, 1, 1, 2]", {1, 4}, "tensor<fp16, [1, 1, 1, 4]>", {1, 2, 3, 4}, 1e-3},
    {"upsample_bilinear(x = x, scale_factor_width = 2, align_corners = false)", "[1, 1, 1, 2]", {1, 5}, "tensor<fp16, [1, 1, 1, 4]>", {1, 2, 4, 5}, 1e-3},
    {"resize_nearest_neighbor(x = x, target_size_height = 1, target_size_width = 4)", "[1, 1, 1, 2]", {1, 2}, "tensor<fp16, [1, 1, 1, 4]>", {1, 1, 2, 2}},
    {"resize_bilinear(x = x, target_size_height = 1, target_size_width = 4)", "[1, 1, 1, 2]", {1, 5}, "tensor<fp16, [1, 1, 1, 4]>", {1, 3, 5, 5}, 1e-3},
    {"resize_bilinear(x = x, target_size_height = 1, target_size_width = 3, sampling_mode = \"ALIGN_CORNERS\")", "[1, 1, 2]", {1, 5}, "tensor<fp16, [1, 1, 3]>", {1, 3, 5}, 1e-3},
    {"resize(x = x, shape = [1, 4], resized_dims = uint32(2), sampling_mode = \"UNALIGN_CORNERS\")", "[1, 1, 1, 2]", {1, 5}, "tensor<fp16, [1, 1, 1, 4]>", {1, 2, 4, 5}, 1e-3},
    {"resample(x = x, coordinates = tensor<fp16, [1, 1, 2, 2]>([[1, 0], [0.5, 0]]), sampling_mode = \"bilinear\", padding_mode = \"constant\", padding_value = fp16(0), coordinates_mode = \"unnormalized\", align_corners = false)", "[1, 1, 1, 2]", {1, 5}, "tensor<fp16, [1, 1, 1, 2]>", {5, 3}},
    {"resample(x = x, coordinates = tensor<fp16, [1, 1, 2, 2]>([[1, 0], [-1, 0]]), sampling_mode = \"bilinear\", padding_mode = \"border\", padding_value = fp16(0), coordinates_mode = \"normalized_minus_one_to_one\", align_corners = true)", "[1, 1, 1, 2]", {1, 5}, "tensor<fp16, [1, 1, 1, 2]>", {5, 1}},
    {"affine(x = x, transform_matrix = tensor<fp16, [1, 6]>([-1, 0, 0, 0, 1, 0]), output_height = 1, output_width = 2, sampling_mode = \"bilinear\", padding_mode = \"constant\", padding_value = fp16(0), coordinates_mode = \"normalized_minus_one_to_one\", align_corners = true)", "[1, 1, 1, 2]", {1, 5}, "tensor<fp16, [1, 1, 1, 2]>", {5, 1}, 1e-3},
    // Integers and attention.
    {"dequantize(input = tensor<int8, [2]>([-3, 5]), scale = fp16(0.5), zero_point = int8(1))", "[1]", {0}, "tensor<fp16, [2]>", {-2, 2}},
    {"scaled_dot_product_attention(query = x, key = x, value = x)", "[1, 1, 2]", {3, 4}, "tensor<fp16, [1, 1, 2]>", {3, 4}},
    {"scaled_dot_product_attention(query = x, key = tensor<fp16, [1, 2, 1]>([1, 2]), value = tensor<fp16, [1, 2, 1]>([5, 7]), attn_mask = tensor<bool, [1, 2]>([false, true]))", "[1, 1, 1]", {1}, "tensor<fp16, [1, 1, 1]>", {7}},
};
// clang-format on

} // namespace

TEST_CASE("each operation computes what its definition says, with its defaults") {
    for (const operation_case& c : cases) {
        INFO(std::string(c.statement));
        const std::string body =
            std::string("tensor<fp16, [2]> fp16_two = const()[val = tensor<fp16, [2]>([8, 9])];\n") + c.y +
            " y = " + c.statement + "[name = string(\"y\")];";
        try {
            const auto model = read(program_of(std::string("tensor<fp16, ") + c.x + "> x", body));
            const numbers given = model.graph.view().find(ane::op::input, "x") < 0 ? numbers() : c.values;
            const auto results = run(model, given.empty() ? std::vector<numbers>{} : std::vector<numbers>{given});
            REQUIRE(results.size() == 1);
            REQUIRE(results[0].size() == c.expected.size());
            for (std::size_t i = 0; i < c.expected.size(); ++i) {
                CAPTURE(i);
                CHECK(std::abs(results[0][i] - c.expected[i]) <= c.tolerance * std::max(1.0, std::abs(c.expected[i])));
            }
        } catch (const ane::error& wrong) {
            FAIL_CHECK(std::string(wrong.what()));
        }
    }
}

TEST_CASE("statements with several results name each of them") {
    const auto parts =
        run(read(program_of("tensor<fp16, [3]> x",
                            "tensor<fp16, [1]> a, tensor<fp16, [2]> b = split(x = x, split_sizes = [1, 2], axis = 0);",
                            "b, a")),
            {{1, 2, 3}});
    CHECK(parts == std::vector<numbers>{{2, 3}, {1}});
    const auto equal =
        run(read(program_of("tensor<fp16, [4]> x",
                            "(tensor<fp16, [2]> a, tensor<fp16, [2]> b) = split(x = x, num_splits = 2, axis = -1);",
                            "a, b")),
            {{1, 2, 3, 4}});
    CHECK(equal == std::vector<numbers>{{1, 2}, {3, 4}});
    const auto top = run(read(program_of("tensor<fp16, [4]> x",
                                         "tensor<fp16, [2]> v, tensor<int32, [2]> i = topk(x = x, k = 2);", "v, i")),
                         {{1, 9, 3, 4}});
    CHECK(top == std::vector<numbers>{{9, 4}, {1, 3}});
}

TEST_CASE("bytes are quantised and read back") {
    const auto y = run(
        read(program_of(
            "tensor<fp16, [3]> x",
            "tensor<int8, [3]> q = quantize(input = x, scale = fp16(0.5), zero_point = int8(1), output_dtype = \"int8\");\n"
            "tensor<fp16, [3]> y = dequantize(input = q, scale = fp16(0.5), zero_point = int8(1));")),
        {{1, -2.25, 100}});
    CHECK(y == std::vector<numbers>{{1, -2, 63}}); // -4.5 goes to the even -4; 201 is cut off at 127
}

TEST_CASE("shapes, axes and indices that a file computes are known while reading") {
    const auto model = read(program_of("tensor<fp16, [2, 6]> x",
                                       "tensor<int32, [2]> s = shape(x = x);\n"
                                       "int32 rows = gather(x = s, indices = int32(0), axis = 0);\n"
                                       "tensor<int32, [1]> last = slice_by_index(x = s, begin = [1], end = [2]);\n"
                                       "int32 six = squeeze(x = last, axes = [0]);\n"
                                       "int32 three = floor_div(x = six, y = int32(2));\n"
                                       "int32 four = mul(x = rows, y = rows);\n"
                                       "tensor<int32, [2]> shape = stack(values = (four, three), axis = 0);\n"
                                       "tensor<fp32, [2]> cast_up = cast(x = shape, dtype = \"fp32\");\n"
                                       "tensor<int32, [2]> same = cast(x = cast_up, dtype = \"int32\");\n"
                                       "int32 minus = sub(x = int32(1), y = rows);\n"
                                       "tensor<fp16, [4, 3]> r = reshape(x = x, shape = same);\n"
                                       "tensor<fp16, [4]> y = reduce_sum(x = r, axes = minus);"));
    CHECK(run(model, {{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}}) == std::vector<numbers>{{6, 15, 24, 33}});
}
