#pragma once

#include "../graph/attributes.hpp"
#include "fault.hpp"

#include <string_view>

/// How an einsum of two operands becomes one matrix product: plain values, no graph.
namespace ane {

/// The one equation that the engine's compiler accepts directly (R129).
constexpr bool is_native_einsum(std::string_view equation) { return equation == "nchw,nwhu->nchu"; }

/// What happens to an operand: sums over axes, a transpose, a reshape.
struct einsum_operand {
    axes summed{};       ///< axes that only this operand has and the result lacks
    permutation order{}; ///< of the axes that are left
    extents matrix{};    ///< the shape that the product reads

    constexpr bool in_order() const {
        for (int i = 0; i < order.order.rank; ++i) {
            if (order.order[i] != i) {
                return false;
            }
        }
        return true;
    }
    constexpr einsum_operand after_sums() const { return {.summed = {}, .order = order, .matrix = matrix}; }
    constexpr einsum_operand after_transpose() const { return {.summed = {}, .order = {}, .matrix = matrix}; }
    friend constexpr bool operator==(const einsum_operand&, const einsum_operand&) = default;
};

/// The product as a whole. The axes of a matrix are the shared letters that stay (batch), then rows, then columns.
struct einsum_plan {
    inferred rule; ///< the shape of the result, or what is wrong with the equation
    einsum_operand a{};
    einsum_operand b{};
    transposed form{};    ///< which operand's last two axes are swapped
    extents axes_apart{}; ///< the product with an axis for each letter: batch, rows, columns
    einsum_operand result{};
};

namespace detail {

/// The letters of an operand, or some of them.
struct letters {
    int count = 0;
    char letter[extents::capacity]{};

