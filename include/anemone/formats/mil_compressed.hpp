#pragma once

#include "../base/formatted.hpp"
#include "../base/way.hpp"
#include "../graph/graph.hpp"
#include "../passes/print.hpp"
#include "../weights/encode.hpp"
#include "blob.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

/// Compressed weights in MIL text: one `constexpr_...` statement each, over parts in the blob (facts: weights, sections
/// 2 and 3).
namespace ane::formats::inline ANEMONE_WAY {

/// Whether a form was run as a weight by a source, or is one of a width that was: int8 without a zero point, palettes
/// of single elements of 4 and 8 bits, plain sparse. A weight in blocks is refused by the compiler ("Not implemented",
/// M5).
constexpr bool has_mil_form(const compression& c) {
    switch (c.form) {
    case weight_form::affine: return c.bits == 8 && c.block == 0 && !c.zero_point;
    case weight_form::palette: return (c.bits == 4 || c.bits == 8) && c.vector == 1;
    case weight_form::sparse: return true;
    default: return false;
    }
}

/// For each node whether it is a compressed weight that the text holds as it is stored: in a form that has one, and
/// read only where such a form was run, as the weight of convolutions and the right operand of products. The others are
/// written as the fp16 values that they stand for.
ANEMONE_INLINE std::vector<char> stored_in_mil(const graph_view& g) {
    std::vector<char> stored(g.nodes.size(), 0);
    for (int i = 0; i < g.size(); ++i) {
        if (g[i].kind == op::compressed) {
            stored[static_cast<std::size_t>(i)] = has_mil_form(g[i].get<compression>()) ? 1 : 0;
        }
        const bool product = g[i].kind == op::conv2d || g[i].kind == op::matmul;
        const auto operands = g.operands(i);
        for (std::size_t k = 0; k < operands.size(); ++k) {
            if (k != 1 || !product) {
                stored[static_cast<std::size_t>(operands[k])] = 0;
            }
        }
    }
    return stored;
}

ANEMONE_INLINE std::string mil_blob(std::uint64_t offset) {
    return formatted("BLOBFILE(path = string(\"@model_path/weights.bin\"), offset = uint64({}))", offset);
}
ANEMONE_INLINE std::string mil_part(const std::string& type, const std::string& name, std::uint64_t offset) {
    return formatted("        {0} {1} = const()[name = string(\"{1}\"), val = {0}({2})];\n", type, name,
                     mil_blob(offset));
}

/// The statements that make `name` of a stored weight; its parts go into the blob.
ANEMONE_INLINE std::string mil_stored_weight(const std::string& name, const encoded_weight& w, blob_writer& blob) {
    const std::string shape = print(w.shape);
    const std::string type = formatted("tensor<fp16, {}>", shape);
    const std::int64_t count = w.shape.count();
    switch (w.form.form) {
    case weight_form::affine: {
        const std::uint64_t data = blob.add(blob_type::int8, w.data, 0);
        const std::uint64_t scale = blob.add(blob_type::fp16, w.scales, 0);
        return formatted("        {} {} = constexpr_affine_dequantize()[axis = int32(0), name = string(\"{}\"), "
                         "quantized_data = tensor<int8, {}>({}), scale = tensor<fp16, [{}]>({}), "
                         "zero_point = int8(0)];\n",
                         type, name, name, shape, mil_blob(data), w.shape[0], mil_blob(scale));
    }
    case weight_form::sparse: {
        const std::string kept = mil_part(formatted("tensor<fp16, [{}]>", w.data.size() / 2), name + "_kept",
                                          blob.add(blob_type::fp16, w.data, 0));
        const std::string mask = mil_part(formatted("tensor<uint1, {}>", shape), name + "_mask",
                                          blob.add(blob_type::uint1, w.mask, unused_bits(count, 1)));
        return formatted("{0}{1}        {2} {3} = constexpr_sparse_to_dense(nonzero_data = {3}_kept, mask = "
                         "{3}_mask)[name = string(\"{3}\")];\n",
                         kept, mask, type, name);
    }
    default: {
        const bool narrow = w.form.bits == 4;
        const std::string indices =
            mil_part(formatted("tensor<{}, {}>", narrow ? "uint4" : "uint8", shape), name + "_indices",
                     blob.add(narrow ? blob_type::uint4 : blob_type::uint8, w.data, unused_bits(count, w.form.bits)));
        extents table;
        for (int i = 0; i < w.shape.rank; ++i) {
            table.append(1);
        }
        table.append(std::int64_t{1} << w.form.bits);
        table.append(1);
        const std::string lut =
            mil_part(formatted("tensor<fp16, {}>", print(table)), name + "_lut", blob.add(blob_type::fp16, w.table, 0));
        return formatted("{0}{1}        {2} {3} = constexpr_lut_to_dense(indices = {3}_indices, lut = "
                         "{3}_lut)[name = string(\"{3}\")];\n",
                         indices, lut, type, name);
    }
    }
}

} // namespace ane::formats::inline ANEMONE_WAY
