#pragma once

#include "../../../base/way.hpp"
#include "algorithms.hpp"
#include "packed_codes.hpp"
#include "packed_matrix.hpp"
#include "workers.hpp"

#include <algorithm>
#include <cstdint>

/// Products of whole matrices by the loops of product_kernels.hpp, blocked for the caches and split over threads.
namespace ane::cpu::detail::inline ANEMONE_WAY {

/// One right operand of a product: packed panels, or a matrix as the model stores it.
struct right_matrix {
    const half* values = nullptr;
    bool packed = false;
    bool turned = false;                 ///< stored [n, k]
    const packed_codes* coded = nullptr; ///< compressed panels in place of values
    std::int64_t step =
        0; ///< as it is and not turned: from a term to the next, where that is not the number of columns
};

/// Extents of one product, and how its left operand is stored.
struct product_extents {
    std::int64_t m = 0;
    std::int64_t n = 0;
    std::int64_t k = 0;
    bool turned_left = false; ///< stored [k, m]

    constexpr bool few() const { return m <= most_few_rows; }
};

/// Results that tiles can finish themselves: (row, column) is element row * step + column of `finish`.
struct finished_results {
    finishing finish; ///< without `out` there is more to do
    std::int64_t step = 0;
    const float* bias = nullptr;     ///< by column, or null
    const float* row_bias = nullptr; ///< by row, or null
};

/// Of products whose results tiles do not finish.
struct no_finished_results {
    finished_results operator()(std::int64_t) const { return {}; }
};

/// Columns of a block of results.
inline constexpr std::int64_t product_columns = 256;

constexpr std::int64_t in_multiples(std::int64_t count, std::int64_t of) { return (count + of - 1) / of * of; }

/// The terms of a product in equal blocks.
struct term_blocks {
    std::int64_t count;
    std::int64_t terms; ///< of each but the last

    constexpr explicit term_blocks(std::int64_t k)
        : count(std::max<std::int64_t>(1, (k + product_terms - 1) / product_terms)),
          terms(std::max<std::int64_t>(16, in_multiples((k + count - 1) / count, 16))) {}
};

/// The rows of a block of results, equal parts of all rows, and whether all their terms stay widened at once.
struct row_blocks {
    std::int64_t rows;
    bool whole;

    row_blocks(const product_kernels& kernels, std::int64_t all, std::int64_t blocks_of_terms) {
        const std::int64_t fitting = kernels.wide_rows / blocks_of_terms / kernels.rows * kernels.rows;
        whole = fitting >= kernels.least_rows || fitting >= all;
        const std::int64_t most = whole ? std::min<std::int64_t>(fitting, kernels.block_rows) : kernels.block_rows;
        const std::int64_t blocks = std::max<std::int64_t>(1, (all + most - 1) / most);
        rows = in_multiples((all + blocks - 1) / blocks, blocks == 1 ? kernels.unit : kernels.rows);
    }
};

/// Where the parts of a thread's scratch begin, in floats.
struct product_scratch {
    std::int64_t left = 0;  ///< widened rows: those of a block, or few whole ones
    std::int64_t panel = 0; ///< widened columns
    std::int64_t sums = 0;  ///< a block of results
    std::int64_t sums_step = 0;
    std::int64_t size = 0;

