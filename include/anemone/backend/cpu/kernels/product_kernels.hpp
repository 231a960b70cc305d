#pragma once

#include "../../../base/way.hpp"
#include "../../../values/half.hpp"
#include "finishing.hpp"

#include <cstdint>

namespace ane::cpu::inline ANEMONE_WAY {

/// Left operands are multiplied in blocks of fp32 rows of this many terms, which lie this many floats apart: a constant,
/// so that one register addresses all rows of a tile; no multiple of 4096 bytes, so that the rows of a tile are in
/// different sets of the first cache.
inline constexpr std::int64_t product_terms = 512;
inline constexpr std::int64_t product_step = product_terms + 16;
/// Products of at most this many rows read their right operand as fp16, once.
inline constexpr std::int64_t most_few_rows = 8;
/// The most that an instruction set has, so that the scratch of a product depends on its extents alone.
inline constexpr std::int64_t most_tile_rows = 12;
inline constexpr std::int64_t most_panel_columns = 32;
inline constexpr std::int64_t most_block_rows = 264;
inline constexpr std::int64_t most_wide_rows = 528;

/// Integers are stored as bytes, which have so much more.
inline constexpr int coded_zero = 128;

/// Panels that stay compressed: integers with a scale for each block of terms of a column, or indices of a table of 16
/// values.
struct coded_panels {
    bool nibbles = false;
    const std::uint8_t* codes = nullptr; ///< [terms][columns], or [terms][columns / 2]
    std::int64_t panel_bytes = 0;        ///< from one panel to the next
    const half* scales = nullptr;        ///< [blocks][columns], from the block of the first term on
    std::int64_t panel_scales = 0;       ///< from one panel to the next
    std::int64_t block = 0;              ///< terms that share a scale
    std::int64_t first = 0;              ///< those of them in the first block
    const float* table = nullptr;
};

/// Where the results of tiles go: element (r, c) is sums[r * step + c]. `fresh` tiles start from zero, others from what
/// is in `sums`.
struct product_results {
    float* sums = nullptr;
    std::int64_t step = 0;
    bool fresh = true;
    finishing finish = {};     ///< with `out`, of element (0, 0): where the results go instead
    std::int64_t out_step = 0; ///< from a row of them to the next
    std::int64_t rows = 0;     ///< then, so many rows and columns are results: tiles reach beyond them
    std::int64_t columns = 0;
    const float* bias = nullptr;     ///< of the columns or null; then added before
    const float* row_bias = nullptr; ///< of the rows or null; likewise
    float* largest = nullptr; ///< or null; the largest of row r and of these 16 numbers from r * 16 on, in any of them
};

/// The loops of products. A panel is `columns` neighbouring columns of a right operand, [terms][columns]. Every sum is
/// one fp32 accumulator in the order of the terms, so all of them give the same bits at one instruction set.
struct product_kernels {
    int rows = 0;       ///< of a full tile
    int unit = 0;       ///< tiles have a multiple of this many rows
    int columns = 0;    ///< of a panel
    int block_rows = 0; ///< of a block of results, at most; a multiple of `rows`
    int wide_rows = 0;  ///< rows of product_terms fp32 values that leave half of the second cache free
    int least_rows = 0; ///< so many rows share a panel in fp32 at least, where there are as many

    /// results (+)= sum over t of a[r * product_step + t] * panels[c / columns][t][c % columns] for `rows`, a multiple of
    /// `unit`, and `count` columns. What is behind the last column in its panel may be written as well.
    void (*stripe)(std::int64_t rows, std::int64_t terms, const float* a, const float* panels, std::int64_t count,
                   const product_results& to) = nullptr;
    /// The same with one whole panel in fp16, whose terms are `term_step` apart; its fp32 values are left in `wide` for
    /// further rows. `next`, or null, is the packed panel that will be read next: on its way while tiles are computed.
    void (*half_stripe)(std::int64_t rows, std::int64_t terms, const float* a, const half* panel,
                        std::int64_t term_step, std::int64_t count, float* wide, const product_results& to,
                        const half* next) = nullptr;
    /// The same for 1, 2, 4 or 8 rows of a, `a_step` apart, and whole panels in fp16: element (t, c) of panel p is at
    /// b[p * panel_step + t * term_step + c]. `fresh` starts from zero, otherwise from what is in `sums`.
    /// Null where the conversion takes many instructions.
    void (*few)(std::int64_t rows, std::int64_t terms, const float* a, std::int64_t a_step, const half* b,
                std::int64_t term_step, std::int64_t panel_step, std::int64_t panels, float* sums, std::int64_t step,
                bool fresh) = nullptr;
    /// The same for a right operand that is stored [columns][terms], with rows `b_step` apart: element (t, c) is at
    /// b[c * b_step + t]. Starts from zero and writes `columns` sums of each row. Null where `few` is or it is not faster.
    void (*few_turned)(std::int64_t rows, std::int64_t terms, const float* a, std::int64_t a_step, const half* b,
                       std::int64_t b_step, std::int64_t columns, float* sums, std::int64_t step) = nullptr;
    /// to[i * to_step + j] = from[i * from_step + j], zeros for count <= j < filled.
    void (*widen)(const half* from, std::int64_t from_step, std::int64_t rows, std::int64_t count, float* to,
                  std::int64_t to_step, std::int64_t filled) = nullptr;
    /// to[i * to_step + j] = from[j * from_step + i], zeros for count <= j < filled.
    void (*widen_turned)(const half* from, std::int64_t from_step, std::int64_t rows, std::int64_t count, float* to,
                         std::int64_t to_step, std::int64_t filled) = nullptr;
    /// `few` with compressed panels, and a compressed panel in fp32. Null where a set has no fast form.
    void (*few_coded)(std::int64_t rows, std::int64_t terms, const float* a, std::int64_t a_step, const coded_panels& b,
                      std::int64_t panels, float* sums, std::int64_t step) = nullptr;
    void (*widen_coded)(const coded_panels& panel, std::int64_t terms, float* to) = nullptr;
    /// Whether four bits become a value as fast as fp16 does.
    bool quick_nibbles = false;
};

} // namespace ane::cpu::inline ANEMONE_WAY

#if defined(__x86_64__)
namespace ane::cpu::detail::inline ANEMONE_WAY {

/// Codes in memory, and as 32-bit numbers.
// NOLINTBEGIN(modernize-use-using): g++ takes the attribute on a typedef
typedef char sixteen_bytes __attribute__((vector_size(16)));
typedef long long two_words __attribute__((vector_size(16)));
template <int Lanes> struct code_vector;
template <> struct code_vector<8> {
    typedef std::uint8_t bytes __attribute__((vector_size(8)));
    typedef std::int32_t numbers __attribute__((vector_size(32)));
};
template <> struct code_vector<16> {
    typedef std::uint8_t bytes __attribute__((vector_size(16)));
    typedef std::int32_t numbers __attribute__((vector_size(64)));
};
// NOLINTEND(modernize-use-using)

/// Of each byte of a register the place from which it comes: 0, 1, ... become second bytes of four, others zeros.
struct second_byte_places {
    alignas(64) std::uint8_t places[64] = {};

    constexpr second_byte_places() {
        for (int i = 0; i < 64; ++i) {
            places[i] = static_cast<std::uint8_t>(i % 4 == 1 ? i / 4 : 0x80);
        }
    }
};
inline constexpr second_byte_places second_bytes;

} // namespace ane::cpu::detail::inline ANEMONE_WAY
#endif
