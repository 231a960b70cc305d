#pragma once

#include "../graph/sequence.hpp"

#include <cstddef>
#include <cstdint>

namespace ane::detail {

/// A set of bytes as sorted runs that do not touch.
class byte_runs {
public:
    struct run {
        std::int64_t begin = 0;
        std::int64_t end = 0;
    };

    constexpr void add(run wanted) {
        const std::size_t first = first_ending_from(wanted.begin);
        std::size_t last = first; // behind those that it touches: they become one
        for (; last < runs_.size() && runs_[last].begin <= wanted.end; ++last) {
            wanted.begin = runs_[last].begin < wanted.begin ? runs_[last].begin : wanted.begin;
            wanted.end = runs_[last].end > wanted.end ? runs_[last].end : wanted.end;
        }
        if (first == last) {
            runs_.push_back(wanted);
            for (std::size_t i = runs_.size() - 1; i > first; --i) {
                runs_[i] = runs_[i - 1];
            }
        } else {
            for (std::size_t from = last, to = first + 1; from < runs_.size() && from != to; ++from, ++to) {
                runs_[to] = runs_[from];
            }
            for (std::size_t gone = last - first - 1; gone > 0; --gone) {
                runs_.pop_back();
            }
        }
        runs_[first] = wanted;
    }

    /// The end of the first run that meets [begin, begin + size), or `begin` where none does.
    constexpr std::int64_t end_of_collision(std::int64_t begin, std::int64_t size) const {
        const std::size_t i = first_ending_from(begin + 1);
        return i < runs_.size() && runs_[i].begin < begin + size ? runs_[i].end : begin;
    }

private:
    constexpr std::size_t first_ending_from(std::int64_t end) const {
        std::size_t low = 0;
        for (std::size_t high = runs_.size(); low < high;) {
            const std::size_t middle = (low + high) / 2;
            (runs_[middle].end < end) ? low = middle + 1 : high = middle;
        }
        return low;
    }

    sequence<run> runs_;
};

/// Which bytes of an arena are taken at which steps: a segment tree over the steps. Values that are alive together lie
/// close together, so each set consists of a few runs, and a place is found and taken in time logarithmic in the steps.
class occupancy {
public:
    constexpr explicit occupancy(int steps) {
        while (width_ < steps) {
            width_ *= 2;
        }
        within_ = sequence<byte_runs>(static_cast<std::size_t>(2 * width_));
        across_ = sequence<byte_runs>(static_cast<std::size_t>(2 * width_));
    }

    /// The lowest offset at which `size` bytes are free at the steps [first, last].
    constexpr std::int64_t lowest_free(int first, int last, std::int64_t size) {
        met_.clear();
        collect(1, 0, width_ - 1, first, last);
        std::int64_t offset = 0;
        for (bool moved = true; moved;) {
            moved = false;
            for (const byte_runs* const taken : met_) {
                const std::int64_t next = taken->end_of_collision(offset, size);
                moved = moved || next != offset;
                offset = next;
            }
        }
        return offset;
    }
    constexpr void take(int first, int last, byte_runs::run bytes) { add(1, 0, width_ - 1, first, last, bytes); }

private:
    /// Collects the sets that together hold everything taken at some step of [first, last]. A part of the tree that
    /// lies inside [first, last] contributes what is taken at any of its steps. One that reaches beyond contributes
    /// only what is taken at all of its steps, and then its halves are visited.
    constexpr void collect(int part, int low, int high, int first, int last) {
        const bool inside = first <= low && high <= last;
        met_.push_back(inside ? &within_[static_cast<std::size_t>(part)] : &across_[static_cast<std::size_t>(part)]);
        const int middle = (low + high) / 2;
        if (!inside && first <= middle) {
            collect(2 * part, low, middle, first, last);
        }
        if (!inside && last > middle) {
            collect(2 * part + 1, middle + 1, high, first, last);
        }
    }
    constexpr void add(int part, int low, int high, int first, int last, byte_runs::run bytes) {
        within_[static_cast<std::size_t>(part)].add(bytes);
        if (first <= low && high <= last) {
            across_[static_cast<std::size_t>(part)].add(bytes);
            return;
        }
        const int middle = (low + high) / 2;
        if (first <= middle) {
            add(2 * part, low, middle, first, last, bytes);
        }
        if (last > middle) {
            add(2 * part + 1, middle + 1, high, first, last, bytes);
        }
    }

    int width_ = 1;              ///< steps of the tree, a power of two; its root is part 1
    sequence<byte_runs> within_; ///< taken at some step of a part
    sequence<byte_runs> across_; ///< taken at every step of a part, by values that live beyond it on one side at least
    sequence<const byte_runs*> met_;
};

} // namespace ane::detail
