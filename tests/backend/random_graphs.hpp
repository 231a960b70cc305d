#pragma once

#include "../numbers.hpp"
#include "composer.hpp"
#include <anemone/catalogue/catalogue.hpp>

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

/// Random graphs of all operations that both the oracle and the MIL route have.
namespace composing {

class graph_generator {
public:
    explicit graph_generator(unsigned seed) : random_(seed) {}

    dynamic_graph make() {
        const int inputs = 1 + below(random_, 3);
        for (int i = 0; i < inputs; ++i) {
            live_.push_back(graph_.input(random_shape()));
        }
        const int wanted = 5 + below(random_, 26);
        for (int made = 0, tries = 0; made < wanted && tries < 400; ++tries) {
            const int value = step();
            if (value >= 0) {
                live_.push_back(value);
                ++made;
            }
        }
        graph_.output(live_.back());
        for (int more = below(random_, 4); more > 0; --more) {
            graph_.output(live_[static_cast<std::size_t>(below(random_, static_cast<int>(live_.size())))]);
        }
        return graph_.finish();
    }

private:
    static constexpr std::int64_t largest = 1200;

    bool chance(int percent) { return below(random_, 100) < percent; }
    extents random_shape() {
        extents e;
        const int rank = chance(60) ? 4 : 1 + below(random_, 5);
        for (int i = 0; i < rank; ++i) {
            e.append(1 + below(random_, i + 4 == rank ? 2 : 6));
        }
        return e;
    }
    /// A value made before: mostly one of the last, so that chains grow, sometimes any, so that values are shared.
    int pick() {
        const int count = static_cast<int>(live_.size());
        return live_[static_cast<std::size_t>(chance(65) ? count - 1 : below(random_, count))];
    }
    int pick_rank4() {
        std::vector<int> fitting;
        for (const int v : live_) {
            if (graph_.shape(v).rank == 4) {
                fitting.push_back(v);
            }
        }
        return fitting.empty() ? -1
                               : fitting[static_cast<std::size_t>(below(random_, static_cast<int>(fitting.size())))];
    }

    /// A constant that broadcasts with `shape` without making it larger.
    int broadcast_constant(const extents& shape) {
        switch (below(random_, 6)) {
        case 0: return graph_.constant(static_cast<float>(uniform(random_, -2, 2)));
        case 1: return graph_.weight(shape);
        case 2: return graph_.weight({shape.width()});
        case 3: { // one value per channel
            extents e;
            for (int i = 0; i < shape.rank; ++i) {
                e.append(i + 3 == shape.rank ? shape[i] : 1);
            }
            return graph_.weight(e);
        }
        case 4: { // computed from two weights when the graph is compiled
            const int a = graph_.weight({shape.width()});
            return graph_.add(chance(50) ? op::mul : op::add, {a, graph_.weight({1})});
        }
        default: {
            extents e = shape;
            for (int i = 0; i < e.rank; ++i) {
                e[i] = chance(50) ? 1 : e[i];
            }
            return graph_.weight(e);
        }
        }
    }

    int unary(int x) {
        static constexpr op kinds[] = {op::relu, op::relu6, op::leaky_relu, op::clamp, op::sigmoid, op::tanh, op::gelu,
                                       op::silu, op::exp,   op::log,        op::sqrt,  op::rsqrt,   op::abs};
        const op kind = kinds[below(random_, static_cast<int>(std::size(kinds)))];
        if (kind == op::leaky_relu || kind == op::clamp) {
            const auto a = static_cast<float>(uniform(random_, -1, 0.5));
            return graph_.add(kind, numbers::of(kind, {a, a + 1.3F}), {x});
        }
        if (kind == op::log || kind == op::rsqrt) {
            return graph_.add(kind, stabilizer{.epsilon = chance(50) ? 0.0F : 1e-3F}, {x});
        }
        return graph_.add(kind, {x});
    }

