#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace ane::models {

/// A tensor that no graph has, by its published name: rows of it are taken on the host.
struct host_table {
    std::string_view name; ///< empty: none
    std::int64_t rows = 0, width = 0;
};
/// Of tokens, of positions, of token types.
using host_tables = std::array<host_table, 3>;

} // namespace ane::models
