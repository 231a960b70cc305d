#pragma once

#include "../readers/scaled_codes.hpp"
#include "shapes.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

/// DequantizeLinear of constants: y = (q - zero) scale. Only bodies include this header.
namespace ane::onnx::inline ANEMONE_WAY {

/// Which scale or zero point element `i` has: one for all, one for each index of an axis, or one for each block of it.
class quantization_parameter {
public:
    ANEMONE_INLINE quantization_parameter(node_call& c, const known_tensor& v, const extents& x) : values_(v), x_(x) {
        axis_ = v.count() == 1 ? 0 : c.axis("axis", 1, x.rank);
        const std::int64_t block = c.integer("block_size", 0);
        if (block > 0 && v.count() > 1) {
            extents wanted = x;
            wanted[axis_] = x[axis_] / block + (x[axis_] % block != 0 ? 1 : 0);
            c.require(v.shape == wanted,
                      formatted("has {} parameters for {} in blocks of {}", print(v.shape), print(x), block));
            block_ = block;
        } else {
            c.require(v.count() == 1 || v.count() == x[axis_],
                      formatted("has {} parameters for axis {} of {}", v.count(), axis_, print(x)));
        }
        inner_ = count_of(x, axis_ + 1, x.rank);
    }
    double operator()(std::int64_t i) const { return values_.at(index(i)); }

    const known_tensor& values() const { return values_; }
    bool is_one() const { return values_.count() == 1; }
    std::int64_t index(std::int64_t i) const {
        if (is_one()) {
            return 0;
        }
        const std::int64_t k = i / inner_ % x_[axis_];
        return block_ == 0 ? k : (i / inner_ / x_[axis_] * values_.shape[axis_] + k / block_) * inner_ + i % inner_;
    }

    /// Calls `take(begin, runs, length, first)` for consecutive elements in runs, the first of which has the parameter
    /// `first`, each other one that behind the one before.
    template <class Take> void each_runs(std::int64_t count, const Take& take) const {
        if (is_one()) {
            take(0, 1, count, 0);
            return;
        }
        const bool across = block_ != 0 && inner_ > 1; // a block is of elements that lie apart
        const std::int64_t row = across ? inner_ : inner_ * x_[axis_];
        const std::int64_t length = across ? 1 : (block_ == 0 ? inner_ : block_);
        for (std::int64_t begin = 0; begin < count; begin += row) {
            const std::int64_t whole = row / length;
            if (whole > 0) {
                take(begin, whole, length, index(begin));
            }
            if (const std::int64_t rest = row - whole * length; rest > 0) {
                take(begin + whole * length, 1, rest, index(begin + whole * length));
            }
        }
    }

private:
    const known_tensor& values_;
    const extents& x_;
    int axis_ = 0;
    std::int64_t block_ = 0;
    std::int64_t inner_ = 1;
};

/// Codes of a byte with parameters that float holds: their difference is exact in it, and the product rounds once, as in double.
class dequantized_bytes {
public:
    ANEMONE_INLINE dequantized_bytes(const known_tensor& q, const quantization_parameter& scale,
                                     const quantization_parameter& zero)
        : q_(q), runs_(scale.is_one() ? zero : scale) {
        const auto few_bits = [](element_type t) { return is_integer(t) && facts_of(t).bits <= 8; };
        const element_type of_scale = scale.values().type;
        is_possible_ =
            few_bits(q.type) && few_bits(zero.values().type) &&
            (of_scale == element_type::f32 || of_scale == element_type::f16 || of_scale == element_type::bf16);
        if (!is_possible_) {
            return;
        }
        const std::int64_t count = runs_.values().count();
        scales_.reserve(static_cast<std::size_t>(count));
        zeros_.reserve(static_cast<std::size_t>(count));
        bool fits = of_scale == element_type::f16;
        for (std::int64_t k = 0; k < count; ++k) {
            zeros_.push_back(static_cast<float>(zero.values().at(zero.is_one() ? 0 : k)));
            scales_.push_back(static_cast<float>(scale.values().at(scale.is_one() ? 0 : k)));
            fits = fits && std::fabs(scales_.back()) * (256 + std::fabs(zeros_.back())) <= 65504;
        }
        type_ = fits ? element_type::f16 : element_type::f32;
    }

