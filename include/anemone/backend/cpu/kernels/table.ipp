#pragma once

#include "levels.hpp"
#include "table.hpp"

#include <cstddef>

namespace ane::cpu::detail::inline ANEMONE_WAY {

ANEMONE_BODY std::vector<float> to_floats(const kernel_table& table, const half* x, std::int64_t count) {
    std::vector<float> result(x == nullptr ? 0U : static_cast<std::size_t>(count));
    table.to_float(x, result.data(), static_cast<std::int64_t>(result.size()));
    return result;
}

} // namespace ane::cpu::detail::inline ANEMONE_WAY

namespace ane::cpu::inline ANEMONE_WAY {

ANEMONE_BODY const kernel_table& kernels_for(isa_level level) { return detail::kernels_of<every_kernel>(level); }

ANEMONE_BODY const kernel_table& generic_kernels() { return detail::generic_kernels_of<every_kernel>(); }

ANEMONE_BODY const kernel_table& best_kernels() {
    static const kernel_table& best = kernels_for(best_level());
    return best;
}

} // namespace ane::cpu::inline ANEMONE_WAY
