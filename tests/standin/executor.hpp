#pragma once

#include "fusion.hpp"
#include "indexing.hpp"
#include "layer_steps.hpp"
#include "program.hpp"
#include <anemone/numerics/kernels.hpp>
#include <anemone/values/half.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace ane::standin {

/// Runs a checked program: each step through the arithmetic kernels of the oracle, data movement by loops of its own.
/// One executor owns the intermediate tensors; `write` an input, `run`, `read` an output.
class executor : public layer_steps {
public:
    executor(const program& p, std::vector<step> steps) : layer_steps(p), steps_(std::move(steps)) {}

    void run() {
        for (const step& s : steps_) {
            run(s);
        }
    }

private:
    void run(const step& s) {
        const node& n = program_.nodes[static_cast<std::size_t>(s.primary)];
        const int result = s.results.front();
        half* const y = out(result);
        switch (n.rule->act) {
        case action::unary: unary(n, x(n), y, count(result)); break;
        case action::binary:
            if (!s.source) {
                binary(n, result);
            }
            break;
        case action::convolution:
        case action::transposed_convolution: convolution(n, s, y); break;
        case action::matmul: matmul(n, s, y); break;
        case action::pool: pool(n, result); break;
        case action::softmax: softmax(n, y); break;
        case action::reduce: reduce(n, y); break;
        case action::batch_norm: batch_norm(n, y); break;
        case action::reshape: std::copy_n(x(n), count(result), y); break;
        case action::transpose: transpose(n, result); break;
        case action::concat: concat(n, result); break;
        case action::split: split(n); break;
        case action::slice: slice(x(n), x_shape(n), program_.integers(n, "begin"), result); break;
        case action::comparison: compare(n, result); break;
        case action::logical_not: logical_not(n, result); break;
        case action::select: select(n, result); break;
        case action::per_channel: per_channel(n, result); break;
        case action::standardize: standardize(n, result); break;
        case action::response_norm: response_norm(n, result); break;
        case action::attention: attention(n, result); break;
        case action::rearrange: rearrange(n, result); break;
        case action::resize: resize(n, result); break;
        case action::affine_map: affine_map(n, result); break;
        case action::quantize: quantize(n, result); break;
        case action::dequantize: dequantize(n, result); break;
        case action::top_k: top_k(n); break;
        case action::pad: program_.text(n, "mode") == "constant" ? pad(n, result) : pad_from_inside(n, result); break;
        case action::cast: cast(n, y, count(result)); break;
        case action::affine_weight:
        case action::palette_weight:
        case action::sparse_weight:
        case action::blockwise_weight:
        case action::sparse_palette_weight:
        case action::sparse_blockwise_weight: break; // expanded by the checker
        }
        gain_offset(s);
        if (s.activation >= 0) {
            unary(program_.nodes[static_cast<std::size_t>(s.activation)], y, y, count(result));
        }
    }

    void unary(const node& n, const half* from, half* to, std::int64_t elements) {
        float p0 = 0;
        float p1 = 0;
        for (const char* const first : {"alpha", "epsilon"}) {
            if (program_.has(n, first)) {
                p0 = static_cast<float>(program_.number(n, first));
            }
        }
        if (program_.has(n, "beta")) {
            p1 = static_cast<float>(program_.number(n, "beta"));
        }
        const bool by_sigmoid = n.rule->kind == op::gelu && program_.text(n, "mode") == "SIGMOID_APPROXIMATION";
        const op kind = by_sigmoid ? op::gelu_sigmoid : n.rule->kind;
        for (std::int64_t i = 0; i < elements; ++i) {
            to[i] = numerics::unary(path_, kind, from[i], p0, p1);
        }
    }

    void binary(const node& n, int result) {
        walk_pair(n, "x", "y", result,
                  [this, &n](half a, half b) { return numerics::binary(path_, n.rule->kind, a, b); });
    }

