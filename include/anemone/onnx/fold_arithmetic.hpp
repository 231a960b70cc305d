#pragma once

#include "shapes.hpp"

/// Arithmetic on constants, computed while reading. Only bodies include this header.
namespace ane::onnx::inline ANEMONE_WAY {

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

/// A scale or a zero point for element `i`: one number, one for each index of an axis, or one for each block of it.
class quantization_parameter {
public:
    ANEMONE_INLINE quantization_parameter(node_call& c, const onnx::constant& v, const extents& x) : values_(v), x_(x) {
        axis_ = v.count() == 1 ? 0 : c.axis("axis", 1, x.rank);
        const std::int64_t block = c.integer("block_size", 0);
        if (block > 0 && v.count() > 1) {
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

} // namespace ane::onnx::inline ANEMONE_WAY
