#pragma once

#include "mil_table.hpp"

#include <algorithm>
#include <limits>

/// What makes values of nothing, passes them on, or keeps them: fills, ranges, shapes, identities, buffers, states.
/// Only bodies include this header.
namespace ane::readers::inline ANEMONE_WAY {

ANEMONE_INLINE std::vector<mil_value> read_identity(mil_call& c) {
    if (c.operation() == "tensor_to_tensor_buffer") { // the result's type says both again
        c.ignore("strides");
        c.ignore("interleave_factors");
    }
    mil_value v = c.value(c.has("x") ? "x" : "input");
    if (v.form != value_form::known) {
        v.tensor = c.raw(c.has("x") ? "x" : "input");
    }
    return c.result(std::move(v));
}

ANEMONE_INLINE std::vector<mil_value> read_fill(mil_call& c) {
    const extents shape = c.integers("shape");
    const double value = c.number_of("value", 0);
    const element_type element = c.has("value") ? c.value("value").element : element_type::f32;
    if (const std::int64_t count = element_count(shape); count >= 0 && count <= mil_scope::largest_literal) {
        return c.result(folding::known(element, shape, std::vector<double>(static_cast<std::size_t>(count), value)));
    }
    return c.result(c.filled(shape, value), element);
}

ANEMONE_INLINE std::vector<mil_value> read_fill_like(mil_call& c) {
    const extents shape = c.value("ref_tensor").shape();
    const element_type element = c.has("value") ? c.value("value").element : element_type::f32;
    return c.result(c.filled(shape, c.number_of("value", 0)), element);
}

ANEMONE_INLINE std::vector<mil_value> read_range(mil_call& c) {
    const double start = c.number_of("start");
    const double end = c.number_of("end");
    const double step = c.number_of("step");
    const double count = std::ceil((end - start) / step);
    if (!(count >= 1 && count <= 1 << 20)) {
        c.refuse(formatted("counts from {} to {} in steps of {}", start, end, step));
    }
    std::vector<double> values;
    values.reserve(static_cast<std::size_t>(count));
    for (int i = 0; i < static_cast<int>(count); ++i) {
        values.push_back(start + i * step);
    }
    return c.result(folding::known(c.value("start").element, {static_cast<std::int64_t>(values.size())}, values));
}

/// Every shape is known.
ANEMONE_INLINE std::vector<mil_value> read_shape(mil_call& c) {
    const extents shape = c.value("x").shape();
    std::vector<double> values;
    values.reserve(extents::capacity);
    for (int i = 0; i < shape.rank; ++i) {
        values.push_back(static_cast<double>(shape[i]));
    }
    return c.result(folding::known(element_type::int32, {shape.rank}, values));
}

/// 1 (or on_value) where the index is the place along a new axis.
ANEMONE_INLINE std::vector<mil_value> read_one_hot(mil_call& c) {
    const dynamic_tensor index = c.tensor("indices");
    const std::int64_t size = c.integer("one_hot_vector_size");
    const int rank = index.shape().rank + 1;
    const int along = c.axis_of(c.integer("axis", -1), rank);
    if (rank > extents::capacity || size < 1 || size > 2049) { // fp16 counts to 2048
        c.refuse(formatted("makes an axis of {} elements; fp16 counts 2049", size));
    }
    extents shape;
    extents places;
    for (int i = 0, k = 0; i < rank; ++i) {
        shape.append(i == along ? 1 : index.shape()[k++]);
        places.append(i == along ? size : 1);
    }
    std::vector<float> counted;
    counted.reserve(static_cast<std::size_t>(size));
    for (int i = 0; i < static_cast<int>(size); ++i) {
        counted.push_back(static_cast<float>(i));
    }
    const dynamic_tensor there =
        c.add(op::equal, {c.reshape(index, shape), c.scope().graph.constant(places, counted, c.where())});
    const element_type element = c.has("on_value") ? c.value("on_value").element : element_type::int32;
    return c.result(
        c.add(op::select, {there, c.number(c.number_of("on_value", 1)), c.number(c.number_of("off_value", 0))}),
        element);
}

ANEMONE_INLINE mil_state& state_of(mil_call& c, std::string_view argument) {
    const mil_value& v = c.value(argument);
    mil_state* const s = v.form == value_form::state ? c.scope().find_state(v.text) : nullptr;
    if (s == nullptr) {
        c.refuse(formatted("the argument {} is no state", argument));
    }
    return *s;
}

ANEMONE_INLINE std::vector<mil_value> read_state(mil_call& c) { return c.result(state_of(c, "input").value); }

/// From here on the state has this value; what it is at the end is an output of the graph.
ANEMONE_INLINE std::vector<mil_value> read_state_update(mil_call& c) {
    const std::string_view state = c.has("state") ? "state" : "input";
    const std::string_view data = c.has("value") ? "value" : "data";
    mil_state& s = state_of(c, state);
    mil_value v = c.value(data);
    v.tensor = c.tensor(data);
    v.form = value_form::tensor;
    if (v.tensor.shape() != s.value.tensor.shape()) {
        c.refuse(formatted("writes {} into the state {}, which is {}", print(v.tensor.shape()), s.name,
                           print(s.value.tensor.shape())));
    }
    s.value = v;
    s.written = true;
    return c.results() == 0 ? std::vector<mil_value>() : c.result(std::move(v));
}

ANEMONE_INLINE void add_sources(statement_table& t) {
    t.insert({
        {"identity", read_identity},
        {"tensor_buffer_to_tensor", read_identity},
        {"tensor_to_tensor_buffer", read_identity},
        {"fill", read_fill},
        {"fill_like", read_fill_like},
        {"range_1d", read_range},
        {"shape", read_shape},
        {"one_hot", read_one_hot},
        {"read_state", read_state},
        {"write_state", read_state_update},
        {"coreml_update_state", read_state_update},
    });
}

} // namespace ane::readers::inline ANEMONE_WAY
