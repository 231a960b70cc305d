#pragma once

#include "../numbers.hpp"
#include "graph_maker.hpp"

#include <cmath>

/// How a random graph gets an operation that computes: operands and attributes.
namespace differential {

inline void graph_maker::contraction(op kind, int x) {
    const std::int64_t out = 1 + below(random_, 5);
    const bool biased = chance(50);
    const auto finish = [&](const attributes& values, int value, int w, std::int64_t features) {
        if (biased) {
            add(kind, values, {value, w, parameter({features})});
        } else {
            add(kind, values, {value, w});
        }
    };
    if (kind == op::linear) {
        return finish(no_attributes{}, x, parameter({out, graph_.shape(x).width()}), out);
    }
    if (kind == op::matmul) {
        const extents in = graph_.shape(x);
        const transposed form{chance(30), chance(50)};
        if (chance(20)) {
            add(kind, chance(50) ? transposed{false, true} : transposed{true, false}, {x, x});
            return;
        }
        if (in.rank < 2) {
            return;
        }
        const std::int64_t inner = form.a ? in.height() : in.width();
        extents w = form.b ? extents{out, inner} : extents{inner, out};
        if (chance(40) && in.rank > 2) { // a matrix for each of the first's, or one for all along some axes
            extents all;
            for (int i = 0; i + 2 < in.rank; ++i) {
                all.append(chance(50) ? in[i] : 1);
            }
            all.append(w[0]);
            all.append(w[1]);
            w = all;
        }
        add(kind, form, {x, chance(20) ? constant(w, 1, 1) : parameter(w)});
        return;
    }
    const int from = image(x);
    const extents in = graph_.shape(from);
    const int channels = static_cast<int>(in[1]);
    const int groups = chance(60) ? 1 : channels % 2 == 0 && chance(50) ? 2 : channels;
    const size2 kernel{1 + below(random_, 3), 1 + below(random_, 3)};
    const size2 stride{1 + below(random_, 3), 1 + below(random_, 2)};
    const size2 dilation{chance(20) ? 2 : 1, chance(20) ? 2 : 1};
    const padding2 padding{below(random_, 3), below(random_, 3), below(random_, 3), below(random_, 3)};
    if (kind == op::conv2d) {
        const std::int64_t features = groups * (groups > 2 ? 1 + below(random_, 2) : out);
        const int w = parameter({features, channels / groups, kernel.height, kernel.width});
        return finish(conv{stride, dilation, padding, groups}, from, w, features);
    }
    // A netplist cannot crop, which strides beyond the kernel and much padding behind would need: mostly without.
    const bool crops = chance(20);
    const size2 step =
        crops ? stride : size2{std::min(stride.height, kernel.height), std::min(stride.width, kernel.width)};
    const auto behind = [&](int extent, int moved) { return below(random_, crops ? extent : extent - moved + 1); };
    const padding2 less{below(random_, kernel.height), behind(kernel.height, step.height), 0,
                        behind(kernel.width, step.width)};
    const std::int64_t features = groups > 2 ? 1 : out;
    const int w = parameter({channels, features, kernel.height, kernel.width});
    finish(conv_transpose{step, chance(80) ? size2{1} : dilation, less, groups}, from, w, features * groups);
}

inline void graph_maker::binary(op kind, int x) {
    const extents in = graph_.shape(x);
    int other = x;
    if (kind == op::pow && chance(40)) { // a power that a product says
        static constexpr float whole[] = {1, 2, 3, -1};
        add(kind, no_attributes{}, {x, graph_.constant(whole[below(random_, 4)])});
        return;
    }
    switch (below(random_, 7)) {
    case 0: break; // with itself
    case 1: other = graph_.constant(chance(20) ? 0.0F : number(-2, 2)); break;
    case 2: other = parameter(in); break;
    case 3: other = parameter({in.width()}); break;
    case 4: { // one value for each channel
        extents e;
        for (int i = 0; i < in.rank; ++i) {
            e.append(i + 3 == in.rank ? in[i] : 1);
        }
        other = parameter(e);
        break;
    }
    case 5: {
        extents e = in;
        for (int i = 0; i < e.rank; ++i) {
            e[i] = chance(50) ? 1 : e[i];
        }
        other = parameter(e);
        break;
    }
    default: other = pick();
    }
    if (chance(50)) {
        std::swap(x, other);
    }
    const int result = add(kind, no_attributes{}, {x, other});
    if (is_comparison(kind)) {
        cast(result);
    }
}

inline void graph_maker::logic(op kind, int x) {
    const extents in = graph_.shape(x);
    int condition = -1;
    for (const int v : other_) {
        condition = graph_.type(v) == dtype::boolean && graph_.shape(v) == in ? v : condition;
    }
    if (condition < 0 || chance(50)) {
        static constexpr op kinds[] = {op::equal, op::greater, op::less_equal};
        const op comparison = kinds[below(random_, 3)];
        condition = add(comparison, no_attributes{}, {x, parameter(in)});
    }
    if (kind == op::select) {
        add(kind, no_attributes{}, {condition, x, chance(50) ? parameter(in) : pick()});
    } else if (is_logic_of_two(kind)) {
        const int other = add(op::less, no_attributes{}, {x, parameter(in)});
        cast(add(kind, no_attributes{}, {condition, other}));
    } else {
        cast(add(kind, no_attributes{}, {condition}));
    }
}

inline void graph_maker::unary(op kind, int x) {
    if (numbers::has_own(kind)) {
        const float a = number(-0.5, 0.5);
        add(kind, numbers::of(kind, {a, static_cast<float>(half(a + 1.25F))}), {x});
        return;
    }
    switch (signature(kind).attributes) {
    case attribute_kind::stabilizer:
        add(kind, stabilizer{.epsilon = chance(50) ? 0.0F : number(1e-4, 0.1)}, {x});
        break;
    default: add(kind, no_attributes{}, {x});
    }
}

inline void graph_maker::parametric(op kind, int x) {
    const extents in = graph_.shape(x);
    if (in.rank < 2) {
        return;
    }
    const int slope = parameter({in[1]});
    if (kind == op::prelu) {
        add(kind, no_attributes{}, {x, slope});
    } else {
        add(kind, no_attributes{}, {x, slope, parameter({in[1]})});
    }
}

inline void graph_maker::pooling(op kind, int x) {
    const pool windows = composing::random_pool(random_); // before the image is drawn
    add(kind, windows, {image(x)});
}

inline void graph_maker::norm(op kind, int x) {
    const extents in = graph_.shape(x);
    const int along = axis_of(x);
    const float epsilon = number(1e-3, 1e-2);
    switch (kind) {
    case op::softmax: add(kind, axis{along}, {x}); return;
    case op::layer_norm:
        add(kind, stabilizer{epsilon, along}, {x, parameter({in[along]}), parameter({in[along]})});
        return;
    case op::rms_norm: add(kind, stabilizer{epsilon, along}, {x, parameter({in[along]})}); return;
    case op::l2_norm:
    case op::minmax_norm: add(kind, stabilizer{epsilon, along}, {x}); return;
    case op::local_response_norm: {
        const int from = image(x);
        const int size = chance(50) ? 1 + 2 * below(random_, 2) : static_cast<int>(graph_.shape(from)[1]);
        add(kind, response_norm_shape{size, 0.125F, 0.75F, 1}, {from});
        return;
    }
    default: break;
    }
    const int from = chance(50) || in.rank < 3 ? image(x) : x;
    const extents c{graph_.shape(from)[1]};
    if (kind == op::batch_norm) {
        add(kind, stabilizer{epsilon, 1},
            {from, graph_.weight(c), graph_.positive(c), graph_.weight(c), graph_.weight(c)});
    } else if (kind == op::group_norm) {
        add(kind, grouping{c[0] % 2 == 0 ? 2 : 1, epsilon}, {from, parameter(c), parameter(c)});
    } else {
        add(kind, stabilizer{epsilon, 1}, {from, parameter(c), parameter(c)});
    }
}

inline void graph_maker::reduction(op kind, int x) {
    axes over;
    for (int i = 0; i < graph_.shape(x).rank; ++i) {
        if (chance(40)) {
            over.list.append(i);
        }
    }
    if (over.list.rank == 0) {
        over.list.append(axis_of(x));
    }
    add(kind, over, {x});
}

inline void graph_maker::attention(int x) {
    const extents in = graph_.shape(x);
    if (in.rank < 2) {
        return;
    }
    // One over the root of the depth is what MIL text has a word for.
    const float usual = static_cast<float>(half(1 / std::sqrt(static_cast<double>(in.width()))));
    const score_scaling scale{chance(60) ? usual : chance(30) ? 1.0F : 0.375F};
    const int keys = chance(50) ? x : parameter(in);
    if (chance(50)) {
        add(op::attention, scale, {x, keys, x});
    } else {
        add(op::attention, scale, {x, keys, x, parameter({in.height(), in.height()})});
    }
}

} // namespace differential
