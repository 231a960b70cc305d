#pragma once

#include "image_sampling.hpp"
#include "indexing.hpp"
#include "mil_layer_shapes.hpp"
#include "rearrangement.hpp"
#include "tensor_memory.hpp"
#include <anemone/numerics/kernels.hpp>
#include <anemone/numerics/quantization.hpp>
#include <anemone/values/half.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

namespace ane::standin {

/// The operations beside contractions and elementwise arithmetic: each through the arithmetic kernels of the oracle,
/// with loops of its own.
class layer_steps : public tensor_memory {
public:
    explicit layer_steps(const program& p) : tensor_memory(p), path_(numerics::datapath_of(p.built_for.generation)) {}

protected:
    half add(half a, half b) const { return numerics::binary(path_, op::add, a, b); }
    half subtract(half a, half b) const { return numerics::binary(path_, op::sub, a, b); }
    half multiply(half a, half b) const { return numerics::binary(path_, op::mul, a, b); }
    half reduced(op kind, const std::vector<half>& members) const {
        return numerics::reduce(path_, kind, members.data(), static_cast<std::int64_t>(members.size()), 1);
    }

    void compare(const node& n, int result) {
        walk_pair(n, "x", "y", result, [this, &n](half a, half b) {
            return half(numerics::compare(path_, n.rule->kind, a, b) ? 1.0 : 0.0);
        });
    }

    /// A boolean, as a number: of a constant too.
    half truth(int id, std::size_t at) const {
        const value& v = program_.at(id);
        return v.data ? half(v.data->integers[at] != 0 ? 1.0 : 0.0) : in(id)[at];
    }

    void logical_not(const node& n, int result) {
        const int x = program_.id(n, "x");
        for (std::int64_t i = 0; i < count(result); ++i) {
            out(result)[i] = half(truth(x, static_cast<std::size_t>(i)).bits == 0 ? 1.0 : 0.0);
        }
    }

    void select(const node& n, int result) {
        const dimensions& to = shape(result);
        const int cond = program_.id(n, "cond");
        const int a = program_.id(n, "a");
        const int b = program_.id(n, "b");
        walker wc(to, broadcast_strides(shape(cond), to));
        walker wa(to, broadcast_strides(shape(a), to));
        walker wb(to, broadcast_strides(shape(b), to));
        for (std::int64_t i = 0; i < count(result); ++i, wc.next(), wa.next(), wb.next()) {
            out(result)[i] =
                numerics::select(path_, truth(cond, wc.offset()).bits != 0, in(a)[wa.offset()], in(b)[wb.offset()]);
        }
    }

    /// prelu and softplus_parametric: numbers for each channel.
    void per_channel(const node& n, int result) {
        const std::int64_t stride = strides_of(x_shape(n))[1];
        const std::vector<half>& alpha = program_.data(n, "alpha").halves;
        for (std::int64_t i = 0; i < count(result); ++i) {
            const auto c = static_cast<std::size_t>(i / stride % x_shape(n)[1]);
            out(result)[i] =
                n.rule->kind == op::prelu
                    ? numerics::prelu(path_, x(n)[i], alpha[c])
                    : numerics::parametric_softplus(path_, x(n)[i], alpha[c], program_.data(n, "beta").halves[c]);
        }
    }

    /// x (k + alpha mean of squares)^-beta over the channels around, as the oracle has it.
    void response_norm(const node& n, int result) {
        const dimensions& over = x_shape(n);
        const std::int64_t inner = over[2] * over[3];
        const std::int64_t size = program_.integer(n, "size");
        const auto exponent = half(-static_cast<double>(program_.number(n, "beta")));
        for (std::int64_t i = 0; i < count(result); ++i) {
            const std::int64_t c = i / inner % over[1];
            numerics::reduction_register squares(path_);
            for (std::int64_t near = std::max<std::int64_t>(0, c - (size - 1) / 2);
                 near <= std::min(over[1] - 1, c + size / 2); ++near) {
                const half v = x(n)[i + (near - c) * inner];
                squares.add(multiply(v, v));
            }
            const half mean = numerics::store_sum(path_, squares.total(), size);
            const half divisor = add(program_.number(n, "k"), multiply(program_.number(n, "alpha"), mean));
            out(result)[i] = multiply(x(n)[i], numerics::binary(path_, op::pow, divisor, exponent));
        }
    }

