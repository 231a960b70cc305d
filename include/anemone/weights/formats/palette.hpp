#pragma once

#include "../../base/way.hpp"
#include "packing.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

/// Indices into a table of fp16 values (N131, N132), or of vectors of them: one index for the values of `vector`
/// consecutive rows at one column, w = table[k][row mod vector] (N134; guide chapter 25; that rows are output channels
/// and that one table serves all of them is inferred).
///
/// The same values give the same bits on every compiler: sums are of products that double holds exactly, in a fixed
/// order, so no fused operation changes them.
namespace ane::weight_formats::inline ANEMONE_WAY {

inline constexpr int largest_vector = 5;
/// Rounds of Lloyd's algorithm, as in ANEForge.
inline constexpr int palette_rounds = 20;
/// Vectors that a table of vectors is fitted to, at most: evenly spread ones of a larger weight.
inline constexpr std::size_t palette_samples = 1U << 15U;

struct palette_codes {
    std::vector<std::uint8_t> indices; ///< [ceil(rows / vector)][columns]
    std::vector<half> table;           ///< [2^bits][vector]
};

} // namespace ane::weight_formats::inline ANEMONE_WAY

namespace ane::weight_formats::detail::inline ANEMONE_WAY {

/// The bit patterns of fp16 in numerical order, -0 before +0.
constexpr std::uint16_t key_of(half value) {
    return static_cast<std::uint16_t>((value.bits & 0x8000U) != 0 ? ~value.bits : value.bits | 0x8000U);
}
constexpr half value_of(std::size_t key) {
    return half::from_bits(static_cast<std::uint16_t>((key & 0x8000U) != 0 ? key & 0x7FFFU : ~key));
}

struct counted_value {
    double value;
    double count;
};

/// The middle values of slices of equal weight, where the weight of a value is the square root of its count times the
/// width of the interval closest to it. So the density of the centres follows roughly the square root of the density of
/// the values, close to the optimum for a fine palette (the cube root), and a tensor with many zeros does not start
/// from many equal centres.
ANEMONE_INLINE std::vector<half> initial_centres(const std::vector<counted_value>& values, std::size_t entries) {
    std::vector<double> mass;
    double total = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const double low = values[i == 0 ? 0 : i - 1].value;
        const double high = values[i + 1 == values.size() ? i : i + 1].value;
        mass.push_back(std::sqrt(values[i].count * (high - low)));
        total += mass.back();
    }
    std::vector<half> centres;
    double before = 0;
    std::size_t i = 0;
    for (std::size_t e = 0; e < entries; ++e) {
        const double middle = total * (2 * static_cast<double>(e) + 1) / (2 * static_cast<double>(entries));
        while (i + 1 < values.size() && before + mass[i] < middle) {
            before += mass[i];
            ++i;
        }
        centres.emplace_back(values[i].value);
    }
    return centres;
}

/// For each of the sorted values the nearest of the sorted centres, the lower of two that are as near.
ANEMONE_INLINE std::vector<std::size_t> nearest_centres(const std::vector<counted_value>& values,
                                                        const std::vector<half>& centres) {
    std::vector<std::size_t> nearest;
    nearest.reserve(values.size());
    std::size_t c = 0;
    for (const counted_value& v : values) {
        while (c + 1 < centres.size() &&
               2 * v.value > static_cast<double>(centres[c]) + static_cast<double>(centres[c + 1])) {
            ++c;
        }
        nearest.push_back(c);
    }
    return nearest;
}

/// Moves every centre to the mean of the values nearest to it; one that has none stays.
ANEMONE_INLINE void move_centres(const std::vector<counted_value>& values, std::vector<half>& centres) {
    const std::vector<std::size_t> nearest = nearest_centres(values, centres);
    std::vector<double> sums(centres.size(), 0.0);
    std::vector<double> counts(centres.size(), 0.0);
    for (std::size_t i = 0; i < values.size(); ++i) {
        sums[nearest[i]] += values[i].value * values[i].count; // exact: 11 bits times fewer than 42
        counts[nearest[i]] += values[i].count;
    }
    for (std::size_t c = 0; c < centres.size(); ++c) {
        centres[c] = counts[c] > 0 ? half(sums[c] / counts[c]) : centres[c];
    }
}

