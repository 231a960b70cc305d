#pragma once

#include "../app/generate.hpp"
#include "../app/plan.hpp"
#include "../app/session.hpp"
#include "guarded.hpp"
#include <anemone/base/cancellation.hpp>
#include <anemone/c/anemone.h>
#include <anemone/report/verdicts.hpp>

#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <variant>

struct anemone_cancellation {
    ane::cancellation held;
};
struct anemone_model {
    app::shared_model held;
    app::model_ports ports; // whose names callers see

    explicit anemone_model(app::model of)
        : held(std::make_shared<const app::model>(std::move(of))), ports(held->ports()) {}
};
struct anemone_report {
    ane::verdict_table held;
    std::string json;
    std::string text;
};
struct anemone_plan {
    app::plan held;
    mutable std::mutex drawing{};
    mutable std::string svg{}; // empty until it is requested
};
struct anemone_program {
    app::session held;
};
struct anemone_language_model {
    std::shared_ptr<app::language_model> held;
};
struct anemone_generation {
    app::generating held;
    std::string json{}; // empty until it is requested
};

namespace c_interface {

/// What a plan has, of the function that makes such.
template <class Found> const Found& found_in(const anemone_plan* plan, const char* function) {
    const auto* const found = std::get_if<Found>(&needed(plan, "plan").held.found);
    if (found == nullptr) {
        throw ane::error(ane::errc::argument, "plan", std::string("was not made by ") + function);
    }
    return *found;
}

} // namespace c_interface
