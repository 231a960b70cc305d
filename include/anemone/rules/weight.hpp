#pragma once

#include "../analysis/kernel_memory.hpp"
#include "../forms/weight_faults.hpp"
#include "../graph/constants.hpp"
#include "convolution.hpp"
#include "movement.hpp"
#include "record.hpp"

#include <array>
#include <cstddef>

/// How weights are stored: what a compressed form may be, which of them stream, and the types of the plain ones.
namespace ane::rules {

namespace detail {

inline constexpr op_set plain_weights{op::weight, op::constant};

constexpr const compression& form_of(const node& n) { return n.get<compression>(); }
constexpr bool is_palette(weight_form f) { return f == weight_form::palette || f == weight_form::sparse_palette; }
constexpr bool is_sparse(weight_form f) {
    return f == weight_form::sparse || f == weight_form::sparse_palette || f == weight_form::sparse_blockwise;
}
constexpr bool is_blockwise(weight_form f) { return f == weight_form::blockwise || f == weight_form::sparse_blockwise; }

/// The width of palette indices to use in place of one that a target does not have: the next wider, else the widest.
constexpr int supported_palette_bits(int bits, const target_capabilities& has) {
    int best = 0;
    for (int b = 1; b < 16; ++b) {
        if (has.palette_bits(b) && best < bits) {
            best = b;
        }
    }
    return best;
}

/// Whether a target takes palettes with indices of this width. Those of 1 and 2 bits the M1 refuses (decompiled); of later
/// chips the guide knows nothing, and another project runs them (computer-graphics-tools/ane): taken from A14 on.
constexpr bool takes_palette_bits(int bits, const target_description& t) {
    const bool narrow = (bits == 1 || bits == 2) && at_least(t.tier, family::a14);
    return narrow || (bits > 0 && bits < 16 && t.has.palette_bits(bits));
}

/// The compressed weight that a convolution, a linear layer or a product reads; null when it reads another one.
constexpr const compression* compressed_weight(const subject& s) {
    return s.operand_count() > 1 && s.operand(1).kind == op::compressed ? &form_of(s.operand(1)) : nullptr;
}

constexpr double magnitude_of(const contract& c) {
    const double low = c.low < 0 ? -c.low : c.low;
    const double high = c.high < 0 ? -c.high : c.high;
    return low > high ? low : high;
}

} // namespace detail

inline constexpr std::array weight{
    rule_record{.id = rule::weight_is_not_float,
                .fact = "R005",
                .scope = rule_scope::weights,
                .level = severity::reject,
                .ops = detail::plain_weights,
                .sentence = "a weight has type code {got}; weights are fp16 (code {limit}) or compressed",
                .reject = "aneforge: {where} has dtype {dt}; the ANE computes in fp16 only",
                .advice = "store it as fp16, or in one of the compressed forms",
                .source = "guide chapter 4",
                .evidence = mark::measured,
                .silicon = "M1",
                .check = [](const subject& s) -> finding {
                    return holds_if(s.n.type == dtype::f16, static_cast<int>(s.n.type), static_cast<int>(dtype::f16));
                }},
    rule_record{.id = rule::weight_exceeds_half_precision,
                .fact = "R006",
                .scope = rule_scope::weights,
                .level = severity::reject,
                .ops = detail::plain_weights,
                .sentence = "values reach {got}, {limit} is the largest in fp16: infinite on the device",
                .reject = "(down-cast overflow)",
                .advice = "scale the weight, and the result back",
                .source = "guide chapter 4",
                .evidence = mark::predicted,
                .silicon = "M1",
                .check = [](const subject& s) -> finding {
                    double magnitude = 0;
                    if (s.n.kind == op::weight) {
                        const contract& c = s.n.get<contract>();
                        magnitude = c.declared ? detail::magnitude_of(c) : 0;
                    } else {
                        const float* const values = s.g.values(s.n).data();
                        const std::size_t count = s.g.values(s.n).size();
                        for (std::size_t i = 0; i < count; ++i) { // plain: steps of constant expressions are few
                            const auto v = static_cast<double>(values[i]);
                            magnitude = v > magnitude ? v : (-v > magnitude ? -v : magnitude);
                        }
                    }
                    return holds_if(magnitude <= half_max, detail::reported(magnitude),
                                    static_cast<std::int64_t>(half_max));
                }},
    rule_record{.id = rule::compressed_weight_is_computed,
                .fact = "R059",
                .scope = rule_scope::weights,
                .level = severity::reject,
                .ops = {op::compressed},
                .sentence = "a compressed weight must be a constant: what is computed or trained never streams",
                .reject = "mutable kernels are not supported with kernel quantization",
                .advice = "keep a trainable weight in fp16",
                .source = "guide chapter 25",
                .evidence = mark::decompiled,
                .silicon = "M1",
                .check = [](const subject& s) -> finding {
                    return holds_if(is_known_when_compiled(s.g, s.g.operands(s.n)[0]));
                }},
    rule_record{.id = rule::int4_channels_do_not_interleave,
                .fact = "R102",
                .scope = rule_scope::weights,
                .level = severity::reject,
                .ops = {op::quantize, op::dequantize},
                .sentence = "an int4 tensor has {got} channels, they must be a multiple of {limit}",
                .reject = "Tensor with the int4 format must have an interleave factor of 8",
                .advice = "pad the channels to a multiple of 8, or use int8",
                .source = "string catalogue of the compiler",
                .evidence = mark::decompiled,
                .check = [](const subject& s) -> finding {
                    const std::int64_t channels = s.n.shape.channels();
                    return holds_if(s.n.get<quantization>().type != dtype::int4 || channels % 8 == 0, channels, 8);
                }},
    rule_record{.id = rule::zero_point_is_not_supported,
                .fact = "R138",
                .scope = rule_scope::weights,
                .level = severity::reject,
                .ops = {op::compressed},
                .sentence = "a zero point other than 0 needs A14 or later",
                .reject = "(asymmetric setter asserts on version-five TD)",
                .consequence = "the zero point is forced to 0",
                .advice = "quantize symmetrically",
                .source = "guide chapter 25",
                .evidence = mark::decompiled,
                .silicon = "M1",
                .check = [](const subject& s) -> finding {
                    return holds_if(!detail::form_of(s.n).zero_point || s.t.has.zero_point_asymmetric);
                }},
    rule_record{.id = rule::palette_index_width_is_not_supported,
                .fact = "R139",
                .scope = rule_scope::weights,
                .level = severity::reject,
                .ops = {op::compressed},
                .sentence = "palettes of {got} bits are not supported; palettes of {limit} bits are",
                .reject = "1 and 2 bit palettes not supported",
                .advice = "use 4 or 8 bits (1, 2, 3 and 6 from A14)",
                .source = "guide chapter 25",
                .evidence = mark::decompiled,
                .silicon = "M1",
                .check = [](const subject& s) -> finding {
                    const compression& c = detail::form_of(s.n);
                    return holds_if(!detail::is_palette(c.form) || detail::takes_palette_bits(c.bits, s.t), c.bits,
                                    detail::supported_palette_bits(c.bits, s.t.has));
                }},
    rule_record{.id = rule::palette_vector_size_is_not_supported,
                .fact = "R140",
                .scope = rule_scope::weights,
                .level = severity::reject,
                .ops = {op::compressed},
                .sentence = "palette vectors of {got} elements; 1, 2, 4 and {limit} exist",
                .reject = "",
                .advice = "use single elements",
                .source = "guide chapter 25",
                .evidence = mark::decompiled,
                .silicon = "M1",
                .check = [](const subject& s) -> finding {
                    const compression& c = detail::form_of(s.n);
                    const bool known = c.vector == 1 || c.vector == 2 || c.vector == 4 || c.vector == 5;
                    return holds_if(!detail::is_palette(c.form) || known, c.vector, 5);
                }},
    // "Large kernel stride" is read as one that is not 1 or 2; below A13 no stride at all goes with a palette (0x529).
    rule_record{.id = rule::vector_palette_meets_a_special_convolution,
                .fact = "R141",
                .scope = rule_scope::weights,
                .level = severity::reject,
                .ops = detail::convolutions,
                .sentence = "a palette of vectors of {got} elements goes with plain convolutions only: not transposed, "
                            "dilated, depthwise or with a stride above {limit}",
                .reject = "deconv with vector palettization is not supported | dilation is not supported for vector "
                          "palettized kernels yet | does not support palettized weight with large kernel stride",
                .advice = "use vectors of one element",
                .source = "string catalogue of the compiler",
                .evidence = mark::decompiled,
                .check = [](const subject& s) -> finding {
                    const compression* c = detail::compressed_weight(s);
                    if (c == nullptr || !detail::is_palette(c->form) || c->vector <= 1) {
                        return {};
                    }
                    const int stride = s.t.has.palette_kernel_stride ? 2 : 1;
                    const bool plain = s.n.kind == op::conv2d && detail::larger(detail::dilation(s.n)) == 1 &&
                                       !(detail::groups(s.n) > 1 && detail::depthwise(s)) &&
                                       detail::larger(detail::stride(s.n)) <= stride;
                    return holds_if(plain, c->vector, stride);
                }},
    // An unknown fraction is not a finding.
    rule_record{.id = rule::sparse_weight_has_few_zeros,
                .fact = "R142",
                .scope = rule_scope::weights,
                .level = severity::warn,
                .ops = {op::compressed},
                .sentence = "{got} % of a sparse weight are zeros, it pays from {limit} % on",
                .reject = "",
                .advice = "use a palette of 4 bits",
                .source = "guide chapter 7",
                .evidence = mark::measured,
                .silicon = "M1",
                .check = [](const subject& s) -> finding {
                    const compression& c = detail::form_of(s.n);
                    const bool few = detail::is_sparse(c.form) && c.zeros > 0 && c.zeros < 0.5F;
                    return few ? finding{true, static_cast<std::int64_t>(c.zeros * 100), 50} : finding{};
                }},
    // R192, the compiler's "ANE doesn't support blockwise scale", against streams from A15 on: refused before A13,
    // expanded on A13 and A14, streamed after.
    rule_record{.id = rule::blockwise_scale_is_not_supported,
                .fact = "R192",
                .scope = rule_scope::weights,
                .level = severity::reject,
                .ops = {op::compressed},
                .sentence = "scales for blocks of a weight need A13 or later",
                .reject = "ANE doesn't support blockwise scale",
                .advice = "keep the weight in fp16, or choose A13 or later",
                .source = "string catalogue of the compiler",
                .evidence = mark::decompiled,
                .check = [](const subject& s) -> finding {
                    return holds_if(!detail::is_blockwise(detail::form_of(s.n).form) ||
                                    at_least(s.t.tier, family::a13));
                }},
    rule_record{.id = rule::weight_is_expanded_before_it_runs,
                .fact = "R143",
                .scope = rule_scope::weights,
                .level = severity::warn,
                .ops = {op::compressed},
                .sentence =
                    "is stored in {got} bits for an element and expanded to {limit} before it runs: smaller, not "
                    "faster",
                .reject = "",
                .consequence = "1.0 times the latency of fp16 on the M1",
                .advice = "use a palette of 4 bits or a sparse weight",
                .source = "guide chapters 7 and 25",
                .evidence = mark::measured,
                .silicon = "M1",
                .check = [](const subject& s) -> finding {
                    const compression& c = detail::form_of(s.n);
                    const bool held = is_held_as_stored(s.g, s.index, s.held(), s.uses); // the others are told below
                    return holds_if(!held || form_streams(c, s.t), c.bits, 16);
                }},
    // What our files hold instead, not what the engine could do: `mil_options::every_stored_form` writes all of them.
    rule_record{.id = rule::weight_form_is_not_written,
                .fact = "written",
                .scope = rule_scope::weights,
                .level = severity::warn,
                .ops = {op::compressed},
                .sentence = "is written as the fp16 values that it stands for: not smaller, not faster",
                .reject = "",
                .consequence = "the file holds 2 bytes for an element, which all cross the memory",
                .advice = "keep it in fp16",
                .source = "weights facts, netplist-units facts",
                .evidence = mark::predicted,
                .check = [](const subject& s) -> finding {
                    const form_fault f = weight_fault(s.g, s.index, s.held(), s.uses);
                    return {static_cast<bool>(f), f.got, f.limit, f.why};
                }},
    // The elements that remain after the zeros are taken out: plain fp16, or the indices and integers of a second form.
    rule_record{
        .id = rule::compressed_elements_are_narrow,
        .fact = "R144",
        .scope = rule_scope::weights,
        .level = severity::reject,
        .ops = {op::compressed},
        .sentence = "a sparse weight of {got}-bit elements; elements of at least {limit} bits can be compressed",
        .reject = "",
        .advice = "use 8 bits, or leave the zeros in",
        .source = "guide chapter 25",
        .evidence = mark::decompiled,
        .check = [](const subject& s) -> finding {
            const compression& c = detail::form_of(s.n);
            return holds_if(!detail::is_sparse(c.form) || c.form == weight_form::sparse || c.bits >= 8, c.bits, 8);
        }},
    rule_record{.id = rule::weight_is_palette_and_sparse,
                .fact = "R193",
                .scope = rule_scope::weights,
                .level = severity::reject,
                .ops = detail::convolutions,
                .sentence = "a convolution's weight has both a palette and compressed zeros",
                .reject = "Convolution layer has been lowered to have both palettization and compression",
                .advice = "use one of the two forms",
                .source = "string catalogue of the compiler",
                .evidence = mark::decompiled,
                .check = [](const subject& s) -> finding {
                    const compression* c = detail::compressed_weight(s);
                    return holds_if(c == nullptr || c->form != weight_form::sparse_palette);
                }},
};

} // namespace ane::rules
