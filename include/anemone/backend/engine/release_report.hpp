#pragma once

#include "../../base/way.hpp"

#include <cstdint>
#include <string_view>

namespace ane::e5rt::inline ANEMONE_WAY {

/// Told of each release that fails where nothing can be thrown; what it throws itself is dropped. Derive from it to
/// hear of them.
class release_report {
public:
    /// `step` is the name of the function, `status` its answer, which is not 0.
    virtual void failed(std::string_view step, std::int64_t status) = 0;

    /// One line on standard error for each.
    ANEMONE_API static release_report& to_stderr();

protected:
    ~release_report() = default;
};

} // namespace ane::e5rt::inline ANEMONE_WAY

#if !defined(ANEMONE_COMPILED)
#include "release_report.ipp"
#endif
