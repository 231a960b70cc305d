// Advice on values that leave their bounds.

#include "advised.hpp"

namespace advised {

namespace {

/// A sum of 1024 products, each of 32 at most.
dynamic_graph summed(const contract& x, const contract& w) {
    return built([&](dynamic_builder& b) {
        return b.add(op::linear, {b.input("x", {1, 1024}, x), b.weight("w", {4, 1024}, w)});
    });
}

/// A softmax by hand, of what is made of the input.
template <class Make> dynamic_graph shares(double most, Make make) {
    return built([&](dynamic_builder& b) {
        const tensor e = b.add(op::exp, {make(b, b.input("x", {4, 8}, bounded(most)))});
        return b.add(op::div, {e, b.add(op::reduce_sum, {e}, axes{1})});
    });
}
dynamic_graph plain_shares(double most) {
    return shares(most, [](auto&, const tensor& x) { return x; });
}
dynamic_graph centred_shares(double most) {
    return shares(most, [](dynamic_builder& b, const tensor& x) {
        return b.add(op::sub, {x, b.add(op::reduce_max, {x}, axes{1})});
    });
}
dynamic_graph softmax_of(double most) { return function_of(op::softmax, {4, 8}, bounded(most), axis{1}); }

/// The input through a clamp, and then through a function.
dynamic_graph clamped(op kind, const contract& promise, double low, double high) {
    return built([&](dynamic_builder& b) {
        const clip_range bounds{static_cast<float>(low), static_cast<float>(high)};
        const tensor x = b.add(op::clamp, {b.input("x", {8}, promise)}, bounds);
        return kind == op::sigmoid ? b.add(kind, {x}) : b.add(kind, {x}, stabilizer{});
    });
}
dynamic_graph stabilized(op kind, float epsilon) {
    return function_of(kind, {8}, within(0, 1), stabilizer{.epsilon = epsilon});
}

template <class Make> dynamic_graph quotient(const contract& promise, Make make) {
    return built([&](dynamic_builder& b) {
        const tensor a = b.input("x", {8}, bounded(1));
        return b.add(op::div, {a, make(b, b.input("d", {8}, promise))});
    });
}

dynamic_graph int8_product(const contract& promise, bool compress, double most = 0) {
    return built([&](dynamic_builder& b) {
        tensor x = b.input("x", {1, 16}, promise);
        tensor w = b.weight("w", {4, 16});
        x = most > 0 ? b.add(op::clamp, {x}, clip_range{-static_cast<float>(most), static_cast<float>(most)}) : x;
        w = compress ? b.add(op::compressed, {w}, compression{.form = weight_form::affine, .bits = 8}) : w;
        return b.add(op::linear, {x, w});
    });
}

/// The activation made smaller before weights of 8 bits, and the result larger behind them.
dynamic_graph scaled_codes(const contract& promise, double scale) {
    return built([&](dynamic_builder& b) {
        const tensor w =
            b.add(op::compressed, {b.weight("w", {4, 16})}, compression{.form = weight_form::affine, .bits = 8});
        return times(b, b.add(op::linear, {times(b, b.input("x", {1, 16}, promise), scale), w}), 1 / scale);
    });
}

/// A gradient times a loss scale, cut inside its width.
dynamic_graph window_of(double scale, double most) {
    return built([&](dynamic_builder& b) {
        tensor x = times(b, b.input("x", {4, 8}, bounded(10)), scale);
        const auto bound = static_cast<float>(most);
        x = most > 0 ? b.add(op::clamp, {x}, clip_range{-bound, bound}) : x;
        return cut(b, x, 1, 1, 4);
    });
}

dynamic_graph accumulated(const contract& promise, bool clamps) {
    return built([&](dynamic_builder& b) {
        const tensor total = b.input("total", {8}, promise);
        tensor next = b.add(op::add, {total, b.input("x", {8}, bounded(5))});
        next = clamps ? b.add(op::clamp, {next}, clip_range{-8, 8}) : next;
        b.keep(total, next);
        return total;
    });
}

dynamic_graph times_300(double most) {
    return built([&](dynamic_builder& b) { return times(b, b.input("x", {8}, bounded(most)), 300); });
}

/// The window [1, 5) of a width.
dynamic_graph inside_the_width(const contract& promise) {
    return built([&](dynamic_builder& b) { return cut(b, b.input("x", {4, 8}, promise), 1, 1, 4); });
}
constexpr contract large = within(0, 5000);

} // namespace

std::vector<pair_of_models> advised_values() {
    const auto fold_an_angle = [](dynamic_builder& b) {
        const tensor x = b.input("x", {8}, bounded(20));
        const tensor turns = b.add(op::floor, {b.add(op::add, {times(b, x, 0.15915494), b.constant(0.5)})});
        const tensor folded = b.add(op::sub, {x, times(b, turns, 6.2831853)});
        return b.add(op::sin, {b.add(op::clamp, {folded}, clip_range{-3.140625F, 3.140625F})});
    };
    return {
        {rule::angle_leaves_the_half_period, "fold the angle", h15, function_of(op::sin, {8}, bounded(20)),
         built(fold_an_angle), 0.02},
        {rule::contraction_may_reach_ceiling, "scale the input", h13, summed(bounded(32), bounded(1)),
         built([](dynamic_builder& b) {
             const tensor x = b.input("x", {1, 1024}, bounded(32));
             return times(b, b.add(op::linear, {times(b, x, 0.25), b.weight("w", {4, 1024}, bounded(1))}), 4);
         })},
        {rule::contraction_may_reach_ceiling, "split the sum", h13, summed(bounded(32), bounded(1)),
         built([](dynamic_builder& b) {
             const tensor x = b.input("x", {1, 1024}, bounded(32));
             const tensor w = b.weight("w", {4, 1024}, bounded(1));
             const auto half = [&](int at) {
                 return b.add(op::linear, {cut(b, x, 1, at, 512), cut(b, w, 1, at, 512)});
             };
             return b.add(op::add, {half(0), half(512)});
         })},
        {rule::contraction_may_reach_ceiling, "promise narrower", h13, summed(bounded(32), bounded(1)),
         summed(bounded(16), bounded(1)), another_model},
        {rule::contraction_may_reach_ceiling, "promise the row_l1", h13, summed(bounded(32), bounded(1)),
         summed(bounded(32), bounded(1) & row_l1(100)), another_model},
        {rule::divisor_may_be_zero, "keep the divisor", h13,
         quotient(within(0, 1), [](auto&, const tensor& d) { return d; }),
         quotient(within(0, 1),
                  [](dynamic_builder& b, const tensor& d) {
                      return b.add(op::maximum, {d, b.constant(0.01)});
                  }),
         another_model},
        {rule::divisor_may_be_zero, "promise a range", h13,
         quotient(within(0, 1), [](auto&, const tensor& d) { return d; }),
         quotient(within(0.01, 1), [](auto&, const tensor& d) { return d; }), another_model},
        {rule::exponential_may_overflow, "use softmax", h13, plain_shares(30), softmax_of(30)},
        {rule::exponential_may_overflow, "subtract the maximum", h13, plain_shares(30), centred_shares(30)},
        {rule::softmax_does_not_subtract_its_maximum, "use softmax", h13, plain_shares(30), softmax_of(30)},
        {rule::softmax_does_not_subtract_its_maximum, "subtract the maximum", h13, plain_shares(30),
         centred_shares(30)},
        {rule::softmax_does_not_subtract_its_maximum, "clamp", h13, plain_shares(30),
         shares(30,
                [](dynamic_builder& b, const tensor& x) {
                    return b.add(op::clamp, {x}, clip_range{-4, 5});
                }),
         another_model},
        {rule::inner_value_may_leave_half_precision, "scale the operand", h17s,
         function_of(op::reduce_l2_norm, {64}, bounded(400), axes{0}), built([](dynamic_builder& b) {
             const tensor x = times(b, b.input("x", {64}, bounded(400)), 0.0625);
             return times(b, b.add(op::reduce_l2_norm, {x}, axes{0}), 16);
         })},
        {rule::int8_activation_may_saturate, "clamp or scale", h13, int8_product(bounded(5000), true),
         int8_product(bounded(5000), true, 4000), another_model},
        {rule::int8_activation_may_saturate, "promise", h13, int8_product(bounded(5000), true),
         int8_product(bounded(1000), true), another_model},
        {rule::int8_activation_may_saturate, "keep the weights", h13, int8_product(bounded(5000), true),
         int8_product(bounded(5000), false), another_model},
        {rule::sum_of_codes_may_reach_ceiling, "scale the activation", h17s, int8_product(bounded(5000), true),
         scaled_codes(bounded(5000), 0x1p-6), another_model},
        {rule::sum_of_codes_may_reach_ceiling, "promise", h17s, int8_product(bounded(5000), true),
         int8_product(bounded(128), true), another_model},
        {rule::sum_of_codes_may_reach_ceiling, "keep the weights", h17s, int8_product(bounded(5000), true),
         int8_product(bounded(5000), false), another_model},
        {rule::logarithm_of_zero, "clamp", h13, stabilized(op::log, 0), clamped(op::log, within(0, 1), 1e-3, 1),
         another_model},
        {rule::logarithm_of_zero, "give an epsilon", h13, stabilized(op::log, 0), stabilized(op::log, 1e-5F),
         another_model},
        {rule::reciprocal_of_zero, "keep the operand", h13, stabilized(op::inverse, 0),
         clamped(op::inverse, within(0, 1), 1e-3, 1), another_model},
        {rule::reciprocal_of_zero, "keep the operand", h13, stabilized(op::rsqrt, 0), stabilized(op::rsqrt, 1e-5F),
         another_model},
        {rule::loss_scale_exceeds, "a loss scale", h13, window_of(512, 0), window_of(384, 0), another_model},
        {rule::loss_scale_exceeds, "clamp", h13, window_of(512, 0), window_of(512, 4000), another_model},
        {rule::parametric_softplus_may_be_zero, "alpha * softplus", h13, built([](dynamic_builder& b) {
             const tensor x = b.input("x", {1, 8, 4, 4}, bounded(6));
             return b.add(op::parametric_softplus, {x, b.constant({8}, 3), b.constant({8}, 2)});
         }),
         built([](dynamic_builder& b) {
             const tensor x = b.input("x", {1, 8, 4, 4}, bounded(6));
             return times(b, b.add(op::softplus, {times(b, x, 2)}), 3);
         })},
        {rule::infinity_becomes_zero, "clamp", h13, built([](dynamic_builder& b) {
             const tensor x = b.input("x", {8}, within(0, 300));
             return b.add(op::softsign, {b.add(op::mul, {x, x})});
         }),
         built([](dynamic_builder& b) {
             const tensor x = b.add(op::clamp, {b.input("x", {8}, within(0, 300))}, clip_range{0, 200});
             return b.add(op::softsign, {b.add(op::mul, {x, x})});
         }),
         another_model},
        {rule::argument_leaves_the_table, "take -softplus(-x)", h13, built([](dynamic_builder& b) {
             const tensor shares = b.add(op::sigmoid, {b.input("x", {8}, bounded(9.5))});
             return b.add(op::log, {shares}, stabilizer{});
         }),
         built([](dynamic_builder& b) {
             return times(b, b.add(op::softplus, {times(b, b.input("x", {8}, bounded(9.5)), -1)}), -1);
         })},
        {rule::argument_leaves_the_table, "silu", h13, built([](dynamic_builder& b) {
             const tensor x = b.input("x", {8}, bounded(400));
             return b.add(op::mul, {x, b.add(op::sigmoid, {x})});
         }),
         function_of(op::silu, {8}, bounded(400))},
        {rule::argument_leaves_the_table, "clamp", h13, function_of(op::sigmoid, {8}, bounded(20)),
         clamped(op::sigmoid, bounded(20), -8, 8), another_model},
        {rule::square_may_overflow, "scale the operand", h13, built([](dynamic_builder& b) {
             const tensor squares = b.add(op::square, {b.input("x", {4, 8}, bounded(300))});
             return b.add(op::sqrt, {b.add(op::reduce_mean, {squares}, axes{1})});
         }),
         built([](dynamic_builder& b) {
             const tensor squares = b.add(op::square, {times(b, b.input("x", {4, 8}, bounded(300)), 0.0625)});
             return times(b, b.add(op::sqrt, {b.add(op::reduce_mean, {squares}, axes{1})}), 16);
         })},
        {rule::value_may_leave_half_precision, "scale an operand", h13, built([](dynamic_builder& b) {
             const tensor x = b.input("x", {4, 8}, within(1, 300));
             return b.add(op::sqrt, {b.add(op::mul, {x, b.input("z", {4, 8}, within(1, 300))})});
         }),
         built([](dynamic_builder& b) {
             const tensor x = times(b, b.input("x", {4, 8}, within(1, 300)), 0.0625);
             return times(b, b.add(op::sqrt, {b.add(op::mul, {x, b.input("z", {4, 8}, within(1, 300))})}), 4);
         })},
        {rule::value_may_leave_half_precision, "clamp", h13, times_300(400), built([](dynamic_builder& b) {
             const tensor x = b.add(op::clamp, {b.input("x", {8}, bounded(400))}, clip_range{-200, 200});
             return times(b, x, 300);
         }),
         another_model},
        {rule::value_may_leave_half_precision, "promise", h13, times_300(400), times_300(200), another_model},
        {rule::state_may_leave_its_promise, "clamp", h13, accumulated(bounded(8), false), accumulated(bounded(8), true),
         another_model},
        {rule::state_may_leave_its_promise, "promise nothing", h13, accumulated(bounded(8), false),
         accumulated({}, false), another_model},
        {rule::width_slice_may_saturate, "slice another axis", h13, inside_the_width(large),
         built([](dynamic_builder& b) {
             const tensor x = turned(b, b.input("x", {4, 8}, large), 1, 0);
             return turned(b, cut(b, x, 0, 1, 4), 1, 0);
         })},
        {rule::width_slice_may_saturate, "clamp", h13, inside_the_width(large), built([](dynamic_builder& b) {
             const tensor x = b.add(op::clamp, {b.input("x", {4, 8}, large)}, clip_range{0, 4094});
             return cut(b, x, 1, 1, 4);
         }),
         another_model},
        {rule::width_slices_are_joined, "transpose", h13, built([](dynamic_builder& b) {
             const tensor x = b.input("x", {4, 8}, bounded(1));
             return joined(b, {cut(b, x, 1, 1, 2), cut(b, x, 1, 4, 3)}, 1);
         }),
         built([](dynamic_builder& b) {
             const tensor x = turned(b, b.input("x", {4, 8}, bounded(1)), 1, 0);
             return turned(b, joined(b, {cut(b, x, 0, 1, 2), cut(b, x, 0, 4, 3)}, 0), 1, 0);
         })},
    };
}

} // namespace advised
