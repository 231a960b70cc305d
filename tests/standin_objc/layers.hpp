#pragma once

#include "units.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

/// The units that move data, and the engine's own layers.
namespace ane::standin_objc {

inline tensor reshape(const plist& p, const tensor& x) {
    shape5 shape{};
    for (std::size_t a = 0; a < 5; ++a) {
        shape[a] = p.at("Reshaped" + std::string(axis_names[a])).number();
    }
    require(count_of(shape) == count_of(x.shape), "a Reshape to another number of elements");
    return {shape, x.values, x.constant};
}

inline tensor transpose(const plist& p, const tensor& x) {
    std::array<std::size_t, 5> source{N, D, C, H, W};
    for (const plist& move : p.at("TransposeDimensions").items) {
        source[axis_named(move.at("TransposeDestinationDimension"))] = axis_named(move.at("TransposeSourceDimension"));
    }
    shape5 shape{};
    for (std::size_t a = 0; a < 5; ++a) {
        shape[a] = x.shape[source[a]];
    }
    require(count_of(shape) == count_of(x.shape), "a Transpose that takes an axis twice");
    return moved(x, shape, [&](const shape5& at) {
        shape5 from{};
        for (std::size_t a = 0; a < 5; ++a) {
            from[source[a]] = at[a];
        }
        return from;
    });
}

inline tensor concat(const plist& p, const operands& xs) {
    const std::size_t axis = axis_named(p.at("Dimension"));
    shape5 shape = xs.at(0)->shape;
    shape[axis] = 0;
    for (const tensor* x : xs) {
        shape5 other = x->shape;
        other[axis] = shape[axis];
        require(other == shape, "a Concat of shapes that do not fit");
        shape[axis] += x->shape[axis];
    }
    tensor y = made(shape);
    std::int64_t begin = 0;
    for (const tensor* x : xs) {
        for_each_place(x->shape, [&](std::size_t i, shape5 at) {
            at[axis] += begin;
            y.values[offset_of(shape, at)] = x->values[i];
        });
        begin += x->shape[axis];
    }
    return y;
}

/// On A13 and A14 a view along Width with an offset stores through a gain (N060-N067).
inline tensor input_view(const arithmetic& a, const plist& p, const tensor& x) {
    const std::size_t axis = axis_named(p.at("Dimension"));
    const std::int64_t offset = p.at("Offset").number();
    shape5 shape = x.shape;
    shape[axis] = p.at("Size").number();
    require(offset >= 0 && offset + shape[axis] <= x.shape[axis], "an InputView beyond its operand");
    tensor y = moved(x, shape, [&](shape5 at) {
        at[axis] += offset;
        return at;
    });
    if (axis == W && offset > 0) {
        for (half& v : y.values) {
            v = numerics::slice_width_offset(a.path, v);
        }
    }
    return y;
}

inline tensor broadcast(const plist& p, const tensor& x) {
    shape5 shape = x.shape;
    for (const plist& entry : p.at("BroadcastInfo").items) {
        const std::size_t axis = axis_named(entry.at("Dimension"));
        require(shape[axis] == 1, "a Broadcast along an axis that is not 1");
        shape[axis] = entry.at("Size").number();
    }
    return moved(x, shape, [&](shape5 at) {
        for (std::size_t a = 0; a < 5; ++a) {
            at[a] = x.shape[a] == 1 ? 0 : at[a];
        }
        return at;
    });
}

/// The pixel, channel and batch forms, by where an element of the result comes from.
inline tensor blocks(const std::string& type, const plist& p, const tensor& x) {
    const std::int64_t fx = p.at("FactorX").number();
    const std::int64_t fy = p.at("FactorY").number();
    require(p.at("FactorZ").number() == 1 && x.shape[D] == 1 && fx > 0 && fy > 0, "blocks with depth");
    const std::int64_t f = fx * fy;
    const auto [n, d, c, h, w] = x.shape;
    if (type == "PixelShuffle" || type == "ChannelToSpace") {
        require(n == 1 && c % f == 0, "blocks that do not divide the channels");
        const bool pixel = type == "PixelShuffle";
        return moved(x, {1, 1, c / f, h * fy, w * fx}, [=, c = c](const shape5& at) {
            const std::int64_t block = at[H] % fy * fx + at[W] % fx;
            return shape5{0, 0, pixel ? at[C] * f + block : block * (c / f) + at[C], at[H] / fy, at[W] / fx};
        });
    }
    if (type == "PixelUnshuffle" || type == "SpaceToChannel") {
        require(n == 1 && h % fy == 0 && w % fx == 0, "blocks that do not divide the image");
        const bool pixel = type == "PixelUnshuffle";
        return moved(x, {1, 1, c * f, h / fy, w / fx}, [=, c = c](const shape5& at) {
            const std::int64_t block = pixel ? at[C] % f : at[C] / c;
            return shape5{0, 0, pixel ? at[C] / f : at[C] % c, at[H] * fy + block / fx, at[W] * fx + block % fx};
        });
    }
    if (type == "SpaceToBatch") {
        require(h % fy == 0 && w % fx == 0, "blocks that do not divide the image");
        return moved(x, {n * f, 1, c, h / fy, w / fx}, [=](const shape5& at) {
            const std::int64_t block = at[N] % f;
            return shape5{at[N] / f, 0, at[C], at[H] * fy + block / fx, at[W] * fx + block % fx};
        });
    }
    if (n % f != 0) {
        throw refused("Input batch " + std::to_string(n) + " is not divisible by factor " + std::to_string(fx) + " * " +
                      std::to_string(fy));
    }
    return moved(x, {n / f, 1, c, h * fy, w * fx}, [=](const shape5& at) {
        return shape5{at[N] * f + at[H] % fy * fx + at[W] % fx, 0, at[C], at[H] / fy, at[W] / fx};
    });
}

inline tensor gather(const plist& p, const tensor& x, const tensor& positions) {
    require(p.at("GatherNDAxes").items.size() == 1 && p.at("GatherNDAxes").items[0].string() == "Width",
            "a Gather along another axis than Width");
    shape5 shape = x.shape;
    shape[W] = count_of(positions.shape);
    return moved(x, shape, [&](shape5 at) {
        at[W] = static_cast<std::int64_t>(static_cast<double>(positions.values[static_cast<std::size_t>(at[W])]));
        require(at[W] >= 0 && at[W] < x.shape[W], "a Gather beyond its operand");
        return at;
    });
}

inline tensor dynamic_slice(const plist& p, const tensor& x, const tensor& start) {
    require(p.at("DynamicSliceAxisOrder").items.at(0).string() == "Width", "a DynamicSlice along another axis");
    require(p.at("PaddingInfo").items.at(0).at("PaddingMode").string() == "Background", "another PaddingMode");
    tensor y = made({x.shape[N], x.shape[D], x.shape[C], x.shape[H],
                     p.at("DynamicSliceInfo").items.at(0).at("SliceSize").number()});
    const auto first = static_cast<std::int64_t>(static_cast<double>(start.values.front()));
    for_each_place(y.shape, [&](std::size_t i, shape5 at) {
        at[W] += first;
        y.values[i] = at[W] >= 0 && at[W] < x.shape[W] ? x.values[offset_of(x.shape, at)]
                                                       : half(p.at("BackgroundValue").floating());
    });
    return y;
}

/// x (k + alpha mean of squares)^-beta of the channels around.
inline tensor response_norm(const arithmetic& a, const plist& p, const tensor& x) {
    require(p.at("Type").string() == "Channel" && x.shape[D] == 1, "another LocalResponseNormalization");
    const std::int64_t size = p.at("KernelChannel").number();
    require(size <= 15, "KernelChannel above 15");
    const half alpha = pattern(p.at("Alpha"));
    const half exponent(-p.at("Beta").floating());
    const half k(p.at("K").floating());
    tensor y = made(x.shape);
    for_each_place(x.shape, [&](std::size_t i, const shape5& at) {
        numerics::reduction_register squares(a.path);
        for (std::int64_t c = std::max<std::int64_t>(0, at[C] - (size - 1) / 2);
             c <= std::min(x.shape[C] - 1, at[C] + size / 2); ++c) {
            shape5 near = at;
            near[C] = c;
            const half v = x.values[offset_of(x.shape, near)];
            squares.add(a.binary(op::mul, v, v));
        }
        const half mean = numerics::store_sum(a.path, squares.total(), size);
        const half divisor = a.binary(op::add, k, a.binary(op::mul, alpha, mean));
        y.values[i] = a.binary(op::mul, x.values[i], a.binary(op::pow, divisor, exponent));
    });
    return y;
}

/// Width in the order of its only channel. NaN counts as infinity (N080).
inline tensor ordered(bool top, const plist& p, const tensor& x) {
    require(x.shape[N] * x.shape[D] * x.shape[C] * x.shape[H] == 1, "more than one line to order");
    require(p.at("SortDimension").string() == "Width", "an order along another axis");
    const bool descending = top ? p.at("Type").string() == "Max" : p.at("Direction").string() == "Descending";
    std::vector<half> keys = x.values;
    for (half& v : keys) {
        v = is_nan(v) ? std::numeric_limits<half>::infinity() : v;
    }
    std::vector<std::size_t> order(keys.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return descending ? keys[b] < keys[a] : keys[a] < keys[b]; });
    const std::int64_t count = top ? p.at("K").number() : x.shape[W];
    require(count <= x.shape[W] && !(top && (count == 3 || count == 4)), "a TopK with K 3, 4 or too many");
    const bool indices = p.find("Indices") != nullptr && p.at("Indices").flag();
    tensor y = made({1, 1, 1, 1, count});
    for (std::size_t i = 0; i < y.values.size(); ++i) {
        y.values[i] = indices ? half(static_cast<double>(order[i])) : keys[order[i]];
    }
    return y;
}

