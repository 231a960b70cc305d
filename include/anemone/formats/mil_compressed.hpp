#pragma once

#include "../analysis/held_weights.hpp"
#include "../base/formatted.hpp"
#include "../base/way.hpp"
#include "../graph/graph.hpp"
#include "../passes/print.hpp"
#include "../weights/encode.hpp"
#include "blob.hpp"
#include "mil_literals.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// Compressed weights in MIL text: `constexpr_...` statements over parts in the blob (facts: weights, sections 2 and 3).
namespace ane::formats::inline ANEMONE_WAY {

/// The shape of the scales of a weight: groups of `block` consecutive elements of a row are blocks of every axis, or the
/// result has no axis. (weights section 2: block[i] = data[i] / scale[i].)
constexpr extents scales_of_blocks(const extents& shape, int block) {
    std::int64_t row = 1;
    for (int i = 1; i < shape.rank; ++i) {
        row *= shape[i];
    }
    std::int64_t left = block > 0 ? block : row;
    extents scales = shape;
    for (int i = shape.rank - 1; i > 0; --i) {
        const std::int64_t extent = shape[i];
        if (left % extent == 0) {
            scales[i] = 1;
            left /= extent;
        } else if (extent % left == 0) {
            scales[i] = extent / left;
            left = 1;
        } else {
            return {};
        }
    }
    return scales;
}

/// Whether MIL has a form for a weight at all.
constexpr bool has_mil_form(const compression& c, const extents& shape) {
    switch (c.form) {
    case weight_form::palette: return shape[0] % c.vector == 0;
    case weight_form::sparse_palette: return c.vector == 1; // how vectors and a mask combine is not published
    case weight_form::affine:
    case weight_form::blockwise:
    case weight_form::sparse_blockwise: return scales_of_blocks(shape, c.block).rank > 0;
    case weight_form::sparse: break;
    }
    return true;
}

/// Where a compressed weight is written as it is stored.
enum class stored_place : std::uint8_t { nowhere, everywhere, by_way_of_a_sum };

/// For each node how the text holds it, if it is a compressed weight. By default in a form that a source has run, if it
/// is read only where such a form was run, as the weight of convolutions and the right operand of products; with
/// `every_form` in each form that there is, by way of a sum where the compiler takes no weight in blocks (weights
/// section 2). The others are written as the fp16 values that they stand for.
ANEMONE_INLINE std::vector<stored_place> stored_in_mil(const graph_view& g, bool every_form) {
    std::vector<stored_place> stored(g.nodes.size(), stored_place::nowhere);
    for (int i = 0; i < g.size(); ++i) {
        const auto at = static_cast<std::size_t>(i);
        if (g[i].kind == op::compressed) {
            const compression& c = g[i].get<compression>();
            const bool written = every_form ? has_mil_form(c, g[i].shape) : was_run_as_a_weight(c);
            stored[at] = written ? stored_place::everywhere : stored_place::nowhere;
        }
        const auto operands = g.operands(i);
        for (std::size_t k = 0; k < operands.size(); ++k) {
            stored_place& place = stored[static_cast<std::size_t>(operands[k])];
            if (place == stored_place::nowhere) {
                continue;
            }
            if (!every_form && !reads_stored_weight(g[i].kind, k)) {
                place = stored_place::nowhere;
            } else if (every_form && is_contraction(g[i].kind) && has_blocks(g[operands[k]].get<compression>())) {
                place = stored_place::by_way_of_a_sum;
            }
        }
    }
    return stored;
}

/// Writes the statements of one stored weight; its parts go into the blob.
class stored_weight_writer {
public:
    ANEMONE_INLINE stored_weight_writer(const std::string& name, const encoded_weight& w, blob_writer& blob)
        : name_(name), weight_(w), blob_(blob), type_(mil_type(dtype::f16, w.shape)) {}

    ANEMONE_INLINE std::string write() && {
        switch (weight_.form.form) {
        case weight_form::affine: has_blocks(weight_.form) ? blockwise() : affine(); break;
        case weight_form::blockwise: blockwise(); break;
        case weight_form::sparse:
            part("kept", "fp16", {kept()}, weight_.data, 16);
            part("mask", "uint1", weight_.shape, weight_.mask, 1);
            dense("kept", "mask");
            break;
        case weight_form::palette: palette(); break;
        case weight_form::sparse_palette: sparse_palette(); break;
        case weight_form::sparse_blockwise: sparse_blockwise(); break;
        }
        return text_;
    }

private:
    /// A part in the weight file: elements of `bits` bits.
    ANEMONE_INLINE std::uint64_t add(std::string_view element, const extents& shape, const std::vector<std::byte>& data,
                                     int bits) {
        return blob_.add(blob_type_of(element), data, unused_bits(shape.count(), bits));
    }
    ANEMONE_INLINE void part(std::string_view suffix, std::string_view element, const extents& shape,
                             const std::vector<std::byte>& data, int bits) {
        text_ += mil_part(mil_type(element, shape), formatted("{}_{}", name_, suffix), add(element, shape, data, bits));
    }
    ANEMONE_INLINE void statement(std::string_view operation, const std::string& arguments) {
        text_ += formatted("        {0} {1} = {2}({3})[name = string(\"{1}\")];\n", type_, name_, operation, arguments);
    }
    /// The number of elements that a sparse form keeps.
    ANEMONE_INLINE std::int64_t kept() const {
        std::int64_t count = 0;
        for (const std::byte b : weight_.mask) {
            count += __builtin_popcount(std::to_integer<unsigned>(b));
        }
        return count;
    }
    /// From kept values and their mask to the weight.
    ANEMONE_INLINE void dense(std::string_view values, std::string_view mask) {
        statement("constexpr_sparse_to_dense",
                  formatted("nonzero_data = {0}_{1}, mask = {0}_{2}", name_, values, mask));
    }
    /// The statement of one of the forms with two results, a mask and the kept values, and the weight made of these.
    ANEMONE_INLINE void of_two_results(std::string_view operation, const std::string& arguments) {
        text_ += formatted("        {0} {1}_mask, {2} {1}_kept = {3}({4})[name = string(\"{1}_kept\")];\n",
                           mil_type("uint1", weight_.shape), name_, mil_type("fp16", {kept()}), operation, arguments);
        dense("kept", "mask");
    }

