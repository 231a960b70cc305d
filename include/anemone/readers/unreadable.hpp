#pragma once

#include "../base/error.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ane {

/// One thing in a file that a reader cannot turn into a graph.
struct read_fault {
    std::string where;     ///< the file
    int line = 0;          ///< from 1 on; 0 where it is not known
    int column = 0;        ///< from 1 on; 0 where it is not known
    std::string operation; ///< the operation or unit, by name and type; empty where none is concerned
    std::string reason;    ///< a sentence: what is read, and what could be

    friend bool operator==(const read_fault&, const read_fault&) = default;
};

/// "model.mil:12:5: y (conv): has no weight"
inline std::string text(const read_fault& fault) {
    std::string result = fault.where;
    for (const int number : {fault.line, fault.column}) {
        if (number <= 0) {
            break;
        }
        result += ":" + std::to_string(number);
    }
    return result + (fault.operation.empty() ? "" : ": " + fault.operation) + ": " + fault.reason;
}

/// A file that a reader refuses, with all that it found wrong in one pass. `what()` has the first `shown` of the faults,
/// a line each.
class unreadable : public error {
public:
    static constexpr std::size_t shown = 20;

    /// `file` is what was read; there is at least one fault.
    unreadable(std::string_view file, std::vector<read_fault> faults)
        : error(errc::file, std::string(file), told(shortened_names(faults))), faults_(std::move(faults)) {}

    const std::vector<read_fault>& faults() const noexcept { return faults_; }

private:
    /// A name in a file may have any length; in a message it is cut.
    static const std::vector<read_fault>& shortened_names(std::vector<read_fault>& faults) {
        for (read_fault& each : faults) {
            each.where = shortened(each.where, 4096);
            each.operation = shortened(each.operation, 400);
            each.reason = shortened(each.reason, 2000);
        }
        return faults;
    }
    static std::string told(const std::vector<read_fault>& faults) {
        std::string result = faults.size() == 1 ? "1 fault" : std::to_string(faults.size()) + " faults";
        for (std::size_t i = 0; i < faults.size() && i < shown; ++i) {
            result += "\n  " + text(faults[i]);
        }
        return faults.size() > shown ? result + "\n  and " + std::to_string(faults.size() - shown) + " more" : result;
    }

    std::vector<read_fault> faults_;
};

} // namespace ane