struct counted_key {
    std::uint16_t key;
    std::uint32_t count;
};

/// The bit patterns among the values in numerical order, and how often each occurs.
ANEMONE_INLINE std::vector<counted_key> counted_keys(std::span<const half> values) {
    constexpr std::size_t few = 8192;
    std::vector<counted_key> counted;
    if (values.size() < few) { // sorted: a count of each of the 65,536 patterns would take longer
        std::vector<std::uint16_t> keys;
        keys.reserve(values.size());
        for (const half w : values) {
            keys.push_back(key_of(w));
        }
        std::sort(keys.begin(), keys.end());
        for (const std::uint16_t key : keys) {
            if (counted.empty() || counted.back().key != key) {
                counted.push_back({key, 0});
            }
            ++counted.back().count;
        }
        return counted;
    }
    std::vector<std::uint32_t> counts(65536, 0);
    for (const half w : values) {
        ++counts[key_of(w)];
    }
    for (std::size_t key = 0; key < counts.size(); ++key) {
        if (counts[key] > 0) {
            counted.push_back({static_cast<std::uint16_t>(key), counts[key]});
        }
    }
    return counted;
}

/// A palette of single values: by the counts of their patterns, whatever the size of the weight.
ANEMONE_INLINE palette_codes scalar_palette(std::span<const half> values, std::size_t entries) {
    std::vector<counted_value> distinct;
    std::vector<half> patterns;
    for (const counted_key& each : counted_keys(values)) {
        patterns.push_back(value_of(each.key));
        distinct.push_back({static_cast<double>(patterns.back()), static_cast<double>(each.count)});
    }
    palette_codes result;
    std::vector<std::size_t> codes;
    if (patterns.size() <= entries) { // exact
        result.table = patterns;
        for (std::size_t i = 0; i < patterns.size(); ++i) {
            codes.push_back(i);
        }
    } else {
        result.table = initial_centres(distinct, entries);
        for (int round = 0; round < palette_rounds; ++round) {
            move_centres(distinct, result.table);
        }
        codes = nearest_centres(distinct, result.table);
    }
    result.table.resize(entries);
    std::vector<std::uint8_t> code_of(65536, 0);
    for (std::size_t i = 0; i < patterns.size(); ++i) {
        code_of[key_of(patterns[i])] = static_cast<std::uint8_t>(codes[i]);
    }
    result.indices.reserve(values.size());
    for (const half w : values) {
        result.indices.push_back(code_of[key_of(w)]);
    }
    return result;
}

/// A vector of weights; elements beyond the vector's length are zero.
using weight_vector = std::array<half, largest_vector>;

struct vector_order {
    ANEMONE_INLINE static double sum(const weight_vector& v) {
        double total = 0;
        for (const half w : v) {
            total += static_cast<double>(w); // exact: five fp16 values
        }
        return total;
    }
    ANEMONE_INLINE bool operator()(const weight_vector& a, const weight_vector& b) const {
        const double first = sum(a);
        const double second = sum(b);
        return first != second ? first < second
                               : std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(),
                                                              [](half x, half y) { return key_of(x) < key_of(y); });
    }
};

ANEMONE_INLINE std::size_t nearest_vector(const weight_vector& v, const std::vector<weight_vector>& table) {
    std::size_t nearest = 0;
    double least = 0;
    for (std::size_t c = 0; c < table.size(); ++c) {
        double distance = 0;
        for (std::size_t k = 0; k < v.size(); ++k) {
            // A float has 24 bits, so double holds its square: fused or not, the sum is the same.
            const auto d = static_cast<float>(static_cast<double>(v[k]) - static_cast<double>(table[c][k]));
            distance += static_cast<double>(d) * static_cast<double>(d);
        }
        if (c == 0 || distance < least) {
            nearest = c;
            least = distance;
        }
    }
    return nearest;
}

