// Included by simd/each_set.inl through level.inl: the elementwise operations over vectors of fp32.

namespace ane::cpu::detail::inline ANEMONE_WAY {
namespace ANEMONE_SET {

/// One operand; p0 and p1 are the operation's coefficients alpha and beta, or its epsilon. A NaN stays a NaN
/// everywhere.
template <op Kind> struct unary_function {
    float p0 = 0;
    float p1 = 0;

    template <int N> ANEMONE_CPU_INLINE floats<N> operator()(const floats<N>& x) const {
        using vector = floats<N>;
        const vector zero = vector::all(0.0F);
        const vector one = vector::all(1.0F);
        const vector first = vector::all(p0);
        const vector second = vector::all(p1);
        if constexpr (Kind == op::relu) {
            return larger(zero, x); // NaN stays
        } else if constexpr (Kind == op::relu6) {
            return at_most(at_least(x, 0.0F), 6.0F);
        } else if constexpr (Kind == op::leaky_relu) {
            return x * select(x < zero, first, one);
        } else if constexpr (Kind == op::clamp) {
            return at_most(at_least(x, p0), p1);
        } else if constexpr (Kind == op::thresholded_relu) {
            return select(x < first, zero, x);
        } else if constexpr (Kind == op::clamped_relu) {
            return at_most(x * select(x < zero, first, one), p1);
        } else if constexpr (Kind == op::elu) {
            return select(x < zero, first * exponential_less_one(x), x);
        } else if constexpr (Kind == op::sigmoid) {
            return logistic(x);
        } else if constexpr (Kind == op::hard_sigmoid) {
            return at_most(at_least(fused_multiply_add(first, x, second), 0.0F), 1.0F); // fused: the sum may cancel
        } else if constexpr (Kind == op::tanh) {
            return hyperbolic_tangent(x);
        } else if constexpr (Kind == op::scaled_tanh) {
            return first * hyperbolic_tangent(second * x);
        } else if constexpr (Kind == op::gelu) {
            return gaussian_error_linear(x);
        } else if constexpr (Kind == op::gelu_sigmoid) {
            return x / (one + bounded_exponential(vector::all(-1.702F) * x));
        } else if constexpr (Kind == op::silu) {
            return x / (one + bounded_exponential(negated(x)));
        } else if constexpr (Kind == op::softplus) {
            return softened_relu(x);
        } else if constexpr (Kind == op::parametric_softplus) {
            return first * softened_relu(second * x);
        } else if constexpr (Kind == op::softsign) {
            return x / (one + magnitude(x));
        } else if constexpr (Kind == op::erf) {
            return error_function(x);
        } else if constexpr (Kind == op::exp) {
            return exponential(x);
        } else if constexpr (Kind == op::exp2) {
            return binary_exponential(x);
        } else if constexpr (Kind == op::log2) {
            return logarithm(x) * vector::all(1.44269504F);
        } else if constexpr (Kind == op::log) {
            return logarithm(x + first);
        } else if constexpr (Kind == op::sqrt) {
            return square_root(x);
        } else if constexpr (Kind == op::rsqrt) {
            return one / square_root(x + first);
        } else if constexpr (Kind == op::inverse) {
            return one / (x + first);
        } else if constexpr (Kind == op::square) {
            return x * x;
        } else if constexpr (Kind == op::abs) {
            return magnitude(x);
        } else if constexpr (Kind == op::sign) {
            const vector signs = select(x > zero, one, zero - one);
            return select(x == zero, zero, select(x == x, signs, x));
        } else if constexpr (Kind == op::ceil) {
            return rounded_up(x);
        } else if constexpr (Kind == op::floor) {
            return rounded_down(x);
        } else if constexpr (Kind == op::round) {
            return rounded(x);
        } else if constexpr (Kind == op::sin || Kind == op::cos) {
            float lanes[N];
            x.store(lanes);
            for (float& lane : lanes) {
                lane = sine(lane, Kind == op::sin ? 0 : 1);
            }
            return vector::load(lanes);
        } else {
            static_assert(Kind == op::atan, "not an elementwise operation of one operand");
            return arc_tangent(x);
        }
    }
};

/// Two operands. minimum and maximum give NaN when either operand is NaN, as PyTorch and NumPy do. A comparison gives 1
/// or 0; with a NaN only not_equal is true.
template <op Kind> struct binary_function {
    template <int N> ANEMONE_CPU_INLINE floats<N> operator()(const floats<N>& a, const floats<N>& b) const {
        if constexpr (Kind == op::add) {
            return a + b;
        } else if constexpr (Kind == op::sub) {
            return a - b;
        } else if constexpr (Kind == op::mul) {
            return a * b;
        } else if constexpr (Kind == op::div) {
            return a / b;
        } else if constexpr (Kind == op::minimum) {
            return select(a != a, a, smaller(a, b)); // b when unordered
        } else if constexpr (Kind == op::maximum) {
            return select(a != a, a, larger(a, b));
        } else if constexpr (Kind == op::pow || Kind == op::floor_div) {
            float left[N];
            float right[N];
            a.store(left);
            b.store(right);
            for (int lane = 0; lane < N; ++lane) {
                left[lane] = Kind == op::pow ? power(left[lane], right[lane]) : floored_ratio(left[lane], right[lane]);
            }
            return floats<N>::load(left);
        } else {
            return select(compared(a, b), floats<N>::all(1.0F), floats<N>::all(0.0F));
        }
    }

private:
    template <int N> ANEMONE_CPU_INLINE static lane_mask<N> compared(const floats<N>& a, const floats<N>& b) {
        if constexpr (Kind == op::equal) {
            return a == b;
        } else if constexpr (Kind == op::not_equal) {
            return a != b;
        } else if constexpr (Kind == op::greater) {
            return a > b;
        } else if constexpr (Kind == op::greater_equal) {
            return a >= b;
        } else if constexpr (Kind == op::less) {
            return a < b;
        } else {
            static_assert(Kind == op::less_equal, "not an elementwise operation of two operands");
            return a <= b;
        }
    }
};

} // namespace ANEMONE_SET
} // namespace ane::cpu::detail::inline ANEMONE_WAY