inline tensor cross_correlation(const arithmetic& a, const plist& p, const tensor& x, const tensor& pattern_of) {
    numerics::convolution_shape s{};
    s.in_height = x.shape[H];
    s.in_width = x.shape[W];
    s.kernel_height = p.at("TemplateHeight").number();
    s.kernel_width = p.at("TemplateWidth").number();
    require(x.shape[N] == 1 && x.shape[C] == 1 && p.at("NumGroups").number() == 1, "a correlation of many channels");
    require(count_of(pattern_of.shape) == s.kernel_height * s.kernel_width, "a template of another size");
    s.out_height = s.in_height - s.kernel_height + 1;
    s.out_width = s.in_width - s.kernel_width + 1;
    tensor y = made({1, 1, 1, s.out_height, s.out_width});
    numerics::convolution(a.path, s, x.data(), pattern_of.data(), nullptr, y.values.data());
    return y;
}

inline tensor cross_product(const arithmetic& a, const tensor& l, const tensor& r) {
    require(l.shape == r.shape && l.shape[C] == 3 && l.shape[D] * l.shape[H] * l.shape[W] == 1, "no vectors of three");
    tensor y = made(l.shape);
    for (std::size_t n = 0; n < y.values.size(); n += 3) {
        for (std::size_t i = 0; i < 3; ++i) {
            const std::size_t j = n + (i + 1) % 3;
            const std::size_t k = n + (i + 2) % 3;
            y.values[n + i] = a.binary(op::sub, a.binary(op::mul, l.values[j], r.values[k]),
                                       a.binary(op::mul, l.values[k], r.values[j]));
        }
    }
    return y;
}