    int binary(int x) {
        static constexpr op kinds[] = {op::add, op::add, op::add, op::mul,     op::mul,
                                       op::mul, op::sub, op::div, op::minimum, op::maximum};
        const op kind = kinds[below(random_, 10)];
        int other = -1;
        if (chance(60)) {
            other = broadcast_constant(graph_.shape(x));
        } else {
            const int candidate = pick();
            const inferred r = ane::detail::broadcast(graph_.shape(x), graph_.shape(candidate));
            if (!r.ok() || r.shape.count() > largest) {
                return -1;
            }
            other = candidate;
        }
        return chance(50) ? graph_.add(kind, {x, other}) : graph_.add(kind, {other, x});
    }

    int convolution(int x) {
        const extents in = graph_.shape(x);
        const int channels = static_cast<int>(in[1]);
        int groups = chance(70) ? 1 : channels;
        if (const int wanted = 2 + below(random_, 2); channels % wanted == 0 && chance(20)) {
            groups = wanted;
        }
        const std::int64_t out = groups * (1 + below(random_, groups > 2 ? 2 : 5));
        const size2 kernel{1 + below(random_, 3), 1 + below(random_, 3)};
        const size2 stride{1 + below(random_, 3), 1 + below(random_, 3)};
        const size2 dilation{chance(20) ? 2 + below(random_, 2) : 1, chance(20) ? 2 + below(random_, 2) : 1};
        const padding2 padding{below(random_, 4), below(random_, 4), below(random_, 4), below(random_, 4)};
        if (chance(75)) {
            const extents w{out, in[1] / groups, kernel.height, kernel.width};
            const conv a{stride, dilation, padding, groups};
            if (!shape_rule(a, in, w).ok()) {
                return -1;
            }
            return chance(50) ? graph_.add(op::conv2d, a, {x, graph_.weight(w)})
                              : graph_.add(op::conv2d, a, {x, graph_.weight(w), graph_.weight({out})});
        }
        const extents w{in[1], out / groups, kernel.height, kernel.width};
        const conv_transpose a{
            stride, dilation, {padding.top % kernel.height, 0, 0, padding.right % kernel.width}, groups};
        const inferred r = shape_rule(a, in, w);
        if (!r.ok() || r.shape.count() > largest) {
            return -1;
        }
        return chance(50) ? graph_.add(op::conv_transpose2d, a, {x, graph_.weight(w)})
                          : graph_.add(op::conv_transpose2d, a, {x, graph_.weight(w), graph_.weight({out})});
    }

    int product(int x) {
        const extents in = graph_.shape(x);
        const std::int64_t out = 1 + below(random_, 6);
        if (in.rank < 2 || chance(50)) {
            const int w = graph_.weight({out, in.width()});
            return chance(50) ? graph_.add(op::linear, {x, w}) : graph_.add(op::linear, {x, w, graph_.weight({out})});
        }
        if (in.rank == 5) {
            return -1; // a transposition before a product of rank 5 is refused by the engine
        }
        if (chance(40)) { // with itself
            return graph_.add(op::matmul, chance(50) ? transposed{false, true} : transposed{true, false}, {x, x});
        }
        const transposed form{chance(30), chance(50)};
        const std::int64_t inner = form.a ? in.height() : in.width();
        extents w = form.b ? extents{out, inner} : extents{inner, out};
        if (chance(30) && in.rank > 2) {
            w = in;
            w[in.rank - 2] = form.b ? out : inner;
            w[in.rank - 1] = form.b ? inner : out;
        }
        return graph_.add(op::matmul, form, {x, graph_.weight(w)});
    }

    int pooling(int x) {
        const pool p = composing::random_pool(random_);
        return shape_rule(p, graph_.shape(x)).ok() ? graph_.add(chance(50) ? op::max_pool : op::avg_pool, p, {x}) : -1;
    }

