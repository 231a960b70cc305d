#pragma once

#include "standard_library.hpp"

#include <stdexcept>
#include <string>
#include <utility>

namespace ane {

/// What kind of thing went wrong at run time.
enum class errc {
    file,     ///< a file cannot be opened, read, written or understood
    weights,  ///< a tensor is missing, extra, misshapen, not finite, or breaks its declared bound
    port,     ///< a port is unknown, bound twice, left out, or has the wrong shape or type
    graph,    ///< a graph built at run time is malformed
    lowering, ///< an operation has no form on the requested route or target
    library,  ///< the engine's runtime library, or a symbol of it, cannot be found
    engine,   ///< a call into the engine's runtime failed
    argument  ///< any other argument out of its range
};

constexpr const char* name(errc code) noexcept {
    switch (code) {
    case errc::file: return "file";
    case errc::weights: return "weights";
    case errc::port: return "port";
    case errc::graph: return "graph";
    case errc::lowering: return "lowering";
    case errc::library: return "library";
    case errc::engine: return "engine";
    case errc::argument: return "argument";
    }
    return "unknown";
}

/// The one exception type of the library. `subject` names the thing (a tensor, a port, a call), `detail` is a sentence
/// with the value and the limit; `what()` is "kind: subject: detail".
class error : public std::runtime_error {
public:
    error(errc code, std::string subject, const std::string& detail)
        : std::runtime_error(std::string(name(code)) + ": " + subject + ": " + detail), code_(code),
          subject_(std::move(subject)) {}

    errc code() const noexcept { return code_; }
    const std::string& subject() const noexcept { return subject_; }

private:
    errc code_;
    std::string subject_;
};

} // namespace ane
