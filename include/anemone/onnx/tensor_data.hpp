#pragma once

#include "../passes/print.hpp"
#include "external_data.hpp"

#include <algorithm>

/// Tensors of a file as constants. Only bodies include this header.
namespace ane::onnx::inline ANEMONE_WAY {

/// Elements that a file keeps one in each 32 or 64 bits.
template <class Field> known_tensor narrowed(const Field& field, element_type type) {
    const extents shape{static_cast<std::int64_t>(field.size())};
    if (type == element_type::f16 || type == element_type::bf16) { // their bits
        std::vector<std::int64_t> bits;
        for (const auto element : field) {
            bits.push_back(static_cast<std::uint16_t>(element));
        }
        known_tensor t = folding::known(element_type::uint16, shape, std::span<const std::int64_t>(bits));
        t.type = type;
        return t;
    }
    std::vector<std::int64_t> list;
    for (const auto element : field) {
        list.push_back(type == element_type::boolean ? element != 0 : static_cast<std::int64_t>(element));
    }
    return folding::known(type, shape, std::span<const std::int64_t>(list));
}

/// The elements of a tensor, borrowed from the message or from a file where they are packed there. Throws
/// `refused_node` where the tensor is not what it declares.
ANEMONE_INLINE known_tensor constant_of(const tensor_proto& tensor, external_files& files) {
    known_tensor c;
    c.type = element_of(tensor.data_type());
    if (c.type == element_type::undefined) {
        throw refused_node{formatted("holds elements of {}, which are not read", type_name(tensor.data_type()))};
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
    const auto require_bytes = [&](std::uint64_t given) {
        const std::int64_t needed = ane::bytes(c.type, count);
        if (given != static_cast<std::uint64_t>(needed)) {
            throw refused_node{
                formatted("is {} {} and has {} bytes instead of {}", type_name(c.type), print(c.shape), given, needed)};
        }
        found = count;
    };
    const auto typed = [&](const auto& field) {
        c.bytes = std::as_bytes(std::span(field.data(), static_cast<std::size_t>(field.size())));
        found = field.size();
    };
    if (tensor.data_location() == tensor_proto::EXTERNAL) {
        try {
            const external_files::range there = files.of(tensor);
            require_bytes(there.count);
            external_files::give(there, c);
        } catch (const external_files::nothing_there& gone) {
            if (!files.allows_missing) {
                throw refused_node{gone.why};
            }
            files.lost = files.lost.empty() ? gone.why : files.lost;
            return files.gaps.tensor(c.type, c.shape);
        }
    } else if (const auto left = files.in_message.find(&tensor); left != files.in_message.end()) {
        require_bytes(left->second.count);
        c.in_file = std::make_shared<const folding::elements_in_file>(left->second);
    } else if (tensor.has_raw_data()) {
        c.bytes = std::as_bytes(std::span(tensor.raw_data()));
        require_bytes(c.bytes.size());
    } else {
        switch (c.type) {
        case element_type::f32: typed(tensor.float_data()); break;
        case element_type::f64: typed(tensor.double_data()); break;
        case element_type::int64: typed(tensor.int64_data()); break;
        case element_type::int32: typed(tensor.int32_data()); break;
        case element_type::uint64: typed(tensor.uint64_data()); break;
        case element_type::uint32:
            c = narrowed(tensor.uint64_data(), c.type).reshaped(c.shape);
            found = tensor.uint64_data_size();
            break;
        default: // narrower ones, one in each 32 bits
            if (facts_of(c.type).bits == 4) {
                throw refused_node{"holds 4-bit integers outside raw_data"};
            }
            c = narrowed(tensor.int32_data(), c.type).reshaped(c.shape);
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
