#pragma once

#include "../bindings/model.hpp"
#include "../bindings/session.hpp"
#include <anemone/c/anemone.h>
#include <anemone/report/verdicts.hpp>

#include <memory>
#include <string>

struct anemone_model {
    std::shared_ptr<const bindings::model> held;
};
struct anemone_report {
    ane::verdict_table held;
    std::string json;
    std::string text;
};
struct anemone_program {
    bindings::session held;
};
