#pragma once

#include "../base/way.hpp"
#include "../formats/plist.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace ane::detail::inline ANEMONE_WAY {
class file_reader;
}

namespace ane::readers::inline ANEMONE_WAY {

/// What a property list may be at most: more is refused before memory is taken for it. A netplist of 2,000 units has
/// about 2 MB.
inline constexpr std::size_t longest_plist = std::size_t{64} << 20U;        ///< bytes of the file
inline constexpr std::size_t most_plist_values = std::size_t{2} << 20U;     ///< values, keys among them
inline constexpr std::size_t longest_plist_text = std::size_t{64} << 20U;   ///< bytes of all texts and data together
inline constexpr std::uint64_t most_plist_memory = std::uint64_t{8} << 30U; ///< bytes of the values, as far as is known
inline constexpr int deepest_plist = 64;                                    ///< containers within containers

/// A property list in either form: XML in UTF-8, or binary (bplist00). Values of XML know their place. What no value can
/// hold is refused: UIDs, sets, null, integers beyond 64 bits with a sign, a key twice in a dictionary. Throws `error`
/// (errc::file) with `file`, the line and column or the byte, and the reason. Values may take `memory` bytes, or 16 MB.
ANEMONE_API formats::plist_value parse_plist(std::span<const std::byte> bytes, std::string_view file = "property list",
                                             std::uint64_t memory = most_plist_memory);
ANEMONE_API formats::plist_value parse_plist(std::string_view text, std::string_view file = "property list",
                                             std::uint64_t memory = most_plist_memory);

/// The same from a file, which may be open already.
ANEMONE_API formats::plist_value load_plist(const std::string& path, std::uint64_t memory = most_plist_memory);
ANEMONE_API formats::plist_value load_plist(const ane::detail::file_reader& file, const std::string& path,
                                            std::uint64_t memory = most_plist_memory);

} // namespace ane::readers::inline ANEMONE_WAY

#if !defined(ANEMONE_COMPILED)
#include "plist.ipp"
#endif