    /// The parts stand in the attribute brackets (weights section 2).
    ANEMONE_INLINE void affine() {
        const extents channels{weight_.shape[0]};
        const std::string type = mil_type("int8", weight_.shape);
        const std::string data = mil_blob(add("int8", weight_.shape, weight_.data, 8));
        const std::string scale = mil_blob(add("fp16", channels, weight_.scales, 16));
        std::string zero = "int8(0)";
        if (weight_.form.zero_point) {
            zero = formatted("{}({})", mil_type("int8", channels), mil_blob(add("int8", channels, weight_.zeros, 8)));
        }
        text_ += formatted("        {} {} = constexpr_affine_dequantize()[axis = int32(0), name = string(\"{}\"), "
                           "quantized_data = {}({}), scale = {}({}), zero_point = {}];\n",
                           type_, name_, name_, type, data, mil_type("fp16", channels), scale, zero);
    }

    ANEMONE_INLINE void scales() {
        const extents shape = scales_of_blocks(weight_.shape, weight_.form.block);
        part("scale", "fp16", shape, weight_.scales, 16);
        if (weight_.form.zero_point) {
            part("offset", integers(), shape, weight_.zeros, weight_.form.bits);
        }
    }
    ANEMONE_INLINE std::string scale_arguments() const {
        return formatted("scale = {0}_scale", name_) +
               (weight_.form.zero_point ? formatted(", offset = {}_offset", name_) : std::string());
    }
    ANEMONE_INLINE std::string_view integers() const { return weight_.form.bits == 4 ? "int4" : "int8"; }

    ANEMONE_INLINE void blockwise() {
        part("data", integers(), weight_.shape, weight_.data, weight_.form.bits);
        scales();
        statement("constexpr_blockwise_shift_scale", formatted("data = {}_data, {}", name_, scale_arguments()));
    }
    ANEMONE_INLINE void sparse_blockwise() {
        part("data_mask", "uint1", weight_.shape, weight_.mask, 1);
        part("data", integers(), {kept()}, weight_.data, weight_.form.bits);
        scales();
        of_two_results("constexpr_sparse_blockwise_shift_scale",
                       formatted("data_mask = {0}_data_mask, nonzero_data = {0}_data, {1}", name_, scale_arguments()));
    }

    /// The table: two axes more than the weight, the entries and the elements of each.
    ANEMONE_INLINE void table() {
        extents shape;
        for (int i = 0; i < weight_.shape.rank; ++i) {
            shape.append(1);
        }
        shape.append(std::int64_t{1} << weight_.form.bits);
        shape.append(weight_.form.vector);
        part("lut", "fp16", shape, weight_.table, 16);
    }
    ANEMONE_INLINE std::string indices() const { return formatted("uint{}", weight_.form.bits); }

    /// An index stands for the elements of `vector` consecutive rows.
    ANEMONE_INLINE void palette() {
        extents shape = weight_.shape;
        shape[0] /= weight_.form.vector;
        part("indices", indices(), shape, weight_.data, weight_.form.bits);
        table();
        std::string along;
        if (weight_.form.vector > 1) {
            text_ += mil_constant("int32", name_ + "_vector_axis", mil_literal(0));
            along = formatted(", vector_axis = {}_vector_axis", name_);
        }
        statement("constexpr_lut_to_dense", formatted("indices = {0}_indices, lut = {0}_lut{1}", name_, along));
    }
    ANEMONE_INLINE void sparse_palette() {
        part("indices_mask", "uint1", weight_.shape, weight_.mask, 1);
        part("indices", indices(), {kept()}, weight_.data, weight_.form.bits);
        table();
        of_two_results(
            "constexpr_lut_to_sparse",
            formatted("indices_mask = {0}_indices_mask, indices_nonzero_data = {0}_indices, lut = {0}_lut", name_));
    }

    std::string name_;
    const encoded_weight& weight_;
    blob_writer& blob_;
    std::string type_;
    std::string text_;
};

/// The statements that make `name` of a stored weight.
ANEMONE_INLINE std::string mil_stored_weight(const std::string& name, const encoded_weight& w, blob_writer& blob) {
    return stored_weight_writer(name, w, blob).write();
}

} // namespace ane::formats::inline ANEMONE_WAY
