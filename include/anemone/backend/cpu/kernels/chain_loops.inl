// Included by simd/each_set.inl through level.inl, after elementwise_loops.inl: several functions of elements in one pass.

namespace ane::cpu::detail::inline ANEMONE_WAY {
namespace ANEMONE_SET {

/// Blocks of 16 that go through all links together: enough to hide the choice of the function.
inline constexpr int chain_blocks = 4;

/// The other operand of a link at block `at`, of which `left` elements are there.
ANEMONE_CPU_INLINE row_block other_block(const chain_link& link, std::int64_t at, std::int64_t left) {
    if (link.stride == 0) {
        return row_block::all(*link.other);
    }
    if (link.halves != nullptr) {
        return left < block_lanes ? load_some(link.halves + at, left) : row_block::load(link.halves + at);
    }
    return left < block_lanes ? load_some(link.other + at, left) : row_block::load(link.other + at);
}

template <int Blocks, class Function> ANEMONE_CPU_INLINE void each_block(const Function& function, row_block* values) {
#pragma GCC unroll 4
    for (int k = 0; k < Blocks; ++k) {
        values[k] = function(values[k]);
    }
}

template <int Blocks, class Function>
ANEMONE_CPU_INLINE void each_pair(const Function& function, const chain_link& link, std::int64_t at, std::int64_t left,
                                  row_block* values) {
#pragma GCC unroll 4
    for (int k = 0; k < Blocks; ++k) {
        const row_block other = other_block(link, at + k * block_lanes, left - k * block_lanes);
        values[k] = link.other_first ? function(other, values[k]) : function(values[k], other);
    }
}

/// One link over `Blocks` blocks from element `at` on, of which `left` elements are there.
template <op Kind, int Blocks>
ANEMONE_CPU_INLINE void through_link(const chain_link& link, std::int64_t at, std::int64_t left, row_block* values) {
    if constexpr (is_binary(Kind)) {
        each_pair<Blocks>(binary_function<Kind>{}, link, at, left, values);
    } else {
        each_block<Blocks>(unary_function<Kind>{link.first, link.second}, values);
    }
}

// clang-format takes the directives that follow the macro for part of its body.
// clang-format off

/// All links over `Blocks` blocks from element `at` on, of which `left` elements are there.
template <op_set Functions, int Blocks>
ANEMONE_CPU_INLINE void through_links(const chain_link* links, int count, std::int64_t at, std::int64_t left,
                                      row_block* values) {
    for (int l = 0; l < count; ++l) {
        switch (links[l].kind) {
#define ANEMONE_OPERATION(KIND, ...)                                                                                   \
        case op::KIND:                                                                                                 \
            if constexpr (chain_functions.contains(op::KIND) && Functions.contains(op::KIND)) {                        \
                through_link<op::KIND, Blocks>(links[l], at, left, values);                                            \
                continue;                                                                                              \
            }                                                                                                          \
            break;
#include "../../../graph/operations.def"
        }
        no_loop(links[l].kind);
    }
}
// clang-format on

template <op_set Functions, class To>
void chain_loop(const chain_link* links, int count, const float* x, To* out, std::int64_t n) {
    constexpr std::int64_t together = chain_blocks * block_lanes;
    std::int64_t i = 0;
    for (; i + together <= n; i += together) {
        row_block values[chain_blocks];
#pragma GCC unroll 4
        for (int k = 0; k < chain_blocks; ++k) {
            values[k] = row_block::load(x + i + k * block_lanes);
        }
        through_links<Functions, chain_blocks>(links, count, i, together, values);
#pragma GCC unroll 4
        for (int k = 0; k < chain_blocks; ++k) {
            store_block(values[k], out + i + k * block_lanes);
        }
    }
    for (; i < n; i += block_lanes) {
        const std::int64_t left = n - i;
        row_block value = left < block_lanes ? load_some(x + i, left) : row_block::load(x + i);
        through_links<Functions, 1>(links, count, i, left, &value);
        if (left < block_lanes) {
            store_some(value, out + i, left);
        } else {
            store_block(value, out + i);
        }
    }
}

} // namespace ANEMONE_SET
} // namespace ane::cpu::detail::inline ANEMONE_WAY
