#pragma once

#include "door.hpp"
#include "verdict.hpp"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace kit {

/// One thing that a worker does at one door: a published record, a check of the device, the demo. It tells the journal
/// what it finds.
struct task {
    std::string id;
    std::string about;
    std::function<verdict(open_door&)> run; ///< none: `about` says why no graph can pose it
    bool direct = true, netplist = true;    ///< the doors that it is for
};

/// The first task: which library answers. Without one nothing else is asked.
inline constexpr const char* library_task = "library";

/// In the order in which they run.
std::vector<task> all_tasks();
std::vector<task> published_tasks(); ///< one for each line of the facts
std::vector<task> device_tasks();
std::vector<task> demo_tasks();

/// Tells one line of the report.
void tell(const std::string& text);

} // namespace kit
