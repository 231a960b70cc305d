#pragma once

#include "../backend/composer.hpp"
#include <anemone/graph/op_set.hpp>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <span>
#include <string>
#include <utility>
#include <vector>

/// Random graphs of every operation, built through the public builder: what it refuses is tried again in another way.
namespace differential {

using namespace ane;
using composing::below;
using composing::uniform;

inline bool has_kind(op_group group, std::initializer_list<op_group> groups) {
    return std::find(groups.begin(), groups.end(), group) != groups.end();
}

/// Makes one graph of some operations over inputs of all ranks, of which a third of the axes has one element.
class graph_maker {
public:
    graph_maker(composing::random_engine& random, std::span<const op> kinds) : random_(random), kinds_(kinds) {}

    /// The operation `wanted` is among those of the graph if a few tries find a place for it.
    dynamic_graph make(op wanted) {
        for (int inputs = 1 + below(random_, 2); inputs > 0; --inputs) {
            live_.push_back(graph_.input(random_shape()));
        }
        if (chance(10)) { // what is computed of it is known when the graph is compiled
            live_.push_back(graph_.weight(random_shape()));
        }
        const int length = 2 + below(random_, 9);
        const int place = below(random_, length);
        int made = 0;
        for (int tries = 0; made < length && tries < 200; ++tries) {
            const op kind = made == place && tries < 100 ? wanted : kinds_[pick_below(kinds_.size())];
            made += step(kind) ? 1 : 0;
        }
        outputs();
        return graph_.finish();
    }

private:
    static constexpr std::int64_t most_elements = 600;

    bool chance(int percent) { return below(random_, 100) < percent; }
    std::size_t pick_below(std::size_t limit) {
        return static_cast<std::size_t>(below(random_, static_cast<int>(limit)));
    }
    /// A number that fp16 holds, as attributes of a program are.
    float number(double low, double high) { return static_cast<float>(half(uniform(random_, low, high))); }

    extents random_shape() {
        extents e;
        const int rank = chance(50) ? 4 : 1 + below(random_, 5);
        for (int i = 0; i < rank; ++i) {
            e.append(chance(33) ? 1 : 1 + below(random_, i + 4 == rank ? 2 : 6));
        }
        return e;
    }
    /// A value made before: mostly one of the last, so that chains grow.
    int pick() {
        const std::size_t count = live_.size();
        return live_[chance(60) ? count - 1 : pick_below(count)];
    }
    int pick_of(const extents& shape) {
        for (int tries = 0; tries < 4; ++tries) {
            const int value = live_[pick_below(live_.size())];
            if (graph_.shape(value) == shape) {
                return value;
            }
        }
        return -1;
    }

    /// What nothing reads is returned, inputs too, and now and then something else.
    void outputs() {
        bool none = true;
        for (const int value : live_) {
            if (!graph_.is_read(value) || chance(8)) {
                graph_.output(value);
                none = false;
            }
        }
        if (none || chance(10)) {
            graph_.output(live_.back()); // perhaps by a second name
        }
    }

    int constant(const extents& shape, double low = -2, double high = 2) {
        std::vector<float> values(chance(20) ? 1U : static_cast<std::size_t>(shape.count()));
        for (float& v : values) {
            v = chance(10) ? 0.0F : number(low, high);
        }
        return graph_.constant(shape, values);
    }
    /// Whole numbers below a limit, as positions.
    int places(const extents& shape, std::int64_t limit) {
        std::vector<float> values(static_cast<std::size_t>(shape.count()));
        for (float& v : values) {
            v = static_cast<float>(below(random_, static_cast<int>(limit)));
        }
        return graph_.constant(shape, values);
    }
    /// A weight, perhaps stored compressed or worked out of two when the graph is compiled; a constant; or, now and
    /// then, a value of the graph.
    int parameter(const extents& shape) {
        const int way = below(random_, 10);
        const int found = way == 0 ? pick_of(shape) : -1;
        if (found >= 0) {
            return found;
        }
        if (way <= 2) {
            return constant(shape);
        }
        const int weight = graph_.weight(shape);
        if (way == 3) {
            return graph_.add(chance(50) ? op::mul : op::add, {weight, graph_.weight({1})});
        }
        return way <= 5 ? stored(weight) : weight;
    }
    int stored(int weight) {
        compression form{.form = static_cast<weight_form>(below(random_, chance(60) ? 3 : 6)),
                         .bits = chance(50) ? 8 : 4};
        const bool scaled = form.form != weight_form::palette && form.form != weight_form::sparse_palette;
        form.zero_point = scaled && chance(20);
        try {
            return graph_.add(op::compressed, form, {weight});
        } catch (const error&) {
            return weight;
        }
    }

