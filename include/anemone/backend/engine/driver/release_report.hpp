#ifndef ANEMONE_BACKEND_ENGINE_DRIVER_RELEASE_REPORT_HPP
#define ANEMONE_BACKEND_ENGINE_DRIVER_RELEASE_REPORT_HPP

#include "../../../base/way.hpp"

#include <cstdint>
#include <memory>
#include <string_view>

namespace ane::e5rt::inline ANEMONE_WAY {

/// Receives each release that fails where nothing can be thrown; exceptions of its own are dropped. Derive from it to
/// be notified.
class release_report {
public:
    virtual ~release_report() = default;

    /// `step` is the name of the function, `status` its answer, which is not 0.
    virtual void failed(std::string_view step, std::int64_t status) = 0;

    /// One line on standard error for each.
    ANEMONE_API_OF(anemone_backend_engine_driver_release_report_hpp)
    static std::shared_ptr<release_report> to_stderr();
};

} // namespace ane::e5rt::inline ANEMONE_WAY

#endif
#if ANEMONE_BODIES
#include "release_report.ipp"
#endif