inline tensor cost_volume(const arithmetic& a, const plist& p, const tensor& x, const tensor& reference) {
    const std::int64_t planes = p.at("DisparityRange").number() + 1;
    require(p.at("DisparityDirection").number() == 0 && x.shape[C] == 1 &&
                reference.shape[W] >= x.shape[W] + planes - 1,
            "a CostVolume whose reference is too narrow");
    shape5 shape = x.shape;
    shape[C] = planes;
    tensor y = made(shape);
    for_each_place(shape, [&](std::size_t i, const shape5& at) {
        shape5 own = at;
        own[C] = 0;
        shape5 other = own;
        other[W] += at[C];
        y.values[i] = a.unary(op::abs, a.binary(op::sub, x.values[offset_of(x.shape, own)],
                                                reference.values[offset_of(reference.shape, other)]));
    });
    return y;
}

/// From point 0 on always the one that is furthest from those chosen, of equals the first.
inline tensor furthest_points(const arithmetic& a, const plist& p, const tensor& x) {
    require(x.shape[C] == 3 && x.shape[N] * x.shape[D] * x.shape[H] == 1, "no points of three coordinates on Channel");
    const auto count = static_cast<std::size_t>(x.shape[W]);
    const auto wanted = static_cast<std::size_t>(p.at("CentroidCount").number());
    std::vector<half> nearest(count, std::numeric_limits<half>::infinity());
    tensor y = made({1, 1, 3, 1, static_cast<std::int64_t>(wanted)});
    std::size_t latest = 0;
    for (std::size_t k = 0; k < wanted; ++k) {
        std::size_t furthest = 0;
        for (std::size_t c = 0; c < 3; ++c) {
            y.values[c * wanted + k] = x.values[c * count + latest];
        }
        for (std::size_t i = 0; i < count; ++i) {
            numerics::reduction_register sum(a.path);
            for (std::size_t c = 0; c < 3; ++c) {
                const half gap = a.binary(op::sub, x.values[c * count + i], x.values[c * count + latest]);
                sum.add(a.binary(op::mul, gap, gap));
            }
            const half distance = numerics::store_sum(a.path, sum.total());
            if (k == 0 || distance < nearest[i]) {
                nearest[i] = distance;
            }
            furthest = nearest[furthest] < nearest[i] ? i : furthest;
        }
        latest = furthest;
    }
    return y;
}