    int normalization(int x) {
        const extents in = graph_.shape(x);
        const int along = below(random_, in.rank);
        const std::int64_t n = in[along];
        switch (below(random_, 3)) {
        case 0: return graph_.add(op::softmax, axis{along}, {x});
        case 1:
            return graph_.add(op::layer_norm, stabilizer{1e-3F, along}, {x, graph_.weight({n}), graph_.weight({n})});
        default:
            if (in.rank < 3) {
                return -1;
            }
            return graph_.add(
                op::batch_norm, stabilizer{1e-3F, 1},
                {x, graph_.weight({in[1]}), graph_.positive({in[1]}), graph_.weight({in[1]}), graph_.weight({in[1]})});
        }
    }

    int reduction(int x) {
        axes over;
        for (int i = 0; i < graph_.shape(x).rank; ++i) {
            if (chance(40)) {
                over.list.append(i);
            }
        }
        if (over.list.rank == 0) {
            over.list.append(graph_.shape(x).rank - 1);
        }
        return graph_.add(static_cast<op>(static_cast<int>(op::reduce_sum) + below(random_, 4)), over, {x});
    }

    int movement(int x) {
        const extents in = graph_.shape(x);
        switch (below(random_, 5)) {
        case 0: {
            extents to{1, in.count()};
            for (std::int64_t f = 2 + below(random_, 4); f > 1; --f) {
                if (in.count() % f == 0) {
                    to = chance(50) ? extents{f, in.count() / f} : extents{1, f, 1, in.count() / f};
                    break;
                }
            }
            return graph_.reshape(x, to);
        }
        case 1: {
            permutation p;
            for (int i = 0; i < in.rank; ++i) {
                p.order.append(i);
            }
            for (int i = in.rank - 1; i > 0; --i) {
                std::swap(p.order[i], p.order[below(random_, i + 1)]);
            }
            return graph_.add(op::transpose, p, {x});
        }
        case 2: {
            const int along = below(random_, in.rank);
            if (in.count() * 2 > largest) {
                return -1;
            }
            extents other = in;
            other[along] = 1 + below(random_, 3);
            return chance(50) ? graph_.add(op::concat, axis{along}, {x, graph_.weight(other)})
                              : graph_.add(op::concat, axis{along}, {x, x});
        }
        case 3: {
            window w{.begin = in, .size = in};
            for (int i = 0; i < in.rank; ++i) {
                w.begin[i] = below(random_, static_cast<int>(in[i]));
                w.size[i] = 1 + below(random_, static_cast<int>(in[i] - w.begin[i]));
            }
            return graph_.add(op::slice, w, {x});
        }
        default: {
            pads p{.before = in, .after = in};
            for (int i = 0; i < in.rank; ++i) {
                const bool spatial = i + 2 >= in.rank;
                p.before[i] = spatial ? below(random_, 3) : 0;
                p.after[i] = spatial ? below(random_, 3) : 0;
            }
            const inferred r = shape_rule(p, in);
            if (!r.ok() || r.shape.count() > largest) {
                return -1;
            }
            return graph_.add(op::pad, p, {x, graph_.constant(static_cast<float>(uniform(random_, -1, 1)))});
        }
        }
    }

    int attention(int x) {
        const extents in = graph_.shape(x);
        if (in.rank < 2 || in.rank == 5) {
            return -1;
        }
        const score_scaling scale{chance(30) ? 1.0F : 0.4F};
        if (chance(50)) {
            return graph_.add(op::attention, scale, {x, x, x});
        }
        return graph_.add(op::attention, scale, {x, x, x, graph_.weight({in.height(), in.height()})});
    }

    int step() {
        const int roll = below(random_, 100);
        if (roll < 30) {
            return binary(pick());
        }
        if (roll < 45) {
            return unary(pick());
        }
        if (roll < 60) {
            const int x = pick_rank4();
            return x < 0 ? -1 : convolution(x);
        }
        if (roll < 70) {
            return product(pick());
        }
        if (roll < 75) {
            const int x = pick_rank4();
            return x < 0 ? -1 : pooling(x);
        }
        if (roll < 82) {
            return normalization(pick());
        }
        if (roll < 87) {
            return reduction(pick());
        }
        return roll < 97 ? movement(pick()) : attention(pick());
    }

    random_engine random_;
    composer graph_;
    std::vector<int> live_;
};

} // namespace composing
