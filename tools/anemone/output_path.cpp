#include "output_path.hpp"

#include <anemone/base/error.hpp>

#include <filesystem>
#include <system_error>

namespace command {

void require_other_file(const std::string& output, std::span<const std::string> inputs) {
    namespace fs = std::filesystem;
    for (const std::string& input : inputs) {
        std::error_code failed; // a file that is not there is no other file's
        if (!output.empty() && fs::is_regular_file(output, failed) && fs::equivalent(output, input, failed) &&
            !failed) {
            throw ane::error(ane::errc::argument, output, "is read, and would be written over; name another output");
        }
    }
}

} // namespace command
