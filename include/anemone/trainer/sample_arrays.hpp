#ifndef ANEMONE_TRAINER_SAMPLE_ARRAYS_HPP
#define ANEMONE_TRAINER_SAMPLE_ARRAYS_HPP

#include "../base/way.hpp"
#include "../values/dtype.hpp"
#include "../values/shape.hpp"
#include "../weights/store.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace ane::inline ANEMONE_WAY {

/// A port of a program that is run on batches.
struct sample_port {
    std::string name;
    dtype type = dtype::f16;
    extents shape{};
    int classes = -1; ///< the axis along which one of `shape[classes]` places is 1 (one-hot); -1: it holds numbers
};

/// Samples for the ports of a program: an array for each, whose first axis counts the samples. Where the port is N x 3 x 28 x
/// 28, an array of M x 3 x 28 x 28 has M samples, of which a run takes N; one of M x N x 3 x 28 x 28 has the values of M
/// whole runs. Extents of 1 do not matter behind the first. A one-hot port takes labels too: an array without that axis, of
/// whole numbers from 0 on.
class sample_arrays {
public:
    sample_arrays() = default;
    /// Converts all of them to elements of the ports, which are kept: labels as such. Throws `error` (errc::port) that
    /// names the array for one that is missing or unknown, of another shape, of another number of samples than
    /// the others, and with the sample for a number that is not finite or that the port does not hold, and for a label
    /// that is no class.
    ANEMONE_API_OF(anemone_trainer_sample_arrays_hpp)
    sample_arrays(std::span<const sample_port> ports, const weight_store& arrays);

    /// Samples in all, and those that a run takes.
    std::int64_t size() const noexcept { return size_; }
    std::int64_t batch() const noexcept { return batch_; }

    /// Writes samples to the memory of the ports, in their order: `batch()` numbers, each below `size()`.
    ANEMONE_API_OF(anemone_trainer_sample_arrays_hpp)
    void fill(std::span<const std::int64_t> samples, std::span<const std::span<std::byte>> memory) const;

private:
    struct array {
        std::size_t bytes = 0; ///< of a sample in the memory of the port
        std::vector<std::byte> elements{};
        std::vector<std::int32_t> labels{}; ///< in their place, where there are any
        std::size_t per_sample = 0;         ///< labels
        std::size_t classes = 0;
        std::size_t inner = 0; ///< elements behind the axis of the classes
    };

    std::vector<array> arrays_;
    std::int64_t size_ = 0;
    std::int64_t batch_ = 1;
};

} // namespace ane::inline ANEMONE_WAY

#endif
#if ANEMONE_BODIES
#include "sample_arrays.ipp"
#endif
