#pragma once

#include "shapes.hpp"

#include <numeric>

/// Operators on constants, computed while reading: a function for each in one table. Only bodies include this header.
namespace ane::onnx::inline ANEMONE_WAY {

/// The element of `c` that each element of a result is: `from(i)`.
template <class From>
onnx::constant rearranged(node_call& c, const onnx::constant& x, const extents& shape, const From& from) {
    return c.computed(x.type, shape, [&](std::int64_t i) { return x.at(from(i)); });
}

template <class Function> results fold_unary(node_call& c, const Function& f, int type = 0) {
    const onnx::constant& x = c.known(0);
    const int result = type != 0 ? type : x.type;
    return {c.computed(result, x.shape, [&](std::int64_t i) { return as_element(result, f(x.at(i))); })};
}
template <class Function>
onnx::constant folded_pair(node_call& c, const onnx::constant& a, const onnx::constant& b, const Function& f,
                           int type) {
    const extents shape = broadcast(a.shape, b.shape);
    const extents left = spread_strides(a.shape, shape);
    const extents right = spread_strides(b.shape, shape);
    return c.computed(type, shape, [&](std::int64_t i) {
        return as_element(type, f(a.at(place_of(i, shape, left)), b.at(place_of(i, shape, right))));
    });
}
template <class Function> results fold_binary(node_call& c, const Function& f, int type = 0) {
    c.require(c.opset() >= 7 || !c.has_attribute("axis"), "broadcasts as before version 7");
    return {folded_pair(c, c.known(0), c.known(1), f, type != 0 ? type : c.type(0))};
}
template <class Function> results fold_several(node_call& c, const Function& f) {
    onnx::constant all = c.known(0);
    for (int i = 1; i < c.operand_count(); ++i) {
        all = folded_pair(c, all, c.known(i), f, all.type);
    }
    return {all};
}

ANEMONE_INLINE results fold_divide(node_call& c) {
    const bool whole_numbers = is_integer(c.type(0));
    const onnx::constant& b = c.known(1);
    for (std::int64_t i = 0; whole_numbers && i < b.count(); ++i) {
        c.require(b.at(i) != 0, "divides integers by 0");
    }
    return fold_binary(c, [&](double x, double y) { return whole_numbers ? std::trunc(x / y) : x / y; });
}
ANEMONE_INLINE results fold_modulo(node_call& c) {
    const bool fmod = c.integer("fmod", 0) != 0;
    return fold_binary(c, [&](double x, double y) {
        const double rest = std::fmod(x, y);
        return fmod || rest == 0 || (rest < 0) == (y < 0) ? rest : rest + y;
    });
}
ANEMONE_INLINE results fold_where(node_call& c) {
    const onnx::constant& k = c.known(0);
    const onnx::constant& a = c.known(1);
    const onnx::constant& b = c.known(2);
    const extents shape = broadcast(broadcast(k.shape, a.shape), b.shape);
    const extents sk = spread_strides(k.shape, shape);
    const extents sa = spread_strides(a.shape, shape);
    const extents sb = spread_strides(b.shape, shape);
    return {c.computed(a.type, shape, [&](std::int64_t i) {
        return k.at(place_of(i, shape, sk)) != 0 ? a.at(place_of(i, shape, sa)) : b.at(place_of(i, shape, sb));
    })};
}

/// The type that Cast and CastLike give.
ANEMONE_INLINE int cast_type(node_call& c) {
    const std::int64_t to = c.name() == "CastLike" ? c.type(1) : c.needed_integer("to");
    const int type = static_cast<int>(std::clamp<std::int64_t>(to, 0, 1000));
    c.require(facts_of(type).kind != number_kind::none, formatted("casts to {}", type_name(type)));
    return type;
}
ANEMONE_INLINE results fold_cast(node_call& c) {
    return fold_unary(
        c, [](double v) { return v; }, cast_type(c));
}

ANEMONE_INLINE results fold_shape_change(node_call& c) { return {c.known(0).reshaped(changed_shape(c))}; }

ANEMONE_INLINE indices permutation_of(node_call& c, int rank) {
    indices order;
    if (const auto given = c.integers("perm")) {
        c.require(static_cast<int>(given->size()) == rank, "permutes another number of axes than there are");
        for (const std::int64_t a : *given) {
            const int axis = c.axis(a, rank);
            c.require(!contains(order, axis), "permutes an axis twice");
            order.append(axis);
        }
        return order;
    }
    for (int i = rank - 1; i >= 0; --i) {
        order.append(i);
    }
    return order;
}
ANEMONE_INLINE onnx::constant fold_transposed(node_call& c, const onnx::constant& x, const indices& order) {
    const extents own = row_major_strides(x.shape);
    extents shape;
    extents strides;
    for (int i = 0; i < order.rank; ++i) {
        shape.append(x.shape[static_cast<int>(order[i])]);
        strides.append(own[static_cast<int>(order[i])]);
    }
    return rearranged(c, x, shape, [&](std::int64_t i) { return place_of(i, shape, strides); });
}
ANEMONE_INLINE results fold_transpose(node_call& c) {
    return {fold_transposed(c, c.known(0), permutation_of(c, c.rank(0)))};
}

ANEMONE_INLINE results fold_concat(node_call& c) {
    const int rank = c.rank(0);
    const int axis = c.axis("axis", 1, rank);
    extents shape = c.shape(0);
    for (int i = 1; i < c.operand_count(); ++i) {
        extents other = c.shape(i);
        c.require(other.rank == rank, "joins tensors of different ranks");
        shape[axis] += other[axis];
        other[axis] = shape[axis];
        c.require(other == shape,
                  formatted("joins tensors of different shapes, {} and {}", print(c.shape(0)), print(c.shape(i))));
    }
    std::vector<double> list = c.scope().numbers(shape);
    const std::int64_t inner = count_of(shape, axis + 1, rank);
    const std::int64_t outer = count_of(shape, 0, axis);
    std::int64_t begin = 0;
    for (int k = 0; k < c.operand_count(); ++k) {
        const onnx::constant& x = c.known(k);
        const std::int64_t run = x.shape[axis] * inner;
        for (std::int64_t o = 0; o < outer; ++o) {
            for (std::int64_t i = 0; i < run; ++i) {
                list[static_cast<std::size_t>(o * shape[axis] * inner + begin + i)] = x.at(o * run + i);
            }
        }
        begin += run;
    }
    return {onnx::constant{
        .type = c.type(0), .shape = shape, .numbers = std::make_shared<const std::vector<double>>(std::move(list))}};
}

ANEMONE_INLINE results fold_slice(node_call& c) {
    const onnx::constant& x = c.known(0);
    const std::vector<slice_of_axis> parts = slices_of(c);
    const extents own = row_major_strides(x.shape);
    extents shape;
    extents strides;
    std::int64_t begin = 0;
    for (int i = 0; i < x.shape.rank; ++i) {
        const slice_of_axis& part = parts[static_cast<std::size_t>(i)];
        shape.append(part.count);
        strides.append(part.count > 1 ? part.step * own[i] : 0);
        begin += part.begin * own[i];
    }
    return {rearranged(c, x, shape, [&](std::int64_t i) { return begin + place_of(i, shape, strides); })};
}

/// An index of an axis; negative ones count from the end.
ANEMONE_INLINE std::int64_t index_of(node_call& c, double given, std::int64_t extent) {
    const std::int64_t i = whole(given);
    c.require(i >= -extent && i < extent, formatted("reads index {} of {}", i, extent));
    return i < 0 ? i + extent : i;
}
ANEMONE_INLINE results fold_gather(node_call& c) {
    const onnx::constant& x = c.known(0);
    const onnx::constant& at = c.known(1);
    const int axis = c.axis("axis", 0, x.shape.rank);
    const std::int64_t inner = count_of(x.shape, axis + 1, x.shape.rank);
    c.require(x.shape.rank - 1 + at.shape.rank <= extents::capacity, "gives a tensor of too many axes");
    extents shape;
    for (int i = 0; i < axis; ++i) {
        shape.append(x.shape[i]);
    }
    for (int i = 0; i < at.shape.rank; ++i) {
        shape.append(at.shape[i]);
    }
    for (int i = axis + 1; i < x.shape.rank; ++i) {
        shape.append(x.shape[i]);
    }
    const std::int64_t places = at.count();
    return {rearranged(c, x, shape, [&](std::int64_t i) {
        const std::int64_t index = index_of(c, at.at(i / inner % places), x.shape[axis]);
        return (i / inner / places * x.shape[axis] + index) * inner + i % inner;
    })};
}

/// What Expand broadcasts to.
ANEMONE_INLINE extents expanded_shape(node_call& c) {
    const extents wanted = shape_from(c.integers(1));
    c.require(element_count(wanted) >= 0, formatted("expands to {}", print(wanted)));
    return broadcast(c.shape(0), wanted);
}
ANEMONE_INLINE results fold_expand(node_call& c) {
    const onnx::constant& x = c.known(0);
    const extents shape = expanded_shape(c);
    const extents strides = spread_strides(x.shape, shape);
    return {rearranged(c, x, shape, [&](std::int64_t i) { return place_of(i, shape, strides); })};
}
ANEMONE_INLINE extents tiled_shape(node_call& c, indices& count) {
    extents shape = c.shape(0);
    const std::vector<std::int64_t> repeats = c.integers(1);
    c.require(static_cast<int>(repeats.size()) == shape.rank, "repeats another number of axes than there are");
    for (int i = 0; i < shape.rank; ++i) {
        const std::int64_t times = repeats[static_cast<std::size_t>(i)];
        c.require(times >= 0 && !__builtin_mul_overflow(shape[i], times, &shape[i]) && element_count(shape) >= 0,
                  formatted("repeats an axis {} times", times));
        count.append(times);
    }
    return shape;
}
ANEMONE_INLINE results fold_tile(node_call& c) {
    const onnx::constant& x = c.known(0);
    indices count;
    const extents shape = tiled_shape(c, count);
    const extents strides = row_major_strides(x.shape);
    return {rearranged(c, x, shape, [&](std::int64_t i) {
        std::int64_t at = 0;
        for (int a = shape.rank - 1; a >= 0; --a) {
            at += i % shape[a] % x.shape[a] * strides[a];
            i /= shape[a];
        }
        return at;
    })};
}
ANEMONE_INLINE results fold_split(node_call& c) {
    const onnx::constant& x = c.known(0);
    const int axis = c.axis("axis", 0, x.shape.rank);
    const extents strides = row_major_strides(x.shape);
    results all;
    std::int64_t begin = 0;
    for (const std::int64_t size : split_sizes(c, x.shape[axis])) {
        extents shape = x.shape;
        shape[axis] = size;
        all.emplace_back(rearranged(
            c, x, shape, [&](std::int64_t i) { return begin * strides[axis] + place_of(i, shape, strides); }));
        begin += size;
    }
    return all;
}

/// The axes that a reduction takes: none at all where it leaves its operand alone.
ANEMONE_INLINE indices reduction_axes(node_call& c) {
    const int rank = c.rank(0);
    const std::optional<indices> given = axes_of(c, 1, rank);
    if (given && given->rank > 0) {
        return *given;
    }
    return c.integer("noop_with_empty_axes", 0) != 0 ? indices() : axis_range(0, rank);
}
ANEMONE_INLINE extents reduced_shape(const extents& x, const indices& over, bool keep) {
    extents shape;
    for (int i = 0; i < x.rank; ++i) {
        if (!contains(over, i)) {
            shape.append(x[i]);
        } else if (keep) {
            shape.append(1);
        }
    }
    return shape;
}
template <class Function> results fold_reduction(node_call& c, double begin, const Function& f, bool mean = false) {
    const onnx::constant& x = c.known(0);
    const indices over = reduction_axes(c);
    const extents kept = reduced_shape(x.shape, over, true);
    const extents strides = spread_strides(kept, x.shape);
    std::vector<double> list = c.scope().numbers(kept);
    std::fill(list.begin(), list.end(), begin);
    for (std::int64_t i = 0; i < x.count(); ++i) {
        double& sum = list[static_cast<std::size_t>(place_of(i, x.shape, strides))];
        sum = f(sum, x.at(i));
    }
    const double terms = list.empty() ? 1 : static_cast<double>(x.count()) / static_cast<double>(list.size());
    for (double& v : list) {
        v = as_element(x.type, mean ? v / terms : v);
    }
    return {onnx::constant{.type = x.type,
                           .shape = reduced_shape(x.shape, over, c.integer("keepdims", 1) != 0),
                           .numbers = std::make_shared<const std::vector<double>>(std::move(list))}};
}

// Constants out of nothing but shapes and numbers.

ANEMONE_INLINE results fold_constant(node_call& c) {
    if (std::optional<onnx::constant> t = c.tensor("value")) {
        return {*t};
    }
    if (c.has_attribute("value_float")) {
        return {c.computed(tensor_proto::FLOAT, {}, [&](std::int64_t) { return c.number("value_float", 0); })};
    }
    if (c.has_attribute("value_int")) {
        return {c.computed(tensor_proto::INT64, {}, [&](std::int64_t) { return c.integer("value_int", 0); })};
    }
    if (c.has_attribute("value_floats")) {
        const std::vector<double> list = c.numbers("value_floats");
        return {c.computed(tensor_proto::FLOAT, {static_cast<std::int64_t>(list.size())},
                           [&](std::int64_t i) { return list[static_cast<std::size_t>(i)]; })};
    }
    if (const auto list = c.integers("value_ints")) {
        return {c.computed(tensor_proto::INT64, {static_cast<std::int64_t>(list->size())},
                           [&](std::int64_t i) { return (*list)[static_cast<std::size_t>(i)]; })};
    }
    c.refuse("is a constant of strings or sparse, which are not read");
}
ANEMONE_INLINE results fold_constant_of_shape(node_call& c) {
    const std::optional<onnx::constant> given = c.tensor("value");
    c.require(!given || given->count() == 1, "fills a shape with more than one value");
    const double v = given ? given->at(0) : 0;
    return {c.computed(given ? given->type : static_cast<int>(tensor_proto::FLOAT), shape_from(c.integers(0)),
                       [&](std::int64_t) { return v; })};
}
ANEMONE_INLINE results fold_range(node_call& c) {
    const double start = c.number(0);
    const double step = c.number(2);
    const double steps = std::ceil((c.number(1) - start) / step);
    c.require(step != 0 && steps < 1e12, formatted("counts from {} in steps of {}", start, step));
    const std::int64_t count = std::max<std::int64_t>(whole(steps), 0);
    return {c.computed(c.type(0), {count}, [&](std::int64_t i) { return start + static_cast<double>(i) * step; })};
}
/// Needs the operand's shape only.
ANEMONE_INLINE results read_shape(node_call& c) {
    const extents& x = c.shape(0);
    const auto bound = [&](std::int64_t v) { return std::clamp<std::int64_t>(v < 0 ? v + x.rank : v, 0, x.rank); };
    const std::int64_t begin = bound(c.integer("start", 0));
    const std::int64_t end = bound(c.integer("end", x.rank));
    return {c.computed(tensor_proto::INT64, {std::max<std::int64_t>(end - begin, 0)},
                       [&](std::int64_t i) { return x[static_cast<int>(begin + i)]; })};
}
ANEMONE_INLINE results read_size(node_call& c) {
    return {c.computed(tensor_proto::INT64, {}, [&](std::int64_t) { return c.shape(0).count(); })};
}
ANEMONE_INLINE results read_eye(node_call& c) {
    const extents& x = c.shape(0);
    c.require(x.rank == 2, "is a matrix of another rank");
    const std::int64_t k = c.integer("k", 0);
    return {c.computed(narrow(c.integer("dtype", c.type(0))), x,
                       [&](std::int64_t i) { return i % x[1] - i / x[1] == k ? 1 : 0; })};
}

ANEMONE_INLINE results fold_nonzero(node_call& c) {
    const onnx::constant& x = c.known(0);
    std::vector<std::int64_t> places;
    c.scope().spend(8 * x.count());
    for (std::int64_t i = 0; i < x.count(); ++i) {
        if (x.at(i) != 0) {
            places.push_back(i);
        }
    }
    const extents strides = row_major_strides(x.shape);
    const auto found = static_cast<std::int64_t>(places.size());
    return {c.computed(tensor_proto::INT64, {x.shape.rank, found}, [&](std::int64_t i) {
        const int axis = static_cast<int>(i / found);
        return places[static_cast<std::size_t>(i % found)] / strides[axis] % x.shape[axis];
    })};
}
/// Whether element `i` of a matrix lies in the triangle that Trilu keeps.
ANEMONE_INLINE bool in_triangle(std::int64_t i, const extents& shape, std::int64_t k, bool upper) {
    const std::int64_t row = i / shape.width() % shape.height();
    const std::int64_t column = i % shape.width();
    return upper ? column - row >= k : column - row <= k;
}
ANEMONE_INLINE results fold_trilu(node_call& c) {
    const onnx::constant& x = c.known(0);
    const std::int64_t k = c.has(1) ? c.integer(1) : 0;
    const bool upper = c.integer("upper", 1) != 0;
    return {
        c.computed(x.type, x.shape, [&](std::int64_t i) { return in_triangle(i, x.shape, k, upper) ? x.at(i) : 0.0; })};
}
ANEMONE_INLINE results fold_scatter_nd(node_call& c) {
    const onnx::constant& x = c.known(0);
    const onnx::constant& at = c.known(1);
    const onnx::constant& updates = c.known(2);
    c.require(c.word("reduction", "none") == "none", "reduces constants");
    c.require(at.shape.rank >= 1 && at.shape.width() >= 1 && at.shape.width() <= x.shape.rank, "has no coordinates");
    const int depth = static_cast<int>(at.shape.width());
    const std::int64_t inner = count_of(x.shape, depth, x.shape.rank);
    const std::int64_t places = at.count() / depth;
    c.require(updates.count() == places * inner, "has another number of updates than of places");
    const extents strides = row_major_strides(x.shape);
    std::vector<double> list = c.scope().numbers(x.shape);
    for (std::int64_t i = 0; i < x.count(); ++i) {
        list[static_cast<std::size_t>(i)] = x.at(i);
    }
    for (std::int64_t p = 0; p < places; ++p) {
        std::int64_t begin = 0;
        for (int a = 0; a < depth; ++a) {
            begin += index_of(c, at.at(p * depth + a), x.shape[a]) * strides[a];
        }
        for (std::int64_t i = 0; i < inner; ++i) {
            list[static_cast<std::size_t>(begin + i)] = updates.at(p * inner + i);
        }
    }
    return {onnx::constant{
        .type = x.type, .shape = x.shape, .numbers = std::make_shared<const std::vector<double>>(std::move(list))}};
}

/// A scale or a zero point for element `i`: one number, one for each index of an axis, or one for each block of it.
class quantization_parameter {
public:
    ANEMONE_INLINE quantization_parameter(node_call& c, const onnx::constant& v, const extents& x) : values_(v), x_(x) {
        axis_ = v.count() == 1 ? 0 : c.axis("axis", 1, x.rank);
        const std::int64_t block = c.integer("block_size", 0);
        if (block > 0) {
            extents wanted = x;
            wanted[axis_] = (x[axis_] + block - 1) / block;
            c.require(v.shape == wanted,
                      formatted("has {} parameters for {} in blocks of {}", print(v.shape), print(x), block));
            block_ = block;
        } else {
            c.require(v.count() == 1 || v.count() == x[axis_],
                      formatted("has {} parameters for axis {} of {}", v.count(), axis_, print(x)));
        }
    }
    double operator()(std::int64_t i) const {
        if (values_.count() == 1) {
            return values_.at(0);
        }
        const std::int64_t inner = count_of(x_, axis_ + 1, x_.rank);
        const std::int64_t k = i / inner % x_[axis_];
        return block_ == 0
                   ? values_.at(k)
                   : values_.at((i / inner / x_[axis_] * values_.shape[axis_] + k / block_) * inner + i % inner);
    }

private:
    const onnx::constant& values_;
    const extents& x_;
    int axis_ = 0;
    std::int64_t block_ = 0;
};
ANEMONE_INLINE results fold_dequantize(node_call& c) {
    const onnx::constant& q = c.known(0);
    const quantization_parameter scale(c, c.known(1), q.shape);
    const onnx::constant none{.type = q.type, .numbers = std::make_shared<const std::vector<double>>(1, 0.0)};
    const quantization_parameter zero(c, c.has(2) ? c.known(2) : none, q.shape);
    return {c.computed(tensor_proto::FLOAT, q.shape, [&](std::int64_t i) { return (q.at(i) - zero(i)) * scale(i); })};
}

ANEMONE_INLINE const converter_table& folding_table() {
    using cell = node_call;
    static const converter_table table{
        {"Add", [](cell& c) { return fold_binary(c, [](double a, double b) { return a + b; }); }},
        {"Sub", [](cell& c) { return fold_binary(c, [](double a, double b) { return a - b; }); }},
        {"Mul", [](cell& c) { return fold_binary(c, [](double a, double b) { return a * b; }); }},
        {"Div", fold_divide},
        {"Mod", fold_modulo},
        {"Pow", [](cell& c) { return fold_binary(c, [](double a, double b) { return std::pow(a, b); }); }},
        {"Max", [](cell& c) { return fold_several(c, [](double a, double b) { return std::max(a, b); }); }},
        {"Min", [](cell& c) { return fold_several(c, [](double a, double b) { return std::min(a, b); }); }},
        {"Sum", [](cell& c) { return fold_several(c, [](double a, double b) { return a + b; }); }},
        {"Equal",
         [](cell& c) {
             return fold_binary(
                 c, [](double a, double b) { return double(a == b); }, 9);
         }},
        {"Greater",
         [](cell& c) {
             return fold_binary(
                 c, [](double a, double b) { return double(a > b); }, 9);
         }},
        {"GreaterOrEqual",
         [](cell& c) {
             return fold_binary(
                 c, [](double a, double b) { return double(a >= b); }, 9);
         }},
        {"Less",
         [](cell& c) {
             return fold_binary(
                 c, [](double a, double b) { return double(a < b); }, 9);
         }},
        {"LessOrEqual",
         [](cell& c) {
             return fold_binary(
                 c, [](double a, double b) { return double(a <= b); }, 9);
         }},
        {"And",
         [](cell& c) {
             return fold_binary(
                 c, [](double a, double b) { return double(a != 0 && b != 0); }, 9);
         }},
        {"Or",
         [](cell& c) {
             return fold_binary(
                 c, [](double a, double b) { return double(a != 0 || b != 0); }, 9);
         }},
        {"Xor",
         [](cell& c) {
             return fold_binary(
                 c, [](double a, double b) { return double((a != 0) != (b != 0)); }, 9);
         }},
        {"Not",
         [](cell& c) {
             return fold_unary(
                 c, [](double a) { return double(a == 0); }, 9);
         }},
        {"Neg", [](cell& c) { return fold_unary(c, [](double a) { return -a; }); }},
        {"Abs", [](cell& c) { return fold_unary(c, [](double a) { return std::abs(a); }); }},
        {"Sqrt", [](cell& c) { return fold_unary(c, [](double a) { return std::sqrt(a); }); }},
        {"Exp", [](cell& c) { return fold_unary(c, [](double a) { return std::exp(a); }); }},
        {"Log", [](cell& c) { return fold_unary(c, [](double a) { return std::log(a); }); }},
        {"Sin", [](cell& c) { return fold_unary(c, [](double a) { return std::sin(a); }); }},
        {"Cos", [](cell& c) { return fold_unary(c, [](double a) { return std::cos(a); }); }},
        {"Floor", [](cell& c) { return fold_unary(c, [](double a) { return std::floor(a); }); }},
        {"Ceil", [](cell& c) { return fold_unary(c, [](double a) { return std::ceil(a); }); }},
        {"Round", [](cell& c) { return fold_unary(c, [](double a) { return std::nearbyint(a); }); }},
        {"Reciprocal", [](cell& c) { return fold_unary(c, [](double a) { return 1 / a; }); }},
        {"Identity", [](cell& c) { return results{c.known(0)}; }},
        {"Cast", fold_cast},
        {"CastLike", fold_cast},
        {"Where", fold_where},
        {"Reshape", fold_shape_change},
        {"Flatten", fold_shape_change},
        {"Squeeze", fold_shape_change},
        {"Unsqueeze", fold_shape_change},
        {"Transpose", fold_transpose},
        {"Concat", fold_concat},
        {"Slice", fold_slice},
        {"Gather", fold_gather},
        {"Expand", fold_expand},
        {"Tile", fold_tile},
        {"Split", fold_split},
        {"ReduceSum", [](cell& c) { return fold_reduction(c, 0, [](double a, double b) { return a + b; }); }},
        {"ReduceMean",
         [](cell& c) {
             return fold_reduction(
                 c, 0, [](double a, double b) { return a + b; }, true);
         }},
        {"ReduceProd", [](cell& c) { return fold_reduction(c, 1, [](double a, double b) { return a * b; }); }},
        {"ReduceMax",
         [](cell& c) { return fold_reduction(c, -HUGE_VAL, [](double a, double b) { return std::max(a, b); }); }},
        {"ReduceMin",
         [](cell& c) { return fold_reduction(c, HUGE_VAL, [](double a, double b) { return std::min(a, b); }); }},
        {"ConstantOfShape", fold_constant_of_shape},
        {"Range", fold_range},
        {"NonZero", fold_nonzero},
        {"Trilu", fold_trilu},
        {"ScatterND", fold_scatter_nd},
        {"DequantizeLinear", fold_dequantize},
    };
    return table;
}

} // namespace ane::onnx::inline ANEMONE_WAY
