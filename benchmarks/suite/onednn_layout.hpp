#pragma once

#include <anemone/values/shape.hpp>

#include <cstddef>
#include <dnnl.hpp>

/// Shapes as oneDNN describes them.
namespace suite::layout {

using dnnl::memory;

inline memory::dims dims_of(const ane::extents& shape) {
    memory::dims dims;
    for (int axis = 0; axis < shape.rank; ++axis) {
        dims.push_back(shape[axis]);
    }
    return dims;
}
inline memory::dims strides_of(const memory::dims& dims) {
    memory::dims strides(dims.size(), 1);
    for (std::size_t axis = dims.size(); axis-- > 1;) {
        strides[axis - 1] = strides[axis] * dims[axis];
    }
    return strides;
}
inline memory::desc dense_of(const memory::dims& dims) { return {dims, memory::data_type::f32, strides_of(dims)}; }
/// The layout that a primitive likes best.
inline memory::desc any_of(const memory::dims& dims) { return {dims, memory::data_type::f32, memory::format_tag::any}; }

/// The leading axes of a shape as one.
inline memory::dims rows_of(const ane::extents& shape) { return {shape.count() / shape.width(), shape.width()}; }

} // namespace suite::layout
