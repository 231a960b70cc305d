#pragma once

#include "../base/way.hpp"
#include "../values/half.hpp"
#include "store.hpp"

#include <vector>

/// The values of a stored tensor, whatever its element type.
namespace ane::inline ANEMONE_WAY {

/// The values as fp16, each rounded once (half to even; subnormals kept). Throws errc::weights, naming the element, on
/// a NaN, an infinity, a value that overflows fp16, or an integer that fp16 does not hold exactly; and on BOOL and F8
/// tensors.
ANEMONE_API std::vector<half> to_half(const stored_tensor& tensor);

/// The values as float, to look at or to compute with: those of F64 and of wide integers rounded once, all others exact
/// (BOOL: 0 and 1). Infinities and NaN are kept.
ANEMONE_API std::vector<float> to_float(const stored_tensor& tensor);
/// The same as double, exact but for integers beyond 2^53, which are rounded once.
ANEMONE_API std::vector<double> to_double(const stored_tensor& tensor);

} // namespace ane::inline ANEMONE_WAY

#if !defined(ANEMONE_COMPILED)
#include "convert.ipp"
#endif