    /// x * scale + offset with one rounding, or x * scale alone.
    void gain_offset(const step& s) {
        if (!s.scale) {
            return;
        }
        const int result = s.results.front();
        walker ws(shape(result), broadcast_strides(shape(*s.scale), shape(result)));
        std::optional<walker> wo;
        if (s.offset) {
            wo.emplace(shape(result), broadcast_strides(shape(*s.offset), shape(result)));
        }
        const half* const from = s.source ? in(*s.source) : out(result);
        half* const to = out(result);
        const std::int64_t elements = count(result);
        for (std::int64_t i = 0; i < elements; ++i, ws.next()) {
            const half scale = in(*s.scale)[ws.offset()];
            if (wo) {
                to[i] = numerics::scale_offset(path_, from[i], scale, in(*s.offset)[wo->offset()]);
                wo->next();
            } else {
                to[i] = numerics::binary(path_, op::mul, from[i], scale);
            }
        }
    }

    /// The bias of a step, one value per channel; empty without one.
    std::vector<half> bias(const step& s, std::int64_t channels) const {
        if (!s.bias) {
            return {};
        }
        const std::vector<half>& given = program_.at(*s.bias).data->halves;
        return given.size() == 1 ? std::vector<half>(static_cast<std::size_t>(channels), given.front()) : given;
    }

    /// The activations of a product: with int8 weights magnitudes above 4094 become infinite on the way (N076, N077).
    const half* activations(const node& n, int weight) {
        if (!program_.at(weight).int8_weight) {
            return x(n);
        }
        converted_.assign(x(n), x(n) + element_count(x_shape(n)));
        for (half& one : converted_) {
            one = numerics::int8_activation(path_, one);
        }
        return converted_.data();
    }

    /// An activation that overflowed in `activations` makes each sum infinite that a weight other than 0 brings it to,
    /// however small the weight. `compute(x, weight, y)` is the product, once more, of the signs alone.
    template <class Compute> void saturate(const node& n, int weight, std::int64_t results, half* y, Compute compute) {
        const auto infinite = [](half h) { return (h.bits & 0x7C00U) == 0x7C00U; };
        if (!program_.at(weight).int8_weight || path_.int8_activation_gain == 1 ||
            std::none_of(converted_.begin(), converted_.end(), infinite)) {
            return;
        }
        std::vector<half> overflowed(converted_.size());
        for (std::size_t i = 0; i < overflowed.size(); ++i) {
            const half given = x(n)[i];
            const bool is_nan = (given.bits & 0x7FFFU) > 0x7C00U;
            overflowed[i] = half(!infinite(converted_[i])                 ? 0.0
                                 : (given.bits & 0x8000U) != 0 && !is_nan ? -32768.0
                                                                          : 32768.0);
        }
        std::vector<half> signs(in(weight), in(weight) + element_count(shape(weight)));
        for (half& one : signs) {
            const bool zero = numerics::decode_operand(one, path_.mac_nan, path_.mac_keeps_subnormals).significand == 0;
            one = half(zero ? 0.0 : (one.bits & 0x8000U) != 0 && (one.bits & 0x7FFFU) <= 0x7C00U ? -1.0 : 1.0);
        }
        std::vector<half> reached(static_cast<std::size_t>(results));
        compute(overflowed.data(), signs.data(), reached.data());
        for (std::size_t i = 0; i < reached.size(); ++i) {
            if (reached[i].bits != 0) {
                y[i] = half::from_bits(static_cast<std::uint16_t>((reached[i].bits & 0x8000U) | 0x7C00U));
            }
        }
    }

    /// Whether a product with this weight adds up products of its codes, whose scales follow the sum.
    bool adds_codes(int weight) const {
        return path_.weight_scale == numerics::scale_rule::after_sum && !program_.at(weight).codes.empty();
    }

    /// Such a product of `results` elements, `step` of a channel beside each other: `compute(weight, y)` adds it up.
    template <class Compute>
    void sum_of_codes(int weight, std::int64_t results, std::int64_t step, const std::vector<half>& start, half* y,
                      Compute compute) {
        const value& v = program_.at(weight);
        const double unit = std::ldexp(1.0, path_.code_integer_bits - 8);
        std::vector<half> codes;
        for (const half q : v.codes) {
            codes.emplace_back(static_cast<double>(q) * unit);
        }
        compute(codes.data(), y);
        for (std::int64_t i = 0; i < results; ++i) {
            const auto channel = static_cast<std::size_t>(i / step) % v.scales.size();
            y[i] = numerics::scale_after_sum(path_, y[i], static_cast<double>(v.scales[channel]) / unit,
                                             start.empty() ? half{} : start[channel]);
        }
    }

