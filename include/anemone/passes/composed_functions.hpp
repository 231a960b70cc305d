#pragma once

#include "rewriter.hpp"

/// Elementwise functions in the forms that the engine computes right (MIL facts section 5, measured on M5).
namespace ane::detail {

/// softplus(min(x, 10)) + max(x - 10, 0): the engine's own form is 0 from 11.09 on. Off by 4.6e-5 at most.
constexpr int lower_softplus(rewriter& w, const node& n) {
    const int x = w.operand(n, 0);
    const int limit = w.scalar(10.0F);
    const int bent = w.emit(op::softplus, no_attributes{}, {w.emit(op::minimum, no_attributes{}, {x, limit})});
    const int straight = w.emit(op::relu, no_attributes{}, {w.emit(op::sub, no_attributes{}, {x, limit})});
    return w.emit(op::add, no_attributes{}, {bent, straight});
}

/// x itself from |x| = 1024 on, where every fp16 value is whole: the engine's own form adds 0.5 there.
constexpr int lower_round(rewriter& w, const node& n) {
    const int x = w.operand(n, 0);
    const int size = w.emit(op::abs, no_attributes{}, {x});
    const int small = w.emit(op::less, no_attributes{}, {size, w.scalar(1024.0F)});
    return w.emit(op::select, no_attributes{}, {small, w.emit(op::round, no_attributes{}, {x}), x});
}

/// A boolean as 1 and 0. The constants have the full shape, as in every `select` that was run.
constexpr int mask_of(rewriter& w, int truth) {
    const extents shape = w.shape(truth);
    return w.emit(op::select, no_attributes{}, {truth, w.filled(shape, 1.0F), w.filled(shape, 0.0F)});
}

constexpr int lower_and(rewriter& w, const node& n) {
    const int both = w.emit(op::mul, no_attributes{}, {mask_of(w, w.operand(n, 0)), mask_of(w, w.operand(n, 1))});
    return w.emit(op::greater, no_attributes{}, {both, w.scalar(0.5F)});
}
constexpr int lower_or(rewriter& w, const node& n) {
    const int sum = w.emit(op::add, no_attributes{}, {mask_of(w, w.operand(n, 0)), mask_of(w, w.operand(n, 1))});
    return w.emit(op::greater, no_attributes{}, {sum, w.scalar(0.5F)});
}
constexpr int lower_xor(rewriter& w, const node& n) {
    return w.emit(op::not_equal, no_attributes{}, {mask_of(w, w.operand(n, 0)), mask_of(w, w.operand(n, 1))});
}

/// Whether a value is a constant above zero in each element, in fp16 too.
constexpr bool is_above_zero(const graph_view& g, const node& n) {
    if (n.kind != op::constant) {
        return false;
    }
    for (const float v : g.values(n)) {
        if (!(half(v) > half(0.0F))) {
            return false;
        }
    }
    return true;
}

/// floor(a / b), one more or one less where the products of these numbers with b say so: a quotient by way of a reciprocal
/// may be one off. Exact for whole numbers of magnitude below 2048, of which every product that is compared is exact; of
/// others a quotient that is too large is always seen, for rounding keeps the order. b is made positive first, by exact
/// products with 1 and -1, and 2^-24 in place of 0, whose reciprocal is infinite as well.
constexpr int lower_floor_div(rewriter& w, const node& n) {
    int a = w.operand(n, 0);
    int b = w.operand(n, 1);
    const node& divisor = w.source().operand(n, 1);
    if (!is_above_zero(w.source(), divisor)) {
        const extents shape = w.shape(b);
        const int below = w.emit(op::less, no_attributes{}, {b, w.filled(shape, 0.0F)});
        const int sign = w.emit(op::select, no_attributes{}, {below, w.filled(shape, -1.0F), w.filled(shape, 1.0F)});
        a = w.emit(op::mul, no_attributes{}, {a, sign});
        b = w.emit(op::maximum, no_attributes{}, {w.emit(op::mul, no_attributes{}, {b, sign}), w.scalar(0x1p-24F)});
    } else if (divisor.shape.count() == 1) { // a number after floor is dropped (number_after_whole)
        b = w.filled(n.shape, w.source().values(divisor)[0]);
    }
    const int q = w.emit(op::floor, no_attributes{}, {w.emit(op::div, no_attributes{}, {a, b})});
    const auto exceeds = [&](int quotient) { // quotient b > a
        return w.emit(op::greater, no_attributes{}, {w.emit(op::mul, no_attributes{}, {quotient, b}), a});
    };
    const int more = w.emit(op::add, no_attributes{}, {q, w.scalar(1.0F)});
    const int less = w.emit(op::add, no_attributes{}, {q, w.scalar(-1.0F)});
    const int raised = w.emit(op::select, no_attributes{}, {exceeds(more), q, more});
    return w.emit(op::select, no_attributes{}, {exceeds(q), less, raised});
}

/// A single number times the result of floor or ceil becomes a constant of the full shape: the engine's compiler drops
/// the number. `number` is the constant among the operands of `n`, -1 if no rewrite is needed.
constexpr int number_after_whole(const graph_view& g, const node& n) {
    for (int k = 0; k < 2; ++k) {
        const node& factor = g.operand(n, k);
        const op other = g.operand(n, 1 - k).kind;
        if ((other == op::floor || other == op::ceil) && factor.kind == op::constant && factor.shape.count() == 1 &&
            n.shape.count() > 1) {
            return k;
        }
    }
    return -1;
}

constexpr int lower_mul_of_whole(rewriter& w, const graph_view& g, const node& n, int number) {
    const int factor = w.filled(n.shape, g.values(g.operand(n, number))[0]);
    return w.emit(op::mul, no_attributes{}, {w.operand(n, 1 - number), factor});
}

} // namespace ane::detail
