#pragma once

#include "options.hpp"
#include "record.hpp"
#include "tasks.hpp"

#include <string>
#include <vector>

namespace kit {

/// What is written at the head of a report.
struct heading {
    std::string began, ended, chip, system, compiler;
    ane::target engine{};
};

/// The report as text. docs/probe.md describes it; tests/python/probe.py judges it.
std::string report_text(const heading& head, const std::vector<record>& records);

/// How often each verdict occurs, "150 agree, ...", in one line.
std::string counts(const std::vector<record>& records);

bool all_good(const std::vector<record>& records);

} // namespace kit
