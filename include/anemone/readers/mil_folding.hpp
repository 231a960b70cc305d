#pragma once

#include "mil_reductions.hpp"
#include "mil_slices.hpp"
#include "mil_table.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

/// Arithmetic on constants while reading: shapes, axes and indices are computed in many files, exactly and in integers,
/// which a graph of fp16 values cannot. Only bodies include this header.
namespace ane::readers::inline ANEMONE_WAY {

/// Tensors of more elements are left to the graph.
inline constexpr std::int64_t largest_folded = 1 << 16;

/// Result i of the shape is `value(i)`.
template <class Value> mil_constant folded(mil_element type, const extents& shape, const Value& value) {
    std::vector<double> values;
    const std::int64_t count = element_count(shape);
    if (count < 0 || count > largest_folded) {
        throw refused_statement{
            formatted("computes {} of constants, more than {} elements", print(shape), largest_folded)};
    }
    values.reserve(static_cast<std::size_t>(count));
    for (std::int64_t i = 0; i < count; ++i) {
        values.push_back(value(i));
    }
    return make_constant(type, shape, values);
}

ANEMONE_INLINE extents broadcast_extents(mil_call& c, const extents& a, const extents& b) {
    extents shape;
    shape.rank = std::max(a.rank, b.rank);
    for (int i = 0; i < shape.rank; ++i) {
        const int ia = i - (shape.rank - a.rank);
        const int ib = i - (shape.rank - b.rank);
        const std::int64_t ea = ia < 0 ? 1 : a[ia];
        const std::int64_t eb = ib < 0 ? 1 : b[ib];
        if (ea != eb && ea != 1 && eb != 1) {
            c.refuse(formatted("its operands {} and {} do not broadcast", print(a), print(b)));
        }
        shape[i] = ea == 1 ? eb : ea;
    }
    return shape;
}
/// Element `i` of a constant that broadcasts to a shape.
ANEMONE_INLINE double broadcast_at(const mil_constant& v, const extents& shape, std::int64_t i) {
    const extents strides = row_major_strides(shape);
    const extents own = row_major_strides(v.shape);
    std::int64_t at = 0;
    for (int a = 0; a < v.shape.rank; ++a) {
        const int outer = a + shape.rank - v.shape.rank;
        at += v.shape[a] == 1 ? 0 : i / strides[outer] % shape[outer] * own[a];
    }
    return v.at(at);
}

template <class Function> mil_constant fold_binary(mil_call& c, const Function& function) {
    const mil_constant& x = c.known("x");
    const mil_constant& y = c.known("y");
    const extents shape = broadcast_extents(c, x.shape, y.shape);
    return folded(c.declared().element, shape,
                  [&](std::int64_t i) { return function(broadcast_at(x, shape, i), broadcast_at(y, shape, i)); });
}
template <class Function> mil_constant fold_unary(mil_call& c, const Function& function) {
    const mil_constant& x = c.known("x");
    return folded(c.declared().element, x.shape, [&](std::int64_t i) { return function(x.at(i)); });
}

ANEMONE_INLINE mil_constant fold_cast(mil_call& c) {
    const mil_constant& x = c.known("x");
    const std::string wanted = c.word("dtype", "");
    mil_element to{};
    if (!find_element(wanted, to) || to == mil_element::text) {
        c.refuse(formatted("'{}' is no type of elements", wanted));
    }
    return folded(to, x.shape, [&](std::int64_t i) {
        const double v = x.at(i);
        return to == mil_element::boolean ? static_cast<double>(v != 0) : is_integer(to) ? std::trunc(v) : v;
    });
}

ANEMONE_INLINE mil_constant fold_select(mil_call& c) {
    const mil_constant& condition = c.known("cond");
    const mil_constant& a = c.known("a");
    const mil_constant& b = c.known("b");
    const extents shape = broadcast_extents(c, condition.shape, broadcast_extents(c, a.shape, b.shape));
    return folded(a.type, shape, [&](std::int64_t i) {
        return broadcast_at(condition, shape, i) != 0 ? broadcast_at(a, shape, i) : broadcast_at(b, shape, i);
    });
}

ANEMONE_INLINE mil_constant fold_window(const mil_constant& x, const index_window& w) {
    const extents strides = row_major_strides(w.size);
    const extents own = row_major_strides(x.shape);
    const mil_constant all = folded(x.type, w.size, [&](std::int64_t i) {
        std::int64_t at = 0;
        for (int a = 0; a < x.shape.rank; ++a) {
            at += (w.begin[a] + i / strides[a] % w.size[a] * w.stride[a]) * own[a];
        }
        return x.at(at);
    });
    return all.reshaped(squeezed_size(w));
}
ANEMONE_INLINE mil_constant fold_slice_by_index(mil_call& c) {
    const mil_constant& x = c.known("x");
    return fold_window(x, window_of(c, x.shape));
}
ANEMONE_INLINE mil_constant fold_slice_by_size(mil_call& c) {
    const mil_constant& x = c.known("x");
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

ANEMONE_INLINE mil_constant fold_gather(mil_call& c) {
    const mil_constant& x = c.known("x");
    const mil_constant& index = c.known("indices");
    require_plain_gather(c);
    const int along = c.axis_of(c.integer("axis", 0), x.shape.rank);
    extents shape;
    std::int64_t inner = 1;
    if (x.shape.rank - 1 + index.shape.rank > extents::capacity) {
        c.refuse("makes too many axes");
    }
    for (int i = 0; i < x.shape.rank; ++i) {
        if (i == along) {
            for (int k = 0; k < index.shape.rank; ++k) {
                shape.append(index.shape[k]);
            }
        } else {
            shape.append(x.shape[i]);
        }
        inner *= i > along ? x.shape[i] : 1;
    }
    const std::int64_t count = index.count();
    return folded(x.type, shape, [&](std::int64_t i) {
        const double given = index.at(i / inner % count);
        const double from_front = given < 0 ? given + static_cast<double>(x.shape[along]) : given;
        if (!(from_front >= 0 && from_front < static_cast<double>(x.shape[along]))) {
            c.refuse(formatted("reads element {} of axis {}, which has {}", given, along, x.shape[along]));
        }
        return x.at((i / inner / count * x.shape[along] + static_cast<std::int64_t>(from_front)) * inner + i % inner);
    });
}

ANEMONE_INLINE mil_constant fold_transpose(mil_call& c) {
    const mil_constant& x = c.known("x");
    const indices perm = c.integers("perm", x.shape.rank, {});
    const extents own = row_major_strides(x.shape);
    extents shape;
    extents steps;
    bool there[extents::capacity]{};
    for (int i = 0; i < perm.rank; ++i) {
        const int from = c.axis_of(perm[i], x.shape.rank);
        if (there[from]) {
            c.refuse(formatted("names axis {} twice", from));
        }
        there[from] = true;
        shape.append(x.shape[from]);
        steps.append(own[from]);
    }
    const extents strides = row_major_strides(shape);
    return folded(x.type, shape, [&](std::int64_t i) {
        std::int64_t at = 0;
        for (int a = 0; a < shape.rank; ++a) {
            at += i / strides[a] % shape[a] * steps[a];
        }
        return x.at(at);
    });
}

/// Joined along an axis that all have, or along a new one.
ANEMONE_INLINE mil_constant fold_join(mil_call& c, bool is_new) {
    std::vector<const mil_constant*> parts;
    for (const mil_value* const v : c.values("values")) {
        parts.push_back(&v->constant);
    }
    if (parts.empty()) {
        c.refuse("joins nothing");
    }
    const extents first = parts[0]->shape;
    const int along = c.axis_of(c.integer("axis"), first.rank + (is_new ? 1 : 0));
    if (!is_new && c.flag("interleave", false)) {
        c.refuse("interleaves constants");
    }
    std::int64_t outer = 1;
    for (int i = 0; i < along; ++i) {
        outer *= first[i];
    }
    std::int64_t extent = 0;
    std::vector<double> values;
    for (const mil_constant* const p : parts) {
        extents expected = first;
        if (!is_new && p->shape.rank == first.rank) {
            expected[along] = p->shape[along];
        }
        if (p->shape != expected) {
            c.refuse(formatted("joins {} and {}", print(first), print(p->shape)));
        }
        extent += is_new ? 1 : p->shape[along];
    }
    extents shape;
    for (int i = 0; i < first.rank + (is_new ? 1 : 0); ++i) {
        shape.append(i == along ? extent : first[i > along && is_new ? i - 1 : i]);
    }
    for (std::int64_t o = 0; o < outer; ++o) {
        for (const mil_constant* const p : parts) {
            const std::int64_t length = p->count() / std::max<std::int64_t>(outer, 1);
            for (std::int64_t i = 0; i < length; ++i) {
                values.push_back(p->at(o * length + i));
            }
        }
    }
    return make_constant(parts[0]->type, shape, values);
}

/// Over all axes, or over one.
template <class Function> mil_constant fold_reduction(mil_call& c, const Function& function) {
    const mil_constant& x = c.known("x");
    const indices over = axes_of(c, "axes", x.shape.rank);
    const bool kept = c.flag("keep_dims", false);
    extents shape = x.shape;
    for (int i = 0; i < over.rank; ++i) {
        shape[static_cast<int>(over[i])] = 1;
    }
    const extents strides = row_major_strides(x.shape);
    const extents own = row_major_strides(shape);
    std::vector<double> sums(static_cast<std::size_t>(shape.count()));
    std::vector<char> begun(sums.size());
    for (std::int64_t i = 0; i < x.count(); ++i) {
        std::int64_t at = 0;
        for (int a = 0; a < shape.rank; ++a) {
            at += shape[a] == 1 ? 0 : i / strides[a] % x.shape[a] * own[a];
        }
        const auto to = static_cast<std::size_t>(at);
        sums[to] = begun[to] != 0 ? function(sums[to], x.at(i)) : x.at(i);
        begun[to] = 1;
    }
    const mil_constant all = make_constant(x.type, shape, sums);
    return kept ? all : all.reshaped(without_axes(x.shape, over));
}

using fold_statement = mil_constant (*)(mil_call&);

ANEMONE_INLINE const std::unordered_map<std::string_view, fold_statement>& foldable() {
    static const std::unordered_map<std::string_view, fold_statement> table{
        {"add", [](mil_call& c) { return fold_binary(c, [](double a, double b) { return a + b; }); }},
        {"sub", [](mil_call& c) { return fold_binary(c, [](double a, double b) { return a - b; }); }},
        {"mul", [](mil_call& c) { return fold_binary(c, [](double a, double b) { return a * b; }); }},
        {"real_div", [](mil_call& c) { return fold_binary(c, [](double a, double b) { return a / b; }); }},
        {"floor_div", [](mil_call& c) { return fold_binary(c, [](double a, double b) { return std::floor(a / b); }); }},
        {"mod",
         [](mil_call& c) { return fold_binary(c, [](double a, double b) { return a - std::floor(a / b) * b; }); }},
        {"pow", [](mil_call& c) { return fold_binary(c, [](double a, double b) { return std::pow(a, b); }); }},
        {"maximum", [](mil_call& c) { return fold_binary(c, [](double a, double b) { return std::max(a, b); }); }},
        {"minimum", [](mil_call& c) { return fold_binary(c, [](double a, double b) { return std::min(a, b); }); }},
        {"equal", [](mil_call& c) { return fold_binary(c, [](double a, double b) { return a == b ? 1.0 : 0.0; }); }},
        {"not_equal",
         [](mil_call& c) { return fold_binary(c, [](double a, double b) { return a != b ? 1.0 : 0.0; }); }},
        {"greater", [](mil_call& c) { return fold_binary(c, [](double a, double b) { return a > b ? 1.0 : 0.0; }); }},
        {"greater_equal",
         [](mil_call& c) { return fold_binary(c, [](double a, double b) { return a >= b ? 1.0 : 0.0; }); }},
        {"less", [](mil_call& c) { return fold_binary(c, [](double a, double b) { return a < b ? 1.0 : 0.0; }); }},
        {"less_equal",
         [](mil_call& c) { return fold_binary(c, [](double a, double b) { return a <= b ? 1.0 : 0.0; }); }},
        {"logical_and",
         [](mil_call& c) { return fold_binary(c, [](double a, double b) { return a != 0 && b != 0 ? 1.0 : 0.0; }); }},
        {"logical_or",
         [](mil_call& c) { return fold_binary(c, [](double a, double b) { return a != 0 || b != 0 ? 1.0 : 0.0; }); }},
        {"logical_xor",
         [](mil_call& c) {
             return fold_binary(c, [](double a, double b) { return (a != 0) != (b != 0) ? 1.0 : 0.0; });
         }},
        {"logical_not", [](mil_call& c) { return fold_unary(c, [](double a) { return a == 0 ? 1.0 : 0.0; }); }},
        {"abs", [](mil_call& c) { return fold_unary(c, [](double a) { return std::abs(a); }); }},
        {"sign", [](mil_call& c) { return fold_unary(c, [](double a) { return a > 0   ? 1.0
                                                                              : a < 0 ? -1.0
                                                                                      : a; }); }},
        {"floor", [](mil_call& c) { return fold_unary(c, [](double a) { return std::floor(a); }); }},
        {"ceil", [](mil_call& c) { return fold_unary(c, [](double a) { return std::ceil(a); }); }},
        {"cast", fold_cast},
        {"select", fold_select},
        {"slice_by_index", fold_slice_by_index},
        {"slice_by_size", fold_slice_by_size},
        {"gather", fold_gather},
        {"transpose", fold_transpose},
        {"concat", [](mil_call& c) { return fold_join(c, false); }},
        {"stack", [](mil_call& c) { return fold_join(c, true); }},
        {"reduce_sum", [](mil_call& c) { return fold_reduction(c, [](double a, double b) { return a + b; }); }},
        {"reduce_prod", [](mil_call& c) { return fold_reduction(c, [](double a, double b) { return a * b; }); }},
        {"reduce_max",
         [](mil_call& c) { return fold_reduction(c, [](double a, double b) { return std::max(a, b); }); }},
        {"reduce_min",
         [](mil_call& c) { return fold_reduction(c, [](double a, double b) { return std::min(a, b); }); }},
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
