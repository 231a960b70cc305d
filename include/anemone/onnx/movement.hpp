#pragma once

#include "folding.hpp"

/// Operators that move elements. Only bodies include this header.
namespace ane::onnx::inline ANEMONE_WAY {

ANEMONE_INLINE results read_shape_change(node_call& c) {
    const dynamic_tensor t = c.raw(0);
    const dynamic_tensor x = t.type() == dtype::f16 ? t : c.real(t);
    const extents shape = changed_shape(c);
    return {shape == x.shape() ? c.add(op::identity, {x}) : c.reshape(x, shape)};
}
ANEMONE_INLINE results read_transpose(node_call& c) {
    const dynamic_tensor x = c.x(0);
    return {c.transposed(x, permutation_of(c, x.shape().rank))};
}
ANEMONE_INLINE dynamic_tensor repeated(node_call& c, const dynamic_tensor& x, const indices& count) {
    repeats r;
    r.count = count;
    return c.add(op::tile, {x}, r);
}
ANEMONE_INLINE dynamic_tensor expanded(node_call& c, const dynamic_tensor& x, const extents& shape) {
    extents wide = shape;
    indices count;
    for (int i = 0; i < shape.rank; ++i) {
        wide[i] = x.shape().from_last(shape.rank - 1 - i);
        count.append(shape[i] / std::max<std::int64_t>(wide[i], 1));
    }
    return repeated(c, c.reshape(x, wide), count);
}
ANEMONE_INLINE results read_expand(node_call& c) {
    const extents shape = expanded_shape(c);
    return {expanded(c, c.x(0), shape)};
}
ANEMONE_INLINE results read_tile(node_call& c) {
    indices count;
    tiled_shape(c, count);
    return {repeated(c, c.x(0), count)};
}
ANEMONE_INLINE results read_concat(node_call& c) {
    std::vector<dynamic_tensor> parts;
    for (int i = 0; i < c.operand_count(); ++i) {
        if (c.shape(i).count() > 0) { // an empty one adds nothing
            parts.push_back(c.x(i));
        }
    }
    c.require(!parts.empty(), "joins nothing");
    const int along = c.axis("axis", 1, parts[0].shape().rank);
    return {parts.size() == 1 ? c.add(op::identity, {parts[0]}) : c.joined(parts, along)};
}
ANEMONE_INLINE results read_split(node_call& c) {
    const dynamic_tensor x = c.x(0);
    const int axis = c.axis("axis", 0, x.shape().rank);
    results parts;
    std::int64_t begin = 0;
    for (const std::int64_t size : split_sizes(c, x.shape()[axis])) {
        parts.emplace_back(c.along(x, axis, begin, size));
        begin += size;
    }
    return parts;
}
/// Steps of 1 are `slice`, others `strided_slice`; a negative step reads the reversed axis.
ANEMONE_INLINE results read_slice(node_call& c) {
    dynamic_tensor x = c.x(0);
    std::vector<slice_of_axis> parts = slices_of(c);
    axes backwards;
    window w;
    strided_window strided;
    bool dense = true;
    for (int i = 0; i < x.shape().rank; ++i) {
        slice_of_axis& part = parts[static_cast<std::size_t>(i)];
        c.require(part.count > 0, formatted("takes nothing of axis {}", i));
        if (part.step < 0) {
            backwards.list.append(i);
            part.begin = x.shape()[i] - 1 - part.begin;
            part.step = -part.step;
        }
        dense = dense && part.step == 1;
        w.begin.append(part.begin);
        w.size.append(part.count);
        strided.begin.append(part.begin);
        strided.stride.append(part.count > 1 ? part.step : 1);
    }
    if (backwards.list.rank > 0) {
        x = c.add(op::reverse, {x}, backwards);
    }
    if (dense) {
        return {c.add(op::slice, {x}, w)};
    }
    return {c.add_as(w.size, op::strided_slice, {x}, strided)};
}
/// Amounts before and after each axis.
ANEMONE_INLINE pads padding_of_axes(node_call& c, int rank) {
    using list = std::vector<std::int64_t>;
    const list amounts =
        c.has(1) ? c.integers(1) : c.integers("pads").value_or(c.integers("paddings").value_or(list()));
    list over;
    if (c.has(3)) {
        over = c.integers(3);
    } else {
        for (int i = 0; i < rank; ++i) {
            over.push_back(i);
        }
    }
    c.require(amounts.size() == 2 * over.size(), "has another number of amounts than two for each axis");
    pads p;
    p.before.rank = p.after.rank = rank;
    for (std::size_t i = 0; i < over.size(); ++i) {
        const int axis = c.axis(over[i], rank);
        p.before[axis] = narrow(amounts[i]);
        p.after[axis] = narrow(amounts[i + over.size()]);
    }
    return p;
}
ANEMONE_INLINE results read_pad(node_call& c) {
    dynamic_tensor x = c.x(0);
    const int rank = x.shape().rank;
    pads p = padding_of_axes(c, rank);
    window w;
    bool cut = false;
    for (int i = 0; i < rank; ++i) { // negative amounts cut
        const std::int64_t before = std::max<std::int64_t>(-p.before[i], 0);
        const std::int64_t after = std::max<std::int64_t>(-p.after[i], 0);
        cut = cut || before > 0 || after > 0;
        w.begin.append(before);
        w.size.append(x.shape()[i] - before - after);
        c.require(w.size[i] > 0, formatted("takes all of axis {}", i));
        p.before[i] = std::max<std::int64_t>(p.before[i], 0);
        p.after[i] = std::max<std::int64_t>(p.after[i], 0);
    }
    if (cut) {
        x = c.add(op::slice, {x}, w);
    }
    const std::string mode = c.word("mode", "constant");
    if (mode == "constant") {
        const double fill = c.has(2) && c.known(2).count() == 1 ? c.number(2) : c.number("value", 0);
        return {c.add(op::pad, {x, c.number_tensor(fill)}, p)};
    }
    c.require(mode == "reflect" || mode == "edge", formatted("pads in the mode \"{}\"", shown(mode)));
    return {c.add(mode == "reflect" ? op::reflect_pad : op::replicate_pad, {x}, p)};
}

/// Constant indices count from the front in the graph.
ANEMONE_INLINE dynamic_tensor indices_of(node_call& c, int input, std::int64_t extent) {
    if (!c.is_known(input)) {
        return c.x(input);
    }
    const known_tensor& at = c.known(input);
    return c.filled(at.shape, [&](std::int64_t i) { return folding::place_on_axis(at, i, extent); });
}
ANEMONE_INLINE results read_gather(node_call& c) {
    const int axis = c.axis("axis", 0, c.rank(0));
    const dynamic_tensor x = c.x(0);
    if (c.is_known(1) && c.known(1).count() == 1) { // a slice
        const std::int64_t at = folding::place_on_axis(c.known(1), 0, x.shape()[axis]);
        extents shape;
        for (int i = 0; i < x.shape().rank; ++i) {
            for (int k = 0; k < (i == axis ? c.rank(1) : 1); ++k) {
                shape.append(i == axis ? 1 : x.shape()[i]);
            }
        }
        return {c.reshape(c.along(x, axis, at, 1), shape)};
    }
    return {c.add(op::gather, {x, indices_of(c, 1, x.shape()[axis])}, ane::axis{axis})};
}
/// The graph takes indices of the operand's extents but along the axis: the operand is cut to those of the indices.
ANEMONE_INLINE results read_gather_elements(node_call& c) {
    dynamic_tensor x = c.x(0);
    const int axis = c.axis("axis", 0, x.shape().rank);
    const dynamic_tensor at = indices_of(c, 1, x.shape()[axis]);
    c.require(at.shape().rank == x.shape().rank, "has indices of another rank");
    for (int i = 0; i < x.shape().rank; ++i) {
        if (i != axis && at.shape()[i] != x.shape()[i]) {
            x = c.along(x, i, 0, at.shape()[i]);
        }
    }
    return {c.add(op::gather_along_axis, {x, at}, ane::axis{axis})};
}
/// Batch axes become coordinates of their own.
ANEMONE_INLINE results read_gather_nd(node_call& c) {
    const auto batch = static_cast<int>(std::clamp<std::int64_t>(c.integer("batch_dims", 0), 0, 8));
    const dynamic_tensor x = c.x(0);
    if (!c.is_known(1) && batch == 0) {
        return {c.add(op::gather_nd, {x, c.x(1)})};
    }
    const known_tensor& at = c.known(1);
    c.require(at.shape.rank >= 1 && batch < at.shape.rank, "has no coordinates");
    const std::int64_t depth = at.shape.width();
    c.require(depth + batch <= x.shape().rank, "has more coordinates than there are axes");
    extents shape = at.shape;
    const int last = shape.rank - 1;
    shape[last] = depth + batch;
    const extents strides = row_major_strides(at.shape);
    return {c.add(op::gather_nd, {x, c.filled(shape, [&](std::int64_t i) -> double {
                                      const std::int64_t k = i % shape[last];
                                      const std::int64_t place = i / shape[last];
                                      if (k < batch) {
                                          const int axis = static_cast<int>(k);
                                          return static_cast<double>(place * depth / strides[axis] % at.shape[axis]);
                                      }
                                      return static_cast<double>(folding::place_on_axis(
                                          at, place * depth + k - batch, x.shape()[static_cast<int>(k)]));
                                  })})};
}

ANEMONE_INLINE results read_depth_to_space(node_call& c) {
    const op kind = c.word("mode", "DCR") == "DCR" ? op::depth_to_space : op::pixel_shuffle;
    const dynamic_tensor x = c.x(0);
    return {c.add(kind, {x}, factors(narrow(c.needed_integer("blocksize"))))};
}
ANEMONE_INLINE results read_space_to_depth(node_call& c) {
    const dynamic_tensor x = c.x(0);
    return {c.add(op::space_to_depth, {x}, factors(narrow(c.needed_integer("blocksize"))))};
}
ANEMONE_INLINE results read_trilu(node_call& c) {
    const dynamic_tensor x = c.x(0);
    const extents& s = x.shape();
    const std::int64_t k = c.has(1) ? c.integer(1) : 0;
    const bool upper = c.integer("upper", 1) != 0;
    c.require(s.rank >= 2, "is of no matrix");
    const extents square{s.height(), s.width()};
    const dynamic_tensor mask =
        c.filled(square, [&](std::int64_t i) { return in_triangle(i, square, k, upper) ? 1 : 0; });
    return {c.add(op::select, {c.add(op::not_equal, mask, 0.0), x, c.number_tensor(0)})};
}
/// 0, 1, ... along one axis of a rank.
ANEMONE_INLINE dynamic_tensor counted(node_call& c, int rank, int axis, std::int64_t count) {
    extents shape;
    for (int i = 0; i < rank; ++i) {
        shape.append(i == axis ? count : 1);
    }
    return c.filled(shape, [](std::int64_t i) { return i; });
}
ANEMONE_INLINE results read_one_hot(node_call& c) {
    dynamic_tensor index = c.x(0);
    const dynamic_tensor values = c.x(2);
    const std::int64_t depth = c.integer(1);
    const int rank = index.shape().rank + 1;
    c.require(rank <= extents::capacity && depth >= 1 && values.shape() == extents{2},
              "has a depth below 1, or other values than two");
    const int axis = c.axis("axis", -1, rank);
    index = c.add(op::select, {c.add(op::less, index, 0.0), c.add(op::add, index, static_cast<double>(depth)), index});
    extents wide;
    for (int i = 0; i < rank; ++i) {
        wide.append(i == axis ? 1 : index.shape()[i < axis ? i : i - 1]);
    }
    const dynamic_tensor hot = c.add(op::equal, {c.reshape(index, wide), counted(c, rank, axis, depth)});
    const auto value = [&](std::int64_t i) { return c.reshape(c.along(values, 0, i, 1), {}); };
    return {{c.add(op::select, {hot, value(1), value(0)}), c.type(2)}};
}
ANEMONE_INLINE results read_reverse_sequence(node_call& c) {
    const dynamic_tensor x = c.x(0);
    const extents shape = x.shape();
    const int time = c.axis("time_axis", 0, shape.rank);
    const int batch = c.axis("batch_axis", 1, shape.rank);
    const std::vector<std::int64_t> lengths = c.integers(1);
    c.require(static_cast<std::int64_t>(lengths.size()) == shape[batch], "has another number of lengths than rows");
    const extents strides = row_major_strides(shape);
    const dynamic_tensor at = c.filled(shape, [&](std::int64_t i) {
        const std::int64_t t = i / strides[time] % shape[time];
        const std::int64_t length = lengths[static_cast<std::size_t>(i / strides[batch] % shape[batch])];
        c.require(length >= 0 && length <= shape[time], formatted("reverses {} of {} steps", length, shape[time]));
        return t < length ? length - 1 - t : t;
    });
    return {c.add(op::gather_along_axis, {x, at}, ane::axis{time})};
}

/// One update after another: a window of `inner` elements at `begin`.
class scattering {
public:
    ANEMONE_INLINE explicit scattering(node_call& c)
        : c_(c), x_(c.x(0)), updates_(c.x(2)), how_(c.word("reduction", "none")) {
        c.require(how_ == "none" || how_ == "add" || how_ == "mul" || how_ == "min" || how_ == "max",
                  formatted("reduces by \"{}\"", shown(how_)));
    }
    /// `from` and `taken` say where the update lies among the updates.
    ANEMONE_INLINE void update(const indices& begin, const extents& size, const indices& from, const extents& taken) {
        window w;
        w.begin = from;
        w.size = taken;
        dynamic_tensor part = c_.reshape(c_.add(op::slice, {updates_}, w), size);
        w.begin = begin;
        w.size = size;
        if (how_ != "none") {
            const op kind = how_ == "add"   ? op::add
                            : how_ == "mul" ? op::mul
                            : how_ == "min" ? op::minimum
                                            : op::maximum;
            part = c_.add(kind, {c_.add(op::slice, {x_}, w), part});
        }
        strided_window to;
        to.begin = begin;
        for (int i = 0; i < size.rank; ++i) {
            to.stride.append(1);
        }
        x_ = c_.add(op::slice_update, {x_, part}, to);
    }
    const dynamic_tensor& result() const { return x_; }

private:
    node_call& c_;
    dynamic_tensor x_;
    dynamic_tensor updates_;
    std::string how_;
};
ANEMONE_INLINE results read_scatter_elements(node_call& c) {
    const known_tensor& at = c.known(1);
    const extents x = c.shape(0);
    const int axis = c.axis("axis", 0, x.rank);
    c.require(at.shape.rank == x.rank && c.shape(2) == at.shape, "has indices of another shape than its updates");
    scattering s(c);
    const extents strides = row_major_strides(at.shape);
    extents ones;
    for (int i = 0; i < x.rank; ++i) {
        ones.append(1);
    }
    for (std::int64_t i = 0; i < at.count(); ++i) {
        indices from;
        for (int a = 0; a < x.rank; ++a) {
            from.append(i / strides[a] % at.shape[a]);
        }
        indices begin = from;
        begin[axis] = folding::place_on_axis(at, i, x[axis]);
        s.update(begin, ones, from, ones);
    }
    return {s.result()};
}
ANEMONE_INLINE results read_scatter_nd(node_call& c) {
    const known_tensor& at = c.known(1);
    const extents x = c.shape(0);
    const int last = at.shape.rank - 1;
    c.require(last >= 0 && at.shape[last] >= 1 && at.shape[last] <= x.rank, "has no coordinates");
    const int depth = static_cast<int>(at.shape[last]);
    c.require(c.rank(2) == last + x.rank - depth, "has updates of another rank");
    scattering s(c);
    const extents strides = row_major_strides(at.shape);
    for (std::int64_t p = 0; p < at.count() / depth; ++p) {
        indices from;
        extents taken;
        for (int a = 0; a < last; ++a) {
            from.append(p * depth / strides[a] % at.shape[a]);
            taken.append(1);
        }
        indices begin;
        extents size;
        for (int a = 0; a < x.rank; ++a) {
            begin.append(a < depth ? folding::place_on_axis(at, p * depth + a, x[a]) : 0);
            size.append(a < depth ? 1 : x[a]);
            if (a >= depth) {
                from.append(0);
                taken.append(x[a]);
            }
        }
        s.update(begin, size, from, taken);
    }
    return {s.result()};
}

ANEMONE_INLINE void add_movement(converter_table& t) {
    t.insert({
        {"Constant", fold_constant},
        {"Shape", read_shape},
        {"Size", read_size},
        {"EyeLike", read_eye},
        {"ConstantOfShape", fold_constant_of_shape},
        {"Range", fold_range},
        {"Reshape", read_shape_change},
        {"Flatten", read_shape_change},
        {"Squeeze", read_shape_change},
        {"Unsqueeze", read_shape_change},
        {"Transpose", read_transpose},
        {"Expand", read_expand},
        {"Tile", read_tile},
        {"Concat", read_concat},
        {"Split", read_split},
        {"Slice", read_slice},
        {"Pad", read_pad},
        {"Gather", read_gather},
        {"GatherElements", read_gather_elements},
        {"GatherND", read_gather_nd},
        {"DepthToSpace", read_depth_to_space},
        {"SpaceToDepth", read_space_to_depth},
        {"Trilu", read_trilu},
        {"OneHot", read_one_hot},
        {"ReverseSequence", read_reverse_sequence},
        {"ScatterElements", read_scatter_elements},
        {"Scatter", read_scatter_elements},
        {"ScatterND", read_scatter_nd},
    });
}

} // namespace ane::onnx::inline ANEMONE_WAY
