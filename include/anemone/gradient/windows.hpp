#pragma once

#include "tape.hpp"

/// What moves along with a window over the two last axes, in both directions.
namespace ane::detail::gradients {

/// A window over [N, C, H, W].
struct window_of {
    size2 kernel;
    size2 stride;
    size2 dilation = 1;
    padding2 padding{};
};

/// The extent, border included, that `out` windows lie on.
constexpr std::int64_t reach(std::int64_t out, int stride, int dilation, int kernel) {
    return (out - 1) * stride + std::int64_t{dilation} * (kernel - 1) + 1;
}

/// What each of [N, C, H', W'] gave to the elements below its window, added up: the adjoint of a convolution by w
/// [C, O / groups, kH, kW], of the extents of its operand.
constexpr int spread(tape& t, int value, int w, const window_of& by, int groups, const extents& wanted) {
    const extents given = t.shape(value);
    const std::int64_t rows = reach(given[2], by.stride.height, by.dilation.height, by.kernel.height) - by.padding.top;
    const std::int64_t columns = reach(given[3], by.stride.width, by.dilation.width, by.kernel.width) - by.padding.left;
    if (rows < 1 || columns < 1) {
        return t.filled(wanted, 0); // all windows lie on the border
    }
    const std::int64_t bottom = rows - wanted[2];
    const std::int64_t right = columns - wanted[3];
    const conv_transpose c{.stride = by.stride,
                           .dilation = by.dilation,
                           .padding = padding2(by.padding.top, bottom > 0 ? static_cast<int>(bottom) : 0,
                                               by.padding.left, right > 0 ? static_cast<int>(right) : 0),
                           .groups = groups};
    const int whole = t.emit(op::conv_transpose2d, c, {value, w});
    // Rows and columns that no window reaches.
    return t.padded(t.padded(whole, 2, 0, bottom < 0 ? -bottom : 0), 3, 0, right < 0 ? -right : 0);
}

/// The elements of x that lie below one place of the window, for each of its positions: slices of x with its border.
class taps {
public:
    /// `out` has the extents of the positions.
    constexpr taps(tape& t, int x, const window_of& by, const extents& out, double border = 0)
        : t_(t), by_(by), out_(out) {
        const extents given = t.shape(x);
        pads p{{0, 0, by.padding.top, by.padding.left}, {0, 0, 0, 0}};
        p.after[2] = missing(given[2] + by.padding.top, out[2], by.stride.height, by.dilation.height, by.kernel.height);
        p.after[3] = missing(given[3] + by.padding.left, out[3], by.stride.width, by.dilation.width, by.kernel.width);
        const bool none = p.before[2] + p.before[3] + p.after[2] + p.after[3] == 0;
        padded_ = none ? x : t.emit(op::pad, p, {x, t.number(border)});
    }

    constexpr int count() const { return by_.kernel.height * by_.kernel.width; }
    constexpr int operator()(int place) const {
        const int row = place / by_.kernel.width;
        const int column = place % by_.kernel.width;
        extents wanted = t_.shape(padded_);
        wanted[2] = out_[2];
        wanted[3] = out_[3];
        strided_window part{{0, 0, row * by_.dilation.height, column * by_.dilation.width},
                            {1, 1, by_.stride.height, by_.stride.width}};
        if (by_.stride == size2(1)) {
            return t_.emit(op::slice, window{part.begin, wanted}, {padded_});
        }
        return t_.emit(op::strided_slice, part, {padded_}, wanted);
    }

private:
    /// The last window ends so far behind the elements and the border before them.
    static constexpr std::int64_t missing(std::int64_t there, std::int64_t out, int stride, int dilation, int kernel) {
        const std::int64_t needed = reach(out, stride, dilation, kernel);
        return needed > there ? needed - there : 0;
    }

    tape& t_;
    window_of by_;
    extents out_;
    int padded_ = -1;
};

/// The derivative by the weight [O, I / groups, kH, kW] of a convolution of x [N, I, H, W] with the cotangent dy
/// [N, O, H', W']: for each place of the kernel a product over the positions, summed over the batch.
constexpr int weight_cotangent(tape& t, int x, int dy, const window_of& by, int groups) {
    const extents out = t.shape(dy);
    const std::int64_t batch = out[0];
    const std::int64_t positions = out[2] * out[3];
    const std::int64_t inner = t.shape(x)[1] / groups;
    const std::int64_t outer = out[1] / groups;
    const int rows = t.reshape(dy, {batch, groups, outer, positions});
    const taps places(t, x, by, out);
    sequence<int> products;
    for (int k = 0; k < places.count(); ++k) {
        const int columns = t.reshape(places(k), {batch, groups, inner, positions});
        int product = t.emit(op::matmul, transposed{.b = true}, {rows, columns});
        if (batch > 1) {
            product = t.sum(product, axes{0});
        }
        products.push_back(t.reshape(product, {out[1], inner, 1, 1}));
    }
    const int all = t.concatenated({products.data(), products.size()}, 2);
    return t.reshape(all, {out[1], inner, by.kernel.height, by.kernel.width});
}

} // namespace ane::detail::gradients