    /// (x - mean) / sqrt(variance + epsilon) over an axis, or over height and width, then gamma and beta.
    void standardize(const node& n, int result) {
        const dimensions& over = x_shape(n);
        const bool instance = n.rule->kind == op::instance_norm;
        const std::size_t along = instance ? 1 : shapes::axis(n, program_.integers(n, "axes").front(), over.size());
        dimensions folded(over.size(), 1);
        for (std::size_t d = instance ? 2 : along; d < (instance ? over.size() : along + 1); ++d) {
            folded[d] = over[d];
        }
        const dimensions strides = strides_of(over);
        for_each_group(over, folded, [&](std::int64_t begin) {
            std::vector<std::size_t> places = group_places(folded, strides, begin);
            std::vector<half> values;
            values.reserve(places.size());
            for (const std::size_t at : places) {
                values.push_back(x(n)[at]);
            }
            const half mean = reduced(op::reduce_mean, values);
            std::vector<half> squares;
            for (half& v : values) {
                v = subtract(v, mean);
                squares.push_back(multiply(v, v));
            }
            const half variance = add(reduced(op::reduce_mean, squares), program_.number(n, "epsilon"));
            const half inverse = numerics::unary(path_, op::rsqrt, variance);
            for (std::size_t k = 0; k < places.size(); ++k) {
                const auto c =
                    static_cast<std::size_t>(static_cast<std::int64_t>(places[k]) / strides[along] % over[along]);
                const half gamma = program_.data(n, "gamma").halves[c];
                const half beta = program_.data(n, "beta").halves[c];
                const half normal = multiply(values[k], inverse);
                out(result)[places[k]] = along + 3 == over.size() // numbers of channels are a gain and an offset
                                             ? numerics::scale_offset(path_, normal, gamma, beta)
                                             : add(multiply(normal, gamma), beta);
            }
        });
    }

    /// The reductions of a function, as their parts.
    half composed_reduction(op kind, std::vector<half> members) const {
        const auto each = [&members](const auto& f) {
            std::transform(members.begin(), members.end(), members.begin(), f);
        };
        switch (kind) {
        case op::reduce_l1_norm:
            each([this](half v) { return numerics::unary(path_, op::abs, v); });
            return reduced(op::reduce_sum, members);
        case op::reduce_log_sum: return numerics::unary(path_, op::log, reduced(op::reduce_sum, members));
        case op::reduce_log_sum_exp: {
            const half largest = reduced(op::reduce_max, members);
            each([&](half v) { return numerics::unary(path_, op::exp, subtract(v, largest)); });
            return add(numerics::unary(path_, op::log, reduced(op::reduce_sum, members)), largest);
        }
        case op::reduce_sum_square:
        case op::reduce_l2_norm: {
            each([this](half v) { return multiply(v, v); });
            const half sum = reduced(op::reduce_sum, members);
            return kind == op::reduce_l2_norm ? numerics::unary(path_, op::sqrt, sum) : sum;
        }
        default: return reduced(kind, members);
        }
    }

    /// softmax(q k^T / sqrt(D) + mask) v, as its parts: the fused unit is bit-identical where it is reliable.
    void attention(const node& n, int result) {
        const dimensions& q = shape(program_.id(n, "query"));
        const dimensions& k = shape(program_.id(n, "key"));
        const std::int64_t rows = q[q.size() - 2];
        const std::int64_t keys = k[k.size() - 2];
        const std::int64_t depth = q.back();
        dimensions scores_shape = q;
        scores_shape.back() = keys;
        std::vector<half> scores(static_cast<std::size_t>(element_count(scores_shape)));
        const std::int64_t matrices = element_count(q) / (rows * depth);
        const auto scale = half(static_cast<float>(1.0 / std::sqrt(static_cast<double>(depth))));
        for (std::int64_t i = 0; i < matrices; ++i) {
            numerics::matmul(path_, {.batch = 1, .m = rows, .n = keys, .k = depth, .transpose_b = true},
                             in(program_.id(n, "query")) + i * rows * depth,
                             in(program_.id(n, "key")) + i * keys * depth, nullptr, scores.data() + i * rows * keys);
        }
        for (half& s : scores) {
            s = depth == 1 ? s : multiply(s, scale);
        }
        if (program_.has(n, "attn_mask")) {
            const int mask = program_.id(n, "attn_mask");
            walker w(scores_shape, broadcast_strides(shape(mask), scores_shape));
            for (half& s : scores) {
                s = add(s, in(mask)[w.offset()]);
                w.next();
            }
        }
        for (std::size_t row = 0; row < scores.size(); row += static_cast<std::size_t>(keys)) {
            numerics::softmax(path_, scores.data() + row, scores.data() + row, keys, 1);
        }
        for (std::int64_t i = 0; i < matrices; ++i) {
            numerics::matmul(path_, {.batch = 1, .m = rows, .n = depth, .k = keys}, scores.data() + i * rows * keys,
                             in(program_.id(n, "value")) + i * keys * depth, nullptr, out(result) + i * rows * depth);
        }
    }

