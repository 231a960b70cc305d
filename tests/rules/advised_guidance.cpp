// Advice of the vendor, and of what single programs met on the device.

#include "advised.hpp"

namespace advised {

namespace {

/// x times its own codes of a scale, quantized by 2^-6.
dynamic_graph product_of_codes(double scale, bool clamps) {
    return built([&](dynamic_builder& b) {
        const quantization bytes{.type = dtype::int8};
        const tensor x = b.input("x", {8}, bounded(1));
        const tensor own = b.constant({1}, scale);
        const tensor other = b.constant({1}, 0x1p-6);
        const tensor codes = b.add(op::quantize, {x, own}, bytes);
        tensor y = b.add(op::mul, {x, b.add(op::dequantize, {codes, own}, bytes)});
        y = clamps ? b.add(op::clamp, {y}, clip_range{-2, 127 * 0x1p-6F}) : y;
        return b.add(op::dequantize, {b.add(op::quantize, {y, other}, bytes), other}, bytes);
    });
}

/// A convolution by one pixel whose weight is an input.
dynamic_graph weighted_by_an_input(bool as_product) {
    return built([&](dynamic_builder& b) {
        const tensor x = b.input("x", {1, 8, 4, 4}, bounded(1));
        const tensor w = b.input("w", {8, 8, 1, 1}, bounded(1));
        if (!as_product) {
            return b.add(op::conv2d, {x, w}, conv{});
        }
        const tensor y = b.add(op::matmul, {b.reshape(w, {8, 8}), b.reshape(x, {8, 16})}, transposed{});
        return b.reshape(y, {1, 8, 4, 4});
    });
}

enum class batch : std::uint8_t { repeated, whole, folded };
dynamic_graph multiplied(batch how) {
    return built([&](dynamic_builder& b) {
        tensor one = b.add(op::relu, {b.input("x", {1, 4, 4, 8}, bounded(1))});
        tensor many = b.input("z", {2, 4, 4, 8}, bounded(1));
        if (how == batch::whole) {
            one = joined(b, {one, one}, 0);
        } else if (how == batch::folded) {
            one = b.reshape(one, {1, 1, 16, 8});
            many = b.reshape(many, {1, 2, 16, 8});
        }
        return b.reshape(b.add(op::relu, {b.add(op::mul, {one, many})}), {2, 4, 4, 8});
    });
}

/// A layer over 32 places of a sequence.
dynamic_graph projected(bool as_convolution) {
    return built([&](dynamic_builder& b) {
        const tensor x = b.input("x", {1, 32, 64}, bounded(1));
        const tensor w = b.weight("w", {16, 64});
        if (!as_convolution) {
            return b.add(op::linear, {x, w});
        }
        const tensor channels = turned(b, b.reshape(x, {1, 32, 1, 64}), 0, 3, 2, 1);
        const tensor y = b.add(op::conv2d, {channels, b.reshape(w, {16, 64, 1, 1})}, conv{});
        return b.reshape(turned(b, y, 0, 3, 2, 1), {1, 32, 16});
    });
}

dynamic_graph normed_by_squares(bool as_norm) {
    return built([&](dynamic_builder& b) {
        const tensor x = b.input("x", {4, 8}, bounded(1));
        const tensor gamma = b.weight("gamma", {8});
        const stabilizer small{.epsilon = 1e-3F};
        if (as_norm) {
            return b.add(op::rms_norm, {x, gamma}, small);
        }
        const tensor squares = b.add(op::reduce_mean, {b.add(op::square, {x})}, axes{1});
        return b.add(op::mul, {b.add(op::mul, {x, b.add(op::rsqrt, {squares}, small)}), gamma});
    });
}

/// softmax(keys x queries) over the keys as channels: [1, keys, 1, queries] of one head, [1, 1, length, size] each.
tensor weights_by_channels(dynamic_builder& b, const tensor& q, const tensor& k) {
    const tensor scores = times(b, b.add(op::matmul, {k, q}, transposed{.b = true}), 0.25);
    const extents& s = scores.shape();
    return b.add(op::softmax, {b.reshape(scores, {1, s[2], 1, s[3]})}, axis{1});
}
/// What one head gives, [1, size, 1, queries].
tensor head_by_channels(dynamic_builder& b, const tensor& q, const tensor& k, const tensor& v) {
    const tensor p = weights_by_channels(b, q, k);
    const extents& s = p.shape();
    const tensor y = b.add(op::matmul, {v, b.reshape(p, {1, 1, s[1], s[3]})}, transposed{.a = true});
    return b.reshape(y, {1, y.shape()[2], 1, y.shape()[3]});
}

dynamic_graph weights_of_keys(bool by_channels) {
    return built([&](dynamic_builder& b) {
        const tensor q = b.input("q", {1, 1, 8, 16}, bounded(1));
        const tensor k = b.input("k", {1, 1, 12, 16}, bounded(1));
        if (by_channels) {
            return turned(b, weights_by_channels(b, q, k), 0, 2, 3, 1);
        }
        const tensor scores = times(b, b.add(op::matmul, {q, k}, transposed{.b = true}), 0.25);
        return b.add(op::softmax, {scores}, axis{3});
    });
}

dynamic_graph attended_by_heads(bool one_by_one) {
    return built([&](dynamic_builder& b) {
        const extents heads{1, 2, 8, 16};
        const tensor q = b.input("q", heads, bounded(1));
        const tensor k = b.input("k", heads, bounded(1));
        const tensor v = b.input("v", heads, bounded(1));
        if (!one_by_one) {
            return b.add(op::attention, {q, k, v}, score_scaling{0.25F});
        }
        std::vector<tensor> each;
        for (const int head : {0, 1}) {
            each.push_back(head_by_channels(b, cut(b, q, 1, head, 1), cut(b, k, 1, head, 1), cut(b, v, 1, head, 1)));
        }
        return turned(b, b.reshape(joined(b, each, 1), {1, 2, 16, 8}), 0, 1, 3, 2);
    });
}

dynamic_graph attended_by_chunks(bool cuts) {
    return built([&](dynamic_builder& b) {
        const extents prompt{1, 1, 128, 16};
        const tensor q = b.input("q", prompt, bounded(1));
        const tensor k = b.input("k", prompt, bounded(1));
        const tensor v = b.input("v", prompt, bounded(1));
        const auto attend = [&](const tensor& some) {
            return b.add(op::attention, {some, k, v}, score_scaling{0.25F});
        };
        return cuts ? joined(b, {attend(cut(b, q, 2, 0, 64)), attend(cut(b, q, 2, 64, 64))}, 2) : attend(q);
    });
}

/// Keys of 32 places and a new one: the program drops the first from its state, or the host does.
dynamic_graph cached_keys(bool by_host) {
    return built_by([&](dynamic_builder& b) {
        const tensor fresh = b.add(op::relu, {b.input("x", {1, 8, 1, 1})});
        const tensor cache = b.input("cache", {1, 8, 1, 32});
        const tensor all = joined(b, {cut(b, cache, 3, 1, 31), fresh}, 3);
        b.output("y", b.add(op::reduce_max, {all}, axes{3}));
        if (by_host) {
            b.output("key", fresh);
        } else {
            b.keep(cache, all);
        }
    });
}

dynamic_graph rotated(bool gathers) {
    return built([&](dynamic_builder& b) {
        const tensor x = b.input("x", {1, 8, 1, 32});
        if (!gathers) {
            return b.add(op::mul, {x, b.input("rotary", {1, 8, 1, 32})});
        }
        const tensor rows = b.add(op::gather, {b.weight("table", {64, 8}), b.input("place", {32})}, axis{0});
        return b.add(op::mul, {x, turned(b, b.reshape(rows, {1, 32, 1, 8}), 0, 3, 2, 1)});
    });
}

dynamic_graph pooled(const std::vector<int>& strides) {
    return built([&](dynamic_builder& b) {
        tensor x = b.input("x", {1, 8, 16, 16});
        for (const int stride : strides) {
            x = b.add(op::max_pool, {x}, pool{.kernel = stride, .stride = stride});
        }
        return x;
    });
}

/// A function of the transpose, or of the tensor itself.
dynamic_graph of_the_transpose(bool turns) {
    return built([&](dynamic_builder& b) {
        const tensor x = b.input("x", {1, 4, 8});
        return turns ? turned(b, b.add(op::relu, {turned(b, x, 0, 2, 1)}), 0, 2, 1) : b.add(op::relu, {x});
    });
}

} // namespace

std::vector<pair_of_models> advised_guidance() {
    const policy asked = of_vendor();
    const dynamic_graph tiled = built([](dynamic_builder& b) {
        return b.add(op::tile, {b.input("x", {1, 4, 4, 8})}, repeats{1, 2, 1, 1});
    });
    const dynamic_graph copied = built([](dynamic_builder& b) {
        const tensor x = b.input("x", {1, 4, 4, 8});
        return joined(b, {x, x}, 1);
    });
    const dynamic_graph constant_weight =
        one_node::make(op::conv2d, conv{}, {one_node::in({1, 8, 4, 4}), one_node::weight({8, 8, 1, 1})});
    return {
        // Values up to one, by codes of 2^-6: a code more or less, and half a code of the coarser operand.
        {rule::product_takes_another_scale, "clamp the product", h17s, product_of_codes(0x1p-7, false),
         product_of_codes(0x1p-7, true), 0x1p-6},
        {rule::product_takes_another_scale, "give both the same", h17s, product_of_codes(0x1p-7, false),
         product_of_codes(0x1p-6, false), 0x1p-5},
        {rule::convolution_weight_is_computed, "a constant weight", h15, weighted_by_an_input(false), constant_weight,
         another_model},
        {rule::convolution_weight_is_computed, "a product of matrices", h15, weighted_by_an_input(false),
         weighted_by_an_input(true)},
        {rule::tile_ends_the_process, "join copies", h15, tiled, copied, 0},
        {rule::product_repeats_the_batch, "give both operands", h15, multiplied(batch::repeated),
         multiplied(batch::whole)},
        {rule::product_repeats_the_batch, "fold the batch", h15, multiplied(batch::repeated),
         multiplied(batch::folded)},
        {rule::port_width_is_padded, "put a longer axis", h17s, function_of(op::relu, {32, 3}),
         function_of(op::relu, {3, 32}), another_model, asked},
        {rule::product_is_no_convolution, "a 1x1 convolution", h17s, projected(false), projected(true), 0.01, asked},
        {rule::transpose_moves_the_width, "keep the last axis", h17s, of_the_transpose(true), of_the_transpose(false),
         0, asked},
        {rule::norm_is_written_in_parts, "layer_norm or rms_norm", h17s, normed_by_squares(false),
         normed_by_squares(true), 0.01, asked},
        {rule::softmax_is_not_over_channels, "scores with the keys", h17s, weights_of_keys(false),
         weights_of_keys(true), 0.01, asked},
        {rule::pool_stride_is_not_two_or_four, "strides of 2 and 4", h17s, pooled({8}), pooled({4, 2}), 0, asked},
        {rule::heads_are_attended_together, "a product, a softmax", h17s, attended_by_heads(false),
         attended_by_heads(true), 0.01, asked},
        {rule::cache_is_written_by_the_program, "caches as inputs", h17s, cached_keys(false), cached_keys(true),
         another_model, asked},
        {rule::table_is_gathered_inside, "rotary tables", h17s, rotated(true), rotated(false), another_model, asked},
        {rule::prompt_exceeds_a_chunk, "prompts in chunks", h17s, attended_by_chunks(false), attended_by_chunks(true),
         0.01, asked},
    };
}

} // namespace advised
