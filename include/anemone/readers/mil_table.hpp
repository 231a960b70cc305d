#pragma once

#include "mil_call.hpp"

#include <string_view>
#include <unordered_map>
#include <vector>

/// Only bodies include this header.
namespace ane::readers::inline ANEMONE_WAY {

/// How the statements of one operation become nodes: appends them, and gives the values of the results.
using read_statement = std::vector<mil_value> (*)(mil_call&);

/// A row for each operation: adding one is adding a row to the table of its family.
using statement_table = std::unordered_map<std::string_view, read_statement>;

} // namespace ane::readers::inline ANEMONE_WAY
