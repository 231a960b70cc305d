#pragma once

#include <cstdint>
#include <string>
#include <string_view>

/// The kit that a Mac owner runs: the published probes, checks of the device and the demo, through both doors of the
/// engine, against the oracle. docs/probe.md says what it writes.
namespace kit {

/// What a line from a worker is.
enum class line : char {
    begins = 'B',  ///< an item, "N001 direct"
    text = 'T',    ///< of the report
    call = 'C',    ///< into the runtime begins
    answer = 'A',  ///< that call returned this
    failure = 'F', ///< the calls so far belong into the report here
    pause = 'P',   ///< a compile failed: the next process has to wait as well
    verdict = 'V'  ///< of the item, which ends here
};

/// What a worker tells its parent, through a pipe, line by line as it happens: what was said before a crash is known.
/// One for each process; a parent's says nothing.
class journal {
public:
    static journal& instance();

    void open(int descriptor) { descriptor_ = descriptor; }
    void say(line kind, std::string_view text) const;
    /// Calls into the runtime, which are not told while a run is timed.
    void call(std::string_view name) const;
    void answer(std::int64_t status) const;
    /// An answer that says no: told even while a run is timed.
    void refusal(std::string_view name, std::int64_t status) const;

    bool timing = false;

private:
    int descriptor_ = -1;
};

} // namespace kit