    bool is_possible() const { return is_possible_; }

    /// fp16 where the scales are and no product can be beyond it, fp32 elsewhere.
    ANEMONE_INLINE known_tensor result(const folding::room& allow) const {
        allow(q_.shape);
        known_tensor y{.type = type_, .shape = q_.shape};
        const std::size_t size = type_ == element_type::f16 ? 2 : 4;
        const auto bytes = std::make_shared<std::vector<std::byte>>();
        bytes->reserve(static_cast<std::size_t>(q_.count()) * size);
        const auto more = [&](std::int64_t elements) { // touched when it is written
            const std::size_t begin = bytes->size();
            bytes->resize(begin + static_cast<std::size_t>(elements) * size);
            return bytes->data() + begin;
        };
        if (type_ == element_type::f16) {
            readers::scaled_codes codes(q_);
            each_piece([&](std::int64_t begin, std::int64_t runs, std::int64_t length, std::int64_t first) {
                const auto from = [](const std::vector<float>& all) {
                    return [&all](std::int64_t k, std::span<double> to) {
                        std::copy_n(all.begin() + k, to.size(), to.begin());
                    };
                };
                codes.write(begin, runs, length, first, from(zeros_), from(scales_), more(runs * length));
            });
        } else {
            readers::byte_codes codes(q_);
            each_piece([&](std::int64_t begin, std::int64_t runs, std::int64_t length, std::int64_t first) {
                const std::byte* const from = codes(begin, runs * length);
                std::byte* const to = more(runs * length);
                codes.are_signed() ? write<std::int8_t>(from, runs, length, first, to)
                                   : write<std::uint8_t>(from, runs, length, first, to);
            });
        }
        y.owned = bytes;
        y.bytes = *bytes;
        return y;
    }

private:
    float zero(std::int64_t k) const { return zeros_[static_cast<std::size_t>(k)]; }
    float scale(std::int64_t k) const { return scales_[static_cast<std::size_t>(k)]; }

    /// Runs, so many at a time that what is written stays near: many short ones, or a piece of a long one.
    template <class Take> void each_piece(const Take& take) const {
        constexpr std::int64_t step = 1 << 16; // elements
        runs_.each_runs(
            q_.count(), [&](std::int64_t begin, std::int64_t runs, std::int64_t length, std::int64_t first) {
                for (std::int64_t i = 0; i < runs * length;) {
                    const std::int64_t part = std::min(step, length - i % length);
                    const std::int64_t number = part < length ? 1 : std::min(step, runs * length - i) / part;
                    take(begin + i, number, part, first + i / length);
                    i += number * part;
                }
            });
    }
    template <class Byte>
    void write(const std::byte* from, std::int64_t runs, std::int64_t length, std::int64_t first, std::byte* to) const {
        for (std::int64_t k = 0; k < runs; ++k) {
            const float z = zero(first + k);
            const float s = scale(first + k);
            for (std::int64_t i = 0; i < length; ++i, ++from, to += 4) {
                Byte q;
                std::memcpy(&q, from, 1);
                const float y = (static_cast<float>(q) - z) * s;
                std::memcpy(to, &y, 4);
            }
        }
    }

    const known_tensor& q_;
    const quantization_parameter& runs_; ///< whose parameters are the most
    std::vector<float> zeros_;
    std::vector<float> scales_;
    bool is_possible_ = false;
    element_type type_ = element_type::f32;
};

ANEMONE_INLINE results fold_dequantize(node_call& c) {
    const known_tensor& q = c.known(0);
    const std::int64_t block = c.known(1).count() > 1 ? c.integer("block_size", 0) : 0;
    c.scope().expand(q, block, c.operand(0).name);
    const quantization_parameter scale(c, c.known(1), q.shape);
    const known_tensor none = folding::known(q.type, 0.0);
    const quantization_parameter zero(c, c.has(2) ? c.known(2) : none, q.shape);
    if (const dequantized_bytes bytes(q, scale, zero); bytes.is_possible()) {
        return {bytes.result(c.room())};
    }
    return {c.computed(element_type::f32, q.shape, [&](std::int64_t i) { return (q.at(i) - zero(i)) * scale(i); })};
}

} // namespace ane::onnx::inline ANEMONE_WAY