    void rearrange(const node& n, int result) {
        const std::vector<std::int64_t> sources = rearrangement(program_, n).sources();
        const bool offset = n.rule->kind == op::strided_slice && program_.integers(n, "begin").back() > 0;
        for (std::size_t i = 0; i < sources.size(); ++i) {
            const half v = x(n)[sources[i]];
            out(result)[i] = offset ? numerics::slice_width_offset(path_, v) : v;
        }
    }

    /// The border mirrors height and width, without the edge, or repeats their outermost elements.
    void pad_from_inside(const node& n, int result) {
        const dimensions& from = x_shape(n);
        const dimensions& to = shape(result);
        const auto& amount = program_.integers(n, "pad");
        const bool replicates = program_.text(n, "mode") == "replicate";
        const auto source = [replicates](std::int64_t at, std::int64_t extent) {
            if (replicates) {
                return std::max<std::int64_t>(0, std::min(at, extent - 1));
            }
            at = at < 0 ? -at : at;
            return at >= extent ? 2 * (extent - 1) - at : at;
        };
        const std::int64_t height = from[from.size() - 2];
        for (std::int64_t i = 0; i < count(result); ++i) {
            const std::int64_t w = i % to.back();
            const std::int64_t h = i / to.back() % to[to.size() - 2];
            const std::int64_t plane = i / (to.back() * to[to.size() - 2]);
            out(result)[i] = x(
                n)[(plane * height + source(h - amount[0], height)) * from.back() + source(w - amount[2], from.back())];
        }
    }

    void resize(const node& n, int result) {
        const bool bilinear = n.rule->name == "resize_bilinear";
        const std::string mode = bilinear ? program_.text(n, "sampling_mode") : "DEFAULT";
        const dimensions& to = shape(result);
        const dimensions& from = x_shape(n);
        const auto place = [&](std::int64_t index, std::size_t d) {
            const double at = resized_coordinate(mode, index, to[d], from[d]);
            return place_at(bilinear ? at : std::floor(at), from[d]);
        };
        for (std::int64_t i = 0; i < count(result); ++i) {
            const std::int64_t plane = i / (to[2] * to[3]);
            out(result)[i] =
                sampled(path_, x(n) + plane * from[2] * from[3], place(i / to[3] % to[2], 2), place(i % to[3], 3));
        }
    }

    void affine_map(const node& n, int result) {
        const dimensions& to = shape(result);
        const dimensions& from = x_shape(n);
        const bool corners = program_.flag(n, "align_corners");
        const std::vector<half>& matrices = program_.data(n, "transform_matrix").halves;
        for (std::int64_t i = 0; i < count(result); ++i) {
            const std::int64_t plane = i / (to[2] * to[3]);
            const std::size_t first = matrices.size() == 6 ? 0 : static_cast<std::size_t>(plane / from[1]) * 6;
            const auto place = [&](std::size_t row, std::size_t d) {
                const auto coefficient = [&](std::size_t k) { return static_cast<double>(matrices[first + row + k]); };
                const double moved = scaled_position(coefficient(0), i % to[3], to[3], from[d], corners) +
                                     scaled_position(coefficient(1), i / to[3] % to[2], to[2], from[d], corners);
                return place_at(pixel_of(path_, moved, coefficient(2), from[d], corners), from[d]);
            };
            out(result)[i] = sampled(path_, x(n) + plane * from[2] * from[3], place(3, 2), place(0, 3));
        }
    }

    /// The scale and the zero point of an element.
    std::pair<half, half> scale_of(const node& n, std::int64_t element) const {
        const dimensions& over = shape(program_.id(n, "input"));
        std::size_t slot = 0;
        if (program_.has(n, "axis")) {
            const std::size_t along = shapes::axis(n, program_.integer(n, "axis"), over.size());
            slot = static_cast<std::size_t>(element / strides_of(over)[along] % over[along]);
        }
        const std::int64_t zero = program_.has(n, "zero_point") ? program_.integers(n, "zero_point")[slot] : 0;
        return {program_.data(n, "scale").halves[slot], half(static_cast<double>(zero))};
    }

