#pragma once

#include "../../../base/way.hpp"
ANEMONE_INCLUDED(anemone_backend_engine_driver_release_report_hpp);

#include "release_report.hpp"

#include <cstdio>
#include <memory>

namespace ane::e5rt::inline ANEMONE_WAY {

ANEMONE_BODY_OF std::shared_ptr<release_report> release_report::to_stderr() {
    struct line final : release_report {
        void failed(std::string_view step, std::int64_t status) override {
            std::fprintf(stderr, "anemone: %.*s: status %lld, the object may have leaked\n",
                         static_cast<int>(step.size()), step.data(), static_cast<long long>(status));
        }
    };
    return std::make_shared<line>();
}

} // namespace ane::e5rt::inline ANEMONE_WAY
