#pragma once

#include "record.hpp"

#include <array>

namespace ane::rules {

namespace detail {

inline constexpr op_set float_results{op::softmax, op::l2_norm, op::layer_norm, op::instance_norm};

/// Whether only `dequantize` reads a value.
constexpr bool is_read_as_codes(const subject& s) {
    for (int i = s.index + 1; i < s.g.size(); ++i) {
        for (const int o : s.g.operands(s.g[i])) {
            if (o == s.index && s.g[i].kind != op::dequantize) {
                return false;
            }
        }
    }
    return true;
}
/// Whether a value of this type may stand inside a program: an image before its conversion, a condition before its
/// `select`, an integer between `quantize` and `dequantize`. Ports of int8 were refused on an M1, and
/// another project expects them to run on a chip that is not named: from A15 on they are what a `dequantize` reads. That floor
/// is our reading (docs/conflicts.md).
constexpr bool is_inner_type(const subject& s) {
    const node& n = s.n;
    switch (n.type) {
    case dtype::f16: return true;
    case dtype::uint8: return n.kind == op::input || n.kind == op::reshape || n.kind == op::quantize;
    case dtype::int8:
        return n.kind == op::quantize ||
               (n.kind == op::input && at_least(s.t.tier, family::a15) && is_read_as_codes(s));
    case dtype::boolean: return n.kind != op::input;
    default: return false;
    }
}

} // namespace detail

inline constexpr std::array type{
    rule_record{.id = rule::cast_gives_int32,
                .fact = "R003",
                .level = severity::reject,
                .ops = {op::cast},
                .sentence = "a cast to int32 is refused",
                .reject = "(cast to int32 rejected)",
                .advice = "keep fp16; as an index it is exact up to 2048",
                .source = "guide chapter 4",
                .evidence = mark::measured,
                .silicon = "M1",
                .check = [](const subject& s) -> finding { return holds_if(s.n.type != dtype::int32); }},
    rule_record{.id = rule::normalization_result_is_not_float,
                .fact = "R196",
                .level = severity::reject,
                .ops = detail::float_results,
                .sentence = "its result has type code {got}, it must be fp16 (code {limit})",
                .reject = "Softmax output tensor must be in Float format | Error: L2 norm output tensor format must be "
                          "Float16",
                .advice = "quantize the result in a step of its own",
                .source = "string catalogue of the compiler",
                .evidence = mark::decompiled,
                .check = [](const subject& s) -> finding {
                    return holds_if(s.n.type == dtype::f16, static_cast<int>(s.n.type), static_cast<int>(dtype::f16));
                }},
    rule_record{.id = rule::uint8_reaches_arithmetic,
                .fact = "R002",
                .level = severity::reject,
                .ops = op_set::where(
                    [](op o) { return !is_source(o) && o != op::cast && o != op::reshape && o != op::dequantize; }),
                .sentence = "reads a uint8 tensor (operand {got})",
                .reject = "Param 'y' ... got tensor<uint8,...>",
                .advice = "convert the image with to_f16 first",
                .source = "guide chapter 4",
                .evidence = mark::measured,
                .silicon = "M1",
                .check = [](const subject& s) -> finding {
                    for (int i = 0; i < s.operand_count(); ++i) {
                        if (s.operand(i).type == dtype::uint8) {
                            return {true, i, 0};
                        }
                    }
                    return {};
                }},
    rule_record{.id = rule::element_type_is_not_f16,
                .fact = "R001",
                .level = severity::reject,
                .ops = activation_ops,
                .sentence = "elements are of type code {got}, the engine computes in fp16 (code {limit})",
                .reject = "dtype must be 'fp16' or 'uint8'",
                .advice = "use fp16 tensors; uint8 for image inputs only",
                .source = "guide chapter 4",
                .evidence = mark::measured,
                .silicon = "M1",
                .check = [](const subject& s) -> finding {
                    bool allowed = detail::is_inner_type(s);
                    if (s.n.type != dtype::f16) {
                        for (const output_port& port : s.g.outputs) {
                            allowed = allowed && port.node != s.index;
                        }
                    }
                    return holds_if(allowed, static_cast<int>(s.n.type), static_cast<int>(dtype::f16));
                }},
};

} // namespace ane::rules
