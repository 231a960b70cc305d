#pragma once

#include "../base/way.hpp"
#include "../values/contract.hpp"
#include "../values/half.hpp"
#include "../values/shape.hpp"
#include "store.hpp"

#include <span>
#include <string>
#include <vector>

/// Statistics of a tensor's elements, in the terms in which a contract can promise them. All figures are taken of the
/// stored fp16 values, in double precision: fp16 values are multiples of 2^-24, so a sum of magnitudes up to 2^29 is
/// exact in any order.
namespace ane::inline ANEMONE_WAY {

/// Sums of |value| over everything that belongs to one index of `axis`, one for each index. A tensor that has no such
/// axis is read as if it had, with an extent of 1: the column of a vector is all of it. Throws `error` (errc::argument)
/// unless there is one value for each element, as `statistics_of` does.
ANEMONE_API std::vector<double> l1_sums(const extents& shape, std::span<const half> values, int axis);

/// The root of the mean of the squares: the standard deviation about zero; 0 of no elements.
ANEMONE_API double root_mean_square(std::span<const half> values);

/// The statistics of a tensor of finite values. `bounded_by` of them is a contract that the tensor keeps.
ANEMONE_API tensor_statistics statistics_of(const extents& shape, std::span<const half> values);

/// The statistics of a tensor of any source type, after its conversion to fp16 (the loader's own).
ANEMONE_API tensor_statistics statistics_of(const stored_tensor& tensor);

/// The statistics as an initializer in C++. Each number is the shortest decimal that reads back as the same double, so
/// nothing is rounded, and the tensor keeps the contract that the text makes.
ANEMONE_API std::string print(const tensor_statistics& s);

} // namespace ane::inline ANEMONE_WAY

#if !defined(ANEMONE_COMPILED)
#include "statistics.ipp"
#endif
