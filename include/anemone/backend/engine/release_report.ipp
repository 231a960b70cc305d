#pragma once

#include "../../base/way.hpp"
ANEMONE_INCLUDED(anemone_backend_engine_release_report_hpp);

#include "release_report.hpp"

#include <cstdio>

namespace ane::e5rt::inline ANEMONE_WAY {

ANEMONE_BODY_OF release_report& release_report::to_stderr() {
    struct line final : release_report { // NOLINT(cppcoreguidelines-virtual-class-destructor): it is final
        void failed(std::string_view step, std::int64_t status) override {
            std::fprintf(stderr, "anemone: %.*s: status %lld, the object may have leaked\n",
                         static_cast<int>(step.size()), step.data(), static_cast<long long>(status));
        }
    };
    static line only;
    return only;
}

} // namespace ane::e5rt::inline ANEMONE_WAY