    constexpr explicit product_scratch(const product_extents& e) {
        const std::int64_t rows = in_multiples(std::min(e.m, most_block_rows), most_tile_rows);
        const std::int64_t columns = in_multiples(std::min(e.n, product_columns), most_panel_columns);
        const std::int64_t wide = std::min(most_wide_rows, term_blocks(e.k).count * rows) * product_step;
        panel = in_multiples(e.few() ? std::max(wide, most_few_rows * e.k) : wide, 16);
        sums = panel + std::min(product_terms, e.k) * most_panel_columns;
        sums_step = columns + 16; // no multiple of 4096 bytes, as product_step
        size = sums + std::max(rows, e.few() ? most_few_rows : 0) * sums_step;
    }
    constexpr std::int64_t bytes() const { return size * std::int64_t{sizeof(float)}; }
};

/// One product, or the part of it that a thread computes. `finish(sums, row, column, count)` gets each finished stretch
/// of a row and may overwrite it. `Ways` are the algorithms that the program has.
template <algorithm_set Ways, class Finish> class product_part {
public:
    product_part(const kernel_table& table, const product_extents& extents, const half* left, const right_matrix& right,
                 float* scratch, const finished_results& finished, const Finish& finish)
        : kernels_(table.products), e_(extents), terms_(extents.k), a_(left), b_(right), scratch_(scratch),
          at_(extents), finished_(finished), finish_(finish) {}

    void run(std::int64_t first_row, std::int64_t last_row, std::int64_t first_column, std::int64_t last_column) const {
        const bool turned = b_.turned && !b_.packed;
        const bool as_it_is = !Ways.contains(algorithm::many_rows) ||
                              (e_.few() && (turned ? kernels_.few_turned != nullptr : kernels_.few != nullptr));
        const row_blocks blocks(kernels_, last_row - first_row, terms_.count);
        for (std::int64_t r = first_row; r < last_row; r += as_it_is ? e_.m : blocks.rows) {
            const std::int64_t rows = std::min(blocks.rows, last_row - r);
            for (std::int64_t c = first_column; c < last_column; c += product_columns) {
                const std::int64_t columns = std::min(product_columns, last_column - c);
                if (as_it_is) {
                    if constexpr (Ways.contains(algorithm::one_row) || Ways.contains(algorithm::few_rows)) {
                        few(c, columns);
                    }
                } else if constexpr (Ways.contains(algorithm::many_rows)) {
                    block(r, rows, c, columns, blocks.whole, blocks.whole && c > first_column);
                }
            }
        }
    }

private:
    /// The rows are widened into the second cache; a panel of columns, which is widened by its first tile, stays near
    /// while all tiles of rows use it.
    void block(std::int64_t row, std::int64_t rows, std::int64_t column, std::int64_t columns, bool whole,
               bool widened) const {
        const std::int64_t tiled = in_multiples(rows, kernels_.unit);
        float* left = scratch_;
        for (std::int64_t t = 0; t == 0 || t < e_.k; t += terms_.terms) {
            const std::int64_t terms = std::min(terms_.terms, e_.k - t);
            if (!widened) {
                load_left(row, rows, t, terms, left);
            }
            const bool last = t + terms_.terms >= e_.k;
            for (std::int64_t c = 0; c < columns; c += kernels_.columns) {
                const std::int64_t count = std::min<std::int64_t>(kernels_.columns, columns - c);
                product_results to{scratch_ + at_.sums + c, at_.sums_step, t == 0};
                if (last && finished_.finish.out != nullptr) {
                    to.finish = finished_.finish.from(row * finished_.step + column + c);
                    to.out_step = finished_.step;
                    to.rows = rows;
                    to.columns = count;
                    to.bias = finished_.bias == nullptr ? nullptr : finished_.bias + column + c;
                    to.row_bias = finished_.row_bias == nullptr ? nullptr : finished_.row_bias + row;
                }
                const bool more = c + kernels_.columns < columns;
                const half* const next = more    ? packed_panel(column + c + kernels_.columns, t)
                                         : !last ? packed_panel(column, t + terms)
                                                 : packed_panel(column + columns, 0);
                panel(tiled, left, column + c, count, t, terms, to, next);
            }
            left += whole ? tiled * product_step : 0;
        }
        if (finished_.finish.out == nullptr) {
            finished(scratch_ + at_.sums, row, rows, column, columns);
        }
    }

    std::int64_t panels_of(std::int64_t columns) const { return (columns + kernels_.columns - 1) / kernels_.columns; }

    /// Of a right operand as it is.
    std::int64_t term_step() const { return b_.step > 0 ? b_.step : e_.n; }

    bool packed() const { return b_.packed && b_.coded == nullptr; }

    /// The terms of a panel from `t` on; null where it is not packed so, or there is none.
    const half* packed_panel(std::int64_t column, std::int64_t t) const {
        return packed() && column < e_.n ? b_.values + column * e_.k + t * kernels_.columns : nullptr;
    }

    /// The right operand from an element on; null stays null: a product without terms has no values.
    const half* values_from(std::int64_t element) const { return b_.values != nullptr ? b_.values + element : nullptr; }

    /// The products of `rows` with a panel of `count` columns, whose fp32 values stay in the scratch.
    void panel(std::int64_t rows, const float* left, std::int64_t column, std::int64_t count, std::int64_t t,
               std::int64_t terms, const product_results& to, const half* next) const {
        const std::int64_t all = kernels_.columns;
        float* const wide = scratch_ + at_.panel;
        if (packed() || (!b_.packed && !b_.turned && count == all)) {
            const half* const from = packed() ? packed_panel(column, t) : values_from(t * term_step() + column);
            kernels_.half_stripe(rows, terms, left, from, packed() ? all : term_step(), count, wide, to, next);
            return;
        }
        if (!widen_codes(column, t, terms, wide)) {
            const half* const from = values_from(b_.turned ? column * e_.k + t : t * term_step() + column);
            load(b_.turned, from, b_.turned ? e_.k : term_step(), terms, count, wide, all, all);
        }
        kernels_.stripe(rows, terms, left, wide, count, to);
    }

    /// False where the panel is not compressed.
    bool widen_codes([[maybe_unused]] std::int64_t column, [[maybe_unused]] std::int64_t t,
                     [[maybe_unused]] std::int64_t terms, [[maybe_unused]] float* wide) const {
        if constexpr (Ways.contains(algorithm::codes)) {
            if (b_.coded != nullptr) {
                kernels_.widen_coded(b_.coded->panels(column, t), terms, wide);
                return true;
            }
        }
        return false;
    }

    /// All terms at once, the right operand as it is: it is read once, at the memory's speed.
    void few(std::int64_t column, std::int64_t columns) const {
        std::int64_t rows = 1;
        while (rows < e_.m) {
            rows *= 2;
        }
        load(e_.turned_left, a_, e_.turned_left ? e_.m : e_.k, e_.m, e_.k, scratch_, e_.k, e_.k);
        std::fill_n(scratch_ + e_.m * e_.k, (rows - e_.m) * e_.k, 0.0F);
        if constexpr (Ways.contains(algorithm::codes)) {
            if (b_.coded != nullptr) {
                kernels_.few_coded(rows, e_.k, scratch_, e_.k, b_.coded->panels(column, 0), panels_of(columns),
                                   scratch_ + at_.sums, at_.sums_step);
                finished(scratch_ + at_.sums, 0, e_.m, column, columns);
                return;
            }
        }
        if constexpr (Ways.contains(algorithm::turned_columns)) {
            if (b_.turned && !b_.packed) {
                kernels_.few_turned(rows, e_.k, scratch_, e_.k, b_.values + column * e_.k, e_.k, columns,
                                    scratch_ + at_.sums, at_.sums_step);
                finished(scratch_ + at_.sums, 0, e_.m, column, columns);
                return;
            }
        }
        const std::int64_t panel_step = b_.packed ? e_.k * kernels_.columns : kernels_.columns;
        const std::int64_t whole =
            b_.packed ? in_multiples(columns, kernels_.columns) / kernels_.columns : columns / kernels_.columns;
        kernels_.few(rows, e_.k, scratch_, e_.k, b_.values + column / kernels_.columns * panel_step,
                     b_.packed ? kernels_.columns : term_step(), panel_step, whole, scratch_ + at_.sums, at_.sums_step,
                     true);
        finished(scratch_ + at_.sums, 0, e_.m, column, std::min(columns, whole * kernels_.columns));
        if constexpr (!Ways.contains(algorithm::many_rows)) {
            return; // a packed operand has whole panels
        } else if (whole * kernels_.columns < columns) {
            block(0, e_.m, column + whole * kernels_.columns, columns - whole * kernels_.columns, false, false);
        }
    }

    void finished(float* sums, std::int64_t row, std::int64_t rows, std::int64_t column, std::int64_t columns) const {
        if (columns > 0) {
            for (std::int64_t r = 0; r < rows; ++r) {
                finish_(sums + r * at_.sums_step, row + r, column, columns);
            }
        }
    }

    void load_left(std::int64_t row, std::int64_t rows, std::int64_t t, std::int64_t terms, float* to) const {
        const half* const from = e_.turned_left ? a_ + t * e_.m + row : a_ + row * e_.k + t;
        load(e_.turned_left, from, e_.turned_left ? e_.m : e_.k, rows, terms, to, product_step, terms);
        for (std::int64_t r = rows; r < in_multiples(rows, kernels_.unit); ++r) {
            std::fill_n(to + r * product_step, terms, 0.0F);
        }
    }

    void load(bool turned, const half* from, std::int64_t from_step, std::int64_t rows, std::int64_t count, float* to,
              std::int64_t to_step, std::int64_t filled) const {
        (turned ? kernels_.widen_turned : kernels_.widen)(from, from_step, rows, count, to, to_step, filled);
    }

    const product_kernels& kernels_;
    product_extents e_;
    term_blocks terms_;
    const half* a_;
    right_matrix b_;
    float* scratch_;
    product_scratch at_;
    finished_results finished_;
    const Finish& finish_;
};

/// Multiply-adds that are worth another thread.
inline constexpr std::int64_t product_grain = 1 << 17;

/// `count` products of equal extents: operands(i) gives the left matrix and the right one, finish(i, sums, row, column,
/// count) gets the results, but those that tiles finish as finished(i) says. Threads split either the columns of all products or their rows, whichever is more even; the
/// bits do not depend on it.
template <algorithm_set Ways = every_algorithm, class Operands, class Finish, class Finished = no_finished_results>
void multiply(const kernel_table& table, const product_extents& e, std::int64_t count, const worker_threads& workers,
              const Operands& operands, const Finish& finish, const Finished& finished = {}) {
    const product_kernels& kernels = table.products;
    const auto uneven = [&](std::int64_t units) {
        const std::int64_t parts = std::clamp<std::int64_t>(units, 1, workers.width);
        const std::int64_t longest = (units + parts - 1) / parts;
        return static_cast<double>(longest * workers.width) / static_cast<double>(std::max<std::int64_t>(units, 1));
    };
    const std::int64_t panels = (e.n + kernels.columns - 1) / kernels.columns;
    const std::int64_t stripes = (e.m + kernels.unit - 1) / kernels.unit;
    const bool by_columns = e.few() || uneven(count * panels) <= uneven(count * stripes);
    const std::int64_t units = by_columns ? panels : stripes;
    const std::int64_t size = by_columns ? kernels.columns : kernels.unit;
    const std::int64_t extent = by_columns ? e.n : e.m;
    const std::int64_t work = std::max<std::int64_t>(1, size * (by_columns ? e.m : e.n) * e.k);
    workers.share(count * units, (product_grain + work - 1) / work,
                  [&](std::int64_t first, std::int64_t last, std::byte* scratch) {
                      while (first < last) {
                          const std::int64_t i = first / units;
                          const std::int64_t begin = first % units;
                          const std::int64_t end = std::min(units, begin + last - first);
                          const auto [left, right] = operands(i);
                          const auto done = [&](float* sums, std::int64_t row, std::int64_t column,
                                                std::int64_t columns) { finish(i, sums, row, column, columns); };
                          const product_part<Ways, decltype(done)> part(
                              table, e, left, right, reinterpret_cast<float*>(scratch), finished(i), done);
                          const std::int64_t from = begin * size;
                          const std::int64_t to = std::min(extent, end * size);
                          by_columns ? part.run(0, e.m, from, to) : part.run(from, to, 0, e.n);
                          first += end - begin;
                      }
                  });
}

} // namespace ane::cpu::detail::inline ANEMONE_WAY
