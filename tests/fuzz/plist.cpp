/// Any bytes as a property list: read, or refused with errc::file. What was read is written in both forms and read back.
#include <anemone/readers/plist.hpp>

#include <cstdint>
#include <cstdlib>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace {

std::optional<std::string> in_xml(const ane::formats::plist_value& value) {
    try {
        return ane::formats::to_xml(value);
    } catch (const ane::error& e) {
        if (e.code() != ane::errc::argument) { // a character or a date that XML does not have
            std::abort();
        }
        return std::nullopt;
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    ane::formats::plist_value value;
    try {
        value = ane::readers::parse_plist(std::as_bytes(std::span(data, size)));
    } catch (const ane::error& e) {
        if (e.code() != ane::errc::file) {
            std::abort();
        }
        return 0;
    }
    const std::optional<std::string> xml = in_xml(value);
    const std::string bytes = ane::formats::to_binary(value);
    const auto again = ane::readers::parse_plist(std::string_view(bytes));
    if (ane::formats::to_binary(again) != bytes || in_xml(again) != xml) {
        std::abort();
    }
    return 0;
}
