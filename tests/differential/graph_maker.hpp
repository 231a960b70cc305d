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

} // namespace differential

#include "graph_arithmetic.hpp"
#include "graph_movement.hpp"
