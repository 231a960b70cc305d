#pragma once

#include "../../base/way.hpp"
#include "../../graph/attributes.hpp"
#include "../../graph/strided.hpp"
#include "arithmetic.hpp"

namespace ane::kernels::inline ANEMONE_WAY {

/// The sums of the elements up to each one along an axis; `exclusive`: without the element itself; `reverse`: from the
/// end (ONNX CumSum).
template <class Arithmetic>
void cumulative_sum(const Arithmetic& a, const cumulation& how, const element_of<Arithmetic>* x, const extents& shape,
                    element_of<Arithmetic>* out) {
    ane::detail::for_each_row(shape, how.axis,
                              [&](std::int64_t, std::int64_t begin, std::int64_t count, std::int64_t stride) {
                                  typename Arithmetic::sum total(a);
                                  for (std::int64_t i = 0; i < count; ++i) {
                                      const std::int64_t at = begin + (how.reverse ? count - 1 - i : i) * stride;
                                      const auto value = a.load(x[at]);
                                      if (how.exclusive) {
                                          out[at] = a.store(total.result());
                                          total.add(value);
                                      } else {
                                          total.add(value);
                                          out[at] = a.store(total.result());
                                      }
                                  }
                              });
}

} // namespace ane::kernels::inline ANEMONE_WAY
