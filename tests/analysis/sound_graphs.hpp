#pragma once

#include "../numbers.hpp"
#include <anemone/catalogue/catalogue.hpp>
#include <anemone/graph/graph.hpp>
#include <anemone/passes/prune.hpp>
#include <anemone/weights/store.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

/// Small random graphs whose inputs and weights carry contracts, and data inside them.
namespace sound {

using namespace ane;

class maker {
public:
    maker(unsigned seed, std::vector<op> kinds) : random_(seed), kinds_(std::move(kinds)) {}

    /// Promises of numbers up to a size from 2^least on: that of weights ends at 2^most_of_weights, of inputs at 2^most.
    void promise(double least, double most_of_weights, double most) {
        least_ = least;
        most_of_weights_ = most_of_weights;
        most_ = most;
    }

    int below(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
    bool chance(int percent) { return below(100) < percent; }
    double uniform(double low, double high) {
        return low + (high - low) * static_cast<double>(random_()) / 4294967296.0;
    }

    /// A graph of up to `operations`; `wanted` is among them if it can be built at all.
    dynamic_graph make(op wanted, int operations) {
        g_ = {};
        live_.clear();
        for (int i = 1 + below(2); i > 0; --i) {
            live_.push_back(source(op::input, random_shape(), ranged(below(5))));
        }
        for (int made = 0, tries = 0; made < operations && tries < 60; ++tries) {
            const bool last = made == operations - 1;
            const op kind =
                last && tries < 50 ? wanted : kinds_[static_cast<std::size_t>(below(static_cast<int>(kinds_.size())))];
            const std::size_t before = g_.nodes.size();
            int value = step(kind);
            if (value >= 0 && g_.nodes[static_cast<std::size_t>(value)].type == dtype::boolean) {
                const int masked = parameter(shape(value));
                value = append(op::select, no_attributes{},
                               {value, masked, chance(60) ? number(shape(value), 0) : parameter(shape(value))});
            }
            if (value >= 0) {
                if (g_.nodes[static_cast<std::size_t>(value)].type == dtype::f16) {
                    live_.push_back(value);
                }
                ++made;
            } else if (g_.nodes.size() > before) {
                // what was prepared for it stays, unused
            }
        }
        for (const int v : live_) {
            if (!is_source(g_.nodes[static_cast<std::size_t>(v)].kind)) {
                g_.add_output(v, "y" + std::to_string(v));
            }
        }
        return prune(g_);
    }

    /// Values inside the contract of a source, its ends among them.
    std::vector<half> values(const node& n) {
        std::vector<half> all(static_cast<std::size_t>(n.shape.count()));
        const contract& c = n.get<contract>();
        const double low = std::max(c.low, -65504.0);
        const double high = std::min(c.high, 65504.0);
        const int style = below(4);
        for (half& h : all) {
            const double v =
                style == 0 ? (chance(50) ? low : high) : (chance(10) ? (chance(50) ? low : high) : uniform(low, high));
            h = half(v);
            if (static_cast<double>(h) < low || static_cast<double>(h) > high) {
                h = half(low + (high - low) / 2);
            }
        }
        return all;
    }

    /// Random weights; the sums of half of them are promised too, as they are.
    weight_store weights(dynamic_graph& g) {
        weight_store store;
        for (std::size_t i = 0; i < g.nodes.size(); ++i) {
            node& n = g.nodes[i];
            if (n.kind != op::weight) {
                continue;
            }
            const std::vector<half> all = values(n);
            if (n.shape.rank >= 2 && chance(60)) {
                const std::int64_t rows = n.shape[0];
                const std::int64_t columns = n.shape[1];
                const std::int64_t rest = n.shape.count() / (rows * columns);
                std::vector<double> row(static_cast<std::size_t>(rows));
                std::vector<double> column(static_cast<std::size_t>(columns));
                for (std::size_t e = 0; e < all.size(); ++e) {
                    const auto at = static_cast<std::int64_t>(e);
                    const double v = std::fabs(static_cast<double>(all[e]));
                    row[static_cast<std::size_t>(at / (columns * rest))] += v;
                    column[static_cast<std::size_t>(at / rest % columns)] += v;
                }
                contract c = n.get<contract>();
                c.row_l1 = *std::max_element(row.begin(), row.end());
                c.column_l1 = *std::max_element(column.begin(), column.end());
                n.attributes = c;
            }
            store.add(std::string(graph_view(g).name(static_cast<int>(i))), n.shape, std::span<const half>(all));
        }
        return store;
    }

private:
    extents random_shape() {
        extents e;
        const int rank = chance(60) ? 4 : 2 + below(3);
        for (int i = 0; i < rank; ++i) {
            e.append(1 + below(i + 4 == rank ? 2 : 4));
        }
        return e;
    }
    contract ranged(int style) {
        const double size = std::pow(2.0, uniform(least_, style == 4 ? most_ : most_of_weights_));
        switch (style) {
        case 0: return within(0, size);
        case 1: return within(0.25 * size, size);
        case 2: return within(-size, -0.1 * size);
        default: return within(-size * uniform(0, 1), size);
        }
    }
    int source(op kind, const extents& shape, contract c) {
        c.low = static_cast<double>(half(c.low));
        c.high = static_cast<double>(half(c.high));
        node n;
        n.kind = kind;
        n.shape = shape;
        n.attributes = c;
        n.name = g_.intern((kind == op::input ? "x" : "w") + std::to_string(g_.nodes.size()));
        return g_.append(n, {});
    }
    int weight(const extents& shape) { return source(op::weight, shape, ranged(below(4))); }
    int positive(const extents& shape) { return source(op::weight, shape, within(0.2, 2)); }
    /// A weight, or what one of its stored forms makes of it.
    int stored(int w) {
        if (chance(70)) {
            return w;
        }
        compression form{.form = static_cast<weight_form>(below(6)), .bits = chance(60) ? 8 : 4};
        const bool scaled = form.form != weight_form::palette && form.form != weight_form::sparse_palette;
        form.zero_point = scaled && chance(30);
        form.vector = scaled || chance(70) ? 1 : 2;
        return append(op::compressed, form, {w});
    }
    /// dequantize(quantize(x)) with a scale that is an input, a weight or a number.
    int quantized(int x) {
        const contract positive_scale = within(0.01, 0.5);
        const int scale = chance(50) ? source(op::input, {1}, positive_scale) : source(op::weight, {1}, positive_scale);
        const quantization to{.type = chance(70) ? dtype::int8 : dtype::uint8, .axis = 0};
        const bool shifted = chance(30);
        const int zero = shifted ? source(op::weight, {1}, within(0, 100)) : -1;
        const int q = shifted ? append(op::quantize, to, {x, scale, zero}) : append(op::quantize, to, {x, scale});
        if (q < 0) {
            return -1;
        }
        g_.nodes[static_cast<std::size_t>(q)].type = to.type;
        return shifted ? append(op::dequantize, to, {q, scale, zero}) : append(op::dequantize, to, {q, scale});
    }
    /// A weight, or a constant of as many values.
    int parameter(const extents& shape) {
        if (chance(60)) {
            return stored(weight(shape));
        }
        node n;
        n.kind = op::constant;
        n.shape = shape;
        std::vector<float> values(chance(20) ? 1U : static_cast<std::size_t>(shape.count()));
        for (float& v : values) {
            v = static_cast<float>(uniform(-2, 2));
        }
        n.attributes = g_.keep(values);
        return g_.append(n, {});
    }
    int number(const extents& shape, float value) {
        node n;
        n.kind = op::constant;
        n.shape = shape;
        const float values[] = {value};
        n.attributes = g_.keep(values);
        return g_.append(n, {});
    }
    /// Indices below a limit.
    int places(const extents& shape, std::int64_t limit) {
        node n;
        n.kind = op::constant;
        n.shape = shape;
        std::vector<float> values(static_cast<std::size_t>(shape.count()));
        for (float& v : values) {
            v = static_cast<float>(below(static_cast<int>(limit)));
        }
        n.attributes = g_.keep(values);
        return g_.append(n, {});
    }
    const extents& shape(int v) const { return g_.nodes[static_cast<std::size_t>(v)].shape; }
    int pick() {
        const int count = static_cast<int>(live_.size());
        return live_[static_cast<std::size_t>(chance(60) ? count - 1 : below(count))];
    }

    int append(op kind, const attributes& values, std::vector<int> operands, extents given = {}) {
        for (const int o : operands) {
            if (o < 0) {
                return -1;
            }
        }
        node n;
        n.kind = kind;
        n.attributes = values;
        n.shape = given;
        n.type = gives_booleans(kind) ? dtype::boolean : dtype::f16;
        dynamic_graph trial = g_;
        const int index = trial.append(n, operands);
        const inferred r = infer(trial, trial.nodes.back());
        if (!r.ok() || r.shape.rank == 0 || r.shape.count() > 300 || r.shape.count() < 1) {
            return -1;
        }
        trial.nodes.back().shape = r.shape;
        g_ = std::move(trial);
        return index;
    }

    int step(op kind);
    int movement(op kind, int x);
    int lookup(op kind, int x);
    int contraction(op kind, int x);
    int norm(op kind, int x);
    int texture(op kind, int x);
    int native(op kind, int x);

    std::mt19937 random_;
    std::vector<op> kinds_;
    dynamic_graph g_;
    std::vector<int> live_;
    double least_ = -4;
    double most_of_weights_ = 4;
    double most_ = 13;
};

inline int maker::contraction(op kind, int x) {
    const extents in = shape(x);
    const auto out = static_cast<std::int64_t>(1 + below(4));
    const bool biased = chance(40);
    if (kind == op::linear) {
        const int w = parameter({out, in.width()});
        return biased ? append(kind, no_attributes{}, {x, w, parameter({out})}) : append(kind, no_attributes{}, {x, w});
    }
    if (kind == op::matmul) {
        const transposed form{chance(30), chance(50)};
        if (in.rank < 2 || in.rank > 4) {
            return -1;
        }
        if (chance(25)) {
            return append(kind, transposed{false, true}, {x, x});
        }
        const std::int64_t inner = form.a ? in.height() : in.width();
        if (chance(25)) { // the weight on the left: [out, height] times x
            return append(kind, transposed{}, {parameter({out, in.height()}), x});
        }
        return append(kind, form, {x, parameter(form.b ? extents{out, inner} : extents{inner, out})});
    }
    if (in.rank != 4) {
        return -1;
    }
    const int wanted = 1 + below(3);
    const int groups = in[1] % wanted == 0 ? wanted : 1;
    const size2 kernel{1 + below(3), 1 + below(3)};
    const size2 stride{1 + below(3), 1 + below(3)};
    const size2 dilation{1 + below(3), 1 + below(3)};
    const padding2 padding{below(4), below(4), below(4), below(4)};
    if (kind == op::conv2d) {
        const int w = parameter({groups * out, in[1] / groups, kernel.height, kernel.width});
        const conv a{stride, dilation, padding, groups};
        return biased ? append(kind, a, {x, w, parameter({groups * out})}) : append(kind, a, {x, w});
    }
    const int w = parameter({in[1], out, kernel.height, kernel.width});
    const conv_transpose a{stride, dilation, padding, groups};
    return biased ? append(kind, a, {x, w, parameter({groups * out})}) : append(kind, a, {x, w});
}

inline int maker::norm(op kind, int x) {
    const extents in = shape(x);
    const int along = below(in.rank);
    const float epsilon = chance(50) ? 1e-3F : 1e-5F;
    switch (kind) {
    case op::softmax: return append(kind, axis{along}, {x});
    case op::layer_norm: return append(kind, stabilizer{epsilon, along}, {x, weight({in[along]}), weight({in[along]})});
    case op::rms_norm: return append(kind, stabilizer{epsilon, along}, {x, weight({in[along]})});
    case op::l2_norm:
    case op::minmax_norm: return append(kind, stabilizer{epsilon, along}, {x});
    case op::local_response_norm: return append(kind, response_norm_shape{3, 0.1F, 0.75F, 1}, {x});
    default: break;
    }
    if (in.rank < 3) {
        return -1;
    }
    const extents c{in[1]};
    if (kind == op::batch_norm) {
        return append(kind, stabilizer{epsilon, 1}, {x, weight(c), positive(c), weight(c), weight(c)});
    }
    if (kind == op::group_norm) {
        return append(kind, grouping{in[1] % 2 == 0 ? 2 : 1, epsilon}, {x, weight(c), weight(c)});
    }
    return append(kind, stabilizer{epsilon, 1}, {x, weight(c), weight(c)});
}

inline int maker::movement(op kind, int x) {
    const extents in = shape(x);
    const int along = below(in.rank);
    switch (kind) {
    case op::reshape: return append(kind, no_attributes{}, {x}, {1, in.count()});
    case op::transpose: {
        permutation p;
        for (int i = 0; i < in.rank; ++i) {
            p.order.append(i);
        }
        std::swap(p.order[along], p.order[below(in.rank)]);
        return append(kind, p, {x});
    }
    case op::concat: return append(kind, axis{along}, {x, chance(50) ? x : parameter(in)});
    case op::slice: {
        window w{in, in};
        for (int i = 0; i < in.rank; ++i) {
            w.begin[i] = below(static_cast<int>(in[i]));
            w.size[i] = 1 + below(static_cast<int>(in[i] - w.begin[i]));
        }
        return append(kind, w, {x});
    }
    case op::pad:
    case op::reflect_pad:
    case op::symmetric_pad:
    case op::replicate_pad: {
        pads p{in, in};
        for (int i = 0; i < in.rank; ++i) {
            const bool spatial = i + 2 >= in.rank && in[i] > 1;
            p.before[i] = spatial ? below(2) : 0;
            p.after[i] = spatial ? below(2) : 0;
        }
        if (kind != op::pad) {
            return append(kind, p, {x});
        }
        node n;
        n.kind = op::constant;
        const float value[] = {static_cast<float>(uniform(-1, 1))};
        n.attributes = g_.keep(value);
        return append(kind, p, {x, g_.append(n, {})});
    }
    case op::tile: {
        repeats r;
        for (int i = 0; i < in.rank; ++i) {
            r.count.append(1 + below(2));
        }
        return append(kind, r, {x});
    }
    case op::reverse: return append(kind, axes{along}, {x});
    case op::identity: return append(kind, no_attributes{}, {x}, in);
    case op::pixel_shuffle:
    case op::pixel_unshuffle:
    case op::depth_to_space:
    case op::space_to_depth:
    case op::space_to_batch:
    case op::batch_to_space: return append(kind, factors{2}, {x});
    case op::strided_slice:
    case op::slice_update: {
        strided_window w{in, in};
        extents size = in;
        for (int i = 0; i < in.rank; ++i) {
            w.begin[i] = below(static_cast<int>(in[i]));
            w.stride[i] = 1 + below(2);
            size[i] = 1 + below(static_cast<int>(1 + (in[i] - 1 - w.begin[i]) / w.stride[i]));
        }
        return kind == op::strided_slice ? append(kind, w, {x}, size) : append(kind, w, {x, parameter(size)});
    }
    default: return lookup(kind, x);
    }
}

/// Movements that read positions.
inline int maker::lookup(op kind, int x) {
    const extents in = shape(x);
    const int along = below(in.rank);
    switch (kind) {
    case op::gather: return append(kind, axis{along}, {x, places({1 + below(4)}, in[along])});
    case op::gather_along_axis: {
        extents each = in;
        each[along] = 1 + below(5);
        return append(kind, axis{along}, {x, places(each, in[along])});
    }
    case op::gather_nd: return append(kind, no_attributes{}, {x, places({1 + below(4), 1}, in[0])});
    case op::dynamic_slice: {
        window w{in, in};
        for (int i = 0; i < in.rank; ++i) {
            w.begin[i] = 0;
        }
        w.size[along] = (in[along] + 1) / 2;
        return in[along] > 1 ? append(kind, w, {x, places({1}, in[along] + 2)}) : -1;
    }
    default: return -1;
    }
}

inline int maker::texture(op kind, int x) {
    const extents in = shape(x);
    if (in.rank != 4) {
        return -1;
    }
    const sampling s{.extent = {1 + below(4), 1 + below(4)},
                     .method = chance(30) ? sampling_method::nearest : sampling_method::bilinear,
                     .grid = static_cast<sampling_grid>(below(3)),
                     .border = static_cast<sampling_border>(below(3))};
    const extents places{1, 2, s.extent.height, s.extent.width};
    switch (kind) {
    case op::resize: return append(kind, s, {x});
    case op::crop_resize: return append(kind, s, {x, parameter({in[0], 4})});
    case op::resample: return append(kind, s, {x, parameter(places)});
    case op::gather_hw: return append(kind, no_attributes{}, {x, parameter(places)});
    default: return append(kind, s, {x, parameter({1, 6})});
    }
}

inline int maker::native(op kind, int x) {
    const extents in = shape(x);
    const auto flat = [&](const extents& e) { return append(op::reshape, no_attributes{}, {x}, e); };
    const std::int64_t count = in.count();
    switch (kind) {
    case op::scaled_elementwise: {
        const auto f = static_cast<scaled_function>(below(4));
        const float scale = f == scaled_function::mul ? 1.0F : static_cast<float>(half(uniform(-2, 2)));
        return append(kind, scaling{f, scale}, {x, parameter(in)});
    }
    case op::cross_correlation:
        return append(kind, no_attributes{},
                      {flat({1, 1, 1, count}), parameter({1, 1, 1, std::min<std::int64_t>(count, 3)})});
    case op::cost_volume: return append(kind, item_count{3}, {flat({1, 1, 1, count}), parameter({1, 1, 1, count + 2})});
    case op::cross_product:
    case op::furthest_point_sampling: {
        if (count % 3 != 0) {
            return -1;
        }
        if (kind == op::cross_product) {
            const extents vectors{count / 3, 3, 1, 1};
            return append(kind, no_attributes{}, {flat(vectors), parameter(vectors)});
        }
        return append(kind, item_count{2}, {flat({1, 3, 1, count / 3})});
    }
    case op::dropout: return append(kind, drop_ratio{0}, {x});
    case op::random_uniform: return append(kind, uniform_range{-1.5F, 0.25F}, {}, in);
    default: return -1;
    }
}

inline int maker::step(op kind) {
    const int x = pick();
    const extents in = shape(x);
    switch (signature(kind).group) {
    case op_group::contraction: return contraction(kind, x);
    case op_group::binary: {
        const bool quotient = kind == op::div || kind == op::floor_div || kind == op::pow;
        if (chance(quotient ? 5 : 20)) {
            return append(kind, no_attributes{}, {x, x});
        }
        if (kind == op::pow && chance(80)) {
            constexpr float exponents[] = {2, 3, 4, 0.5F, 1.5F, -1, -2, -0.5F, 1.0F / 3};
            return append(kind, no_attributes{}, {x, number({}, exponents[below(9)])});
        }
        const int other = chance(50) ? parameter(chance(50) ? in : extents{in.width()}) : pick();
        return chance(50) ? append(kind, no_attributes{}, {x, other}) : append(kind, no_attributes{}, {other, x});
    }
    case op_group::comparison: return append(kind, no_attributes{}, {x, parameter(in)});
    case op_group::logic: {
        const int condition = append(op::greater, no_attributes{}, {x, parameter(in)});
        if (kind == op::select) {
            return append(kind, no_attributes{}, {condition, x, parameter(in)});
        }
        if (is_logic_of_two(kind)) {
            return append(kind, no_attributes{}, {condition, append(op::less, no_attributes{}, {x, parameter(in)})});
        }
        return append(kind, no_attributes{}, {condition}, in);
    }
    case op_group::unary: {
        if (numbers::has_own(kind)) {
            const auto a = static_cast<float>(uniform(-0.5, 0.5));
            return append(kind, numbers::of(kind, {a, a + 1.3F}), {x});
        }
        if (signature(kind).attributes == attribute_kind::stabilizer) {
            return append(kind, stabilizer{.epsilon = chance(50) ? 0.0F : 1e-3F}, {x});
        }
        return append(kind, no_attributes{}, {x});
    }
    case op_group::parametric: {
        if (in.rank < 3) {
            return -1;
        }
        const int a = weight({in[1]});
        return kind == op::prelu ? append(kind, no_attributes{}, {x, a})
                                 : append(kind, no_attributes{}, {x, a, weight({in[1]})});
    }
    case op_group::window: {
        pool p{.kernel = {1 + below(2), 1 + below(3)}, .stride = {1 + below(2), 1}, .padding = {}};
        p.padding = {below(p.kernel.height), below(p.kernel.height), below(p.kernel.width), below(p.kernel.width)};
        p.exclude_padding = chance(50);
        p.ceil_mode = chance(30);
        return in.rank == 4 ? append(kind, p, {x}) : -1;
    }
    case op_group::normalization: return norm(kind, x);
    case op_group::reduction: return append(kind, axes{below(in.rank)}, {x});
    case op_group::arg_reduction: return append(kind, axis{below(in.rank)}, {x});
    case op_group::scan: return append(kind, cumulation{below(in.rank), chance(50), chance(50)}, {x});
    case op_group::attention: return in.rank >= 2 && in.rank <= 4 ? append(kind, score_scaling{0.5F}, {x, x, x}) : -1;
    case op_group::movement: return movement(kind, x);
    case op_group::texture: return texture(kind, x);
    case op_group::native: return native(kind, x);
    case op_group::rank: {
        const int along = below(in.rank);
        const auto all = static_cast<int>(in[along]);
        const bool whole = kind == op::sort || kind == op::arg_sort;
        return append(kind, selection{whole ? all : 1 + below(all), along, chance(50)}, {x});
    }
    case op_group::quantization: return kind == op::compressed ? stored(weight(in)) : quantized(x);
    default: return -1;
    }
}

} // namespace sound
