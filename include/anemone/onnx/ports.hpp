#pragma once

#include "../folding/arithmetic.hpp"
#include "scope.hpp"

/// The inputs of a model. Only bodies include this header.
namespace ane::onnx::inline ANEMONE_WAY {

/// The shape that the file declares, its free extents by what the caller says.
ANEMONE_INLINE extents port_shape(const onnx_reader_options& options, const ::onnx::ValueInfoProto& port) {
    const onnx_shape* given = nullptr;
    for (const onnx_shape& s : options.shapes) {
        given = s.name == port.name() ? &s : given;
    }
    const auto& tensor = port.type().tensor_type();
    if (!tensor.has_shape()) {
        if (given == nullptr) {
            throw refused_node{"has no shape; give it in onnx_reader_options::shapes"};
        }
        return given->shape;
    }
    const int rank = tensor.shape().dim_size();
    if (rank > extents::capacity || (given != nullptr && given->shape.rank != rank)) {
        throw refused_node{
            given != nullptr ? formatted("has {} axes, onnx_reader_options::shapes gives {}", rank, print(given->shape))
                             : formatted("has {} axes; a shape has at most {}", rank, extents::capacity)};
    }
    extents shape;
    for (int i = 0; i < rank; ++i) {
        const auto& dim = tensor.shape().dim(i);
        std::int64_t extent = dim.has_dim_value() ? dim.dim_value() : 0;
        const bool fixed = extent > 0;
        for (const auto& [symbol, size] : options.dimensions) {
            extent = !fixed && dim.has_dim_param() && symbol == dim.dim_param() ? size : extent;
        }
        if (given != nullptr) {
            if (fixed && given->shape[i] != extent) {
                throw refused_node{formatted("has extent {} at axis {}, onnx_reader_options::shapes gives {}", extent,
                                             i, print(given->shape))};
            }
            extent = given->shape[i];
        }
        if (dim.has_dim_value() && dim.dim_value() == 0) {
            throw refused_node{formatted("has no elements: axis {} has extent 0; give it in "
                                         "onnx_reader_options::values",
                                         i)};
        }
        if (extent < 1) {
            throw refused_node{
                formatted("leaves the extent of axis {} free{}; give the shape in "
                          "onnx_reader_options::shapes",
                          i, dim.has_dim_param() ? formatted(" (\"{}\")", shown(dim.dim_param())) : std::string())};
        }
        shape.append(extent);
    }
    return shape;
}

/// The shape that the file declares, where it declares one of as many elements as are given; else the caller's.
ANEMONE_INLINE extents shape_of_value(const ::onnx::ValueInfoProto& port, const onnx_value& given) {
    const auto& tensor = port.type().tensor_type();
    extents declared;
    if (!tensor.has_shape() || tensor.shape().dim_size() > extents::capacity) {
        return given.shape;
    }
    for (const auto& dim : tensor.shape().dim()) {
        if (!dim.has_dim_value() || dim.dim_value() < 0) {
            return given.shape;
        }
        declared.append(dim.dim_value());
    }
    const std::int64_t count = element_count(declared);
    const auto size = static_cast<std::int64_t>(given.values.size());
    return count >= 0 && (count == size || (size == 1 && given.shape.rank == 0)) ? declared : given.shape;
}

/// An input as a port, or as a constant where the caller gives its value.
ANEMONE_INLINE void read_input(model_scope& scope, const ::onnx::ValueInfoProto& port, value& v) {
    if (!port.type().has_tensor_type()) {
        throw refused_node{"is no tensor: sequences, optional values and maps are not read"};
    }
    const int number = port.type().tensor_type().elem_type();
    v.type = element_of(number);
    if (facts_of(v.type).bits < 8) { // of undefined ones none
        throw refused_node{formatted("has elements of {}, which no port holds", type_name(number))};
    }
    for (const onnx_value& given : scope.options.values) {
        if (given.name == port.name()) {
            const auto size = static_cast<std::int64_t>(given.values.size());
            const extents shape = shape_of_value(port, given);
            const std::int64_t count = element_count(shape);
            if (count < 0 || (size != count && size != 1)) {
                throw refused_node{formatted("is given {} values for the shape {}", size, print(shape))};
            }
            const known_tensor values = folding::computed(scope.room(), element_type::f64, shape, [&](std::int64_t i) {
                return given.values[size == 1 ? 0 : static_cast<std::size_t>(i)];
            });
            v.constant = folding::cast(scope.room(), values, v.type);
            v.form = value_form::known;
            return;
        }
    }
    const extents shape = port_shape(scope.options, port);
    const std::string name = scope.port_name(port.name(), "input");
    const dtype type = v.type == element_type::uint8 || v.type == element_type::boolean ? dtype::uint8
                       : v.type == element_type::int8                                   ? dtype::int8
                                                                                        : dtype::f16;
    if (v.type == element_type::boolean) {
        scope.note("inputs of bool are bytes here: all but 0 is true");
    } else if (type == dtype::f16 && is_integer(v.type)) {
        scope.integers.push_back(name);
        scope.note(formatted("inputs of {} are fp16 here: integers are exact up to 2048", type_name(v.type)));
    } else if (type == dtype::f16 && v.type != element_type::f16) {
        scope.note(formatted("inputs of {} are fp16 here", type_name(v.type)));
    }
    v.tensor = scope.graph.input(name, shape, {}, type, {readers::kept_file_name(name), 0});
    v.form = value_form::tensor;
}

} // namespace ane::onnx::inline ANEMONE_WAY
