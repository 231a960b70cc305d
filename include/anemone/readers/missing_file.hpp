#pragma once

#include "../base/error.hpp"

#include <string>
#include <utility>

namespace ane {

/// What a lookup throws for a file that is not there. A reader with `allows_missing` takes the shapes of what the file
/// holds without the values; any other `error` of a lookup (a path out of the model's folder, no permission, a limit)
/// refuses the model.
class missing_file : public error {
public:
    missing_file(std::string name, const std::string& detail) : error(errc::file, std::move(name), detail) {}
};

} // namespace ane
