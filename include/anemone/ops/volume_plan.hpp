#pragma once

#include "convolution.hpp"
#include "indexing.hpp"
#include "movement.hpp"
#include "pooling.hpp"

#include <initializer_list>

/// Convolutions and pools over volumes [N, C, D, H, W], taken apart into those over planes: the compiler has no lowering
/// of three dimensions on any mask (guide chapter 22, R040; Core ML places them on an M4, measured).
namespace ane {

/// A depth, a height and a width; one number means all three.
struct size3 {
    int depth = 1;
    int height = 1;
    int width = 1;

    constexpr size3() = default;
    constexpr size3(int all) : depth(all), height(all), width(all) {} // NOLINT(google-explicit-constructor)
    constexpr size3(int d, int h, int w) : depth(d), height(h), width(w) {}
    constexpr size2 plane() const { return {height, width}; }
    friend constexpr bool operator==(const size3&, const size3&) = default;
};

/// Planes before and behind a volume, and padding within each plane, in explicit amounts; one number means all six.
struct padding3 {
    int front = 0;
    int back = 0;
    padding2 plane{};

    constexpr padding3() = default;
    constexpr padding3(int all) : front(all), back(all), plane(all) {} // NOLINT(google-explicit-constructor)
    constexpr padding3(int f, int b, padding2 p) : front(f), back(b), plane(p) {}
    friend constexpr bool operator==(const padding3&, const padding3&) = default;
};

/// What `conv3d` takes. The kernel's extents come from the weight, [O, I / groups, kD, kH, kW].
struct volume_conv {
    size3 stride = 1;
    size3 dilation = 1;
    padding3 padding{};
    int groups = 1;

    constexpr conv plane() const { return {stride.plane(), dilation.plane(), padding.plane, groups}; }
    friend constexpr bool operator==(const volume_conv&, const volume_conv&) = default;
};

/// What `max_pool3d` and `avg_pool3d` take; a stride of 0 is the kernel.
struct volume_pool {
    size3 kernel = 1;
    size3 stride = 0;
    padding3 padding{};
    bool exclude_padding = false;

    constexpr int depth_stride() const { return stride == size3(0) ? kernel.depth : stride.depth; }
    constexpr pool plane() const {
        return {.kernel = kernel.plane(),
                .stride = stride == size3(0) ? kernel.plane() : stride.plane(),
                .padding = padding.plane,
                .exclude_padding = exclude_padding};
    }
    friend constexpr bool operator==(const volume_pool&, const volume_pool&) = default;
};

namespace detail {

/// Windows along the depth: how many there are, and where they lie among the planes with their padding.
struct depth_windows {
    std::int64_t planes;
    std::int64_t kernel;
    std::int64_t stride;
    std::int64_t dilation;
    std::int64_t front;
    std::int64_t back;

