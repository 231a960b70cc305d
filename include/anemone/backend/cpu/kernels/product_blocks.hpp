#pragma once

#include "../../../base/way.hpp"
#include "../workers.hpp"
#include "packed_codes.hpp"
#include "packed_matrix.hpp"

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
};

/// Extents of one product, and how its left operand is stored.
struct product_extents {
    std::int64_t m = 0;
    std::int64_t n = 0;
    std::int64_t k = 0;
    bool turned_left = false; ///< stored [k, m]

    constexpr bool few() const { return m <= few_rows; }
};

/// Columns of a block of results.
inline constexpr std::int64_t product_columns = 256;

constexpr std::int64_t in_multiples(std::int64_t count, std::int64_t of) { return (count + of - 1) / of * of; }

/// The rows of a block of results: equal parts of all rows.
inline std::int64_t block_rows_of(const product_kernels& kernels, std::int64_t rows) {
    const std::int64_t blocks = std::max<std::int64_t>(1, (rows + kernels.block_rows - 1) / kernels.block_rows);
    return in_multiples((rows + blocks - 1) / blocks, blocks == 1 ? kernels.unit : kernels.rows);
}

/// Where the parts of a thread's scratch begin, in floats.
struct product_scratch {
    std::int64_t left = 0;  ///< the terms of a stripe of rows, or of few whole rows
    std::int64_t panel = 0; ///< those of a block of columns
    std::int64_t sums = 0;  ///< a block of results
    std::int64_t sums_step = 0;
    std::int64_t size = 0;

    constexpr explicit product_scratch(const product_extents& e) {
        const std::int64_t rows = in_multiples(std::min(e.m, most_block_rows), most_tile_rows);
        const std::int64_t columns = in_multiples(std::min(e.n, product_columns), most_panel_columns);
        const std::int64_t stripe = most_tile_rows * product_step;
        panel = in_multiples(e.few() ? std::max(stripe, few_rows * e.k) : stripe, 16);
        sums = panel + std::min(product_terms, e.k) * columns;
        sums_step = columns + 16; // no multiple of 4096 bytes, as product_step
        size = sums + std::max(rows, e.few() ? few_rows : 0) * sums_step;
    }
    constexpr std::int64_t bytes() const { return size * std::int64_t{sizeof(float)}; }
};

