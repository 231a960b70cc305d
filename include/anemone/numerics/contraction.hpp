#pragma once

#include "../base/way.hpp"
#include "../graph/sequence.hpp"
#include "../values/half.hpp"
#include "accumulator.hpp"
#include "contraction_kernels.hpp"
#include "contraction_tile.hpp"
#include "datapath.hpp"
#include "workers.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

/// Many sums of products at once, bit for bit those of class `accumulator`: matrix products and convolutions are one
/// blocked loop over two sources of vectors. Every output adds its products in the order of the vectors' elements.
namespace ane::numerics::detail::inline ANEMONE_WAY {

/// Number of products from which another thread pays off.
inline constexpr std::int64_t products_of_thread = std::int64_t{1} << 20;

/// Vectors inside a matrix: element i of vector v is base[v * vector_step + place(i)], place(i) = i * element_step or,
/// where given, places[i].
struct matrix_source {
    const half* base;
    std::int64_t length;
    std::int64_t vector_step;
    std::int64_t element_step;
    const std::int64_t* places = nullptr;

    std::int64_t place(std::int64_t i) const { return places != nullptr ? places[i] : i * element_step; }
    half at(std::int64_t v, std::int64_t i) const { return base[v * vector_step + place(i)]; }

    /// Vector v, one element after the other.
    void row(std::int64_t v, half* to) const {
        if (places == nullptr && element_step == 1) {
            std::copy_n(base + v * vector_step, length, to);
            return;
        }
        for (std::int64_t i = 0; i < length; ++i) {
            to[i] = at(v, i);
        }
    }
    /// `lanes` vectors from `first` on side by side, [length][32]; the other lanes are not written.
    void panel(std::int64_t first, std::int64_t lanes, half* to) const {
        for (std::int64_t i = 0; i < length; ++i) {
            const half* const from = base + first * vector_step + place(i);
            half* const line = to + i * panel_lanes;
            if (vector_step == 1) {
                std::copy_n(from, lanes, line);
                continue;
            }
            for (std::int64_t l = 0; l < lanes; ++l) {
                line[l] = from[l * vector_step];
            }
        }
    }
};

/// The left vectors of a contraction: of a source with `row` and `at`, as matrix_source has them. (No template from here on:
/// one contraction is compiled for all sources.)
struct left_source {
    const void* source;
    void (*row)(const void* source, std::int64_t v, half* to);
    half (*at)(const void* source, std::int64_t v, std::int64_t i);

    template <class Source> static left_source of(const Source& from) {
        return {&from,
                [](const void* object, std::int64_t v, half* to) { static_cast<const Source*>(object)->row(v, to); },
                [](const void* object, std::int64_t v, std::int64_t i) {
                    return static_cast<const Source*>(object)->at(v, i);
                }};
    }
};

/// The right vectors: of a source with `panel` and `at`, or of one whose panels are decoded already, with `largest`.
struct right_source {
    const void* source;
    void (*panel)(const void* source, std::int64_t first, std::int64_t lanes, half* to) = nullptr;
    half (*at)(const void* source, std::int64_t v, std::int64_t i) = nullptr;
    void (*decoded)(const void* source, std::int64_t first, std::int64_t lanes, float* to) = nullptr;
    float (*largest)(const void* source, std::int64_t begin, std::int64_t count) = nullptr;

    template <class Source> static right_source of(const Source& from) {
        right_source made{.source = &from};
        if constexpr (requires { from.largest(0, 0); }) {
            made.decoded = [](const void* object, std::int64_t first, std::int64_t lanes, float* to) {
                static_cast<const Source*>(object)->panel(first, lanes, to);
            };
            made.largest = [](const void* object, std::int64_t begin, std::int64_t count) {
                return static_cast<const Source*>(object)->largest(begin, count);
            };
        } else {
            made.panel = [](const void* object, std::int64_t first, std::int64_t lanes, half* to) {
                static_cast<const Source*>(object)->panel(first, lanes, to);
            };
            made.at = [](const void* object, std::int64_t v, std::int64_t i) {
                return static_cast<const Source*>(object)->at(v, i);
            };
        }
        return made;
    }
};

/// Where results go: to(l, first r, count, const half*).
struct results_store {
    const void* to;
    void (*store)(const void* to, std::int64_t left, std::int64_t right, std::int64_t count, const half* values);

