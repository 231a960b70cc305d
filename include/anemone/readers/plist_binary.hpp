#pragma once

#include "../base/error.hpp"
#include "../base/formatted.hpp"
#include "../base/way.hpp"
#include "../io/unicode.hpp"
#include "plist_budget.hpp"
#include "plist_xml_text.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// The binary form of property lists (formats/plist_binary.hpp). Only bodies include this header.
namespace ane::readers::inline ANEMONE_WAY {

/// Every offset, number and size of the file is compared with what the file has before it is used.
class plist_binary_parser {
public:
    static constexpr std::string_view magic = "bplist";

    plist_binary_parser(std::string_view bytes, std::string_view file, std::uint64_t memory)
        : bytes_(bytes), file_(file), budget_(memory) {}

    ANEMONE_INLINE formats::plist_value parse() {
        constexpr std::size_t header = 8;
        constexpr std::size_t trailer = 32;
        if (bytes_.size() < header + trailer + 1) {
            refuse(0, "is too short for a binary property list");
        }
        if (bytes_.substr(magic.size(), 2) != "00") {
            refuse(magic.size(), "is a binary property list of another version than 00");
        }
        const std::size_t end = bytes_.size() - trailer;
        offset_width_ = number(end + 6, 1);
        reference_width_ = number(end + 7, 1);
        count_ = number(end + 8, 8);
        const std::uint64_t root = number(end + 16, 8);
        table_ = number(end + 24, 8);
        if (offset_width_ < 1 || offset_width_ > 8 || reference_width_ < 1 || reference_width_ > 8) {
            refuse(end + 6, formatted("has offsets of {} bytes and references of {}; both have 1 to 8", offset_width_,
                                      reference_width_));
        }
        if (table_ < header || table_ > end || count_ < 1 || count_ > (end - table_) / offset_width_) {
            refuse(end + 8, formatted("has {} objects, whose offsets at {} end outside the file", count_, table_));
        }
        open_.assign(count_, false);
        return value(root, end + 16, 1);
    }

private:
    ANEMONE_INLINE void refuse [[noreturn]] (std::uint64_t at, const std::string& why) const {
        throw error(errc::file, std::string(file_), formatted("byte {}: {}", at, why));
    }

    /// A big-endian number of up to 8 bytes that the file has.
    ANEMONE_INLINE std::uint64_t number(std::uint64_t at, std::uint64_t width) const {
        std::uint64_t result = 0;
        for (const char c : bytes_.substr(at, width)) {
            result = result << 8U | static_cast<unsigned char>(c);
        }
        return result;
    }

    /// The bytes of an object before the table.
    ANEMONE_INLINE std::string_view take(std::uint64_t at, std::uint64_t count, std::uint64_t size) const {
        if (at > table_ || count > (table_ - at) / size) {
            refuse(at, formatted("an object of {} times {} bytes does not end before the offsets at {}", count, size,
                                 table_));
        }
        return bytes_.substr(at, count * size);
    }

    ANEMONE_INLINE void charge(std::uint64_t at, int depth, std::size_t text) {
        if (const std::string why = budget_.charge(depth, text); !why.empty()) {
            refuse(at, why);
        }
    }

    ANEMONE_INLINE std::uint64_t offset_of(std::uint64_t index, std::uint64_t from) const {
        if (index >= count_) {
            refuse(from, formatted("refers to object {} of {}", index, count_));
        }
        const std::uint64_t at = number(table_ + index * offset_width_, offset_width_);
        if (at < 8 || at >= table_) {
            refuse(table_ + index * offset_width_, formatted("object {} begins at {}, outside the file", index, at));
        }
        return at;
    }

    /// The integer at a place: its value, and the place behind it. One of 16 bytes must have a value of 8.
    ANEMONE_INLINE std::pair<std::int64_t, std::uint64_t> integer(std::uint64_t at) const {
        const auto kind = static_cast<unsigned>(number(at, 1));
        if (kind >> 4U != 1 || (kind & 0xFU) > 4) {
            refuse(at, "an integer is expected here");
        }
        const std::uint64_t width = std::uint64_t{1} << (kind & 0xFU);
        take(at + 1, 1, width);
        const std::uint64_t low = number(at + 1 + (width == 16 ? 8 : 0), width == 16 ? 8 : width);
        const auto value = static_cast<std::int64_t>(low);
        if (width == 16 && number(at + 1, 8) != (value < 0 ? ~std::uint64_t{0} : 0)) {
            refuse(at, "is no integer of 64 bits with a sign");
        }
        return {value, at + 1 + width};
    }

    ANEMONE_INLINE formats::plist_value value(std::uint64_t index, std::uint64_t from, int depth) {
        const std::uint64_t at = offset_of(index, from);
        const auto kind = static_cast<unsigned>(number(at, 1));
        switch (kind >> 4U) {
        case 4:
        case 5:
        case 6: return text(at, kind, depth);
        case 10:
        case 13: {
            if (open_[index]) {
                refuse(at, formatted("object {} holds itself", index));
            }
            charge(at, depth, 0);
            open_[index] = true;
            formats::plist_value result = container(at, kind, depth);
            open_[index] = false;
            return result;
        }
        default: charge(at, depth, 0); return scalar(at, kind);
        }
    }

