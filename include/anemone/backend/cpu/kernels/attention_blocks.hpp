#pragma once

#include "../../../base/way.hpp"
#include "attention.hpp"
#include "product_blocks.hpp"
#include "workers.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>

/// Attention without a matrix of scores: for a block of keys at a time, a tile of queries makes its scores, their powers
/// and its sums of values in the first cache (online softmax: sums are rescaled when a larger score comes).
namespace ane::cpu::detail::inline ANEMONE_WAY {

inline constexpr std::int64_t attention_keys = product_terms; ///< of a block
inline constexpr std::int64_t attention_rows = 264;           ///< queries that share a block's widened keys and values

struct attention_head {
    const half* query;
    const half* key;
    const half* value;
    const half* mask; ///< or null
};

/// Where the parts of a thread's scratch begin, in floats.
struct attention_scratch {
    std::int64_t query = 0;  ///< a tile of queries, for each product_terms of the depth
    std::int64_t scores = 0; ///< a tile of scores
    std::int64_t known = 0;  ///< the largest products of each of its rows
    std::int64_t keys = 0;   ///< a block of keys as panels
    std::int64_t values = 0; ///< a block of values as panels
    std::int64_t sums = 0;   ///< of values, for each query
    std::int64_t sums_step = 0;
    std::int64_t largest = 0; ///< score of each query
    std::int64_t total = 0;
    std::int64_t size = 0;

