#pragma once

#include "points.hpp"

#include <string>
#include <vector>

/// The points by the study that measured them: who, with what harness, where.
namespace cost_points {

/// A point, as a fit has it that saw none of its study.
struct judged_point {
    std::string id;
    double factor;  ///< by which the prediction misses, at least 1
    bool is_inside; ///< whether the interval of the prediction holds the measurement
};

struct judged_study {
    std::string name;
    std::vector<judged_point> points; ///< those that other studies say something of
    int alone = 0;                    ///< the others
};

/// Each study, predicted by a fit to the others; the field of 2026, which no fit sees, by the stated constants.
const std::vector<judged_study>& judged_studies();

/// A row for each study, and one for all.
std::string study_table();

} // namespace cost_points
