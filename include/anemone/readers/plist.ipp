#pragma once

#include "../base/formatted.hpp"
#include "../io/open_file.hpp"
#include "plist.hpp"
#include "plist_binary.hpp"
#include "plist_xml.hpp"

namespace ane::readers::inline ANEMONE_WAY {

ANEMONE_BODY formats::plist_value parse_plist(std::string_view text, std::string_view file, std::uint64_t memory) {
    if (text.size() > longest_plist) {
        throw error(errc::file, std::string(file),
                    formatted("has {} bytes, a property list may have {}", text.size(), longest_plist));
    }
    if (text.starts_with(plist_binary_parser::magic)) {
        return plist_binary_parser(text, file, memory).parse();
    }
    if (text.starts_with("\xFE\xFF") || text.starts_with("\xFF\xFE")) {
        throw error(errc::file, std::string(file), "is in UTF-16; UTF-8 is read");
    }
    return plist_xml_parser(text, file, memory).parse();
}

ANEMONE_BODY formats::plist_value parse_plist(std::span<const std::byte> bytes, std::string_view file,
                                              std::uint64_t memory) {
    return parse_plist(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()), file, memory);
}

ANEMONE_BODY formats::plist_value load_plist(const std::string& path, std::uint64_t memory) {
    return load_plist(ane::detail::file_reader(path), path, memory);
}

ANEMONE_BODY formats::plist_value load_plist(const ane::detail::file_reader& file, const std::string& path,
                                             std::uint64_t memory) {
    if (file.size() > longest_plist) {
        throw error(errc::file, path,
                    formatted("has {} bytes, a property list may have {}", file.size(), longest_plist));
    }
    std::string text(file.size(), '\0');
    file.read(std::as_writable_bytes(std::span(text)));
    return parse_plist(std::string_view(text), path, memory);
}

} // namespace ane::readers::inline ANEMONE_WAY