    constexpr int find(char wanted) const {
        for (int i = 0; i < count; ++i) {
            if (letter[i] == wanted) {
                return i;
            }
        }
        return -1;
    }
    constexpr bool has(char wanted) const { return find(wanted) >= 0; }
    constexpr void append(char one) {
        if (count < extents::capacity) {
            letter[count++] = one;
        }
    }
    constexpr letters followed_by(const letters& next) const {
        letters r = *this;
        for (int i = 0; i < next.count; ++i) {
            r.append(next.letter[i]);
        }
        return r;
    }
};

struct equation {
    letters part[3]; ///< of the first operand, the second, the result
    inferred rule;
};

/// "ij,jk->ik", with spaces anywhere.
constexpr equation parse_equation(std::string_view text) {
    equation e;
    int part = 0;
    const auto size = static_cast<std::int64_t>(text.size());
    for (std::size_t i = 0; i < text.size() && e.rule.ok(); ++i) {
        const char c = text[i];
        const auto at = static_cast<std::int64_t>(i);
        const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        if (letter) {
            e.rule.require(e.part[part].count < extents::capacity,
                           fault::equation_must_be_letters_comma_letters_arrow_letters, at, size);
            e.rule.require(!e.part[part].has(c), fault::letter_must_occur_once_in_an_operand, c, c);
            e.part[part].append(c);
        } else if (part == 0 && c == ',') {
            part = 1;
        } else if (part == 1 && c == '-' && i + 1 < text.size() && text[i + 1] == '>') {
            part = 2;
            ++i;
        } else {
            e.rule.require(c == ' ', fault::equation_must_be_letters_comma_letters_arrow_letters, at, size);
        }
    }
    e.rule.require(part == 2, fault::equation_must_be_letters_comma_letters_arrow_letters, size, size);
    return e;
}

/// The checks of an equation against the shapes, and the shape of the result.
constexpr inferred equation_rule(const equation& e, const extents& a, const extents& b) {
    const letters& in_a = e.part[0];
    const letters& in_b = e.part[1];
    inferred r = e.rule;
    r.shape = a;
    r.require(in_a.count == a.rank, fault::operand_must_have_one_axis_for_each_letter, a.rank, in_a.count);
    r.require(in_b.count == b.rank, fault::operand_must_have_one_axis_for_each_letter, b.rank, in_b.count);
    for (int i = 0; r.ok() && i < in_a.count; ++i) {
        const int same = in_b.find(in_a.letter[i]);
        r.require(same < 0 || a[i] == b[same < 0 ? 0 : same], fault::axes_of_one_letter_must_have_equal_extents,
                  b[same < 0 ? 0 : same], a[i]);
    }
    extents shape;
    for (int i = 0; r.ok() && i < e.part[2].count; ++i) {
        const char c = e.part[2].letter[i];
        r.require(in_a.has(c) || in_b.has(c), fault::letter_of_the_result_must_be_one_of_an_operand, c, c);
        if (r.ok()) {
            shape.append(in_a.has(c) ? a[in_a.find(c)] : b[in_b.find(c)]);
        }
    }
    if (r.ok()) {
        r.shape = shape;
    }
    return r;
}

/// The letters of `from` that are (in x) == want_x and (in y) == want_y.
constexpr letters select_letters(const letters& from, const letters& x, bool want_x, const letters& y, bool want_y) {
    letters r;
    for (int i = 0; i < from.count; ++i) {
        if (x.has(from.letter[i]) == want_x && y.has(from.letter[i]) == want_y) {
            r.append(from.letter[i]);
        }
    }
    return r;
}

/// The permutation that brings the axes called `from` into the order `to`.
constexpr permutation order_of(const letters& from, const letters& to) {
    permutation p;
    for (int i = 0; i < to.count; ++i) {
        p.order.append(from.find(to.letter[i]));
    }
    return p;
}

constexpr extents extents_of(const letters& wanted, const letters& names, const extents& shape) {
    extents r;
    for (int i = 0; i < wanted.count; ++i) {
        r.append(shape[names.find(wanted.letter[i])]);
    }
    return r;
}

/// The batch axes of a product: as they are while the product has at most four axes (R012), else as one.
constexpr extents batch_of(const extents& batch) { return batch.rank <= 2 ? batch : extents{batch.count()}; }

/// One operand: [batch, outer, inner], or with the last two swapped where that saves the transpose.
constexpr bool plan_operand(einsum_operand& plan, const letters& names, const extents& shape, const letters& kept,
                            const letters& batch, const letters& outer, const letters& inner) {
    const letters straight = batch.followed_by(outer).followed_by(inner);
    const letters crossed = batch.followed_by(inner).followed_by(outer);
    for (int i = 0; i < names.count; ++i) {
        if (!kept.has(names.letter[i])) {
            plan.summed.list.append(i);
        }
    }
    plan.order = order_of(kept, crossed);
    const bool swapped = plan.in_order();
    plan.order = order_of(kept, straight);
    const bool cross = swapped && !plan.in_order();
    if (cross) {
        plan.order = order_of(kept, crossed);
    }
    plan.matrix = batch_of(extents_of(batch, names, shape));
    const std::int64_t rows = extents_of(outer, names, shape).count();
    const std::int64_t columns = extents_of(inner, names, shape).count();
    plan.matrix.append(cross ? columns : rows);
    plan.matrix.append(cross ? rows : columns);
    return cross;
}

constexpr einsum_plan plan_with(const equation& e, const extents& a, const extents& b, const letters& contracted) {
    const letters& in_a = e.part[0];
    const letters& in_b = e.part[1];
    const letters& out = e.part[2];
    const letters batch = select_letters(out, in_a, true, in_b, true);
    const letters rows = select_letters(out, in_a, true, in_b, false);
    const letters columns = select_letters(out, in_a, false, in_b, true);
    letters kept_a;
    letters kept_b;
    for (int i = 0; i < in_a.count; ++i) {
        if (in_b.has(in_a.letter[i]) || out.has(in_a.letter[i])) {
            kept_a.append(in_a.letter[i]);
        }
    }
    for (int i = 0; i < in_b.count; ++i) {
        if (in_a.has(in_b.letter[i]) || out.has(in_b.letter[i])) {
            kept_b.append(in_b.letter[i]);
        }
    }
    einsum_plan p;
    p.form.a = plan_operand(p.a, in_a, a, kept_a, batch, rows, contracted);
    // The right operand is [batch, contracted, columns].
    p.form.b = plan_operand(p.b, in_b, b, kept_b, batch, contracted, columns);
    const extents rows_extent = extents_of(rows, in_a, a);
    const extents columns_extent = extents_of(columns, in_b, b);
    p.axes_apart = extents_of(batch, in_a, a);
    for (int i = 0; i < rows_extent.rank; ++i) {
        p.axes_apart.append(rows_extent[i]);
    }
    for (int i = 0; i < columns_extent.rank; ++i) {
        p.axes_apart.append(columns_extent[i]);
    }
    p.result.order = order_of(batch.followed_by(rows).followed_by(columns), out);
    return p;
}

constexpr int transposes(const einsum_plan& p) { return (p.a.in_order() ? 0 : 1) + (p.b.in_order() ? 0 : 1); }

} // namespace detail

/// How `einsum` computes an equation on two shapes. The contracted letters go in the order of the operand that saves
/// transposes, the first where it is the same.
constexpr einsum_plan plan_einsum(std::string_view text, const extents& a, const extents& b) {
    const detail::equation e = detail::parse_equation(text);
    einsum_plan p;
    p.rule = detail::equation_rule(e, a, b);
    if (!p.rule.ok()) {
        return p;
    }
    const inferred rule = p.rule;
    const auto contracted = [&e](const detail::letters& from, const detail::letters& other) {
        return detail::select_letters(from, other, true, e.part[2], false);
    };
    p = detail::plan_with(e, a, b, contracted(e.part[0], e.part[1]));
    const einsum_plan other = detail::plan_with(e, a, b, contracted(e.part[1], e.part[0]));
    if (detail::transposes(other) < detail::transposes(p)) {
        p = other;
    }
    p.rule = rule;
    p.result.matrix = rule.shape;
    return p;
}

} // namespace ane