    void quantize(const node& n, int result) {
        const bool is_signed = program_.at(result).type.type == element::int8;
        for (std::int64_t i = 0; i < count(result); ++i) {
            const auto [scale, zero] = scale_of(n, i);
            const int q = numerics::quantize(path_, in(program_.id(n, "input"))[i], scale, zero, is_signed ? -128 : 0,
                                             is_signed ? 127 : 255);
            images_[static_cast<std::size_t>(result)][static_cast<std::size_t>(i)] = static_cast<std::uint8_t>(q);
        }
    }

    void dequantize(const node& n, int result) {
        const int from = program_.id(n, "input");
        const bool is_signed = program_.at(from).type.type == element::int8;
        for (std::int64_t i = 0; i < count(result); ++i) {
            const std::uint8_t raw = images_[static_cast<std::size_t>(from)][static_cast<std::size_t>(i)];
            const int q = is_signed ? static_cast<std::int8_t>(raw) : raw;
            const auto [scale, zero] = scale_of(n, i);
            out(result)[i] = numerics::dequantize(path_, half(static_cast<double>(q)), scale, zero);
        }
    }

    /// Of equal elements the first comes first; a NaN is an infinity.
    void top_k(const node& n) {
        const dimensions& over = x_shape(n);
        const std::size_t along = shapes::axis(n, program_.integer(n, "axis"), over.size());
        const std::int64_t stride = strides_of(over)[along];
        const bool ascending = program_.flag(n, "ascending");
        const std::int64_t wanted = program_.integer(n, "k");
        dimensions folded(over.size(), 1);
        folded[along] = over[along];
        std::int64_t row = 0;
        for_each_group(over, folded, [&](std::int64_t begin) {
            std::vector<half> values;
            for (std::int64_t i = 0; i < over[along]; ++i) {
                const half v = x(n)[begin + i * stride];
                values.push_back(is_nan(v) ? std::numeric_limits<half>::infinity() : v);
            }
            std::vector<std::size_t> order(values.size());
            std::iota(order.begin(), order.end(), std::size_t{0});
            std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
                return ascending ? values[a] < values[b] : values[b] < values[a];
            });
            const std::int64_t to = row / stride * stride * wanted + row % stride;
            for (std::int64_t i = 0; i < wanted; ++i) {
                const std::size_t found = order[static_cast<std::size_t>(i)];
                out(n.results[0])[to + i * stride] = values[found];
                if (n.results.size() == 2) {
                    out(n.results[1])[to + i * stride] = half(static_cast<double>(found));
                }
            }
            ++row;
        });
    }

    template <class Function>
    void walk_pair(const node& n, const char* x, const char* y, int result, const Function& f) {
        const int a = program_.id(n, x);
        const int b = program_.id(n, y);
        walker wa(shape(result), broadcast_strides(shape(a), shape(result)));
        walker wb(shape(result), broadcast_strides(shape(b), shape(result)));
        half* const to = out(result);
        const std::int64_t elements = count(result);
        for (std::int64_t i = 0; i < elements; ++i, wa.next(), wb.next()) {
            to[i] = f(in(a)[wa.offset()], in(b)[wb.offset()]);
        }
    }

    /// Calls `f` with the first place of each group of elements that fold together, in row-major order.
    template <class Function>
    static void for_each_group(const dimensions& over, const dimensions& folded, const Function& f) {
        dimensions kept = over;
        for (std::size_t d = 0; d < over.size(); ++d) {
            kept[d] = folded[d] > 1 ? 1 : over[d];
        }
        walker outer(kept, strides_of(over));
        for (std::int64_t i = 0; i < element_count(kept); ++i, outer.next()) {
            f(static_cast<std::int64_t>(outer.offset()));
        }
    }
    static std::vector<std::size_t> group_places(const dimensions& folded, const dimensions& strides,
                                                 std::int64_t begin) {
        std::vector<std::size_t> places;
        walker inner(folded, strides, begin);
        for (std::int64_t i = 0; i < element_count(folded); ++i, inner.next()) {
            places.push_back(inner.offset());
        }
        return places;
    }

    numerics::datapath path_;
};

} // namespace ane::standin
