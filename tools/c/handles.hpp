#pragma once

#include "../bindings/model.hpp"
#include "../bindings/plans.hpp"
#include "../bindings/session.hpp"
#include <anemone/c/anemone.h>
#include <anemone/report/verdicts.hpp>

#include <memory>
#include <mutex>
#include <string>

struct anemone_model {
    std::shared_ptr<const bindings::model> held;
};
struct anemone_report {
    ane::verdict_table held;
    std::string json;
    std::string text;
};
struct anemone_plan {
    bindings::plan held;
    mutable std::mutex drawing{};
    mutable std::string svg{}; // empty until it is asked for
};
struct anemone_program {
    bindings::session held;
};
