#include "options.hpp"

#include <anemone/base/error.hpp>

#include <charconv>

namespace kit {

const char* const usage = R"(usage: ./run probe [options]

Puts the published probes of the engine's arithmetic, checks of the device and the demo to the engine of this machine,
through both doors, compares every bit with the oracle, and writes one text file. See docs/probe.md.

  --output FILE                  the report (probe_report.txt)
  --only ID...                   these alone: N040 accumulator demo
  --door direct|netplist|both    the doors to use (both); in-memory-mil, which others use, only where it is named
  --target NAME                  the chip, such as h13: needed where this machine is not known
  --limit SECONDS                a probe without a sign of life for so long is given up (120)
  --list                         print the ids, and end
  --help                         this text

It ends with 0 if everything agreed, 1 if not, 2 if it could not be done. Elsewhere than on a Mac the engine is the
stand-in of this repository; ANEMONE_E5RT and ANEMONE_OBJC name other libraries.
)";

options read_options(const std::vector<std::string>& arguments) {
    options o;
    const auto refuse = [](const std::string& what, const std::string& why) {
        throw ane::error(ane::errc::argument, what, why);
    };
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const std::string& name = arguments[i];
        const auto value = [&]() -> const std::string& {
            if (i + 1 == arguments.size() || arguments[i + 1].empty()) {
                refuse(name, "needs a value");
            }
            return arguments[++i];
        };
        if (name == "--output") {
            o.output = value();
        } else if (name == "--only") {
            do {
                o.only.push_back(value());
            } while (i + 1 < arguments.size() && arguments[i + 1].substr(0, 2) != "--");
        } else if (name == "--door") {
            const std::string& door = value();
            const auto known = door_named(door);
            if (!known && door != "both") {
                refuse(name, "'" + door + "' is not one of direct, netplist, both, in-memory-mil");
            }
            if (known) {
                o.doors = {*known};
            }
        } else if (name == "--target") {
            const std::string& chip = value();
            o.chip = ane::find_target(chip);
            if (!o.chip) {
                refuse(name, "'" + chip + "' is not one of the targets of docs/targets.md");
            }
        } else if (name == "--limit") {
            const std::string& text = value();
            const auto read = std::from_chars(text.data(), text.data() + text.size(), o.silence);
            if (read.ec != std::errc{} || read.ptr != text.data() + text.size() || o.silence < 1 || o.silence > 3600) {
                refuse(name, "'" + text + "' is not a number of seconds from 1 to 3600");
            }
        } else if (name == "--list") {
            o.list = true;
        } else if (name == "--help" || name == "-h") {
            o.help = true;
        } else {
            refuse(name, "is no option; see --help");
        }
    }
    return o;
}

} // namespace kit
