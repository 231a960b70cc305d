#pragma once

#include "../ops/einsum_plan.hpp"
#include "mil_reductions.hpp"
#include "mil_table.hpp"

#include <algorithm>

/// Shapes, joins, pads, copies, blocks of pixels, einsum. Only bodies include this header.
namespace ane::readers::inline ANEMONE_WAY {

/// One extent may be -1; 0 takes over the operand's.
ANEMONE_INLINE extents reshaped_extents(mil_call& c, const extents& x) {
    extents shape = c.integers("shape");
    std::int64_t known = 1;
    int open = -1;
    for (int i = 0; i < shape.rank; ++i) {
        shape[i] = shape[i] == 0 && i < x.rank ? x[i] : shape[i];
        if (shape[i] == -1 && open < 0) {
            open = i;
        } else if (shape[i] < 1 || __builtin_mul_overflow(known, shape[i], &known)) {
            c.refuse(formatted("asks for the shape {}", print(shape)));
        }
    }
    if (open >= 0) {
        shape[open] = std::max<std::int64_t>(x.count() / known, 1);
    }
    return shape;
}

ANEMONE_INLINE extents squeezed_extents(mil_call& c, const extents& x) {
    indices gone;
    if (c.has("axes")) {
        gone = axes_of(c, "axes", x.rank);
        return without_axes(x, gone);
    }
    for (int i = 0; i < x.rank; ++i) {
        if (x[i] == 1) {
            gone.append(i);
        }
    }
    return without_axes(x, gone);
}

/// The shape with ones at these axes of the result.
ANEMONE_INLINE extents with_ones(mil_call& c, const extents& x, const indices& at) {
    const int rank = x.rank + at.rank;
    if (rank > extents::capacity) {
        c.refuse(formatted("makes {} axes", rank));
    }
    bool one[extents::capacity]{};
    for (int i = 0; i < at.rank; ++i) {
        const int axis = c.axis_of(at[i], rank);
        if (one[axis]) {
            c.refuse(formatted("names axis {} twice", axis));
        }
        one[axis] = true;
    }
    extents shape;
    for (int i = 0, k = 0; i < rank; ++i) {
        shape.append(one[i] ? 1 : x[k++]);
    }
    return shape;
}
ANEMONE_INLINE extents expanded_extents(mil_call& c, const extents& x) { return with_ones(c, x, c.integers("axes")); }

ANEMONE_INLINE extents flattened_extents(mil_call& c, const extents& x) {
    const std::int64_t given = c.integer("axis", 1);
    const int at = given == x.rank ? x.rank : c.axis_of(given, x.rank);
    std::int64_t rows = 1;
    for (int i = 0; i < at; ++i) {
        rows *= x[i];
    }
    return {rows, rows > 0 ? x.count() / rows : 0};
}

/// The same elements in another shape; those of a known value stay known.
template <extents (*Shape)(mil_call&, const extents&)> std::vector<mil_value> read_view(mil_call& c) {
    mil_value& v = c.value("x");
    if (v.form == value_form::known && !v.stored) {
        const extents shape = Shape(c, v.constant.shape);
        if (shape.count() != v.constant.count()) {
            c.refuse(formatted("makes {} of {}", print(shape), print(v.constant.shape)));
        }
        return c.result(v.constant.reshaped(shape));
    }
    const dynamic_tensor x = c.tensor(v);
    return c.result(c.reshape(x, Shape(c, x.shape())), v.element);
}

ANEMONE_INLINE std::vector<mil_value> read_transpose(mil_call& c) {
    const dynamic_tensor x = c.tensor("x");
    return c.result(c.transpose(x, c.integers("perm")), c.value("x").element);
}

ANEMONE_INLINE dynamic_tensor joined_along(mil_call& c, std::span<const dynamic_tensor> parts, int along) {
    return parts.size() == 1 ? parts[0] : c.add(op::concat, parts, axis{along});
}

/// Interleaved, the elements of an axis come from the operands in turn.
ANEMONE_INLINE std::vector<mil_value> read_concat(mil_call& c) {
    std::vector<dynamic_tensor> parts;
    const std::vector<mil_value*> values = c.values("values");
    if (values.empty()) {
        c.refuse("joins nothing");
    }
    parts.reserve(values.size());
    for (mil_value* const v : values) {
        parts.push_back(c.tensor(*v));
    }
    const element_type element = values[0]->element;
    const extents first = parts[0].shape();
    const int along = c.axis_of(c.integer("axis"), first.rank);
    if (!c.flag("interleave", false)) {
        return c.result(joined_along(c, parts, along), element);
    }
    for (dynamic_tensor& part : parts) {
        if (part.shape() != first) {
            c.refuse(formatted("interleaves {} and {}", print(first), print(part.shape())));
        }
        part = c.reshape(part, with_ones(c, first, {along + 1}));
    }
    extents shape = first;
    shape[along] *= static_cast<std::int64_t>(parts.size());
    return c.result(c.reshape(joined_along(c, parts, along + 1), shape), element);
}

ANEMONE_INLINE std::vector<mil_value> read_stack(mil_call& c) {
    std::vector<dynamic_tensor> parts;
    const std::vector<mil_value*> values = c.values("values");
    if (values.empty()) {
        c.refuse("joins nothing");
    }
    const int rank = c.tensor(*values[0]).shape().rank + 1;
    const int along = c.axis_of(c.integer("axis"), rank);
    for (mil_value* const v : values) {
        const dynamic_tensor x = c.tensor(*v);
        if (x.shape().rank + 1 != rank) {
            c.refuse(formatted("stacks tensors of {} and {} axes", rank - 1, x.shape().rank));
        }
        parts.push_back(c.reshape(x, with_ones(c, x.shape(), {along})));
    }
    return c.result(joined_along(c, parts, along), values[0]->element);
}

/// Equal parts, or parts of given sizes.
ANEMONE_INLINE std::vector<mil_value> read_split(mil_call& c) {
    const dynamic_tensor x = c.tensor("x");
    const int along = c.axis_of(c.integer("axis"), x.shape().rank);
    const std::int64_t extent = x.shape()[along];
    std::vector<std::int64_t> sizes;
    if (c.has("split_sizes")) {
        const known_tensor& given = c.known("split_sizes");
        for (std::int64_t i = 0; i < given.count(); ++i) {
            sizes.push_back(static_cast<std::int64_t>(given.at(i)));
        }
        c.ignore("num_splits");
    } else {
        const std::int64_t parts = c.integer("num_splits");
        if (parts < 1 || extent % parts != 0) {
            c.refuse(formatted("splits {} elements into {} equal parts", extent, parts));
        }
        sizes.assign(static_cast<std::size_t>(parts), extent / parts);
    }
    if (sizes.size() != c.results()) {
        c.refuse(formatted("gives {} parts, the statement names {}", sizes.size(), c.results()));
    }
    std::vector<mil_value> all;
    indices begin;
    begin.rank = x.shape().rank;
    indices size = x.shape();
    for (const std::int64_t part : sizes) {
        size[along] = part;
        all.push_back(c.result(c.slice(x, begin, size), c.value("x").element)[0]);
        begin[along] += part;
    }
    if (begin[along] != extent) {
        c.refuse(formatted("gives parts of {} elements together, the axis has {}", begin[along], extent));
    }
    return all;
}

/// before and after of the last axes.
ANEMONE_INLINE pads pads_of(mil_call& c, std::string_view argument, int rank) {
    const known_tensor& list = c.known(argument);
    const std::int64_t given = list.count() / 2;
    if (list.count() % 2 != 0 || given > rank) {
        c.refuse(formatted("the argument {} has {} numbers, a tensor of {} axes takes at most {}", argument,
                           list.count(), rank, 2 * rank));
    }
    pads p;
    for (int i = 0; i < rank; ++i) {
        const std::int64_t at = i - (rank - given);
        const double before = at < 0 ? 0 : list.at(2 * at);
        const double after = at < 0 ? 0 : list.at(2 * at + 1);
        if (before < 0 || after < 0) {
            c.refuse(formatted("pads axis {} by {} and {}", i, before, after));
        }
        p.before.append(static_cast<std::int64_t>(before));
        p.after.append(static_cast<std::int64_t>(after));
    }
    return p;
}

ANEMONE_INLINE std::vector<mil_value> read_pad(mil_call& c) {
    const dynamic_tensor x = c.tensor("x");
    const pads p = pads_of(c, "pad", x.shape().rank);
    const std::string mode = c.word("mode", "constant");
    if (mode == "constant") {
        const dynamic_tensor border = c.has("constant_val") ? c.reshape(c.tensor("constant_val"), {}) : c.number(0);
        return c.result(c.add(op::pad, {x, border}, p));
    }
    c.ignore("constant_val");
    if (mode == "reflect") {
        return c.result(c.add(op::reflect_pad, {x}, p));
    }
    if (mode == "symmetric") {
        return c.result(c.add(op::symmetric_pad, {x}, p));
    }
    if (mode != "replicate") {
        c.refuse(formatted("mode must be constant, reflect, replicate or symmetric, not {}", mode));
    }
    return c.result(c.add(op::replicate_pad, {x}, p));
}

ANEMONE_INLINE std::vector<mil_value> read_tile(mil_call& c) {
    const dynamic_tensor x = c.tensor("x");
    repeats r;
    r.count = c.integers("reps", x.shape().rank, {});
    return c.result(c.add(op::tile, {x}, r), c.value("x").element);
}

ANEMONE_INLINE std::vector<mil_value> read_reverse(mil_call& c) {
    const dynamic_tensor x = c.tensor("x");
    return c.result(c.add(op::reverse, {x}, as_axes(axes_of(c, "axes", x.shape().rank))), c.value("x").element);
}

ANEMONE_INLINE factors one_factor(mil_call& c, std::string_view argument) {
    return factors(static_cast<int>(std::clamp<std::int64_t>(c.integer(argument), 0, 1 << 20)));
}
template <op Kind> std::vector<mil_value> read_blocks(mil_call& c) {
    const std::string_view argument = Kind == op::pixel_shuffle     ? "upscale_factor"
                                      : Kind == op::pixel_unshuffle ? "downscale_factor"
                                                                    : "block_size";
    return c.result(c.add(Kind, {c.tensor("x")}, one_factor(c, argument)));
}

/// Two numbers of a block, and the batch in Core ML's order: the block's pixels outermost, in the graph innermost.
ANEMONE_INLINE factors block_of(mil_call& c) {
    const indices block = c.integers("block_shape", 2, {});
    for (int i = 0; i < 2; ++i) {
        if (block[i] < 1 || block[i] > 1 << 20) {
            c.refuse(formatted("has a block of {} by {}", block[0], block[1]));
        }
    }
    return {static_cast<int>(block[0]), static_cast<int>(block[1])};
}
ANEMONE_INLINE dynamic_tensor swap_batch(mil_call& c, const dynamic_tensor& x, std::int64_t outer, std::int64_t inner) {
    const extents& s = x.shape();
    if (outer == 1 || inner == 1) {
        return x;
    }
    return c.reshape(c.transpose(c.reshape(x, {outer, inner, s[1], s[2], s[3]}), {1, 0, 2, 3, 4}), s);
}

ANEMONE_INLINE dynamic_tensor image(mil_call& c) {
    const dynamic_tensor x = c.tensor("x");
    if (x.shape().rank != 4) {
        c.refuse(formatted("works on {}, not on an image [N, C, H, W]", print(x.shape())));
    }
    return x;
}

/// So many images, and so many pixels of a block, are moved one by one: in which order the engine takes the blocks of more
/// images is not known, and more branches than 11 into one operation fail (mil-ops section 4).
constexpr std::int64_t most_single_blocks = 8;
constexpr bool are_few(std::int64_t images, std::int64_t pixels) {
    return images > 1 && pixels > 1 && images <= most_single_blocks && pixels <= most_single_blocks;
}

/// Joined along the batch; one alone stays what it is.
ANEMONE_INLINE dynamic_tensor joined(mil_call& c, const std::vector<dynamic_tensor>& parts) {
    return parts.size() == 1 ? parts[0] : c.add(op::concat, parts, axis{0});
}

/// Blocks image by image, in Core ML's order: that of the pixels outermost.
ANEMONE_INLINE dynamic_tensor space_to_batch_of_images(mil_call& c, const dynamic_tensor& x, const factors& block) {
    const std::int64_t images = x.shape()[0];
    std::vector<dynamic_tensor> apart;
    for (std::int64_t n = 0; n < images; ++n) {
        apart.push_back(c.add(op::space_to_batch, {c.along(x, 0, n, 1)}, block));
    }
    std::vector<dynamic_tensor> pixels;
    for (std::int64_t p = 0; p < apart[0].shape()[0]; ++p) {
        std::vector<dynamic_tensor> all;
        all.reserve(apart.size());
        for (const dynamic_tensor& one : apart) {
            all.push_back(c.along(one, 0, p, 1));
        }
        pixels.push_back(joined(c, all));
    }
    return joined(c, pixels);
}
ANEMONE_INLINE dynamic_tensor batch_to_space_of_images(mil_call& c, const dynamic_tensor& x, const factors& block,
                                                       std::int64_t pixels) {
    const std::int64_t images = x.shape()[0] / pixels;
    std::vector<dynamic_tensor> made;
    for (std::int64_t n = 0; n < images; ++n) {
        std::vector<dynamic_tensor> blocks;
        for (std::int64_t p = 0; p < pixels; ++p) {
            blocks.push_back(c.along(x, 0, p * images + n, 1));
        }
        made.push_back(c.add(op::batch_to_space, {joined(c, blocks)}, block));
    }
    return joined(c, made);
}

ANEMONE_INLINE std::vector<mil_value> read_space_to_batch(mil_call& c) {
    dynamic_tensor x = image(c);
    const factors block = block_of(c);
    const pads p = pads_of(c, "paddings", 4);
    const indices none{0, 0, 0, 0};
    const bool padded = p.before != none || p.after != none;
    x = padded ? c.add(op::pad, {x, c.number(0)}, p) : x;
    const std::int64_t batch = x.shape()[0];
    const std::int64_t pixels = std::int64_t{block.by.height} * block.by.width;
    return c.result(are_few(batch, pixels) ? space_to_batch_of_images(c, x, block)
                                           : swap_batch(c, c.add(op::space_to_batch, {x}, block), batch, pixels));
}

ANEMONE_INLINE std::vector<mil_value> read_batch_to_space(mil_call& c) {
    dynamic_tensor x = image(c);
    const factors block = block_of(c);
    const std::int64_t pixels = std::int64_t{block.by.height} * block.by.width;
    if (x.shape()[0] % pixels != 0) {
        c.refuse(formatted("makes blocks of {} pixels of a batch of {}", pixels, x.shape()[0]));
    }
    const pads crops = pads_of(c, "crops", 4);
    const std::int64_t images = x.shape()[0] / pixels;
    x = are_few(images, pixels) ? batch_to_space_of_images(c, x, block, pixels)
                                : c.add(op::batch_to_space, {swap_batch(c, x, pixels, images)}, block);
    indices size = x.shape();
    for (int i = 0; i < 4; ++i) {
        size[i] -= crops.before[i] + crops.after[i];
    }
    return c.result(c.slice(x, crops.before, size));
}

/// An operand of a product as a matrix: sums, a transpose, a reshape, each only where it changes something.
ANEMONE_INLINE dynamic_tensor as_matrix(mil_call& c, dynamic_tensor x, const einsum_operand& plan) {
    if (plan.summed.list.rank > 0) {
        const extents shape = without_axes(x.shape(), plan.summed.list);
        x = c.reshape(c.add(op::reduce_sum, {x}, plan.summed), shape);
    }
    x = plan.in_order() ? x : c.transpose(x, plan.order.order);
    return c.reshape(x, plan.matrix);
}

ANEMONE_INLINE std::vector<mil_value> read_einsum(mil_call& c) {
    const std::vector<mil_value*> values = c.values("values");
    const std::string equation = c.word("equation", "");
    if (values.size() != 2) {
        c.refuse(formatted("has {} operands; those of two are read", values.size()));
    }
    const dynamic_tensor a = c.tensor(*values[0]);
    const dynamic_tensor b = c.tensor(*values[1]);
    const einsum_plan plan = plan_einsum(equation, a.shape(), b.shape());
    if (!plan.rule.ok()) {
        c.refuse(
            formatted("equation {}: {} ({}, {})", equation, sentence(plan.rule.broken), plan.rule.got, plan.rule.want));
    }
    dynamic_tensor y = c.add(op::matmul, {as_matrix(c, a, plan.a), as_matrix(c, b, plan.b)}, plan.form);
    y = c.reshape(y, plan.axes_apart);
    return c.result(as_matrix(c, y, plan.result));
}

ANEMONE_INLINE void add_movement(statement_table& t) {
    t.insert({
        {"reshape", read_view<reshaped_extents>},
        {"transpose", read_transpose},
        {"squeeze", read_view<squeezed_extents>},
        {"expand_dims", read_view<expanded_extents>},
        {"flatten2d", read_view<flattened_extents>},
        {"concat", read_concat},
        {"stack", read_stack},
        {"split", read_split},
        {"pad", read_pad},
        {"tile", read_tile},
        {"reverse", read_reverse},
        {"pixel_shuffle", read_blocks<op::pixel_shuffle>},
        {"pixel_unshuffle", read_blocks<op::pixel_unshuffle>},
        {"depth_to_space", read_blocks<op::depth_to_space>},
        {"space_to_depth", read_blocks<op::space_to_depth>},
        {"space_to_batch", read_space_to_batch},
        {"batch_to_space", read_batch_to_space},
        {"einsum", read_einsum},
    });
}

} // namespace ane::readers::inline ANEMONE_WAY