    void convolution(const node& n, const step& s, half* y) {
        const dimensions& from = x_shape(n);
        const int weight = program_.id(n, "weight");
        const dimensions& to = shape(s.results.front());
        const auto& stride = program_.integers(n, "strides");
        const auto& dilation = program_.integers(n, "dilations");
        const auto& padding = program_.integers(n, "pad");
        numerics::convolution_shape c{};
        c.batch = from[0];
        c.in_channels = from[1];
        c.in_height = from[2];
        c.in_width = from[3];
        c.out_channels = to[1];
        c.out_height = to[2];
        c.out_width = to[3];
        c.kernel_height = shape(weight)[2];
        c.kernel_width = shape(weight)[3];
        c.stride_height = stride[0];
        c.stride_width = stride[1];
        c.dilation_height = dilation[0];
        c.dilation_width = dilation[1];
        c.pad_top = padding[0];
        c.pad_left = padding[2];
        c.groups = program_.integer(n, "groups");
        const std::vector<half> initial = bias(s, to[1]);
        const half* const start = initial.empty() ? nullptr : initial.data();
        const half* const from_x = activations(n, weight);
        const auto compute = [&](const half* a, const half* w, const half* sums_from, half* to_y) {
            if (n.rule->act == action::convolution) {
                numerics::convolution(path_, c, a, w, sums_from, to_y);
            } else {
                numerics::transposed_convolution(path_, c, a, w, sums_from, to_y);
            }
        };
        if (n.rule->act == action::convolution && adds_codes(weight)) {
            sum_of_codes(weight, element_count(to), c.out_height * c.out_width, initial, y,
                         [&](const half* codes, half* to_y) { compute(from_x, codes, nullptr, to_y); });
        } else {
            compute(from_x, in(weight), start, y);
        }
        saturate(n, weight, element_count(to), y,
                 [&](const half* a, const half* w, half* to_y) { compute(a, w, nullptr, to_y); });
    }

    /// A constant of ones, of which A13's compiler makes a sum (N001-N005).
    bool is_ones(int id) const {
        const value& v = program_.at(id);
        return v.data &&
               std::all_of(v.data->halves.begin(), v.data->halves.end(), [](half h) { return h.bits == 0x3C00U; });
    }

    void matmul(const node& n, const step& s, half* y) {
        const int right = program_.id(n, "y");
        const dimensions& a = x_shape(n);
        const dimensions& b = shape(right);
        const dimensions& to = shape(s.results.front());
        numerics::matmul_shape m{};
        m.batch = 1;
        m.m = to[to.size() - 2];
        m.n = to.back();
        m.transpose_a = program_.flag(n, "transpose_x");
        m.transpose_b = program_.flag(n, "transpose_y");
        m.k = a[a.size() - (m.transpose_a ? 2 : 1)];
        const std::vector<half> initial = bias(s, m.n);
        const dimensions batch(to.begin(), to.end() - 2);
        const bool left_ones = is_ones(program_.id(n, "x"));
        const bool sums = path_.products_with_ones == numerics::ones_rule::reduction && left_ones != is_ones(right) &&
                          !program_.at(right).int8_weight;
        const auto multiply = [&](const half* left, const half* factor, const half* start, half* to_y) {
            walker wa(batch, broadcast_strides(dimensions(a.begin(), a.end() - 2), batch));
            walker wb(batch, broadcast_strides(dimensions(b.begin(), b.end() - 2), batch));
            for (std::int64_t i = 0; i < element_count(batch); ++i, wa.next(), wb.next()) {
                const half* const one = left + static_cast<std::int64_t>(wa.offset()) * m.m * m.k;
                const half* const other = factor + static_cast<std::int64_t>(wb.offset()) * m.k * m.n;
                if (sums) {
                    numerics::matmul_with_ones(path_, m, left_ones, left_ones ? other : one, start,
                                               to_y + i * m.m * m.n);
                } else {
                    numerics::matmul(path_, m, one, other, start, to_y + i * m.m * m.n);
                }
            }
        };
        const half* const left = activations(n, right);
        if (m.transpose_b && b.size() == 2 && adds_codes(right)) {
            sum_of_codes(right, element_count(to), 1, initial, y,
                         [&](const half* codes, half* to_y) { multiply(left, codes, nullptr, to_y); });
        } else {
            multiply(left, in(right), initial.empty() ? nullptr : initial.data(), y);
        }
        saturate(n, right, element_count(to), y, [&](const half* overflowed, const half* signs, half* to_y) {
            multiply(overflowed, signs, nullptr, to_y);
        });
    }

