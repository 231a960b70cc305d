#pragma once

#include "../../../base/way.hpp"
#include "../../../graph/op_set.hpp"
#include "../../../values/half.hpp"

#include <cstdint>

namespace ane::cpu::inline ANEMONE_WAY {

/// One of several functions in a row, of which each takes the value of the one before: f(value), f(value, other) or
/// f(other, value).
struct chain_link {
    op kind = op::relu;
    bool other_first = false;
    float first = 0; ///< the numbers of a function of one operand
    float second = 0;
    const float* other = nullptr; ///< the other operand, in fp32 or
    const half* halves = nullptr; ///< in fp16
    std::int64_t stride = 1;      ///< 0: one value of it for all
};

/// Functions that take less time than to load and store their value: worth computing several at once.
inline constexpr op_set chain_functions{op::add,   op::sub,   op::mul, op::minimum, op::maximum,   op::relu,
                                        op::relu6, op::clamp, op::abs, op::square,  op::leaky_relu};

/// out[i] = the links in their order over x[i]; the bits are those of one loop after another. In place allowed.
struct chain_kernels {
    void (*to_float)(const chain_link* links, int count, const float* x, float* out, std::int64_t n) = nullptr;
    void (*to_half)(const chain_link* links, int count, const float* x, half* out, std::int64_t n) = nullptr;
};

} // namespace ane::cpu::inline ANEMONE_WAY