    template <class Store> static results_store of(const Store& store) {
        return {&store, [](const void* object, std::int64_t left, std::int64_t right, std::int64_t count,
                           const half* values) { (*static_cast<const Store*>(object))(left, right, count, values); }};
    }
};

/// First values of the sums: null, or one for each left or each right vector.
struct bias_source {
    const half* values = nullptr;
    bool of_left = false;
};

/// A first value in the register's units, and its sign if it is at the ceiling already.
struct first_sum {
    std::uint32_t units;
    std::int32_t over;
};

/// A single one where there is no bias.
ANEMONE_INLINE sequence<first_sum> first_sums(const datapath& path, const half* bias, std::int64_t count) {
    sequence<first_sum> result(bias == nullptr ? 1 : static_cast<std::size_t>(count), first_sum{0, 0});
    for (std::size_t i = 0; bias != nullptr && i < result.size(); ++i) {
        const std::int64_t units = accumulator(path, bias[i]).raw();
        if (units < accumulator::limit && units > -accumulator::limit) {
            result[i].units = static_cast<std::uint32_t>(units);
        } else {
            result[i].over = units < 0 ? -1 : 1;
        }
    }
    return result;
}

/// The left vectors of some rows as the tiles read them: blocks of eight rows (the last of 1, 2, 4 or 8, the missing
/// ones zero), [length][rows of the block].
struct left_blocks {
    sequence<left_operand> operands;
    std::vector<float> largest; ///< of a block between two checks of the sums, in units of 2^-16

    static int rows_of(std::int64_t left) { return left > 4 ? tile_rows : left > 2 ? 4 : static_cast<int>(left); }

    ANEMONE_INLINE left_blocks(const contraction_kernels& kernels, const datapath& path, const left_source& left,
                               std::int64_t first, std::int64_t count, std::int64_t terms)
        : operands(static_cast<std::size_t>((count + tile_rows - 1) / tile_rows * tile_rows *
                                            std::max<std::int64_t>(terms, 1))) {
        std::vector<half> row(static_cast<std::size_t>(terms));
        for (std::int64_t r0 = 0; r0 < count; r0 += tile_rows) {
            const int rows = rows_of(count - r0);
            const std::size_t block = largest.size();
            largest.resize(block + static_cast<std::size_t>((terms + tile_depth - 1) / tile_depth));
            for (int r = 0; r < rows && r0 + r < count; ++r) {
                left.row(left.source, first + r0 + r, row.data());
                left_operand* const to = operands.data() + r0 * terms + r;
                std::size_t part = block;
                for (std::int64_t i = 0; i < terms; i += tile_depth, ++part) {
                    const float most =
                        kernels.prepare(row.data() + i, to + i * rows, std::min(tile_depth, terms - i), rows, path);
                    largest[part] = std::max(largest[part], most);
                }
            }
        }
    }
};

/// Right vectors side by side, [length][32], unused lanes zero.
struct right_panel {
    std::vector<half> gathered;
    std::vector<float> values;
    std::vector<float> largest; ///< between two checks of the sums

    explicit right_panel(std::int64_t length)
        : gathered(static_cast<std::size_t>(length * panel_lanes)), values(gathered.size()),
          largest(static_cast<std::size_t>((length + tile_depth - 1) / tile_depth)) {}