    void pool(const node& n, int result) {
        const dimensions& from = x_shape(n);
        const dimensions& to = shape(result);
        numerics::pool_shape w{};
        w.batch = from[0];
        w.channels = from[1];
        w.in_height = from[2];
        w.in_width = from[3];
        w.out_height = to[2];
        w.out_width = to[3];
        w.kernel_height = program_.integers(n, "kernel_sizes")[0];
        w.kernel_width = program_.integers(n, "kernel_sizes")[1];
        w.stride_height = program_.integers(n, "strides")[0];
        w.stride_width = program_.integers(n, "strides")[1];
        w.pad_top = program_.integers(n, "pad")[0];
        w.pad_left = program_.integers(n, "pad")[2];
        w.exclude_padding =
            program_.has(n, "exclude_padding_from_average") && program_.flag(n, "exclude_padding_from_average");
        numerics::pool(path_, n.rule->kind, w, x(n), out(result));
    }

    void softmax(const node& n, half* y) {
        const dimensions& over = x_shape(n);
        const std::size_t along = shapes_axis(program_.integer(n, "axis"), over.size());
        const std::int64_t stride = strides_of(over)[along];
        const std::int64_t row = stride * over[along];
        const std::int64_t elements = element_count(over);
        for (std::int64_t outer = 0; outer < elements; outer += row) {
            for (std::int64_t inner = 0; inner < stride; ++inner) {
                numerics::softmax(path_, x(n) + outer + inner, y + outer + inner, over[along], stride);
            }
        }
    }

    /// The elements that fold into one result are gathered in row-major order, over all reduced axes at once.
    void reduce(const node& n, half* y) {
        const dimensions& over = x_shape(n);
        const dimensions strides = strides_of(over);
        dimensions kept = over;
        dimensions folded(over.size(), 1);
        for (const std::int64_t given : program_.integers(n, "axes")) {
            const std::size_t along = shapes_axis(given, over.size());
            folded[along] = over[along];
            kept[along] = 1;
        }
        std::vector<half> gathered(static_cast<std::size_t>(element_count(folded)));
        walker outer(kept, strides);
        const std::int64_t results = element_count(kept);
        for (std::int64_t i = 0; i < results; ++i, outer.next()) {
            walker inner(folded, strides, static_cast<std::int64_t>(outer.offset()));
            for (half& member : gathered) {
                member = x(n)[inner.offset()];
                inner.next();
            }
            y[i] = composed_reduction(n.rule->kind, gathered);
        }
    }

    /// Scale and offset are computed by the compiler, rounded to fp16 once each, and applied as a gain-offset.
    void batch_norm(const node& n, half* y) {
        const dimensions& over = x_shape(n);
        const std::int64_t stride = strides_of(over)[1];
        const std::int64_t elements = element_count(over);
        const double epsilon = static_cast<double>(program_.number(n, "epsilon"));
        for (std::int64_t i = 0; i < elements; ++i) {
            const auto channel = static_cast<std::size_t>((i / stride) % over[1]);
            const auto of = [&](const char* name) {
                return static_cast<double>(program_.data(n, name).halves[channel]);
            };
            const double scale = of("gamma") / std::sqrt(of("variance") + epsilon);
            y[i] = numerics::scale_offset(path_, x(n)[i], half(scale), half(of("beta") - of("mean") * scale));
        }
    }