    ANEMONE_INLINE formats::plist_value scalar(std::uint64_t at, unsigned kind) const {
        switch (kind) {
        case 0x08: return false;
        case 0x09: return true;
        case 0x22: {
            take(at + 1, 1, 4);
            return double{std::bit_cast<float>(static_cast<std::uint32_t>(number(at + 1, 4)))};
        }
        case 0x23:
        case 0x33: {
            take(at + 1, 1, 8);
            const auto real = std::bit_cast<double>(number(at + 1, 8));
            return kind == 0x23 ? formats::plist_value(real) : formats::plist_value(formats::plist_date{real});
        }
        default: break;
        }
        if (kind >> 4U == 8) {
            refuse(at, "is a UID, which only archives of objects have");
        }
        if (kind >> 4U != 1) {
            refuse(at, formatted("is an object of kind {:#04x}; there are none in a property list", kind));
        }
        return integer(at).first;
    }

    /// How many elements an object has, and where they begin.
    ANEMONE_INLINE std::pair<std::uint64_t, std::uint64_t> size_of(std::uint64_t at, unsigned kind) const {
        if ((kind & 0xFU) != 0xFU) {
            return {kind & 0xFU, at + 1};
        }
        take(at + 1, 1, 1);
        const auto [size, begin] = integer(at + 1);
        if (size < 0) {
            refuse(at, formatted("has {} elements", size));
        }
        return {static_cast<std::uint64_t>(size), begin};
    }

    ANEMONE_INLINE formats::plist_value text(std::uint64_t at, unsigned kind, int depth) {
        const auto [size, begin] = size_of(at, kind);
        const std::string_view held = take(begin, size, kind >> 4U == 6 ? 2 : 1);
        charge(at, depth, held.size() * 2); // a UTF-16 unit is 3 bytes of UTF-8 at most
        if (kind >> 4U == 4) {
            const auto bytes = std::as_bytes(std::span(held));
            return formats::plist_data{{bytes.begin(), bytes.end()}};
        }
        if (kind >> 4U == 6) {
            return utf16(held, begin);
        }
        for (std::size_t i = 0; i < held.size(); ++i) {
            if (static_cast<unsigned char>(held[i]) >= 0x80) {
                refuse(begin + i, "is no character of ASCII");
            }
        }
        return std::string(held);
    }

    ANEMONE_INLINE std::string utf16(std::string_view held, std::uint64_t begin) const {
        std::string result;
        const auto unit = [&](std::size_t i) {
            return static_cast<std::uint32_t>(static_cast<unsigned char>(held[i])) << 8U |
                   static_cast<unsigned char>(held[i + 1]);
        };
        for (std::size_t i = 0; i < held.size(); i += 2) {
            std::uint32_t c = unit(i);
            if (c >= 0xD800 && c <= 0xDFFF) {
                const std::uint32_t low = i + 2 < held.size() ? unit(i + 2) : 0;
                if (c >= 0xDC00 || low < 0xDC00 || low > 0xDFFF) {
                    refuse(begin + i, "is half a character of UTF-16");
                }
                c = 0x10000U + ((c - 0xD800U) << 10U) + (low - 0xDC00U);
                i += 2;
            }
            append_utf8(result, c);
        }
        return result;
    }

    ANEMONE_INLINE formats::plist_value container(std::uint64_t at, unsigned kind, int depth) {
        const auto header = size_of(at, kind);
        const std::uint64_t size = header.first;
        const bool keyed = kind >> 4U == 13;
        take(header.second, size, keyed ? 2 * reference_width_ : reference_width_);
        const auto reference = [&](std::uint64_t i) { return header.second + i * reference_width_; };
        if (!keyed) {
            formats::plist_array values;
            for (std::uint64_t i = 0; i < size; ++i) {
                values.push_back(value(number(reference(i), reference_width_), reference(i), depth + 1));
            }
            return values;
        }
        std::vector<formats::plist_member> members;
        for (std::uint64_t i = 0; i < size; ++i) {
            const std::uint64_t place = offset_of(number(reference(i), reference_width_), reference(i));
            if (const auto key = number(place, 1) >> 4U; key != 5 && key != 6) {
                refuse(place, "a key is no text");
            }
            formats::plist_value key = value(number(reference(i), reference_width_), reference(i), depth + 1);
            const std::uint64_t held = reference(size + i);
            members.push_back(
                {std::move(*key.get_if<std::string>()), value(number(held, reference_width_), held, depth + 1)});
        }
        formats::plist_dict result(std::move(members));
        for (std::size_t i = 1; i < result.members().size(); ++i) {
            if (result.members()[i].key == result.members()[i - 1].key) {
                refuse(at, formatted("the dictionary has the key \"{}\" twice",
                                     ane::detail::printable(result.members()[i].key)));
            }
        }
        return result;
    }

    std::string_view bytes_;
    std::string_view file_;
    std::uint64_t offset_width_ = 1;
    std::uint64_t reference_width_ = 1;
    std::uint64_t count_ = 0;
    std::uint64_t table_ = 0;
    std::vector<bool> open_; ///< the containers around the present value
    plist_budget budget_;
};

} // namespace ane::readers::inline ANEMONE_WAY