inline tensor min_max(const arithmetic& a, const plist& p, const tensor& x) {
    const plist& axis = p.at("Dimension");
    const half epsilon = pattern(p.at("Epsilon"));
    tensor y = made(x.shape);
    const std::size_t along = axis_named(axis);
    arithmetic::for_each_line(x.shape, along, [&](std::size_t, std::size_t begin, std::int64_t stride) {
        std::vector<half> line;
        for (std::int64_t i = 0; i < x.shape[along]; ++i) {
            line.push_back(x.values[begin + static_cast<std::size_t>(i * stride)]);
        }
        const half low = a.reduce(op::reduce_min, line);
        const half span = a.binary(op::add, a.binary(op::sub, a.reduce(op::reduce_max, line), low), epsilon);
        for (std::size_t i = 0; i < line.size(); ++i) {
            y.values[begin + i * static_cast<std::size_t>(stride)] =
                a.binary(op::div, a.binary(op::sub, line[i], low), span);
        }
    });
    return y;
}

/// softmax(scale q k^T + mask) v, sequences on Channel, heads on Height.
inline tensor attention(const arithmetic& a, const plist& p, const operands& xs) {
    require(p.find("SubtractMax") != nullptr && p.at("SubtractMax").flag(), "SDPA without SubtractMax is wrong");
    const tensor& q = *xs.at(0);
    const tensor& k = *xs.at(1);
    const tensor& v = *xs.at(2);
    require(xs.at(3)->constant && count_of(xs.at(3)->shape) == 1, "the scale of SDPA is no constant");
    const half scale = xs.at(3)->values.front();
    tensor turned = moved(k, {1, 1, k.shape[W], k.shape[H], k.shape[C]}, [](shape5 at) {
        std::swap(at[C], at[W]);
        return at;
    });
    turned.constant = false;
    tensor scores = a.product(q, turned);
    for_each_place(scores.shape, [&](std::size_t i, shape5 at) {
        half s = a.binary(op::mul, scores.values[i], scale);
        if (xs.size() == 5) {
            at[H] = 0;
            s = a.binary(op::add, s, xs[4]->values[offset_of(xs[4]->shape, at)]);
        }
        scores.values[i] = s;
    });
    plist width;
    width.text = "Width";
    plist along;
    along.is = plist::form::record;
    along.entries.push_back({"Dimension", width});
    return a.product(a.softmax(along, scores), v);
}

} // namespace ane::standin_objc