    void transpose(const node& n, int result) {
        const dimensions& from = x_shape(n);
        const dimensions own = strides_of(from);
        dimensions strides;
        for (const std::int64_t axis : program_.integers(n, "perm")) {
            strides.push_back(own[shapes_axis(axis, from.size())]);
        }
        walker w(shape(result), std::move(strides));
        half* const to = out(result);
        const std::int64_t elements = count(result);
        for (std::int64_t i = 0; i < elements; ++i, w.next()) {
            to[i] = x(n)[w.offset()];
        }
    }

    void concat(const node& n, int result) {
        const dimensions& to = shape(result);
        const std::size_t along = shapes_axis(program_.integer(n, "axis"), to.size());
        const std::int64_t inner = strides_of(to)[along];
        const std::int64_t row = inner * to[along];
        std::int64_t begin = 0;
        for (const int member : program_.ids(n, "values")) {
            const std::int64_t piece = inner * shape(member)[along];
            const std::int64_t pieces = count(member) / piece;
            for (std::int64_t i = 0; i < pieces; ++i) {
                std::copy_n(in(member) + i * piece, piece, out(result) + i * row + begin);
            }
            begin += piece;
        }
    }

    void split(const node& n) {
        const dimensions& from = x_shape(n);
        const std::size_t along = shapes_axis(program_.integer(n, "axis"), from.size());
        dimensions begin(from.size(), 0);
        for (const int part : n.results) {
            slice(x(n), from, begin, part);
            begin[along] += shape(part)[along];
        }
    }

    void slice(const half* data, const dimensions& from, const dimensions& begin, int result) {
        const dimensions own = strides_of(from);
        std::int64_t start = 0;
        for (std::size_t i = 0; i < from.size(); ++i) {
            start += own[i] * begin[i];
        }
        const bool width_offset = !begin.empty() && begin.back() > 0;
        walker w(shape(result), own, start);
        half* const to = out(result);
        const std::int64_t elements = count(result);
        for (std::int64_t i = 0; i < elements; ++i, w.next()) {
            to[i] = width_offset ? numerics::slice_width_offset(path_, data[w.offset()]) : data[w.offset()];
        }
    }

    void pad(const node& n, int result) {
        const dimensions& from = x_shape(n);
        const dimensions to_strides = strides_of(shape(result));
        const auto& amount = program_.integers(n, "pad");
        const std::size_t first = from.size() - amount.size() / 2;
        std::int64_t start = 0;
        for (std::size_t i = first; i < from.size(); ++i) {
            start += to_strides[i] * amount[2 * (i - first)];
        }
        std::fill_n(out(result), count(result), program_.number(n, "constant_val"));
        walker w(from, to_strides, start);
        const std::int64_t elements = element_count(from);
        for (std::int64_t i = 0; i < elements; ++i, w.next()) {
            out(result)[w.offset()] = x(n)[i];
        }
    }

    void cast(const node& n, half* y, std::int64_t elements) {
        const int from = program_.id(n, "x");
        if (is_kept_as_halves(program_.at(from).type.type)) {
            for (std::int64_t i = 0; i < elements; ++i) {
                const auto at = static_cast<std::size_t>(i);
                y[i] = program_.at(from).type.type == element::boolean ? truth(from, at) : in(from)[at];
            }
            return;
        }
        const value& v = program_.at(from);
        for (std::int64_t i = 0; i < elements; ++i) {
            const auto at = static_cast<std::size_t>(i);
            const std::uint8_t pixel =
                v.data ? static_cast<std::uint8_t>(v.data->integers[at]) : images_[static_cast<std::size_t>(from)][at];
            y[i] = numerics::convert_uint8(pixel);
        }
    }

    static std::size_t shapes_axis(std::int64_t given, std::size_t rank) {
        return static_cast<std::size_t>(given < 0 ? given + static_cast<std::int64_t>(rank) : given);
    }

    std::vector<step> steps_;
    std::vector<half> converted_;
};

} // namespace ane::standin
