/// The graphs of the workloads in float64, written from the definitions and sharing no code with the library.

#include "problem.hpp"
#include <anemone/base/error.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

namespace suite {

namespace {

using ane::op;
using list = std::vector<double>;

/// y[m][n] += sum over k of a[m][k] b(k, n), rows of b in a cache's reach.
void product(const double* a, const double* b, double* y, std::int64_t m, std::int64_t k, std::int64_t n) {
    for (std::int64_t first = 0; first < k; first += 64) {
        const std::int64_t last = std::min(k, first + 64);
        for (std::int64_t i = 0; i < m; ++i) {
            double* const out = y + i * n;
            for (std::int64_t j = first; j < last; ++j) {
                const double factor = a[i * k + j];
                const double* const row = b + j * n;
                for (std::int64_t c = 0; c < n; ++c) {
                    out[c] += factor * row[c];
                }
            }
        }
    }
}

class interpreter {
public:
    explicit interpreter(const problem& p) : p_(p), g_(p.graph), values_(static_cast<std::size_t>(g_.size())) {}

    std::vector<list> outputs() {
        for (int i = 0; i < g_.size(); ++i) {
            values_[static_cast<std::size_t>(i)] = compute(i);
        }
        std::vector<list> results;
        for (const int i : p_.output_nodes()) {
            results.push_back(values_[static_cast<std::size_t>(i)]);
        }
        return results;
    }

private:
    const list& operand(const ane::node& n, int position) const {
        return values_[static_cast<std::size_t>(g_.operands(n)[static_cast<std::size_t>(position)])];
    }

    list compute(int index) const {
        const ane::node& n = g_[index];
        switch (n.kind) { // NOLINT(clang-diagnostic-switch-enum): those of the workloads
        case op::input:
        case op::weight:
        case op::constant: {
            const auto& v = p_.values[static_cast<std::size_t>(index)];
            return {v.begin(), v.end()};
        }
        case op::cast:
        case op::reshape: return operand(n, 0);
        case op::relu: return each(n, [](double v) { return std::max(v, 0.0); });
        case op::relu6: return each(n, [](double v) { return std::clamp(v, 0.0, 6.0); });
        case op::gelu: return each(n, [](double v) { return 0.5 * v * std::erfc(-v * std::sqrt(0.5)); });
        case op::add: return pairs(n, [](double a, double b) { return a + b; });
        case op::not_equal: return pairs(n, [](double a, double b) { return a != b ? 1.0 : 0.0; });
        case op::select: return select(n);
        case op::linear: return linear(n);
        case op::conv2d: return convolution(n);
        case op::max_pool: return max_pool(n);
        case op::reduce_mean: return mean(n);
        case op::softmax:
        case op::layer_norm:
        case op::rms_norm: return rows(n);
        case op::attention: return attention(n);
        case op::transpose: return transpose(n);
        default: throw ane::error(ane::errc::lowering, std::string(name(n.kind)), "is not in the reference");
        }
    }

    template <class Function> list each(const ane::node& n, Function f) const {
        list y = operand(n, 0);
        std::transform(y.begin(), y.end(), y.begin(), f);
        return y;
    }

    /// The element of an operand that broadcasts to element `i` of the shape.
    static std::size_t source(const ane::extents& shape, const ane::extents& from, std::int64_t i) {
        std::int64_t at = 0;
        std::int64_t step = 1;
        for (int axis = shape.rank - 1, own = from.rank - 1; axis >= 0 && own >= 0; --axis, --own) {
            at += from[own] == 1 ? 0 : i % shape[axis] * step;
            step *= from[own];
            i /= shape[axis];
        }
        return static_cast<std::size_t>(at);
    }
    double element(const ane::node& n, int position, std::int64_t i) const {
        return operand(n, position)[source(n.shape, g_.operand(n, position).shape, i)];
    }
    template <class Function> list pairs(const ane::node& n, Function f) const {
        list y(static_cast<std::size_t>(n.shape.count()));
        for (std::int64_t i = 0; i < n.shape.count(); ++i) {
            y[static_cast<std::size_t>(i)] = f(element(n, 0, i), element(n, 1, i));
        }
        return y;
    }
    list select(const ane::node& n) const {
        list y(static_cast<std::size_t>(n.shape.count()));
        for (std::int64_t i = 0; i < n.shape.count(); ++i) {
            y[static_cast<std::size_t>(i)] = element(n, 0, i) != 0 ? element(n, 1, i) : element(n, 2, i);
        }
        return y;
    }