/// One product, or the part of it that a thread computes. `finish(sums, row, column, count)` gets each finished stretch
/// of a row and may overwrite it.
template <class Finish> class product_part {
public:
    product_part(const kernel_table& table, const product_extents& extents, const half* left, const right_matrix& right,
                 float* scratch, const Finish& finish)
        : kernels_(table.products), e_(extents), a_(left), b_(right), scratch_(scratch), at_(extents), finish_(finish) {
    }

    void run(std::int64_t first_row, std::int64_t last_row, std::int64_t first_column, std::int64_t last_column) const {
        for (std::int64_t c = first_column; c < last_column; c += product_columns) {
            const std::int64_t columns = std::min(product_columns, last_column - c);
            if (e_.few() && kernels_.few != nullptr && (b_.packed || !b_.turned)) {
                few(c, columns);
                continue;
            }
            const std::int64_t rows = block_rows_of(kernels_, last_row - first_row);
            for (std::int64_t r = first_row; r < last_row; r += rows) {
                block(r, std::min(rows, last_row - r), c, columns);
            }
        }
    }

private:
    /// A stripe of rows is widened when it is its turn, and its results are finished while they are in the first
    /// cache; the panels stay in the second one.
    void block(std::int64_t row, std::int64_t rows, std::int64_t column, std::int64_t columns) const {
        for (std::int64_t t = 0; t == 0 || t < e_.k; t += product_terms) {
            const std::int64_t terms = std::min(product_terms, e_.k - t);
            for (std::int64_t r = 0; r < rows; r += kernels_.rows) {
                const std::int64_t count = std::min<std::int64_t>(kernels_.rows, rows - r);
                float* const sums = scratch_ + at_.sums + r * at_.sums_step;
                load_left(row + r, count, t, terms);
                const std::int64_t tiled = in_multiples(count, kernels_.unit);
                if (r == 0) {
                    first_stripe(tiled, column, columns, t, terms, sums);
                } else {
                    kernels_.stripe(tiled, terms, scratch_, scratch_ + at_.panel, panels_of(columns), sums,
                                    at_.sums_step, t == 0);
                }
                if (t + product_terms >= e_.k) {
                    finished(sums, row + r, count, column, columns);
                }
            }
        }
    }

    std::int64_t panels_of(std::int64_t columns) const { return (columns + kernels_.columns - 1) / kernels_.columns; }

    void first_stripe(std::int64_t rows, std::int64_t column, std::int64_t columns, std::int64_t t, std::int64_t terms,
                      float* sums) const {
        const std::int64_t all = kernels_.columns;
        float* const wide = scratch_ + at_.panel;
        std::int64_t whole = 0; // panels that lie in memory as they are
        if (b_.coded != nullptr) {
            for (; whole < panels_of(columns); ++whole) {
                kernels_.widen_coded(b_.coded->panels(column + whole * all, t), terms, wide + whole * terms * all);
            }
            kernels_.stripe(rows, terms, scratch_, wide, whole, sums, at_.sums_step, t == 0);
            return;
        }
        if (b_.packed) {
            whole = panels_of(columns);
            kernels_.half_stripe(rows, terms, scratch_, b_.values + column * e_.k + t * all, all, e_.k * all, whole,
                                 wide, sums, at_.sums_step, t == 0);
        } else if (!b_.turned) {
            whole = columns / all;
            kernels_.half_stripe(rows, terms, scratch_, b_.values + t * e_.n + column, e_.n, all, whole, wide, sums,
                                 at_.sums_step, t == 0);
        }
        for (std::int64_t p = whole; p < panels_of(columns); ++p) {
            const std::int64_t c = column + p * all;
            const half* const from = b_.turned ? b_.values + c * e_.k + t : b_.values + t * e_.n + c;
            load(b_.turned, from, b_.turned ? e_.k : e_.n, terms, std::min(all, e_.n - c), wide + p * terms * all, all,
                 all);
        }
        kernels_.stripe(rows, terms, scratch_, wide + whole * terms * all, panels_of(columns) - whole,
                        sums + whole * all, at_.sums_step, t == 0);
    }

    /// All terms at once, the right operand as it is: it is read once, at the memory's speed.
    void few(std::int64_t column, std::int64_t columns) const {
        std::int64_t rows = 1;
        while (rows < e_.m) {
            rows *= 2;
        }
        load(e_.turned_left, a_, e_.turned_left ? e_.m : e_.k, e_.m, e_.k, scratch_, e_.k, e_.k);
        std::fill_n(scratch_ + e_.m * e_.k, (rows - e_.m) * e_.k, 0.0F);
        if (b_.coded != nullptr) {
            kernels_.few_coded(rows, e_.k, scratch_, e_.k, b_.coded->panels(column, 0), panels_of(columns),
                               scratch_ + at_.sums, at_.sums_step);
            finished(scratch_ + at_.sums, 0, e_.m, column, columns);
            return;
        }
        const std::int64_t panel_step = b_.packed ? e_.k * kernels_.columns : kernels_.columns;
        const std::int64_t whole =
            b_.packed ? in_multiples(columns, kernels_.columns) / kernels_.columns : columns / kernels_.columns;
        kernels_.few(rows, e_.k, scratch_, e_.k, b_.values + column / kernels_.columns * panel_step,
                     b_.packed ? kernels_.columns : e_.n, panel_step, whole, scratch_ + at_.sums, at_.sums_step);
        finished(scratch_ + at_.sums, 0, e_.m, column, std::min(columns, whole * kernels_.columns));
        if (whole * kernels_.columns < columns) {
            block(0, e_.m, column + whole * kernels_.columns, columns - whole * kernels_.columns);
        }
    }

    void finished(float* sums, std::int64_t row, std::int64_t rows, std::int64_t column, std::int64_t columns) const {
        if (columns > 0) {
            for (std::int64_t r = 0; r < rows; ++r) {
                finish_(sums + r * at_.sums_step, row + r, column, columns);
            }
        }
    }

    void load_left(std::int64_t row, std::int64_t rows, std::int64_t t, std::int64_t terms) const {
        const half* const from = e_.turned_left ? a_ + t * e_.m + row : a_ + row * e_.k + t;
        load(e_.turned_left, from, e_.turned_left ? e_.m : e_.k, rows, terms, scratch_, product_step, terms);
        for (std::int64_t r = rows; r < in_multiples(rows, kernels_.unit); ++r) {
            std::fill_n(scratch_ + r * product_step, terms, 0.0F);
        }
    }

    void load(bool turned, const half* from, std::int64_t from_step, std::int64_t rows, std::int64_t count, float* to,
              std::int64_t to_step, std::int64_t filled) const {
        (turned ? kernels_.widen_turned : kernels_.widen)(from, from_step, rows, count, to, to_step, filled);
    }

    const product_kernels& kernels_;
    product_extents e_;
    const half* a_;
    right_matrix b_;
    float* scratch_;
    product_scratch at_;
    const Finish& finish_;
};

