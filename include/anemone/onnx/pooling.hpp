#pragma once

#include "geometry.hpp"

#include <algorithm>
#include <functional>
#include <optional>

/// Pools. Only bodies include this header.
namespace ane::onnx::inline ANEMONE_WAY {

/// The elements of an axis that windows give, rounded up where `ceil_mode` says so and a window begins inside.
ANEMONE_INLINE std::int64_t windows_of(node_call& c, const window_geometry& g, std::size_t i, std::int64_t extent) {
    const std::int64_t room = extent + g.before[i] + g.after[i] - g.reach(i);
    c.require(room >= 0, formatted("has a window of {} over {} elements", g.reach(i), extent));
    std::int64_t count = room / g.strides[i] + 1;
    if (c.integer("ceil_mode", 0) != 0 && room % g.strides[i] != 0 && count * g.strides[i] < extent + g.before[i]) {
        ++count;
    }
    return count;
}

/// The zeros that ONNX counts around an image, as a pad of its own, where windows of ceil_mode end behind them: of such a
/// window only what lies on the padded image counts, while the engine's pool counts all of it. Zeros that no window reads
/// are left out, for ceil_mode would add a window for them. Nothing where no window ends behind the padding.
ANEMONE_INLINE std::optional<pads> counted_zeros(node_call& c, const window_geometry& g, const extents& image) {
    pads p;
    p.before.rank = p.after.rank = image.rank;
    bool leaves = false;
    for (std::size_t i = 0; i < g.kernel.size(); ++i) {
        const int axis = image.rank - g.axes() + static_cast<int>(i);
        const std::int64_t end = (windows_of(c, g, i, image[axis]) - 1) * g.strides[i] + g.reach(i);
        const std::int64_t behind = end - g.before[i] - image[axis];
        leaves = leaves || behind > g.after[i];
        p.before[axis] = g.before[i];
        p.after[axis] = std::clamp<std::int64_t>(behind, 0, g.after[i]);
    }
    return leaves ? std::optional(p) : std::nullopt;
}

/// A pool over one or two spatial axes.
ANEMONE_INLINE dynamic_tensor pooled(node_call& c, op kind, const dynamic_tensor& x, const window_geometry& g) {
    dynamic_tensor image = as_image(c, x);
    ane::pool how{.kernel = two(g.kernel),
                  .stride = two(g.strides),
                  .padding = four(g.before, g.after),
                  .ceil_mode = c.integer("ceil_mode", 0) != 0,
                  .exclude_padding = kind == op::avg_pool && c.integer("count_include_pad", 0) == 0};
    if (kind == op::avg_pool && !how.exclude_padding) {
        if (const std::optional<pads> zeros = counted_zeros(c, g, image.shape())) {
            image = how.padding == padding2{} ? image : c.add(op::pad, {image, c.number_tensor(0)}, *zeros);
            how.padding = {};
            how.exclude_padding = true;
        }
    }
    return without_height(c, c.add(kind, {image}, how), g.axes());
}
inline window_geometry some_axes(const window_geometry& g, std::size_t begin, std::size_t end) {
    const auto part = [&](const std::vector<std::int64_t>& list) {
        return std::vector<std::int64_t>(list.begin() + static_cast<std::ptrdiff_t>(begin),
                                         list.begin() + static_cast<std::ptrdiff_t>(end));
    };
    return {part(g.kernel), part(g.strides), part(g.dilations), part(g.before), part(g.after)};
}
/// Three axes: the last two, then the first over rows that are whole planes.
ANEMONE_INLINE dynamic_tensor pooled3d(node_call& c, op kind, const dynamic_tensor& x, const window_geometry& g) {
    const extents s = x.shape();
    const dynamic_tensor planes = pooled(c, kind, c.reshape(x, {s[0] * s[1], s[2], s[3], s[4]}), some_axes(g, 1, 3));
    const extents p = planes.shape();
    window_geometry first = some_axes(g, 0, 1);
    for (auto* list : {&first.kernel, &first.strides, &first.dilations}) {
        list->push_back(1);
    }
    first.before.push_back(0);
    first.after.push_back(0);
    const dynamic_tensor rows = pooled(c, kind, c.reshape(planes, {p[0], 1, p[1], p[2] * p[3]}), first);
    return c.reshape(rows, {s[0], s[1], rows.shape()[2], p[2], p[3]});
}

/// For each tap of a window the elements that it reads, of the image with the least number around it.
ANEMONE_INLINE std::vector<dynamic_tensor> tap_slices(node_call& c, dynamic_tensor x, const window_geometry& g) {
    const int rank = x.shape().rank;
    pads p;
    p.before.rank = p.after.rank = rank;
    extents shape = x.shape();
    constexpr std::int64_t most = 1 << 14;
    std::int64_t taps = 1;
    for (std::size_t i = 0; i < g.kernel.size(); ++i) {
        const int axis = static_cast<int>(i) + 2;
        const std::int64_t count = windows_of(c, g, i, x.shape()[axis]);
        p.before[axis] = g.before[i];
        p.after[axis] =
            std::max<std::int64_t>((count - 1) * g.strides[i] + g.reach(i) - x.shape()[axis] - g.before[i], 0);
        shape[axis] = count;
        taps *= g.kernel[i];
    }
    c.require(
        taps <= most,
        formatted("has dilated windows, or asks for places, of {} elements; up to {} are written out", taps, most));
    x = c.add(op::pad, {x, c.number_tensor(-half_max)}, p);
    std::vector<dynamic_tensor> parts;
    for (std::int64_t t = 0; t < taps; ++t) {
        strided_window w;
        w.begin.rank = w.stride.rank = rank;
        w.stride[0] = w.stride[1] = 1;
        std::int64_t rest = t;
        for (std::size_t i = g.kernel.size(); i-- > 0;) {
            const int axis = static_cast<int>(i) + 2;
            w.begin[axis] = rest % g.kernel[i] * g.dilations[i];
            w.stride[axis] = shape[axis] > 1 ? g.strides[i] : 1;
            rest /= g.kernel[i];
        }
        parts.push_back(c.add_as(shape, op::strided_slice, {x}, w));
    }
    return parts;
}
/// Tap by tap from the last: where the element is the window's largest, the place is that of the tap.
ANEMONE_INLINE dynamic_tensor places_of_largest(node_call& c, const std::vector<dynamic_tensor>& parts,
                                                const window_geometry& g) {
    const extents x = c.shape(0);
    dynamic_tensor largest = parts[0];
    for (std::size_t i = 1; i < parts.size(); ++i) {
        largest = c.add(op::maximum, {largest, parts[i]});
    }
    const bool columns_first = c.integer("storage_order", 0) != 0;
    const extents shape = largest.shape();
    const extents strides = row_major_strides(shape);
    dynamic_tensor place;
    for (std::size_t t = parts.size(); t-- > 0;) {
        const dynamic_tensor own = c.filled(shape, [&](std::int64_t i) {
            indices at;
            for (int a = 0; a < shape.rank; ++a) {
                at.append(i / strides[a] % shape[a]);
            }
            std::size_t rest = t;
            for (int a = shape.rank - 1; a >= 2; --a) {
                const auto k = static_cast<std::size_t>(a - 2);
                const auto tap = static_cast<std::int64_t>(rest % static_cast<std::size_t>(g.kernel[k]));
                at[a] = at[a] * g.strides[k] - g.before[k] + tap * g.dilations[k];
                rest /= static_cast<std::size_t>(g.kernel[k]);
            }
            std::int64_t number = 0;
            for (int a = 0; a < shape.rank; ++a) {
                const bool turned = columns_first && a >= shape.rank - 2;
                const int axis = turned ? 2 * shape.rank - 3 - a : a;
                number = number * x[axis] + at[axis];
            }
            return std::clamp<std::int64_t>(number, 0, 65504); // a tap in the padding is never the largest
        });
        place = place.node() < 0 ? own : c.add(op::select, {c.add(op::equal, {parts[t], largest}), own, place});
    }
    return place;
}

template <op Kind> results read_pool(node_call& c) {
    const dynamic_tensor x = c.x(0);
    const auto kernel = c.integers("kernel_shape");
    c.require(kernel.has_value(), "has no kernel_shape");
    const window_geometry g = geometry_of(c, x.shape(), *kernel);
    const bool dilated = std::any_of(g.dilations.begin(), g.dilations.end(), [](std::int64_t d) { return d != 1; });
    c.require(Kind == op::max_pool || !dilated, "is a dilated pool of another kind than MaxPool");
    if (Kind == op::l2_pool) {
        c.require(c.integer("p", 2) == 2, "is a pool by another norm than 2");
    }
    results all;
    if (Kind == op::max_pool && (dilated || c.wants(1))) {
        const std::vector<dynamic_tensor> parts = tap_slices(c, x, g);
        dynamic_tensor y = parts[0];
        for (std::size_t i = 1; i < parts.size(); ++i) {
            y = c.add(op::maximum, {y, parts[i]});
        }
        all.emplace_back(y);
        if (c.wants(1)) {
            all.emplace_back(places_of_largest(c, parts, g), element_type::int64);
        }
        return all;
    }
    return {g.axes() == 3 ? pooled3d(c, Kind, x, g) : pooled(c, Kind, x, g)};
}
template <op Kind> results read_global_pool(node_call& c) {
    const dynamic_tensor x = c.x(0);
    c.require(x.shape().rank >= 3, "has no spatial axes");
    return {c.reduced(Kind, x, axis_range(2, x.shape().rank))};
}
/// A product with the one-hot matrix of the places.
ANEMONE_INLINE results read_max_unpool(node_call& c) {
    const dynamic_tensor x = c.x(0);
    const auto kernel = c.integers("kernel_shape");
    c.require(kernel.has_value(), "has no kernel_shape");
    const window_geometry g = geometry_of(c, x.shape(), *kernel);
    extents own = x.shape();
    for (std::size_t i = 0; i < g.kernel.size(); ++i) {
        const int axis = static_cast<int>(i) + 2;
        own[axis] = g.strides[i] * (own[axis] - 1) + g.kernel[i] - g.before[i] - g.after[i];
        c.require(own[axis] > 0, "has more padding than elements");
    }
    const std::int64_t count = x.shape().count();
    const std::int64_t size = element_count(own);
    c.require(size > 0 && size <= 2048, formatted("gives {} elements; places are exact up to 2048", size));
    const dynamic_tensor hot = c.real(
        c.add(op::equal, {c.reshape(c.x(1), {count, 1}), c.filled({1, size}, [](std::int64_t i) { return i; })}));
    const dynamic_tensor y = c.reshape(c.add(op::matmul, {c.reshape(x, {1, count}), hot}, ane::transposed{}), own);
    pads p;
    p.before.rank = p.after.rank = own.rank;
    bool grows = false;
    if (c.has(2)) {
        const extents wanted = shape_from(c.integers(2));
        c.require(wanted.rank == own.rank, "has an output_shape of another rank");
        for (int i = 0; i < own.rank; ++i) {
            p.after[i] = wanted[i] - own[i];
            c.require(p.after[i] >= 0, "has an output_shape that is too small");
            grows = grows || p.after[i] > 0;
        }
    }
    return {grows ? c.add(op::pad, {y, c.number_tensor(0)}, p) : y};
}

ANEMONE_INLINE void add_pooling(converter_table& t) {
    t.insert({
        {"MaxPool", read_pool<op::max_pool>},
        {"AveragePool", read_pool<op::avg_pool>},
        {"LpPool", read_pool<op::l2_pool>},
        {"GlobalAveragePool", read_global_pool<op::reduce_mean>},
        {"GlobalMaxPool", read_global_pool<op::reduce_max>},
        {"MaxUnpool", read_max_unpool},
    });
}

} // namespace ane::onnx::inline ANEMONE_WAY
