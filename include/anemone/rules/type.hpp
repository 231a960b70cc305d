#pragma once

#include "record.hpp"

#include <array>

namespace ane::rules {

inline constexpr std::array type{
    rule_record{.id = rule::uint8_reaches_arithmetic,
                .fact = "R002",
                .level = severity::reject,
                .ops = op_set::where([](op o) { return !is_source(o) && o != op::cast && o != op::reshape; }),
                .sentence = "reads a uint8 tensor (operand {got})",
                .reject = "Param 'y' ... got tensor<uint8,...>",
                .advice = "convert the image with to_f16 first",
                .source = "guide chapter 4",
                .evidence = mark::measured,
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
                .ops = every_op,
                .sentence = "elements are of type code {got}, the engine computes in fp16 (code {limit})",
                .reject = "dtype must be 'fp16' or 'uint8'",
                .advice = "use fp16 tensors; uint8 for image inputs only",
                .source = "guide chapter 4",
                .evidence = mark::measured,
                .check = [](const subject& s) -> finding {
                    // An image may be reshaped before it is converted (lowering converts first), but not returned.
                    bool image = s.n.type == dtype::uint8 && (s.n.kind == op::input || s.n.kind == op::reshape);
                    if (image) {
                        for (const output_port& port : s.g.outputs) {
                            image = image && port.node != s.index;
                        }
                    }
                    return holds_if(s.n.type == dtype::f16 || image, static_cast<int>(s.n.type),
                                    static_cast<int>(dtype::f16));
                }},
};

} // namespace ane::rules
