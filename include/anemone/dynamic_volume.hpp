#ifndef ANEMONE_DYNAMIC_VOLUME_HPP
#define ANEMONE_DYNAMIC_VOLUME_HPP

#include "dynamic_builder.hpp"
#include "ops/volume_plan.hpp"

namespace ane::inline ANEMONE_WAY {

/// The functions of ops/volume.hpp over shapes from data. A mistake throws `error` (errc::graph) and leaves the graph as
/// it was. A `bias` may be null.
ANEMONE_API_OF(anemone_dynamic_volume_hpp)
dynamic_tensor conv3d(dynamic_builder& g, const dynamic_tensor& x, const dynamic_tensor& weight,
                      const dynamic_tensor* bias, const volume_conv& a = {}, source_location where = here());
ANEMONE_API_OF(anemone_dynamic_volume_hpp)
dynamic_tensor max_pool3d(dynamic_builder& g, const dynamic_tensor& x, const volume_pool& a,
                          source_location where = here());
ANEMONE_API_OF(anemone_dynamic_volume_hpp)
dynamic_tensor avg_pool3d(dynamic_builder& g, const dynamic_tensor& x, const volume_pool& a,
                          source_location where = here());

} // namespace ane::inline ANEMONE_WAY

#endif
#if ANEMONE_BODIES
#include "dynamic_volume.ipp"
#endif
