#pragma once

#include "../folding/arithmetic.hpp"
#include "../folding/movement.hpp"
#include "mil_reductions.hpp"
#include "mil_slices.hpp"
#include "mil_table.hpp"

#include <optional>

/// Arithmetic on constants while reading: shapes, axes and indices are computed in many files, exactly and in integers,
/// which a graph of fp16 values cannot. Only bodies include this header.
namespace ane::readers::inline ANEMONE_WAY {

/// Tensors of more elements are left to the graph.
inline constexpr std::int64_t largest_folded = 1 << 16;

/// Room for one result.
ANEMONE_INLINE folding::room room_for_results() {
    return [](const extents& shape) {
        const std::int64_t count = element_count(shape);
        if (count < 0 || count > largest_folded) {
            throw refused_statement{
                formatted("computes {} of constants, more than {} elements", print(shape), largest_folded)};
        }
    };
}

ANEMONE_INLINE known_tensor fold_pair(mil_call& c, const folding::function_of_two& f) {
    const known_tensor& x = c.known("x");
    const known_tensor& y = c.known("y");
    return folding::paired(room_for_results(), f, x, y, c.declared().element);
}
template <op Kind> known_tensor fold_two(mil_call& c) { return fold_pair(c, folding::pair_function_of(Kind)); }
template <op Kind> known_tensor fold_one(mil_call& c) {
    return folding::mapped(room_for_results(), folding::function_of(Kind), c.known("x"), c.declared().element);
}

ANEMONE_INLINE known_tensor fold_cast(mil_call& c) {
    const std::string wanted = c.word("dtype", "");
    const element_type to = mil_element(wanted);
    if (to == element_type::undefined || to == element_type::text) {
        c.refuse(formatted("'{}' is no type of elements", wanted));
    }
    return folding::cast(room_for_results(), c.known("x"), to);
}
ANEMONE_INLINE known_tensor fold_select(mil_call& c) {
    const known_tensor& condition = c.known("cond");
    const known_tensor& a = c.known("a");
    const known_tensor& b = c.known("b");
    return folding::chosen(room_for_results(), condition, a, b);
}

ANEMONE_INLINE known_tensor fold_window(const known_tensor& x, const index_window& w) {
    return folding::sliced(room_for_results(), x, w.begin, w.size, w.stride).reshaped(squeezed_size(w));
}
ANEMONE_INLINE known_tensor fold_slice_by_index(mil_call& c) {
    const known_tensor& x = c.known("x");
    return fold_window(x, window_of(c, x.shape));
}
ANEMONE_INLINE known_tensor fold_slice_by_size(mil_call& c) {
    const known_tensor& x = c.known("x");
    index_window w;
    w.begin = c.integers("begin", x.shape.rank, {});
    w.size = c.integers("size", x.shape.rank, {});
    for (int i = 0; i < x.shape.rank; ++i) {
        w.size[i] = w.size[i] == -1 ? x.shape[i] - w.begin[i] : w.size[i];
        w.stride.append(1);
        if (w.begin[i] < 0 || w.size[i] < 0 || w.begin[i] > x.shape[i] || w.size[i] > x.shape[i] - w.begin[i]) {
            c.refuse(formatted("takes {} elements from {} on of axis {}, which has {}", w.size[i], w.begin[i], i,
                               x.shape[i]));
        }
    }
    return fold_window(x, w);
}

ANEMONE_INLINE known_tensor fold_gather(mil_call& c) {
    const known_tensor& x = c.known("x");
    require_plain_gather(c);
    const int axis = c.axis_of(c.integer("axis", 0), x.shape.rank);
    return folding::gathered(room_for_results(), x, c.known("indices"), axis);
}

ANEMONE_INLINE known_tensor fold_transpose(mil_call& c) {
    const known_tensor& x = c.known("x");
    indices order;
    bool there[extents::capacity]{};
    const indices given = c.integers("perm", x.shape.rank, {});
    for (int i = 0; i < given.rank; ++i) {
        const int from = c.axis_of(given[i], x.shape.rank);
        if (there[from]) {
            c.refuse(formatted("names axis {} twice", from));
        }
        there[from] = true;
        order.append(from);
    }
    return folding::transposed(room_for_results(), x, order);
}

/// The shape with a new axis of extent 1.
ANEMONE_INLINE extents with_axis(mil_call& c, const extents& shape, int axis) {
    if (shape.rank == extents::capacity) {
        c.refuse("makes too many axes");
    }
    extents wider;
    for (int i = 0; i <= shape.rank; ++i) {
        wider.append(i == axis ? 1 : shape[i - (i > axis ? 1 : 0)]);
    }
    return wider;
}

/// Joined along an axis that all have, or along a new one.
ANEMONE_INLINE known_tensor fold_join(mil_call& c, bool is_new) {
    std::vector<known_tensor> parts;
    for (const mil_value* const v : c.values("values")) {
        parts.push_back(v->constant);
    }
    if (parts.empty()) {
        c.refuse("joins nothing");
    }
    const int axis = c.axis_of(c.integer("axis"), parts[0].shape.rank + (is_new ? 1 : 0));
    if (!is_new && c.flag("interleave", false)) {
        c.refuse("interleaves constants");
    }
    std::vector<const known_tensor*> each;
    for (known_tensor& part : parts) {
        if (is_new && part.shape.rank != parts[0].shape.rank - (each.empty() ? 0 : 1)) {
            c.refuse("stacks tensors of different ranks");
        }
        part.shape = is_new ? with_axis(c, part.shape, axis) : part.shape;
        each.push_back(&part);
    }
    return folding::joined(room_for_results(), each, axis);
}

ANEMONE_INLINE known_tensor fold_reduction(mil_call& c, const folding::reduction& f) {
    const known_tensor& x = c.known("x");
    const indices over = axes_of(c, "axes", x.shape.rank);
    const known_tensor all = folding::reduced(room_for_results(), f, x, as_axes(over));
    return c.flag("keep_dims", false) ? all : all.reshaped(without_axes(x.shape, over));
}

using fold_statement = known_tensor (*)(mil_call&);

ANEMONE_INLINE const std::unordered_map<std::string_view, fold_statement>& foldable() {
    static const std::unordered_map<std::string_view, fold_statement> table{
        {"add", fold_two<op::add>},
        {"sub", fold_two<op::sub>},
        {"mul", fold_two<op::mul>},
        {"real_div", fold_two<op::div>},
        {"floor_div", fold_two<op::floor_div>},
        {"mod", [](mil_call& c) { return fold_pair(c, folding::modulo()); }},
        {"pow", fold_two<op::pow>},
        {"maximum", fold_two<op::maximum>},
        {"minimum", fold_two<op::minimum>},
        {"equal", fold_two<op::equal>},
        {"not_equal", fold_two<op::not_equal>},
        {"greater", fold_two<op::greater>},
        {"greater_equal", fold_two<op::greater_equal>},
        {"less", fold_two<op::less>},
        {"less_equal", fold_two<op::less_equal>},
        {"logical_and", fold_two<op::logical_and>},
        {"logical_or", fold_two<op::logical_or>},
        {"logical_xor", fold_two<op::logical_xor>},
        {"logical_not", fold_one<op::logical_not>},
        {"abs", fold_one<op::abs>},
        {"sign", fold_one<op::sign>},
        {"floor", fold_one<op::floor>},
        {"ceil", fold_one<op::ceil>},
        {"cast", fold_cast},
        {"select", fold_select},
        {"slice_by_index", fold_slice_by_index},
        {"slice_by_size", fold_slice_by_size},
        {"gather", fold_gather},
        {"transpose", fold_transpose},
        {"concat", [](mil_call& c) { return fold_join(c, false); }},
        {"stack", [](mil_call& c) { return fold_join(c, true); }},
        {"reduce_sum", [](mil_call& c) { return fold_reduction(c, folding::sums()); }},
        {"reduce_prod", [](mil_call& c) { return fold_reduction(c, folding::products()); }},
        {"reduce_max", [](mil_call& c) { return fold_reduction(c, folding::maxima()); }},
        {"reduce_min", [](mil_call& c) { return fold_reduction(c, folding::minima()); }},
    };
    return table;
}

/// The result of a statement whose operands are all known and small.
ANEMONE_INLINE std::optional<std::vector<mil_value>> folded_statement(mil_call& c) {
    if (c.results() != 1 || !c.all_known(largest_folded)) {
        return std::nullopt;
    }
    const auto row = foldable().find(c.operation());
    if (row == foldable().end()) {
        return std::nullopt;
    }
    return c.result(row->second(c));
}

} // namespace ane::readers::inline ANEMONE_WAY