    list linear(const ane::node& n) const {
        const list& w = operand(n, 1);
        const std::int64_t depth = g_.operand(n, 1).shape[1];
        const std::int64_t width = g_.operand(n, 1).shape[0];
        list turned(w.size());
        for (std::int64_t o = 0; o < width; ++o) {
            for (std::int64_t k = 0; k < depth; ++k) {
                turned[static_cast<std::size_t>(k * width + o)] = w[static_cast<std::size_t>(o * depth + k)];
            }
        }
        list y(static_cast<std::size_t>(n.shape.count()));
        if (n.operands.count > 2) {
            for (std::size_t i = 0; i < y.size(); ++i) {
                y[i] = operand(n, 2)[i % static_cast<std::size_t>(width)];
            }
        }
        product(operand(n, 0).data(), turned.data(), y.data(), n.shape.count() / width, depth, width);
        return y;
    }

    /// A copy of the input for each place of the kernel, shifted, and a product with it.
    list convolution(const ane::node& n) const {
        const ane::extents& in = g_.operand(n, 0).shape;
        const ane::extents& k = g_.operand(n, 1).shape;
        const ane::conv& c = n.get<ane::conv>();
        const std::int64_t pixels = n.shape[2] * n.shape[3];
        const std::int64_t made = k[0] / c.groups;
        const std::int64_t depth = k[1] * k[2] * k[3];
        const list& x = operand(n, 0);
        list y(static_cast<std::size_t>(n.shape.count()));
        if (n.operands.count > 2) {
            for (std::size_t i = 0; i < y.size(); ++i) {
                y[i] = operand(n, 2)[i / static_cast<std::size_t>(pixels)];
            }
        }
        list columns(static_cast<std::size_t>(depth * pixels));
        for (std::int64_t group = 0; group < c.groups; ++group) {
            std::size_t at = 0;
            for (std::int64_t d = 0; d < depth; ++d) {
                const std::int64_t channel = group * k[1] + d / (k[2] * k[3]);
                const std::int64_t down = d / k[3] % k[2];
                const std::int64_t right = d % k[3];
                for (std::int64_t i = 0; i < pixels; ++i) {
                    const std::int64_t h = i / n.shape[3] * c.stride.height + down - c.padding.top;
                    const std::int64_t w = i % n.shape[3] * c.stride.width + right - c.padding.left;
                    const bool inside = h >= 0 && h < in[2] && w >= 0 && w < in[3];
                    columns[at++] = inside ? x[static_cast<std::size_t>((channel * in[2] + h) * in[3] + w)] : 0;
                }
            }
            product(operand(n, 1).data() + group * made * depth, columns.data(), y.data() + group * made * pixels, made,
                    depth, pixels);
        }
        return y;
    }

    list max_pool(const ane::node& n) const {
        const ane::extents& in = g_.operand(n, 0).shape;
        const ane::pool& p = n.get<ane::pool>();
        const list& x = operand(n, 0);
        list y;
        for (std::int64_t i = 0; i < n.shape.count(); ++i) {
            const std::int64_t plane = i / (n.shape[2] * n.shape[3]);
            double most = -std::numeric_limits<double>::infinity();
            for (int k = 0; k < p.kernel.height * p.kernel.width; ++k) {
                const std::int64_t h =
                    i / n.shape[3] % n.shape[2] * p.stride.height + k / p.kernel.width - p.padding.top;
                const std::int64_t w = i % n.shape[3] * p.stride.width + k % p.kernel.width - p.padding.left;
                if (h >= 0 && h < in[2] && w >= 0 && w < in[3]) {
                    most = std::max(most, x[static_cast<std::size_t>((plane * in[2] + h) * in[3] + w)]);
                }
            }
            y.push_back(most);
        }
        return y;
    }

