#pragma once

#include "../error.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace ane::detail {

/// Refuses a graph. Not constexpr: in a constant expression reaching the call is the error, and the compiler shows the
/// line with its text; at run time it is an `error` (errc::graph).
[[noreturn]] inline void refuse_graph(std::string_view subject, std::string_view detail) {
    throw error(errc::graph, std::string(subject), std::string(detail));
}
/// The same with the value found and the one that is wanted.
[[noreturn]] inline void refuse_graph(std::string_view subject, std::string_view detail, std::int64_t got,
                                      std::int64_t want) {
    throw error(errc::graph, std::string(subject),
                std::string(detail) + " (" + std::to_string(got) + ", not " + std::to_string(want) + ")");
}

} // namespace ane::detail