/// Multiply-adds that are worth another thread.
inline constexpr std::int64_t product_grain = 1 << 17;

/// `count` products of equal extents: operands(i) gives the left matrix and the right one, finish(i, sums, row, column,
/// count) gets the results. Threads split either the columns of all products or their rows, whichever is more even; the
/// bits do not depend on it.
template <class Operands, class Finish>
void multiply(const kernel_table& table, const product_extents& e, std::int64_t count, const workers& crew,
              const Operands& operands, const Finish& finish) {
    const product_kernels& kernels = table.products;
    const auto uneven = [&](std::int64_t units) {
        const std::int64_t parts = std::clamp<std::int64_t>(units, 1, crew.width);
        const std::int64_t longest = (units + parts - 1) / parts;
        return static_cast<double>(longest * crew.width) / static_cast<double>(std::max<std::int64_t>(units, 1));
    };
    const std::int64_t panels = (e.n + kernels.columns - 1) / kernels.columns;
    const std::int64_t stripes = (e.m + kernels.unit - 1) / kernels.unit;
    const bool by_columns = e.few() || uneven(count * panels) <= uneven(count * stripes);
    const std::int64_t units = by_columns ? panels : stripes;
    const std::int64_t size = by_columns ? kernels.columns : kernels.unit;
    const std::int64_t extent = by_columns ? e.n : e.m;
    const std::int64_t work = std::max<std::int64_t>(1, size * (by_columns ? e.m : e.n) * e.k);
    crew.share(count * units, (product_grain + work - 1) / work,
               [&](std::int64_t first, std::int64_t last, std::byte* scratch) {
                   while (first < last) {
                       const std::int64_t i = first / units;
                       const std::int64_t begin = first % units;
                       const std::int64_t end = std::min(units, begin + last - first);
                       const auto [left, right] = operands(i);
                       const auto done = [&](float* sums, std::int64_t row, std::int64_t column, std::int64_t columns) {
                           finish(i, sums, row, column, columns);
                       };
                       const product_part part(table, e, left, right, reinterpret_cast<float*>(scratch), done);
                       const std::int64_t from = begin * size;
                       const std::int64_t to = std::min(extent, end * size);
                       by_columns ? part.run(0, e.m, from, to) : part.run(from, to, 0, e.n);
                       first += end - begin;
                   }
               });
}

} // namespace ane::cpu::detail::inline ANEMONE_WAY