    ANEMONE_INLINE void fill(const contraction_kernels& kernels, const datapath& path, const right_source& right,
                             std::int64_t first, std::int64_t lanes) {
        if (right.decoded != nullptr) {
            right.decoded(right.source, first, lanes, values.data());
            const auto length = static_cast<std::int64_t>(values.size()) / panel_lanes;
            for (std::int64_t i = 0, part = 0; i < length; i += tile_depth, ++part) {
                largest[static_cast<std::size_t>(part)] =
                    right.largest(right.source, i, std::min(tile_depth, length - i));
            }
            return;
        }
        if (lanes < panel_lanes) {
            std::fill(gathered.begin(), gathered.end(), half{});
        }
        right.panel(right.source, first, lanes, gathered.data());
        const auto size = static_cast<std::int64_t>(gathered.size());
        std::size_t part = 0;
        for (std::int64_t i = 0; i < size; i += tile_depth * panel_lanes, ++part) {
            largest[part] = kernels.decode(gathered.data() + i, values.data() + i,
                                           std::min(tile_depth * panel_lanes, size - i), path);
        }
    }
};

/// Sums of up to eight rows beside each other.
struct tile_sums {
    std::uint32_t units[tile_rows * panel_lanes];
    std::int32_t over[tile_rows * panel_lanes]; ///< the sign of the ceiling that was reached, for good; 0: none
    std::int64_t bound = 0;                     ///< no other sum is larger
    bool any_over = false;