    /// Appends an operation and keeps its value; throws `error` where it cannot be.
    int keep(int made) {
        if (graph_.shape(made).count() <= most_elements && graph_.shape(made).rank > 0) {
            (graph_.type(made) == dtype::f16 ? live_ : other_).push_back(made);
        }
        return made;
    }
    int add(op kind, const attributes& values, std::initializer_list<int> operands) {
        return keep(graph_.add(kind, values, operands));
    }
    /// Only fp16 values are returned, so booleans and bytes mostly become such.
    void cast(int value) {
        if (chance(80)) {
            add(op::cast, no_attributes{}, {value});
        }
    }

    bool step(op kind) {
        const int size = graph_.size();
        try {
            append(kind, pick());
        } catch (const error&) {
            return false; // refused by a shape rule: what was prepared stays unread
        }
        return graph_.size() > size;
    }

    void append(op kind, int x) {
        switch (signature(kind).group) {
        case op_group::source: break;
        case op_group::contraction: return contraction(kind, x);
        case op_group::binary:
        case op_group::comparison: return binary(kind, x);
        case op_group::logic: return logic(kind, x);
        case op_group::unary: return unary(kind, x);
        case op_group::parametric: return parametric(kind, x);
        case op_group::window: return pooling(kind, x);
        case op_group::normalization: return norm(kind, x);
        case op_group::reduction: return reduction(kind, x);
        case op_group::arg_reduction: add(kind, axis{axis_of(x)}, {x}); break;
        case op_group::scan: add(kind, cumulation{axis_of(x), chance(50), chance(50)}, {x}); break;
        case op_group::attention: return attention(x);
        case op_group::movement: return movement(kind, x);
        case op_group::texture: return texture(kind, x);
        case op_group::native: return native(kind, x);
        case op_group::rank: return order(kind, x);
        case op_group::quantization: return quantized(kind, x);
        }
    }

    int axis_of(int x) { return below(random_, graph_.shape(x).rank); }
    /// An image: a fresh one, the value itself where it is one, or its elements as one.
    int image(int x) {
        if (chance(30)) {
            return graph_.input(
                {1 + below(random_, 2), 1 + below(random_, 4), 2 + below(random_, 6), 2 + below(random_, 6)});
        }
        if (graph_.shape(x).rank == 4) {
            return x;
        }
        const std::int64_t count = graph_.shape(x).count();
        const std::int64_t channels = count % 2 == 0 ? 2 : 1;
        const std::int64_t rest = count / channels;
        return keep(
            graph_.reshape(x, rest % 3 == 0 ? extents{1, channels, rest / 3, 3} : extents{1, channels, 1, rest}));
    }

    void contraction(op kind, int x);
    void binary(op kind, int x);
    void logic(op kind, int x);
    void unary(op kind, int x);
    void parametric(op kind, int x);
    void pooling(op kind, int x);
    void norm(op kind, int x);
    void reduction(op kind, int x);
    void attention(int x);
    void movement(op kind, int x);
    void lookup(op kind, int x);
    void texture(op kind, int x);
    void native(op kind, int x);
    void order(op kind, int x);
    void quantized(op kind, int x);