    constexpr explicit attention_scratch(const attention_shape& s) {
        const std::int64_t stripe = most_tile_rows * product_step;
        const std::int64_t rows = in_multiples(std::min(s.rows, attention_rows), most_tile_rows);
        const std::int64_t block = std::min(s.keys, attention_keys);
        scores = stripe;
        known = scores + stripe;
        keys = known + most_tile_rows * 16;
        values = keys + in_multiples(block, most_panel_columns) * in_multiples(s.depth, 16);
        sums_step = in_multiples(s.depth, most_panel_columns) + 16;
        sums = values + block * in_multiples(s.depth, most_panel_columns);
        largest = in_multiples(sums + rows * sums_step, 16);
        total = largest + rows;
        size = in_multiples(total + rows, 16);
    }
    constexpr std::int64_t bytes() const { return size * std::int64_t{sizeof(float)}; }
};

/// A stretch of the queries of one head.
template <class Finish> class attention_part {
public:
    attention_part(const kernel_table& table, const attention_shape& shape, const attention_head& head, float* scratch,
                   const Finish& finish)
        : table_(table), products_(table.products), s_(shape), head_(head), scratch_(scratch), at_(shape),
          finish_(finish), as_it_is_(products_.few_turned != nullptr &&
                                     s_.rows <= std::min<std::int64_t>(most_few_rows, products_.rows) &&
                                     s_.depth <= product_terms && s_.depth % products_.columns == 0),
          finds_(head.mask == nullptr && s_.scale > 0 && s_.scale < std::numeric_limits<float>::infinity()) {}

    /// At most attention_rows rows.
    void run(std::int64_t first, std::int64_t rows) const {
        std::fill_n(scratch_ + at_.largest, rows, -std::numeric_limits<float>::infinity());
        std::fill_n(scratch_ + at_.total, rows, 0.0F);
        for (std::int64_t k = 0; k == 0 || k < s_.keys; k += attention_keys) {
            const std::int64_t keys = std::min(attention_keys, s_.keys - k);
            if (as_it_is_) {
                few(rows, k, keys);
                continue;
            }
            load_keys(k, keys);
            for (std::int64_t r = 0; r < rows; r += products_.rows) {
                tile(first, r, std::min<std::int64_t>(products_.rows, rows - r), k, keys);
            }
        }
        for (std::int64_t r = 0; r < rows; ++r) {
            float* const sums = scratch_ + at_.sums + r * at_.sums_step;
            table_.attention.divide(sums, scratch_[at_.total + r], s_.depth);
            finish_(sums, first + r);
        }
    }

private:
    std::int64_t panels_of(std::int64_t columns) const { return (columns + products_.columns - 1) / products_.columns; }

    /// Panels of keys, [product_terms or less of the depth][columns].
    void load_keys(std::int64_t first, std::int64_t keys) const {
        float* to = scratch_ + at_.keys;
        for (std::int64_t d = 0; d < s_.depth; d += product_terms) {
            const std::int64_t terms = std::min(product_terms, s_.depth - d);
            for (std::int64_t k = 0; k < keys; k += products_.columns) {
                products_.widen_turned(head_.key + (first + k) * s_.depth + d, s_.depth, terms,
                                       std::min<std::int64_t>(products_.columns, keys - k), to, products_.columns,
                                       products_.columns);
                to += terms * products_.columns;
            }
        }
    }

    /// The sums of values of a stripe of queries. The first one widens the values.
    void add_values(std::int64_t rows, std::int64_t key, std::int64_t keys, bool widened, float* sums) const {
        const std::int64_t columns = products_.columns;
        const float* const shares = scratch_ + at_.scores;
        if (widened) {
            products_.stripe(rows, keys, shares, scratch_ + at_.values, s_.depth, {sums, at_.sums_step, key == 0});
            return;
        }
        for (std::int64_t d = 0; d < s_.depth; d += columns) {
            const std::int64_t count = std::min(columns, s_.depth - d);
            const half* const from = head_.value + key * s_.depth + d;
            float* const wide = scratch_ + at_.values + d * keys;
            const product_results to{sums + d, at_.sums_step, key == 0};
            if (count == columns) {
                products_.half_stripe(rows, keys, shares, from, s_.depth, count, wide, to, nullptr);
            } else {
                products_.widen(from, s_.depth, keys, count, wide, columns, columns);
                products_.stripe(rows, keys, shares, wide, count, to);
            }
        }
    }

    /// The scores' powers. The largest products of `counted` keys are known.
    void weigh(std::int64_t first, std::int64_t row, std::int64_t rows, std::int64_t key, std::int64_t keys,
               std::int64_t counted, float* sums) const {
        score_terms terms{.scale = s_.scale};
        if (head_.mask != nullptr) {
            terms.row_step = s_.mask_rows == 1 ? 0 : s_.mask_keys;
            terms.key_step = s_.mask_keys == 1 ? 0 : 1;
            terms.mask = head_.mask + (first + row) * terms.row_step + key * terms.key_step;
        }
        table_.attention.weigh(rows, keys, terms, scratch_ + at_.scores, finds_ ? scratch_ + at_.known : nullptr,
                               counted, scratch_ + at_.largest + row, scratch_ + at_.total + row, sums, at_.sums_step,
                               key == 0 ? 0 : s_.depth);
    }

    /// All queries of a head, with a block of keys and values as they are: each is read once, at the memory's speed.
    void few(std::int64_t queries, std::int64_t key, std::int64_t keys) const {
        std::int64_t rows = 1;
        while (rows < queries) {
            rows *= 2;
        }
        products_.widen(head_.query, s_.depth, queries, s_.depth, scratch_, product_step, s_.depth);
        for (std::int64_t r = queries; r < rows; ++r) {
            std::fill_n(scratch_ + r * product_step, s_.depth, 0.0F);
        }
        float* const scores = scratch_ + at_.scores;
        float* const sums = scratch_ + at_.sums;
        products_.few_turned(rows, s_.depth, scratch_, product_step, head_.key + key * s_.depth, s_.depth, keys, scores,
                             product_step);
        std::fill_n(scratch_ + at_.known, queries * 16, -std::numeric_limits<float>::infinity());
        weigh(0, 0, queries, key, keys, 0, sums);
        products_.few(rows, keys, scores, product_step, head_.value + key * s_.depth, s_.depth, products_.columns,
                      s_.depth / products_.columns, sums, at_.sums_step, key == 0);
    }

    void tile(std::int64_t first, std::int64_t row, std::int64_t rows, std::int64_t key, std::int64_t keys) const {
        const std::int64_t tiled = in_multiples(rows, products_.unit);
        const std::int64_t columns = products_.columns;
        float* const scores = scratch_ + at_.scores;
        // The products of whole panels, and 16s, find the largest score themselves.
        const std::int64_t whole = std::max<std::int64_t>(columns, 16);
        const std::int64_t counted = finds_ ? keys / whole * whole : 0;
        float* const known = scratch_ + at_.known;
        std::fill_n(known, tiled * 16, -std::numeric_limits<float>::infinity());
        const float* from = scratch_ + at_.keys;
        for (std::int64_t d = 0; d == 0 || d < s_.depth; d += product_terms) {
            const std::int64_t terms = std::min(product_terms, s_.depth - d);
            products_.widen(head_.query + (first + row) * s_.depth + d, s_.depth, rows, terms, scratch_, product_step,
                            terms);
            for (std::int64_t r = rows; r < tiled; ++r) {
                std::fill_n(scratch_ + r * product_step, terms, 0.0F);
            }
            product_results to{scores, product_step, d == 0};
            to.largest = d + terms < s_.depth ? nullptr : known;
            products_.stripe(tiled, terms, scratch_, from, counted, to);
            to.sums += counted;
            to.largest = nullptr;
            products_.stripe(tiled, terms, scratch_, from + counted * terms, keys - counted, to);
            from += panels_of(keys) * terms * columns;
        }
        float* const sums = scratch_ + at_.sums + row * at_.sums_step;
        weigh(first, row, rows, key, keys, counted, sums);
        add_values(tiled, key, keys, row > 0, sums);
    }

    const kernel_table& table_;
    const product_kernels& products_;
    attention_shape s_;
    attention_head head_;
    float* scratch_;
    attention_scratch at_;
    const Finish& finish_;
    bool as_it_is_; ///< keys and values are not worth to be widened
    bool finds_;    ///< the largest score is that of the largest product
};

/// `heads` of one shape: operands(i) gives where one is, finish(i, sums, row) gets each row of its result. Threads split
/// the tiles of queries of all heads; the bits do not depend on it.
template <class Operands, class Finish>
void attend(const kernel_table& table, const attention_shape& s, std::int64_t heads, const worker_threads& workers,
            const Operands& operands, const Finish& finish) {
    const std::int64_t size = table.products.rows;
    const std::int64_t tiles = (s.rows + size - 1) / size;
    const std::int64_t work = std::max<std::int64_t>(1, 2 * size * s.keys * s.depth);
    workers.share(heads * tiles, (product_grain + work - 1) / work,
                  [&](std::int64_t first, std::int64_t last, std::byte* scratch) {
                      while (first < last) {
                          const std::int64_t head = first / tiles;
                          const std::int64_t begin = first % tiles;
                          const std::int64_t end = std::min(tiles, begin + last - first);
                          const auto done = [&](float* sums, std::int64_t row) { finish(head, sums, row); };
                          const attention_part part(table, s, operands(head), reinterpret_cast<float*>(scratch), done);
                          const std::int64_t until = std::min(s.rows, end * size);
                          const std::int64_t parts = (until - begin * size + attention_rows - 1) / attention_rows;
                          const std::int64_t rows = (end - begin + parts - 1) / parts * size;
                          for (std::int64_t r = begin * size; r < until; r += rows) {
                              part.run(r, std::min(rows, until - r));
                          }
                          first += end - begin;
                      }
                  });
}

} // namespace ane::cpu::detail::inline ANEMONE_WAY