    constexpr std::int64_t reach() const { return dilation * (kernel - 1) + 1; }
    constexpr std::int64_t padded() const { return planes + front + back; }
    constexpr std::int64_t count() const { return (padded() - reach()) / stride + 1; }
    constexpr inferred& require(inferred& r) const {
        r.require(stride >= 1, fault::stride_must_be_at_least_1, stride, 1);
        r.require(dilation >= 1, fault::dilation_must_be_at_least_1, dilation, 1);
        r.require(kernel >= 1, fault::kernel_must_be_at_least_1, kernel, 1);
        r.require(front >= 0 && back >= 0, fault::padding_must_not_be_negative, front < back ? front : back, 0);
        r.require(kernel <= 1024, fault::kernel_depth_must_not_exceed_1024, kernel, 1024);
        return r.require(reach() <= padded(), fault::kernel_must_fit_into_the_padded_depth, reach(), padded());
    }
};

constexpr extents plane_of(const extents& volume) {
    return volume.rank == 5 ? extents{volume[0], volume[1], volume[3], volume[4]} : volume;
}
constexpr depth_windows windows_of(const volume_conv& a, const extents& x, const extents& weight) {
    return {x[2], weight[2], a.stride.depth, a.dilation.depth, a.padding.front, a.padding.back};
}
constexpr depth_windows windows_of(const volume_pool& a, const extents& x) {
    return {x[2], a.kernel.depth, a.depth_stride(), 1, a.padding.front, a.padding.back};
}
constexpr extents with_depth(const extents& plane, std::int64_t depth) {
    return {plane[0], plane[1], depth, plane[2], plane[3]};
}

} // namespace detail

/// D' = (D + front + back - dilation (kD - 1) - 1) / stride + 1; H' and W' as for `conv2d`.
constexpr inferred shape_rule(const volume_conv& a, const extents& x, const extents& weight) {
    inferred r{.shape = x};
    r.require(x.rank == 5, fault::input_must_have_rank_5_as_N_C_D_H_W, x.rank, 5);
    r.require(weight.rank == 5, fault::weight_must_have_rank_5_as_O_I_kD_kH_kW, weight.rank, 5);
    if (!r.ok() || !detail::windows_of(a, x, weight).require(r).ok()) {
        return r;
    }
    r = shape_rule(a.plane(), detail::plane_of(x), detail::plane_of(weight));
    r.shape = r.ok() ? detail::with_depth(r.shape, detail::windows_of(a, x, weight).count()) : x;
    return r;
}
constexpr inferred shape_rule(const volume_conv& a, const extents& x, const extents& weight, const extents& bias) {
    return detail::require_vector(shape_rule(a, x, weight), bias, weight.rank == 5 ? weight[0] : 0,
                                  fault::bias_must_have_one_value_for_each_output);
}
constexpr inferred shape_rule(const volume_pool& a, const extents& x) {
    inferred r{.shape = x};
    r.require(x.rank == 5, fault::input_must_have_rank_5_as_N_C_D_H_W, x.rank, 5);
    if (!r.ok() || !detail::windows_of(a, x).require(r).ok()) {
        return r;
    }
    const int most = a.padding.front > a.padding.back ? a.padding.front : a.padding.back;
    r.require(most < a.kernel.depth, fault::pool_padding_must_be_smaller_than_the_kernel_R060, most, a.kernel.depth);
    if (r.ok()) {
        r = shape_rule(a.plane(), detail::plane_of(x));
        r.shape = r.ok() ? detail::with_depth(r.shape, detail::windows_of(a, x).count()) : x;
    }
    return r;
}

namespace detail {

/// Writes a graph's nodes for one of the functions below. `Sink` appends a node (`add`), a constant (`filled`, `values`)
/// and knows shapes; its values are `Sink::value`. The typed builder and `dynamic_builder` each have one.
template <class Sink> class volume_writer {
public:
    using value = typename Sink::value;

    constexpr explicit volume_writer(const Sink& sink) : sink_(sink) {}

    constexpr value convolution(const volume_conv& a, value x, value weight, const value* bias) {
        const depth_windows windows = windows_of(a, sink_.shape(x), sink_.shape(weight));
        const extents w = sink_.shape(weight);
        const value planes = padded_with_zeros(planes_of(x), windows);
        value sum{};
        for (std::int64_t k = 0; k < windows.kernel; ++k) {
            const value image = images_of(tap(planes, windows, k));
            const value kernel = reshaped(cut(weight, 2, k, 1), plane_of(w));
            const conv plane = resolve(a.plane(), sink_.shape(image), sink_.shape(kernel));
            const extents shape = shape_rule(plane, sink_.shape(image), sink_.shape(kernel)).shape;
            const value part = k == 0 && bias != nullptr ? sink_.add(op::conv2d, {image, kernel, *bias}, plane, shape)
                                                         : sink_.add(op::conv2d, {image, kernel}, plane, shape);
            sum = k == 0 ? part : sink_.add(op::add, {sum, part}, {}, shape);
        }
        return volume_of(sum, windows.count());
    }

    /// The planes first, then the largest of those that a window holds. Planes of padding repeat the nearest one, which
    /// every window that reaches into the padding holds as well.
    constexpr value max_pool(const volume_pool& a, value x) {
        const depth_windows windows = windows_of(a, sink_.shape(x));
        const value pooled = pooled_planes(op::max_pool, a, x);
        const std::int64_t last = windows.planes - 1;
        sequence<value> parts;
        for (std::int64_t i = 0; i < windows.front; ++i) {
            parts.push_back(cut(pooled, 1, 0, 1));
        }
        parts.push_back(pooled);
        for (std::int64_t i = 0; i < windows.back; ++i) {
            parts.push_back(cut(pooled, 1, last, 1));
        }
        return volume_of(combined(op::maximum, joined(parts), windows), windows.count());
    }

    constexpr value avg_pool(const volume_pool& a, value x) {
        const depth_windows windows = windows_of(a, sink_.shape(x));
        const value sum = combined(op::add, padded_with_zeros(pooled_planes(op::avg_pool, a, x), windows), windows);
        return volume_of(divided(sum, windows, a.exclude_padding), windows.count());
    }

private:
    constexpr value reshaped(value x, const extents& shape) {
        return sink_.shape(x) == shape ? x : sink_.add(op::reshape, {x}, {}, shape);
    }
    /// [N, C, D, H, W] as [N, D, C, H, W], and back.
    constexpr value exchanged(value x) {
        const extents s = sink_.shape(x);
        const extents wanted{s[0], s[2], s[1], s[3], s[4]};
        return s[1] == 1 || s[2] == 1 ? reshaped(x, wanted)
                                      : sink_.add(op::transpose, {x}, permutation{0, 2, 1, 3, 4}, wanted);
    }
    constexpr value planes_of(value x) { return exchanged(x); }
    /// [N, D, C, H, W] as images [N D, C, H, W].
    constexpr value images_of(value planes) {
        const extents s = sink_.shape(planes);
        return reshaped(planes, {s[0] * s[1], s[2], s[3], s[4]});
    }
    constexpr value planes_from(value images, std::int64_t depth) {
        const extents s = sink_.shape(images);
        return reshaped(images, {s[0] / depth, depth, s[1], s[2], s[3]});
    }
    constexpr value volume_of(value images, std::int64_t depth) { return exchanged(planes_from(images, depth)); }

    /// `count` elements of one axis.
    constexpr value cut(value x, int axis, std::int64_t begin, std::int64_t count) {
        extents shape = sink_.shape(x);
        window w;
        for (int i = 0; i < shape.rank; ++i) {
            w.begin.append(i == axis ? begin : 0);
        }
        if (shape[axis] == count) {
            return x;
        }
        shape[axis] = count;
        w.size = shape;
        return sink_.add(op::slice, {x}, w, shape);
    }
    /// The planes that the k-th element of each window meets.
    constexpr value tap(value planes, const depth_windows& windows, std::int64_t k) {
        const std::int64_t begin = k * windows.dilation;
        if (windows.stride == 1 || windows.count() == 1) {
            return cut(planes, 1, begin, windows.count());
        }
        extents shape = sink_.shape(planes);
        shape[1] = windows.count();
        return sink_.add(op::strided_slice, {planes}, strided_window{{0, begin, 0, 0, 0}, {1, windows.stride, 1, 1, 1}},
                         shape);
    }
    constexpr value joined(const sequence<value>& parts) {
        if (parts.size() == 1) {
            return parts[0];
        }
        extents shape = sink_.shape(parts[0]);
        shape[1] = 0;
        for (const value& part : parts) {
            shape[1] += sink_.shape(part)[1];
        }
        return sink_.add(op::concat, parts, axis{1}, shape);
    }
    constexpr value padded_with_zeros(value planes, const depth_windows& windows) {
        sequence<value> parts;
        const auto zeros = [&](std::int64_t count) {
            extents shape = sink_.shape(planes);
            shape[1] = count;
            if (count > 0) {
                parts.push_back(sink_.filled(shape, 0.0F));
            }
        };
        zeros(windows.front);
        parts.push_back(planes);
        zeros(windows.back);
        return joined(parts);
    }
    constexpr value pooled_planes(op kind, const volume_pool& a, value x) {
        const value images = images_of(planes_of(x));
        const pool plane = resolve(a.plane(), sink_.shape(images));
        return planes_from(sink_.add(kind, {images}, plane, shape_rule(plane, sink_.shape(images)).shape),
                           sink_.shape(x)[2]);
    }
    constexpr value combined(op kind, value planes, const depth_windows& windows) {
        value result = images_of(tap(planes, windows, 0));
        for (std::int64_t k = 1; k < windows.kernel; ++k) {
            result = sink_.add(kind, {result, images_of(tap(planes, windows, k))}, {}, sink_.shape(result));
        }
        return result;
    }
    /// The mean of sums over windows: where the padding does not count, those at the ends have fewer planes.
    constexpr value divided(value sum, const depth_windows& windows, bool exclude_padding) {
        sequence<float> shares;
        bool equal = true;
        for (std::int64_t d = 0; d < windows.count(); ++d) {
            std::int64_t inside = 0;
            for (std::int64_t k = 0; k < windows.kernel; ++k) {
                const std::int64_t plane = d * windows.stride + k - windows.front;
                inside += !exclude_padding || (plane >= 0 && plane < windows.planes) ? 1 : 0;
            }
            shares.push_back(static_cast<float>(1.0 / static_cast<double>(inside)));
            equal = equal && shares[shares.size() - 1] == shares[0];
        }
        if (windows.kernel == 1) {
            return sum;
        }
        const extents shape = sink_.shape(sum);
        if (equal) {
            return sink_.add(op::mul, {sum, sink_.filled(extents{}, shares[0])}, {}, shape);
        }
        const value planes = planes_from(sum, windows.count());
        const value factors = sink_.values({1, windows.count(), 1, 1, 1}, {shares.data(), shares.size()});
        return images_of(sink_.add(op::mul, {planes, factors}, {}, sink_.shape(planes)));
    }

    Sink sink_;
};

} // namespace detail

} // namespace ane