    /// Bounds the sums anew; false if all are over. Those mean nothing, and become 0.
    bool look(int rows) {
        std::uint32_t most = 0;
        std::uint32_t below = 0; // all bits where any sum is not over
        std::uint32_t above = 0;
        for (int r = 0; r < rows; ++r) {
            for (int l = 0; l < panel_lanes; ++l) {
                const int i = r * panel_lanes + l;
                const std::uint32_t counts = over[i] == 0 ? 0xFFFFFFFFU : 0U;
                const std::uint32_t sum = units[i] & counts;
                const std::uint32_t sign = 0U - (sum >> 31U);
                const std::uint32_t magnitude = (sum ^ sign) - sign;
                most = magnitude > most ? magnitude : most;
                below |= counts;
                above |= ~counts;
                units[i] = sum;
            }
        }
        bound = most;
        any_over = above != 0;
        return below != 0;
    }
};

/// The first values of the sums of rows from `row` on and columns from `column` on; those of others beyond the last.
ANEMONE_INLINE void start(tile_sums& sums, const sequence<first_sum>& first, bool of_left, int rows, std::int64_t row,
                          std::int64_t column) {
    const auto last = static_cast<std::int64_t>(first.size()) - 1;
    for (int r = 0; r < rows; ++r) {
        std::uint32_t* const units = sums.units + r * panel_lanes;
        std::int32_t* const over = sums.over + r * panel_lanes;
        if (of_left || last == 0) {
            const first_sum& f = first[static_cast<std::size_t>(std::min(row + r, last))];
            std::fill_n(units, panel_lanes, f.units);
            std::fill_n(over, panel_lanes, f.over);
            continue;
        }
        for (int l = 0; l < panel_lanes; ++l) {
            const first_sum& f = first[static_cast<std::size_t>(std::min(column + l, last))];
            units[l] = f.units;
            over[l] = f.over;
        }
    }
}

/// Adds a block of at most tile_depth products, none larger than `most` units. False once every sum is over.
ANEMONE_INLINE bool add_block(const contraction_kernels& kernels, tile_sums& sums, float most, int rows,
                              std::int64_t depth, const left_operand* left, const float* right) {
    if (most < small_product) {
        const std::int64_t change = depth * (static_cast<std::int64_t>(most) + 1);
        if (sums.bound + change < accumulator::limit || (sums.look(rows), sums.bound + change < accumulator::limit)) {
            kernels.add(rows, depth, left, right, sums.units);
            sums.bound += change;
            return true;
        }
    }
    kernels.add_wide(rows, depth, left, right, sums.units, sums.over);
    return sums.look(rows);
}

ANEMONE_INLINE half accumulated(const datapath& path, std::int64_t length, const left_source& left, std::int64_t row,
                                const right_source& right, std::int64_t column, const bias_source& bias) {
    accumulator sum(path, bias.values == nullptr ? half{} : bias.values[bias.of_left ? row : column]);
    for (std::int64_t i = 0; i < length; ++i) {
        sum.multiply_add(left.at(left.source, row, i), right.at(right.source, column, i));
    }
    return sum.result();
}

/// out(l, r) = bias + sum over i < length of left(l, i) * right(r, i), handed to the store, perhaps from several threads.
ANEMONE_INLINE void contract(const execution& how, const datapath& path, std::int64_t lefts, std::int64_t rights,
                             std::int64_t length, const left_source& left, const right_source& right,
                             const bias_source& bias, const results_store& store) {
    if (lefts <= 0 || rights <= 0) {
        return;
    }
    const contraction_kernels& kernels = how.kernels;
    // Left operands of one pass: at most about 16 MiB, so that memory does not grow with the layer.
    const std::int64_t most = (std::int64_t{1} << 21) / std::max<std::int64_t>(length, 1) / tile_rows * tile_rows;
    const std::int64_t rows_of_pass = std::max<std::int64_t>(most, 8 * tile_rows);
    const std::int64_t panels = (rights + panel_lanes - 1) / panel_lanes;
    const std::int64_t outputs_of_thread = products_of_thread / std::max<std::int64_t>(length, 1) + 1;
    const std::int64_t worth = std::min(panels, lefts * rights / outputs_of_thread);
    const std::int64_t workers = std::clamp<std::int64_t>(worth, 1, std::max(how.threads, 1));
    const sequence<first_sum> first = first_sums(path, bias.values, bias.of_left ? lefts : rights);
    std::vector<right_panel> right_panels(static_cast<std::size_t>(workers), right_panel(length));

    for (std::int64_t l0 = 0; l0 < lefts; l0 += rows_of_pass) {
        const std::int64_t end = std::min(l0 + rows_of_pass, lefts);
        const left_blocks blocks(kernels, path, left, l0, end - l0, length);
        const auto compute_panel = [&](right_panel& panel, std::int64_t column) {
            const std::int64_t lanes = std::min<std::int64_t>(panel_lanes, rights - column);
            panel.fill(kernels, path, right, column, lanes);
            const float* largest_left = blocks.largest.data();
            for (std::int64_t row = l0; row < end; row += tile_rows) {
                const int tile_height = left_blocks::rows_of(end - row);
                tile_sums sums;
                start(sums, first, bias.of_left, tile_height, row, column);
                if (bias.values != nullptr) {
                    sums.look(tile_height);
                }
                const left_operand* const operands = blocks.operands.data() + (row - l0) * length;
                for (std::int64_t i = 0, block = 0; i < length; i += tile_depth, ++block) {
                    if (!add_block(kernels, sums, largest_left[block] * panel.largest[static_cast<std::size_t>(block)],
                                   tile_height, std::min(tile_depth, length - i), operands + i * tile_height,
                                   panel.values.data() + i * panel_lanes)) {
                        break;
                    }
                }
                largest_left += panel.largest.size();
                for (int r = 0; r < tile_height && row + r < end; ++r) {
                    half results[panel_lanes];
                    kernels.round(sums.units + r * panel_lanes, results, path.mac_ties == tie_rule::half_away);
                    for (std::int64_t l = 0; sums.any_over && l < lanes; ++l) {
                        const std::int32_t over = sums.over[r * panel_lanes + l];
                        if (over != 0) {
                            results[l] = half::from_bits(over < 0 ? 0xFC00U : 0x7C00U);
                            if (!path.mac_ceiling && right.at != nullptr) {
                                results[l] = accumulated(path, length, left, row + r, right, column + l, bias);
                            }
                        }
                    }
                    store.store(store.to, row + r, column, lanes, results);
                }
            }
        };
        std::atomic<std::int64_t> next = 0;
        run_workers(workers, [&](std::int64_t worker) {
            for (std::int64_t panel = next++; panel < panels; panel = next++) {
                compute_panel(right_panels[static_cast<std::size_t>(worker)], panel * panel_lanes);
            }
        });
    }
}

} // namespace ane::numerics::detail::inline ANEMONE_WAY
