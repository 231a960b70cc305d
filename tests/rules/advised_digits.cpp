// Advice on digits that are lost.

#include "advised.hpp"

namespace advised {

namespace {

/// Sums of 1024 products less an offset.
template <class Make> dynamic_graph offset(double bias, Make make) {
    return built([&](dynamic_builder& b) {
        const tensor x = make(b, b.input("x", {1, 1024}, within(0.5, 0.5)));
        return b.add(op::linear, {x, b.constant({4, 1024}, 2), b.weight("b", {4}, within(bias, bias))});
    });
}

dynamic_graph small_weights(bool scales) {
    return built([&](dynamic_builder& b) {
        const tensor x = b.input("x", {1, 16}, bounded(1));
        const tensor w = b.weight("w", {4, 16}, bounded(0x1p-15));
        return scales ? times(b, b.add(op::linear, {x, times(b, w, 1024)}), 0x1p-10) : b.add(op::linear, {x, w});
    });
}

dynamic_graph product(std::int64_t k, const contract& promise, double scale = 1) {
    return built([&](dynamic_builder& b) {
        tensor x = b.input("x", {8, k}, promise);
        tensor w = b.weight("w", {8, k}, promise);
        w = scale == 1 ? w : times(b, w, scale);
        const tensor y = b.add(op::linear, {x, w});
        return scale == 1 ? y : times(b, y, 1 / scale);
    });
}

} // namespace

std::vector<pair_of_models> advised_digits() {
    return {
        {rule::terms_cancel, "subtract a common offset", h13, offset(-1024, [](auto&, const tensor& x) { return x; }),
         offset(0,
                [](dynamic_builder& b, const tensor& x) {
                    return b.add(op::sub, {x, b.constant(0.5)});
                }),
         another_model},
        {rule::subnormal_operand_is_zero, "scale the operand", h13, small_weights(false), small_weights(true),
         another_model},
        {rule::number_becomes_zero, "scale what it meets", h13, built([](dynamic_builder& b) {
             return b.add(op::add, {b.input("x", {8}, bounded(1e-4)), b.constant(1e-9)});
         }),
         built([](dynamic_builder& b) {
             return b.add(op::add, {times(b, b.input("x", {8}, bounded(1e-4)), 1024), b.constant(1024e-9)});
         }),
         another_model},
        {rule::products_are_many, "declare ranges", h13, product(256, {}), product(256, bounded(1)), another_model},
        {rule::products_are_near_the_quantum, "scale an operand", h13, product(512, deviating(0.0486)),
         product(512, deviating(0.0486), 1024), another_model},
        {rule::signed_sum_is_long, "matmul with ones", h13, function_of(op::reduce_sum, {4, 256}, {}, axes{1}),
         built([](dynamic_builder& b) {
             return b.add(op::matmul, {b.input("x", {4, 256}), b.constant({256, 1}, 1)});
         })},
    };
}

} // namespace advised
