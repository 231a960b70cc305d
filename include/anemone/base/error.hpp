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
/// Names of a file have any length: in a sentence they are cut, the subject after 1,000 bytes, a line of the detail after
/// 4,000.
class error : public std::runtime_error {
public:
    error(errc code, std::string subject, const std::string& detail)
        : std::runtime_error(std::string(name(code)) + ": " + shortened(subject, 1000) + ": " +
                             shortened_lines(detail)),
          code_(code), subject_(std::move(subject)) {}

    /// The text, or its first bytes, whole characters of UTF-8, and "...".
    static std::string shortened(const std::string& text, std::size_t most) {
        if (text.size() <= most) {
            return text;
        }
        while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xC0U) == 0x80U) {
            --most;
        }
        return text.substr(0, most) + "...";
    }

    errc code() const noexcept { return code_; }
    const std::string& subject() const noexcept { return subject_; }
    /// The sentence without kind and subject.
    std::string detail() const {
        const std::size_t before = std::string(name(code_)).size() + 2 + shortened(subject_, 1000).size() + 2;
        return std::string(what()).substr(before);
    }

private:
    static std::string shortened_lines(const std::string& text) {
        constexpr std::size_t most = 4000;
        if (text.size() <= most) {
            return text;
        }
        std::string all;
        for (std::size_t begin = 0; begin <= text.size();) {
            const std::size_t end = text.find('\n', begin);
            all += (begin > 0 ? "\n" : "") + shortened(text.substr(begin, end - begin), most);
            begin = end == std::string::npos ? text.size() + 1 : end + 1;
        }
        return all;
    }

    errc code_;
    std::string subject_;
};

} // namespace ane
