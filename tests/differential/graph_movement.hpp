#pragma once

#include "graph_maker.hpp"

/// How a random graph gets an operation that moves, samples, sorts or stores: operands and attributes.
namespace differential {

inline void graph_maker::movement(op kind, int x) {
    const extents in = graph_.shape(x);
    const int along = axis_of(x);
    switch (kind) {
    case op::reshape: {
        extents to{1, in.count()};
        for (std::int64_t f = 2 + below(random_, 4); f > 1; --f) {
            if (in.count() % f == 0) {
                const extents forms[] = {{f, in.count() / f}, {1, f, 1, in.count() / f}, {in.count() / f, 1, f}};
                to = forms[below(random_, 3)];
                break;
            }
        }
        keep(graph_.reshape(x, to));
        return;
    }
    case op::transpose: {
        permutation p;
        for (int i = 0; i < in.rank; ++i) {
            p.order.append(i);
        }
        for (int i = in.rank - 1; i > 0; --i) {
            std::swap(p.order[i], p.order[below(random_, i + 1)]);
        }
        add(kind, p, {x});
        return;
    }
    case op::concat: {
        extents other = in;
        other[along] = 1 + below(random_, 3);
        const int w = parameter(other);
        if (chance(30)) {
            add(kind, axis{along}, {w, x, x});
        } else {
            add(kind, axis{along}, {x, chance(50) ? w : x});
        }
        return;
    }
    case op::slice: {
        window w{in, in};
        for (int i = 0; i < in.rank; ++i) {
            w.begin[i] = chance(50) ? 0 : below(random_, static_cast<int>(in[i]));
            w.size[i] = 1 + below(random_, static_cast<int>(in[i] - w.begin[i]));
        }
        add(kind, w, {x});
        return;
    }
    case op::pad:
    case op::reflect_pad:
    case op::symmetric_pad:
    case op::replicate_pad: {
        pads p{in, in};
        for (int i = 0; i < in.rank; ++i) {
            const bool spatial = i + 2 >= in.rank || chance(10);
            const int most = kind == op::pad ? 3 : static_cast<int>(std::min<std::int64_t>(3, in[i]));
            p.before[i] = spatial ? below(random_, most) : 0;
            p.after[i] = spatial ? below(random_, most) : 0;
        }
        if (kind == op::pad) {
            add(kind, p, {x, graph_.constant(number(-1, 1))});
        } else {
            add(kind, p, {x});
        }
        return;
    }
    case op::tile: {
        repeats r;
        for (int i = 0; i < in.rank; ++i) {
            r.count.append(1 + below(random_, 3));
        }
        add(kind, r, {x});
        return;
    }
    case op::reverse: add(kind, axes{along}, {x}); return;
    case op::identity: add(kind, no_attributes{}, {x}); return;
    case op::cast: {
        static constexpr dtype types[] = {dtype::uint8, dtype::boolean};
        if (chance(50)) {
            add(kind, no_attributes{}, {graph_.input(random_shape(), types[0])});
        } else {
            add(kind, no_attributes{}, {add(op::greater, no_attributes{}, {x, parameter(in)})});
        }
        return;
    }
    case op::pixel_shuffle:
    case op::pixel_unshuffle:
    case op::depth_to_space:
    case op::space_to_depth:
    case op::space_to_batch:
    case op::batch_to_space: {
        const factors by{1 + below(random_, 2), 1 + below(random_, 2)};
        const std::int64_t block = by.by.height * by.by.width;
        extents e{1 + below(random_, 2), 1 + below(random_, 2), 1 + below(random_, 3), 1 + below(random_, 3)};
        if (kind == op::pixel_shuffle || kind == op::depth_to_space) {
            e[1] *= block;
        } else if (kind == op::batch_to_space) {
            e[0] *= block;
        } else {
            e[2] *= by.by.height;
            e[3] *= by.by.width;
        }
        add(kind, by, {graph_.input(e)});
        return;
    }
    case op::strided_slice:
    case op::slice_update: {
        strided_window w{in, in};
        extents size = in;
        for (int i = 0; i < in.rank; ++i) {
            w.begin[i] = below(random_, static_cast<int>(in[i]));
            w.stride[i] = 1 + below(random_, 2);
            size[i] = 1 + below(random_, static_cast<int>(1 + (in[i] - 1 - w.begin[i]) / w.stride[i]));
        }
        if (kind == op::strided_slice) {
            keep(graph_.add(kind, w, {x}, size));
        } else {
            add(kind, w, {x, parameter(size)});
        }
        return;
    }
    default: lookup(kind, x);
    }
}

/// Movements that read positions.
inline void graph_maker::lookup(op kind, int x) {
    const extents in = graph_.shape(x);
    const int along = axis_of(x);
    switch (kind) {
    case op::gather: add(kind, axis{along}, {x, places({1 + below(random_, 4)}, in[along])}); return;
    case op::gather_along_axis: {
        extents each = in;
        each[along] = 1 + below(random_, 5);
        add(kind, axis{along}, {x, places(each, in[along])});
        return;
    }
    case op::gather_nd: add(kind, no_attributes{}, {x, places({1 + below(random_, 4), 1}, in[0])}); return;
    case op::dynamic_slice: {
        window w{in, in};
        for (int i = 0; i < in.rank; ++i) {
            w.begin[i] = 0;
        }
        if (in[along] == 1) {
            return; // a window of everything starts at 0
        }
        w.size[along] = (in[along] + 1) / 2;
        add(kind, w, {x, places({1}, in[along] + 2)});
        return;
    }
    default: return;
    }
}

inline void graph_maker::texture(op kind, int x) {
    const int from = image(x);
    const extents in = graph_.shape(from);
    const sampling s{.extent = {1 + below(random_, 5), 1 + below(random_, 5)},
                     .method = chance(30) ? sampling_method::nearest : sampling_method::bilinear,
                     .grid = static_cast<sampling_grid>(below(random_, 3)),
                     .border = static_cast<sampling_border>(below(random_, 3))};
    const extents places{in[0], 2, s.extent.height, s.extent.width};
    switch (kind) {
    case op::resize: {
        sampling larger = s;
        if (chance(50)) { // by whole numbers
            const int factor = 1 + below(random_, 4);
            larger = {.extent = {static_cast<int>(in[2]) * factor,
                                 static_cast<int>(in[3]) * (chance(70) ? factor : 1 + below(random_, 3))},
                      .method = sampling_method::nearest,
                      .grid = sampling_grid::half_pixel};
        }
        add(kind, larger, {from});
        return;
    }
    case op::crop_resize: add(kind, s, {from, parameter({in[0], 4})}); return;
    case op::resample: add(kind, s, {from, parameter(places)}); return;
    case op::gather_hw: add(kind, no_attributes{}, {from, parameter(places)}); return;
    default: add(kind, s, {from, parameter({1, 6})});
    }
}

inline void graph_maker::native(op kind, int x) {
    const extents in = graph_.shape(x);
    const std::int64_t count = in.count();
    switch (kind) {
    case op::scaled_elementwise: {
        const auto f = static_cast<scaled_function>(below(random_, 4));
        const float scale = f == scaled_function::mul ? 1.0F : number(-2, 2);
        add(kind, scaling{f, scale}, {x, parameter(in)});
        return;
    }
    case op::cross_correlation:
        add(kind, no_attributes{},
            {graph_.reshape(x, {1, 1, 1, count}), parameter({1, 1, 1, std::min<std::int64_t>(count, 3)})});
        return;
    case op::cost_volume:
        add(kind, item_count{3}, {graph_.reshape(x, {1, 1, 1, count}), parameter({1, 1, 1, count + 2})});
        return;
    case op::cross_product: {
        const extents vectors{1 + below(random_, 5), 3, 1, 1};
        add(kind, no_attributes{}, {graph_.input(vectors), parameter(vectors)});
        return;
    }
    case op::furthest_point_sampling: {
        const item_count centroids{2 + below(random_, 2)};
        add(kind, centroids, {graph_.input({1, 3, 1, 3 + below(random_, 6)})});
        return;
    }
    case op::radius_search: {
        const search_radius radius{number(0.5, 4)};
        const int points = graph_.input({1, 3, 1, 2 + below(random_, 6)});
        cast(add(kind, radius, {points, parameter({1, 3, 1, 1 + below(random_, 3)})}));
        return;
    }
    case op::dropout: add(kind, drop_ratio{chance(50) ? 0.0F : number(0, 0.75)}, {x}); return;
    case op::random_uniform: keep(graph_.add(kind, uniform_range{-1.5F, 0.25F}, {}, in)); return;
    default: return;
    }
}

inline void graph_maker::order(op kind, int x) {
    const int along = axis_of(x);
    const auto all = static_cast<int>(graph_.shape(x)[along]);
    const bool whole = kind == op::sort || kind == op::arg_sort;
    add(kind, selection{whole ? all : 1 + below(random_, all), along, chance(50)}, {x});
}

inline void graph_maker::quantized(op kind, int x) {
    const extents in = graph_.shape(x);
    if (kind == op::compressed) {
        stored(graph_.weight(in));
        return;
    }
    const quantization to{.type = chance(60) ? dtype::int8 : dtype::uint8, .axis = 0};
    const int scale = chance(50) ? graph_.positive({1}) : graph_.constant({1}, {number(0.01, 0.5)});
    if (chance(30)) {
        const int zero = places({1}, 100);
        add(op::dequantize, to, {add(op::quantize, to, {x, scale, zero}), scale, zero});
    } else {
        add(op::dequantize, to, {add(op::quantize, to, {x, scale}), scale});
    }
}

} // namespace differential
