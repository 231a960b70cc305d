#pragma once

#include <anemone/graph/graph.hpp>
#include <anemone/values/half.hpp>
#include <anemone/weights/convert.hpp>
#include <anemone/weights/store.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <stdexcept>
#include <vector>

/// Whole models in double precision, by the definitions of the operations and by coordinates only: slow, and nothing of
/// it comes from the library's kernels. Each value is rounded to fp16 as the CPU backend does that rounds each operation.
namespace naive {

using namespace ane;

using coordinate = std::vector<std::int64_t>;

struct array {
    extents shape;
    std::vector<double> values;

    explicit array(const extents& e = {}) : shape(e), values(static_cast<std::size_t>(e.count())) {}

    double& operator()(const coordinate& at) { return values[index(at)]; }
    double operator()(const coordinate& at) const { return values[index(at)]; }
    /// The element that broadcasts to `at`: missing leading axes and axes of extent 1 are read at 0.
    double broadcast(const coordinate& at) const {
        coordinate mine(at.end() - shape.rank, at.end());
        for (int i = 0; i < shape.rank; ++i) {
            mine[static_cast<std::size_t>(i)] = shape[i] == 1 ? 0 : mine[static_cast<std::size_t>(i)];
        }
        return (*this)(mine);
    }
    void each(const std::function<void(const coordinate&)>& visit) const {
        coordinate at(static_cast<std::size_t>(shape.rank), 0);
        for (std::size_t i = 0; i < values.size(); ++i) {
            visit(at);
            for (int k = shape.rank; k-- > 0;) {
                if (++at[static_cast<std::size_t>(k)] < shape[k]) {
                    break;
                }
                at[static_cast<std::size_t>(k)] = 0;
            }
        }
    }

private:
    std::size_t index(const coordinate& at) const {
        std::int64_t flat = 0;
        for (int i = 0; i < shape.rank; ++i) {
            if (at[static_cast<std::size_t>(i)] < 0 || at[static_cast<std::size_t>(i)] >= shape[i]) {
                throw std::out_of_range("naive: a coordinate is outside its axis");
            }
            flat = flat * shape[i] + at[static_cast<std::size_t>(i)];
        }
        return static_cast<std::size_t>(flat);
    }
};

inline double unary(const node& n, double x) {
    switch (n.kind) {
    case op::relu: return std::max(x, 0.0);
    case op::relu6: return std::min(std::max(x, 0.0), 6.0);
    case op::leaky_relu: return x >= 0 ? x : x * static_cast<double>(n.get<leakage>().alpha);
    case op::clamp:
        return std::min(std::max(x, static_cast<double>(n.get<clip_range>().min)),
                        static_cast<double>(n.get<clip_range>().max));
    case op::sigmoid: return 1 / (1 + std::exp(-x));
    case op::tanh: return std::tanh(x);
    case op::gelu: return 0.5 * x * (1 + std::erf(x / std::sqrt(2.0)));
    case op::silu: return x / (1 + std::exp(-x));
    case op::exp: return std::exp(x);
    case op::log: return std::log(x + static_cast<double>(n.get<stabilizer>().epsilon));
    case op::sqrt: return std::sqrt(x);
    case op::rsqrt: return 1 / std::sqrt(x + static_cast<double>(n.get<stabilizer>().epsilon));
    default: return std::fabs(x);
    }
}

inline double binary(op kind, double a, double b) {
    switch (kind) {
    case op::add: return a + b;
    case op::sub: return a - b;
    case op::mul: return a * b;
    case op::div: return a / b;
    case op::minimum: return std::min(a, b);
    default: return std::max(a, b);
    }
}

inline void convolve(const conv& a, const array& x, const array& w, array& y) {
    const std::int64_t inputs = w.shape[1];
    const std::int64_t outputs = w.shape[0] / a.groups;
    y.each([&](const coordinate& at) {
        double sum = 0;
        w.each([&](const coordinate& k) {
            const std::int64_t h = at[2] * a.stride.height + k[2] * a.dilation.height - a.padding.top;
            const std::int64_t v = at[3] * a.stride.width + k[3] * a.dilation.width - a.padding.left;
            if (k[0] == at[1] && h >= 0 && h < x.shape[2] && v >= 0 && v < x.shape[3]) {
                sum += x({at[0], at[1] / outputs * inputs + k[1], h, v}) * w(k);
            }
        });
        y(at) = sum;
    });
}

/// The adjoint: every input element is spread over the kernel.
inline void convolve_transposed(const conv_transpose& a, const array& x, const array& w, array& y) {
    const std::int64_t inputs = x.shape[1] / a.groups;
    x.each([&](const coordinate& at) {
        w.each([&](const coordinate& k) {
            const std::int64_t h = at[2] * a.stride.height + k[2] * a.dilation.height - a.padding.top;
            const std::int64_t v = at[3] * a.stride.width + k[3] * a.dilation.width - a.padding.left;
            if (k[0] == at[1] && h >= 0 && h < y.shape[2] && v >= 0 && v < y.shape[3]) {
                y({at[0], at[1] / inputs * w.shape[1] + k[1], h, v}) += x(at) * w(k);
            }
        });
    });
}

inline void pool_windows(op kind, const pool& p, const array& x, array& y) {
    y.each([&](const coordinate& at) {
        double sum = 0;
        double squares = 0;
        double largest = -std::numeric_limits<double>::infinity();
        int inside = 0;
        for (int i = 0; i < p.kernel.height; ++i) {
            for (int j = 0; j < p.kernel.width; ++j) {
                const std::int64_t h = at[2] * p.stride.height + i - p.padding.top;
                const std::int64_t v = at[3] * p.stride.width + j - p.padding.left;
                if (h >= 0 && h < x.shape[2] && v >= 0 && v < x.shape[3]) {
                    const double value = x({at[0], at[1], h, v});
                    sum += value;
                    squares += value * value;
                    largest = std::max(largest, value);
                    ++inside;
                }
            }
        }
        const int places = p.exclude_padding ? inside : p.kernel.height * p.kernel.width;
        y(at) = kind == op::max_pool ? largest : kind == op::l2_pool ? std::sqrt(squares) : sum / places;
    });
}

inline void multiply(const transposed& form, const array& a, const array& b, array& y) {
    const std::int64_t inner = form.a ? a.shape.height() : a.shape.width();
    y.each([&](const coordinate& at) {
        const std::size_t last = at.size() - 1;
        double sum = 0;
        for (std::int64_t k = 0; k < inner; ++k) {
            coordinate left = at;
            coordinate right = at;
            left[last - 1] = form.a ? k : at[last - 1];
            left[last] = form.a ? at[last - 1] : k;
            right[last - 1] = form.b ? at[last] : k;
            right[last] = form.b ? k : at[last];
            sum += a.broadcast(left) * b.broadcast(right);
        }
        y(at) = sum;
    });
}

/// softmax, or the normal form of layer_norm, of the row through each element.
inline void normalise(const array& x, int along, double epsilon, bool exponential, array& y) {
    const auto axis = static_cast<std::size_t>(along);
    x.each([&](const coordinate& at) {
        double sum = 0;
        double squares = 0;
        double total = 0;
        coordinate other = at;
        const auto over = [&](const auto& take) {
            for (other[axis] = 0; other[axis] < x.shape[along]; ++other[axis]) {
                take(x(other));
            }
        };
        over([&](double v) { sum += v; });
        const double mean = sum / static_cast<double>(x.shape[along]);
        over([&](double v) { squares += (v - mean) * (v - mean); });
        over([&](double v) { total += std::exp(v - x(at)); });
        y(at) = exponential ? 1 / total
                            : (x(at) - mean) / std::sqrt(squares / static_cast<double>(x.shape[along]) + epsilon);
    });
}

inline void reduce(op kind, const array& x, array& y) {
    const double infinity = std::numeric_limits<double>::infinity();
    std::fill(y.values.begin(), y.values.end(),
              kind == op::reduce_max   ? -infinity
              : kind == op::reduce_min ? infinity
                                       : 0);
    x.each([&](const coordinate& at) {
        coordinate to = at;
        for (std::size_t i = 0; i < to.size(); ++i) {
            to[i] = y.shape[static_cast<int>(i)] == 1 ? 0 : to[i];
        }
        double& r = y(to);
        r = kind == op::reduce_max ? std::max(r, x(at)) : kind == op::reduce_min ? std::min(r, x(at)) : r + x(at);
    });
    if (kind == op::reduce_mean) {
        for (double& v : y.values) {
            v /= static_cast<double>(x.shape.count() / y.shape.count());
        }
    }
}

inline void arg_reduce(op kind, const array& x, int along, array& y) {
    y.each([&](const coordinate& at) {
        coordinate other = at;
        coordinate best = at;
        for (std::int64_t i = 0; i < x.shape[along]; ++i) {
            other[static_cast<std::size_t>(along)] = i;
            if (kind == op::arg_max ? x(other) > x(best) : x(other) < x(best)) {
                best = other;
            }
        }
        y(at) = static_cast<double>(best[static_cast<std::size_t>(along)]);
    });
}

inline coordinate shifted(coordinate at, const indices& by, int sign) {
    for (std::size_t i = 0; i < at.size(); ++i) {
        at[i] += sign * by[static_cast<int>(i)];
    }
    return at;
}

/// Adds a vector, or multiplies by it, along one axis.
inline void along_axis(array& y, const array& vector, int axis, bool scale) {
    y.each([&](const coordinate& at) {
        const double v = vector.values[static_cast<std::size_t>(at[static_cast<std::size_t>(axis)])];
        y(at) = scale ? y(at) * v : y(at) + v;
    });
}

inline array evaluate(const graph_view& g, int index, const std::vector<array>& all, bool rounded) {
    const node& n = g[index];
    const auto in = [&](int i) -> const array& {
        return all[static_cast<std::size_t>(g.operands(index)[static_cast<std::size_t>(i)])];
    };
    array y(n.shape);
    if (is_unary(n.kind)) {
        std::transform(in(0).values.begin(), in(0).values.end(), y.values.begin(),
                       [&](double x) { return unary(n, x); });
    } else if (is_binary(n.kind)) {
        y.each([&](const coordinate& at) { y(at) = binary(n.kind, in(0).broadcast(at), in(1).broadcast(at)); });
    } else if (is_reduction(n.kind)) {
        reduce(n.kind, in(0), y);
    } else if (is_arg_reduction(n.kind)) {
        arg_reduce(n.kind, in(0), n.get<axis>().index, y);
    } else if (is_pool(n.kind)) {
        pool_windows(n.kind, n.get<pool>(), in(0), y);
    } else {
        switch (n.kind) {
        case op::conv2d: convolve(n.get<conv>(), in(0), in(1), y); break;
        case op::conv_transpose2d: convolve_transposed(n.get<conv_transpose>(), in(0), in(1), y); break;
        case op::linear: {
            array rows = in(0);
            rows.shape = extents{in(0).shape.count() / in(0).shape.width(), in(0).shape.width()};
            array product(extents{rows.shape[0], n.shape.width()});
            multiply({.b = true}, rows, in(1), product);
            y.values = product.values;
            break;
        }
        case op::matmul: multiply(n.get<transposed>(), in(0), in(1), y); break;
        case op::softmax: normalise(in(0), n.get<axis>().index, 0, true, y); break;
        case op::layer_norm: {
            const stabilizer& s = n.get<stabilizer>();
            normalise(in(0), s.axis, static_cast<double>(s.epsilon), false, y);
            along_axis(y, in(1), s.axis, true);
            along_axis(y, in(2), s.axis, false);
            break;
        }
        case op::batch_norm:
            y.each([&](const coordinate& at) {
                const auto c = static_cast<std::size_t>(at[1]);
                y(at) = in(3).values[c] * (in(0)(at)-in(1).values[c]) /
                            std::sqrt(in(2).values[c] + static_cast<double>(n.get<stabilizer>().epsilon)) +
                        in(4).values[c];
            });
            break;
        case op::reshape:
        case op::cast: y.values = in(0).values; break;
        case op::transpose:
            in(0).each([&](const coordinate& at) {
                coordinate to(at.size());
                for (std::size_t i = 0; i < at.size(); ++i) {
                    to[i] = at[static_cast<std::size_t>(n.get<permutation>().order[static_cast<int>(i)])];
                }
                y(to) = in(0)(at);
            });
            break;
        case op::concat: {
            indices begin;
            begin.rank = n.shape.rank;
            for (int k = 0; k < n.operands.count; ++k) {
                in(k).each([&](const coordinate& at) { y(shifted(at, begin, 1)) = in(k)(at); });
                begin[n.get<axis>().index] += in(k).shape[n.get<axis>().index];
            }
            break;
        }
        case op::slice:
            y.each([&](const coordinate& at) { y(at) = in(0)(shifted(at, n.get<window>().begin, 1)); });
            break;
        case op::pad:
            std::fill(y.values.begin(), y.values.end(), in(1).values[0]);
            in(0).each([&](const coordinate& at) { y(shifted(at, n.get<pads>().before, 1)) = in(0)(at); });
            break;
        case op::attention: {
            extents scores_shape = n.shape;
            scores_shape[n.shape.rank - 1] = in(1).shape.height();
            array scores(scores_shape);
            multiply({.b = true}, in(0), in(1), scores);
            scores.each([&](const coordinate& at) {
                scores(at) = scores(at) * static_cast<double>(n.get<score_scaling>().scale) +
                             (n.operands.count == 4 ? in(3).broadcast(at) : 0.0);
            });
            array shares(scores_shape);
            normalise(scores, scores_shape.rank - 1, 0, true, shares);
            multiply({}, shares, in(2), y);
            break;
        }
        default: throw std::logic_error("naive: no such operation");
        }
    }
    const bool biased = (is_convolution(n.kind) || n.kind == op::linear) && n.operands.count == 3;
    if (biased) {
        along_axis(y, in(2), n.kind == op::linear ? n.shape.rank - 1 : 1, false);
    }
    for (double& v : y.values) {
        v = rounded ? static_cast<double>(half(v)) : v;
    }
    return y;
}

/// The values of all outputs of a model, with each operation's value rounded or none.
inline std::vector<array> run(const graph_view& g, const weight_store& weights,
                              std::span<const std::span<const std::byte>> inputs, bool rounded = true) {
    std::vector<array> all;
    std::size_t port = 0;
    for (int i = 0; i < g.size(); ++i) {
        const node& n = g[i];
        array y(n.shape);
        if (n.kind == op::input) {
            const std::byte* const from = inputs[port++].data();
            for (std::size_t k = 0; k < y.values.size(); ++k) {
                y.values[k] = n.type == dtype::uint8 ? static_cast<double>(std::to_integer<int>(from[k]))
                                                     : static_cast<double>(reinterpret_cast<const half*>(from)[k]);
            }
        } else if (n.kind == op::weight) {
            const std::vector<half> values = to_half(weights.at(g.name(i)));
            std::transform(values.begin(), values.end(), y.values.begin(),
                           [](half h) { return static_cast<double>(h); });
        } else if (n.kind == op::constant) {
            for (std::size_t k = 0; k < y.values.size(); ++k) {
                y.values[k] = static_cast<double>(half(g.value(n, static_cast<std::int64_t>(k))));
            }
        } else {
            y = evaluate(g, i, all, rounded);
        }
        all.push_back(std::move(y));
    }
    std::vector<array> outputs;
    for (const output_port& p : g.outputs) {
        outputs.push_back(all[static_cast<std::size_t>(p.node)]);
    }
    return outputs;
}

} // namespace naive