ANEMONE_INLINE void move_centres(const std::vector<weight_vector>& vectors, std::vector<weight_vector>& table) {
    std::vector<std::array<double, largest_vector>> sums(table.size());
    std::vector<double> counts(table.size(), 0.0);
    for (const weight_vector& v : vectors) {
        const std::size_t c = nearest_vector(v, table);
        counts[c] += 1;
        for (std::size_t k = 0; k < v.size(); ++k) {
            sums[c][k] += static_cast<double>(v[k]);
        }
    }
    for (std::size_t c = 0; c < table.size(); ++c) {
        for (std::size_t k = 0; k < table[c].size() && counts[c] > 0; ++k) {
            table[c][k] = half(sums[c][k] / counts[c]);
        }
    }
}

/// The table of vectors: all of them where they are few, else fitted from the middle ones of slices of equal count.
ANEMONE_INLINE std::vector<weight_vector> vector_table(const std::vector<weight_vector>& vectors, std::size_t entries) {
    const vector_order before;
    const auto same = [&](const weight_vector& a, const weight_vector& b) { return !before(a, b) && !before(b, a); };
    std::vector<weight_vector> sorted = vectors;
    std::sort(sorted.begin(), sorted.end(), before);
    std::vector<weight_vector> table;
    for (const weight_vector& v : sorted) {
        if (table.size() > entries) {
            break;
        }
        if (table.empty() || !same(table.back(), v)) {
            table.push_back(v);
        }
    }
    if (table.size() <= entries) {
        table.resize(entries);
        return table;
    }
    table.clear();
    const std::size_t samples = std::min(sorted.size(), palette_samples);
    std::vector<weight_vector> sample;
    for (std::size_t i = 0; i < samples; ++i) {
        sample.push_back(sorted[i * sorted.size() / samples]);
    }
    for (std::size_t e = 0; e < entries; ++e) {
        table.push_back(sample[(2 * e + 1) * samples / (2 * entries)]);
    }
    for (int round = 0; round < palette_rounds; ++round) {
        move_centres(sample, table);
    }
    return table;
}

ANEMONE_INLINE palette_codes vector_palette(std::span<const half> values, std::int64_t columns, std::size_t vector,
                                            std::size_t entries) {
    const auto row = static_cast<std::size_t>(columns);
    const std::size_t rows = row > 0 ? values.size() / row : 0;
    std::vector<weight_vector> vectors;
    for (std::size_t first = 0; first < rows; first += vector) {
        for (std::size_t c = 0; c < row; ++c) {
            weight_vector v{};
            // Beyond the last row its own values repeat, so that the table's values lie among those of the weight.
            for (std::size_t k = 0; k < vector; ++k) {
                v[k] = values[std::min(first + k, rows - 1) * row + c];
            }
            vectors.push_back(v);
        }
    }
    const std::vector<weight_vector> table = vector_table(vectors, entries);
    palette_codes result;
    for (const weight_vector& v : vectors) {
        result.indices.push_back(static_cast<std::uint8_t>(nearest_vector(v, table)));
    }
    for (const weight_vector& v : table) {
        result.table.insert(result.table.end(), v.begin(), v.begin() + static_cast<std::ptrdiff_t>(vector));
    }
    return result;
}

} // namespace ane::weight_formats::detail::inline ANEMONE_WAY

namespace ane::weight_formats::inline ANEMONE_WAY {

/// The palette of finite values [rows][columns]: exact where there are at most 2^bits of them (the table is then sorted
/// and its other entries are zero), else by Lloyd's algorithm from centres that follow the density of the values, in a
/// fixed number of rounds.
ANEMONE_INLINE palette_codes make_palette(std::span<const half> values, std::int64_t columns, int bits, int vector) {
    const std::size_t entries = std::size_t{1} << static_cast<unsigned>(bits);
    return vector == 1 ? detail::scalar_palette(values, entries)
                       : detail::vector_palette(values, columns, static_cast<std::size_t>(vector), entries);
}

} // namespace ane::weight_formats::inline ANEMONE_WAY
