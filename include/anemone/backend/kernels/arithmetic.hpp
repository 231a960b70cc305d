#pragma once

#include "../../base/way.hpp"
#include "../../numerics/accumulator.hpp"
#include "../../numerics/elementwise.hpp"
#include "../../numerics/reduction.hpp"

#include <cmath>
#include <cstdint>

/// Kernels that need not be fast on any backend are written once, as templates over one of these arithmetics, or over the
/// reference's (backend/wide/wide_arithmetic.hpp). `element` is what tensors hold, `value` what is computed with.
namespace ane::kernels::inline ANEMONE_WAY {

/// Plain arithmetic with ONNX semantics: fp32 inside an operation (sums in double), one rounding (half to even) where
/// its result is stored.
struct plain_arithmetic {
    using element = half;
    using value = float;

    static value load(half x) { return static_cast<float>(x); }
    static half store(value x) { return half(x); }
    /// A number that is part of the operation, such as an epsilon or an interpolation weight.
    static value number(double x) { return static_cast<float>(x); }
    /// A coordinate in an image that the operation computes.
    static double coordinate(double x) { return x; }
    /// By way of double, which changes no bit and keeps compilers from fusing a product with the sum.
    static value add(value a, value b) { return static_cast<value>(static_cast<double>(a) + static_cast<double>(b)); }
    static value subtract(value a, value b) { return add(a, -b); }
    static value multiply(value a, value b) { return a * b; }
    static value divide(value a, value b) { return a / b; }
    static value power(value a, value b) {
        return static_cast<value>(std::pow(static_cast<double>(a), static_cast<double>(b)));
    }
    static value square_root(value a) { return std::sqrt(a); }
    static value magnitude(value a) { return std::fabs(a); }
    /// Comparisons with a NaN are false; the maximum and the minimum of a NaN and a number are the NaN.
    static bool less(value a, value b) { return a < b; }
    static bool at_most(value a, value b) { return a <= b; }
    static value maximum(value a, value b) { return std::isnan(a) || b < a ? a : b; }
    static value minimum(value a, value b) { return std::isnan(a) || a < b ? a : b; }

    /// The sum of a reduction.
    class sum {
    public:
        explicit sum(const plain_arithmetic&) {}
        void add(value x) { total_ += static_cast<double>(x); }
        value result() const { return static_cast<value>(total_); }
        /// The sum divided by `count`.
        value mean(std::int64_t count) const { return static_cast<value>(total_ / static_cast<double>(count)); }

    private:
        double total_ = 0;
    };
    /// A sum of products.
    class products {
    public:
        explicit products(const plain_arithmetic&) {}
        void multiply_add(value x, value w) { total_ += static_cast<double>(x) * static_cast<double>(w); }
        value result() const { return static_cast<value>(total_); }

    private:
        double total_ = 0;
    };
    /// A weighted mean of a few neighbours.
    using blend = products;
};

/// The engine's arithmetic: every step rounds to fp16 as its path does (its engine_path in catalogue).
struct engine_arithmetic {
    using element = half;
    using value = half;
    const numerics::datapath& path;

    static value load(half x) { return numerics::detail::entered(x); }
    static half store(value x) { return x; }
    value number(double x) const { return numerics::round_to_half(x, path.elementwise_ties); }
    /// Coordinates that are computed come as an fp16 tensor (guide chapter 13).
    double coordinate(double x) const { return static_cast<double>(number(x)); }
    value add(value a, value b) const { return numerics::add(path, a, b); }
    value subtract(value a, value b) const { return numerics::subtract(path, a, b); }
    value multiply(value a, value b) const { return numerics::multiply(path, a, b); }
    value divide(value a, value b) const { return numerics::binary<op::div>(path, a, b); }
    value power(value a, value b) const { return numerics::binary<op::pow>(path, a, b); }
    value square_root(value a) const { return numerics::square_root(path, a); }
    static value magnitude(value a) { return numerics::detail::magnitude(a); }
    static bool less(value a, value b) { return a < b; }
    static bool at_most(value a, value b) { return a <= b; }
    value maximum(value a, value b) const { return numerics::binary<op::maximum>(path, a, b); }
    value minimum(value a, value b) const { return numerics::binary<op::minimum>(path, a, b); }

    /// The reduction path: tiles, then one rounding.
    class sum {
    public:
        explicit sum(const engine_arithmetic& a) : path_(a.path), total_(a.path) {}
        void add(value x) { total_.add(x); }
        value result() const { return mean(1); }
        value mean(std::int64_t count) const { return numerics::store_sum(path_, total_.total(), count); }

    private:
        const numerics::datapath& path_;
        numerics::reduction_register total_;
    };
    /// The multiply-accumulate path.
    class products {
    public:
        explicit products(const engine_arithmetic& a) : total_(a.path) {}
        void multiply_add(value x, value w) { total_.multiply_add(x, w); }
        value result() const { return total_.result(); }

    private:
        numerics::accumulator total_;
    };
    /// The sampling unit: products and sums as in the elementwise path, one after another (inferred). Without that
    /// unit a convolution (decompiled, R179), so the multiply-accumulate path.
    class blend {
    public:
        explicit blend(const engine_arithmetic& a) : arithmetic_(a), products_(a), convolves_(!a.path.texture_engine) {}
        void multiply_add(value x, value w) {
            if (convolves_) {
                products_.multiply_add(x, w);
            } else {
                total_ = arithmetic_.add(total_, arithmetic_.multiply(x, w));
            }
        }
        value result() const { return convolves_ ? products_.result() : total_; }

    private:
        const engine_arithmetic& arithmetic_;
        products products_;
        bool convolves_;
        value total_{};
    };
};

/// What the tensors of an arithmetic hold.
template <class Arithmetic> using element_of = typename Arithmetic::element;

} // namespace ane::kernels::inline ANEMONE_WAY
