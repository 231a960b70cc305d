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

/// All links over `Blocks` blocks from element `at` on, of which `left` elements are there.
template <op_set Functions, int Blocks>
ANEMONE_CPU_INLINE void through_links(const chain_link* links, int count, std::int64_t at, std::int64_t left,
                                      row_block* values) {
#define ANEMONE_PAIR(KIND)                                                                                             \
    case op::KIND:                                                                                                     \
        if constexpr (Functions.contains(op::KIND)) {                                                                  \
            each_pair<Blocks>(binary_function<op::KIND>{}, link, at, left, values);                                    \
            break;                                                                                                     \
        }                                                                                                              \
        no_loop(link.kind);
#define ANEMONE_BLOCK(KIND, ...)                                                                                       \
    case op::KIND:                                                                                                     \
        if constexpr (Functions.contains(op::KIND)) {                                                                  \
            each_block<Blocks>(unary_function<op::KIND>{__VA_ARGS__}, values);                                         \
            break;                                                                                                     \
        }                                                                                                              \
        no_loop(link.kind);
    for (int l = 0; l < count; ++l) {
        const chain_link& link = links[l];
        switch (link.kind) {
            ANEMONE_PAIR(add)
            ANEMONE_PAIR(sub)
            ANEMONE_PAIR(mul)
            ANEMONE_PAIR(minimum)
            ANEMONE_PAIR(maximum)
            ANEMONE_BLOCK(relu)
            ANEMONE_BLOCK(relu6)
            ANEMONE_BLOCK(clamp, link.first, link.second)
            ANEMONE_BLOCK(leaky_relu, link.first, link.second)
            ANEMONE_BLOCK(abs)
            ANEMONE_BLOCK(square)
        default: no_loop(link.kind);
        }
    }
#undef ANEMONE_PAIR
#undef ANEMONE_BLOCK
}

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