    /// Over all axes that the result lacks; they are the last ones.
    list mean(const ane::node& n) const {
        const list& x = operand(n, 0);
        const std::size_t length = x.size() / static_cast<std::size_t>(n.shape.count());
        list y(static_cast<std::size_t>(n.shape.count()));
        for (std::size_t i = 0; i < x.size(); ++i) {
            y[i / length] += x[i] / static_cast<double>(length);
        }
        return y;
    }

    list rows(const ane::node& n) const {
        const auto width = static_cast<std::size_t>(n.shape.width());
        list y = operand(n, 0);
        for (std::size_t first = 0; first < y.size(); first += width) {
            double* const row = y.data() + first;
            if (n.kind == op::softmax) {
                softmax(row, width);
                continue;
            }
            double mean = 0;
            for (std::size_t i = 0; i < width && n.kind == op::layer_norm; ++i) {
                mean += row[i] / static_cast<double>(width);
            }
            double variance = 0;
            for (std::size_t i = 0; i < width; ++i) {
                variance += (row[i] - mean) * (row[i] - mean) / static_cast<double>(width);
            }
            const double scale = 1 / std::sqrt(variance + static_cast<double>(n.get<ane::stabilizer>().epsilon));
            for (std::size_t i = 0; i < width; ++i) {
                row[i] = (row[i] - mean) * scale * operand(n, 1)[i] + (n.operands.count > 2 ? operand(n, 2)[i] : 0);
            }
        }
        return y;
    }
    static void softmax(double* row, std::size_t width) {
        const double most = *std::max_element(row, row + width);
        double sum = 0;
        for (std::size_t i = 0; i < width; ++i) {
            row[i] = std::exp(row[i] - most);
            sum += row[i];
        }
        for (std::size_t i = 0; i < width; ++i) {
            row[i] /= sum;
        }
    }

    list attention(const ane::node& n) const {
        const ane::extents& q = g_.operand(n, 0).shape;
        const auto keys = static_cast<std::size_t>(g_.operand(n, 1).shape[2]);
        const auto queries = static_cast<std::size_t>(q[2]);
        const auto depth = static_cast<std::size_t>(q[3]);
        const double scale = static_cast<double>(n.get<ane::score_scaling>().scale);
        list y(static_cast<std::size_t>(n.shape.count()));
        list scores(keys);
        for (std::size_t head = 0; head < static_cast<std::size_t>(q[0] * q[1]); ++head) {
            const double* const k = operand(n, 1).data() + head * keys * depth;
            const double* const v = operand(n, 2).data() + head * keys * depth;
            for (std::size_t i = 0; i < queries; ++i) {
                const double* const row = operand(n, 0).data() + (head * queries + i) * depth;
                for (std::size_t j = 0; j < keys; ++j) {
                    double sum = 0;
                    for (std::size_t d = 0; d < depth; ++d) {
                        sum += row[d] * k[j * depth + d];
                    }
                    scores[j] = sum * scale + (n.operands.count > 3 ? operand(n, 3)[j] : 0);
                }
                softmax(scores.data(), keys);
                product(scores.data(), v, y.data() + (head * queries + i) * depth, 1, static_cast<std::int64_t>(keys),
                        static_cast<std::int64_t>(depth));
            }
        }
        return y;
    }

    list transpose(const ane::node& n) const {
        const ane::extents& in = g_.operand(n, 0).shape;
        const auto& order = n.get<ane::permutation>().order;
        ane::extents step;
        for (int axis = 0; axis < in.rank; ++axis) {
            std::int64_t size = 1;
            for (int after = axis + 1; after < in.rank; ++after) {
                size *= in[after];
            }
            step.append(size);
        }
        list y(static_cast<std::size_t>(n.shape.count()));
        for (std::int64_t i = 0; i < n.shape.count(); ++i) {
            std::int64_t rest = i;
            std::int64_t from = 0;
            for (int axis = n.shape.rank - 1; axis >= 0; --axis) {
                from += rest % n.shape[axis] * step[static_cast<int>(order[axis])];
                rest /= n.shape[axis];
            }
            y[static_cast<std::size_t>(i)] = operand(n, 0)[static_cast<std::size_t>(from)];
        }
        return y;
    }

    const problem& p_;
    ane::graph_view g_;
    std::vector<list> values_;
};

} // namespace

std::vector<std::vector<double>> reference(const problem& p) { return interpreter(p).outputs(); }

} // namespace suite
