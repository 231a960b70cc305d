#pragma once

#include "external_data.hpp"

#include <algorithm>

/// Tensors of a file as constants. Only bodies include this header.
namespace ane::onnx::inline ANEMONE_WAY {

/// Elements that a file keeps one in each 32 or 64 bits, as numbers.
template <class Field> std::shared_ptr<const std::vector<double>> widened(const Field& field, int type) {
    auto numbers = std::make_shared<std::vector<double>>();
    numbers->reserve(static_cast<std::size_t>(field.size()));
    for (const auto element : field) {
        switch (type) {
        case tensor_proto::FLOAT16: // their bits
        case tensor_proto::BFLOAT16: {
            constant one{.type = type, .raw = std::as_bytes(std::span(&element, 1))};
            numbers->push_back(one.at(0));
            break;
        }
        case tensor_proto::BOOL: numbers->push_back(element != 0 ? 1 : 0); break;
        default: numbers->push_back(as_element(type, static_cast<double>(element)));
        }
    }
    return numbers;
}

/// The elements of a tensor, borrowed from the message or from a file where they are packed there. Throws
/// `refused_node` where the tensor is not what it declares.
ANEMONE_INLINE constant constant_of(const tensor_proto& tensor, external_files& files) {
    constant c;
    c.type = tensor.data_type();
    if (facts_of(c.type).kind == number_kind::none) {
        throw refused_node{formatted("holds elements of {}, which are not read", type_name(c.type))};
    }
    if (tensor.dims_size() > extents::capacity) {
        throw refused_node{formatted("has {} axes; a shape has at most {}", tensor.dims_size(), extents::capacity)};
    }
    for (const std::int64_t e : tensor.dims()) {
        c.shape.append(e);
    }
    const std::int64_t count = element_count(c.shape);
    if (count < 0) {
        throw refused_node{formatted("has the shape {}, which no tensor has", print(c.shape))};
    }
    if (tensor.has_segment()) {
        throw refused_node{"is a segment of a larger tensor"};
    }
    std::int64_t found = 0;
    const auto packed = [&](std::span<const std::byte> bytes) {
        c.raw = bytes;
        const std::int64_t needed = (count * facts_of(c.type).bits + 7) / 8;
        if (static_cast<std::int64_t>(bytes.size()) != needed) {
            throw refused_node{formatted("is {} {} and has {} bytes instead of {}", type_name(c.type), print(c.shape),
                                         bytes.size(), needed)};
        }
        found = count;
    };
    const auto typed = [&](const auto& field) {
        c.raw = std::as_bytes(std::span(field.data(), static_cast<std::size_t>(field.size())));
        found = field.size();
    };
    if (tensor.data_location() == tensor_proto::EXTERNAL) {
        packed(files.of(tensor));
    } else if (tensor.has_raw_data()) {
        packed(std::as_bytes(std::span(tensor.raw_data())));
    } else {
        switch (c.type) {
        case tensor_proto::FLOAT: typed(tensor.float_data()); break;
        case tensor_proto::DOUBLE: typed(tensor.double_data()); break;
        case tensor_proto::INT64: typed(tensor.int64_data()); break;
        case tensor_proto::INT32: typed(tensor.int32_data()); break;
        case tensor_proto::UINT64: typed(tensor.uint64_data()); break;
        case tensor_proto::UINT32:
            c.numbers = widened(tensor.uint64_data(), c.type);
            found = tensor.uint64_data_size();
            break;
        default: // narrower ones, one in each 32 bits
            if (facts_of(c.type).bits == 4) {
                throw refused_node{"holds 4-bit integers outside raw_data"};
            }
            c.numbers = widened(tensor.int32_data(), c.type);
            found = tensor.int32_data_size();
        }
    }
    if (found != count) {
        throw refused_node{
            formatted("is {} {} and has {} elements instead of {}", type_name(c.type), print(c.shape), found, count)};
    }
    return c;
}

} // namespace ane::onnx::inline ANEMONE_WAY
