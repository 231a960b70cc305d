#pragma once

#include "../../base/cancellation.hpp"
#include "../../base/thread_pool.hpp"
#include "../../base/way.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

/// Sums of products in double precision. A sum of n terms is made of blocks, so that it is off by about (block + n /
/// block) roundings of the magnitudes instead of n.
namespace ane::wide_reference::inline ANEMONE_WAY {

inline constexpr std::int64_t block_of_terms = 128;

/// Calls work(i) for 0 <= i < count, in up to `threads` threads of this process.
template <class Work> void share(std::int64_t count, int threads, const Work& work) {
    const std::int64_t parts = std::clamp<std::int64_t>(count, 1, std::max(threads, 1));
    const cancellation* const wish = ane::detail::cancellation_now();
    const auto part = [&](std::int64_t p) {
        for (std::int64_t i = count * p / parts; i < count * (p + 1) / parts; ++i) {
            ane::detail::stop_if_cancelled();
            ane::detail::stop_if_cancelled(wish);
            work(i);
        }
    };
    if (parts == 1) {
        part(0);
        return;
    }
    process_threads().run(
        static_cast<int>(parts), [](const void* context, int p) { (*static_cast<const decltype(part)*>(context))(p); },
        &part);
}

/// Sums side by side: terms are added to `part`, blocks of them to `to`.
class block_sums {
public:
    /// `to` has `count` numbers, which become the sums of what is added from here on.
    block_sums(double* to, std::int64_t count) : to_(to), part_(static_cast<std::size_t>(count)) {
        std::fill_n(to, count, 0.0);
    }
    /// Where the next term of each sum is added; it is the last one before `end_term`.
    double* part() { return part_.data(); }
    void end_term() {
        if (++terms_ == block_of_terms) {
            finish();
        }
    }
    void finish() {
        for (std::size_t i = 0; i < part_.size(); ++i) {
            to_[i] += part_[i];
            part_[i] = 0;
        }
        terms_ = 0;
    }

private:
    double* to_;
    std::vector<double> part_;
    std::int64_t terms_ = 0;
};

/// to[j] = sum over i of a[i a_step] b[i][j], where b has `rows` rows of `columns`, one behind the other.
ANEMONE_INLINE void row_times_matrix(const double* a, std::int64_t a_step, const double* b, std::int64_t rows,
                                     std::int64_t columns, double* to) {
    block_sums sums(to, columns);
    for (std::int64_t i = 0; i < rows; ++i) {
        const double factor = a[i * a_step];
        const double* const row = b + i * columns;
        double* const part = sums.part();
        for (std::int64_t j = 0; j < columns; ++j) {
            part[j] += factor * row[j];
        }
        sums.end_term();
    }
    sums.finish();
}

/// The sum of a[i a_step] b[i].
ANEMONE_INLINE double dot(const double* a, std::int64_t a_step, const double* b, std::int64_t count) {
    constexpr std::int64_t lanes = 8;
    double total = 0;
    for (std::int64_t first = 0; first < count; first += lanes * block_of_terms) {
        const std::int64_t end = std::min(count, first + lanes * block_of_terms);
        double part[lanes]{};
        std::int64_t i = first;
        for (; i + lanes <= end; i += lanes) {
            for (std::int64_t k = 0; k < lanes; ++k) {
                part[k] += a[(i + k) * a_step] * b[i + k];
            }
        }
        for (; i < end; ++i) {
            part[i % lanes] += a[i * a_step] * b[i];
        }
        total += ((part[0] + part[1]) + (part[2] + part[3])) + ((part[4] + part[5]) + (part[6] + part[7]));
    }
    return total;
}

} // namespace ane::wide_reference::inline ANEMONE_WAY
