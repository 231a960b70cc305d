#pragma once

#include "../app/model.hpp"

#include <string>

namespace command {

/// The model of a file. What of its numbers is read as others, such as masks beyond fp16, is said on standard error.
app::model opened(const std::string& path, const app::reading_options& how);

} // namespace command