    composing::random_engine& random_;
    std::span<const op> kinds_;
    composing::composer graph_;
    std::vector<int> live_;
    std::vector<int> other_; ///< booleans and integers
};

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
        return finish(conv{stride, dilation, padding, groups}, from,
                      parameter({features, channels / groups, kernel.height, kernel.width}), features);
    }
    const padding2 less{below(random_, kernel.height), below(random_, kernel.height), 0, below(random_, kernel.width)};
    const std::int64_t features = groups > 2 ? 1 : out;
    finish(conv_transpose{stride, chance(80) ? size2{1} : dilation, less, groups}, from,
           parameter({channels, features, kernel.height, kernel.width}), features * groups);
}

inline void graph_maker::binary(op kind, int x) {
    const extents in = graph_.shape(x);
    int other = x;
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
        condition = add(kinds[below(random_, 3)], no_attributes{}, {x, parameter(in)});
    }
    if (kind == op::select) {
        add(kind, no_attributes{}, {condition, x, chance(50) ? parameter(in) : pick()});
    } else {
        cast(add(kind, no_attributes{}, {condition}));
    }
}

inline void graph_maker::unary(op kind, int x) {
    switch (signature(kind).attributes) {
    case attribute_kind::coefficients: {
        const float a = number(-0.5, 0.5);
        add(kind, coefficients{a, static_cast<float>(half(a + 1.25F))}, {x});
        break;
    }
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
    pool p{.kernel = {1 + below(random_, 3), 1 + below(random_, 3)},
           .stride = {1 + below(random_, 3), 1 + below(random_, 3)},
           .padding = {},
           .ceil_mode = chance(50),
           .exclude_padding = chance(50)};
    p.padding = {below(random_, p.kernel.height), below(random_, p.kernel.height), below(random_, p.kernel.width),
                 below(random_, p.kernel.width)};
    add(kind, p, {image(x)});
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
    case op::local_response_norm: add(kind, response{1 + 2 * below(random_, 2), 0.125F, 0.75F, 1}, {image(x)}); return;
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
    const coefficients scale{.alpha = chance(30) ? 1.0F : 0.375F};
    const int keys = chance(50) ? x : parameter(in);
    if (chance(50)) {
        add(op::attention, scale, {x, keys, x});
    } else {
        add(op::attention, scale, {x, keys, x, parameter({in.height(), in.height()})});
    }
}

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
    case op::symmetric_pad: {
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
    case op::resize: add(kind, s, {from}); return;
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
        add(kind, scaling{f, f == scaled_function::mul ? 1.0F : number(-2, 2)}, {x, parameter(in)});
        return;
    }
    case op::cross_correlation:
        add(kind, no_attributes{},
            {graph_.reshape(x, {1, 1, 1, count}), parameter({1, 1, 1, std::min<std::int64_t>(count, 3)})});
        return;
    case op::cost_volume:
        add(kind, amount{3}, {graph_.reshape(x, {1, 1, 1, count}), parameter({1, 1, 1, count + 2})});
        return;
    case op::cross_product: {
        const extents vectors{1 + below(random_, 5), 3, 1, 1};
        add(kind, no_attributes{}, {graph_.input(vectors), parameter(vectors)});
        return;
    }
    case op::furthest_point_sampling:
        add(kind, amount{2 + below(random_, 2)}, {graph_.input({1, 3, 1, 3 + below(random_, 6)})});
        return;
    case op::radius_search:
        cast(add(kind, coefficients{.alpha = number(0.5, 4)},
                 {graph_.input({1, 3, 1, 2 + below(random_, 6)}), parameter({1, 3, 1, 1 + below(random_, 3)})}));
        return;
    case op::dropout: add(kind, coefficients{.alpha = number(0, 0.75)}, {x}); return;
    case op::random_uniform: keep(graph_.add(kind, coefficients{-1.5F, 0.25F}, {}, in)); return;
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
