#pragma once

#include "../base/error.hpp"
#include "../base/formatted.hpp"
#include "../base/way.hpp"
#include "../io/unicode.hpp"
#include "plist.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

/// The binary form of property lists: objects, each behind a byte with its kind and size, which refer to each other by
/// number; a table of their offsets; a trailer. Only bodies include this header.
namespace ane::formats::detail::inline ANEMONE_WAY {

/// A UTF-8 text as UTF-16, big-endian. Throws `error` (errc::argument) where it is not UTF-8.
ANEMONE_INLINE std::string utf16_of(std::string_view text) {
    std::string result;
    const auto put = [&](std::uint32_t unit) {
        result += static_cast<char>(unit >> 8U & 0xFFU);
        result += static_cast<char>(unit & 0xFFU);
    };
    for (std::string_view left = text; !left.empty();) {
        const ane::detail::code_point c = ane::detail::next_code_point(left);
        if (!c.well_formed) {
            throw error(errc::argument, "property list text",
                        formatted("is not UTF-8 at byte {}", text.size() - left.size()));
        }
        if (c.value >= 0x10000) {
            put(0xD800U + ((c.value - 0x10000U) >> 10U));
            put(0xDC00U + ((c.value - 0x10000U) & 0x3FFU));
        } else {
            put(c.value);
        }
        left.remove_prefix(c.size);
    }
    return result;
}

/// Bytes that hold every number up to `largest`: 1, 2, 4 or 8.
constexpr std::size_t width_for(std::uint64_t largest) {
    return largest < 0x100 ? 1 : (largest < 0x10000 ? 2 : (largest < 0x100000000 ? 4 : 8));
}

class binary_writer {
public:
    ANEMONE_INLINE std::string write(const plist_value& root) && {
        number_of(root);
        reference_width_ = width_for(objects_.size());
        std::string text = "bplist00";
        std::vector<std::size_t> offsets;
        for (const object& o : objects_) {
            offsets.push_back(text.size());
            text += o.bytes;
            for (const std::size_t number : o.references) {
                put(text, number, reference_width_);
            }
        }
        const std::size_t table = text.size();
        const std::size_t offset_width = width_for(table);
        for (const std::size_t offset : offsets) {
            put(text, offset, offset_width);
        }
        text.append(6, '\0');
        put(text, offset_width, 1);
        put(text, reference_width_, 1);
        put(text, objects_.size(), 8);
        put(text, 0, 8); // the root is the first object
        put(text, table, 8);
        return text;
    }

private:
    struct object {
        std::string bytes;
        std::vector<std::size_t> references;
    };

    ANEMONE_INLINE static void put(std::string& text, std::uint64_t number, std::size_t width) {
        for (std::size_t i = width; i-- > 0;) {
            text += static_cast<char>(number >> (8 * i) & 0xFFU);
        }
    }
    /// An integer: below zero always of 8 bytes.
    ANEMONE_INLINE static std::string integer(std::int64_t number) {
        const auto bits = static_cast<std::uint64_t>(number);
        const std::size_t width = number < 0 ? 8 : width_for(bits);
        std::string text(1, static_cast<char>(0x10 + std::countr_zero(width)));
        put(text, bits, width);
        return text;
    }
    ANEMONE_INLINE static std::string sized(int kind, std::size_t size) {
        std::string text(1, static_cast<char>(kind << 4 | static_cast<int>(size < 15 ? size : 15)));
        return size < 15 ? text : text + integer(static_cast<std::int64_t>(size));
    }
    ANEMONE_INLINE static std::string encoded(const std::string& text) {
        for (const char c : text) {
            if (static_cast<unsigned char>(c) >= 0x80) {
                const std::string units = utf16_of(text);
                return sized(6, units.size() / 2) + units;
            }
        }
        return sized(5, text.size()) + text;
    }
    ANEMONE_INLINE static std::string encoded(std::int64_t number) { return integer(number); }
    ANEMONE_INLINE static std::string encoded(bool flag) { return flag ? "\x09" : "\x08"; }
    ANEMONE_INLINE static std::string encoded(double number, char kind = 0x23) {
        std::string text(1, kind);
        put(text, std::bit_cast<std::uint64_t>(number), 8);
        return text;
    }
    ANEMONE_INLINE static std::string encoded(const plist_date& date) { return encoded(date.seconds, 0x33); }
    ANEMONE_INLINE static std::string encoded(const plist_data& data) {
        return sized(4, data.bytes.size()) +
               std::string(reinterpret_cast<const char*>(data.bytes.data()), data.bytes.size());
    }

    /// The number of a value, which is made where it is new; equal scalars share one.
    ANEMONE_INLINE std::size_t number_of(const plist_value& value) {
        return value.visit([&](const auto& content) { return number_of_content(content); });
    }
    template <class Scalar> std::size_t number_of_content(const Scalar& content) {
        const auto [known, is_new] = scalars_.try_emplace(encoded(content), objects_.size());
        if (is_new) {
            objects_.push_back({known->first, {}});
        }
        return known->second;
    }
    ANEMONE_INLINE std::size_t number_of_content(const plist_array& values) {
        const std::size_t number = container(10, values.size());
        std::vector<std::size_t> references;
        for (const plist_value& v : values) {
            references.push_back(number_of(v));
        }
        objects_[number].references = std::move(references);
        return number;
    }
    ANEMONE_INLINE std::size_t number_of_content(const plist_dict& values) {
        const std::size_t number = container(13, values.members().size());
        std::vector<std::size_t> references;
        for (const plist_member& m : values.members()) {
            references.push_back(number_of_content(m.key));
        }
        for (const plist_member& m : values.members()) {
            references.push_back(number_of(m.content));
        }
        objects_[number].references = std::move(references);
        return number;
    }
    ANEMONE_INLINE std::size_t container(int kind, std::size_t size) {
        objects_.push_back({sized(kind, size), {}});
        return objects_.size() - 1;
    }

    std::vector<object> objects_;
    std::unordered_map<std::string, std::size_t> scalars_; ///< by their bytes
    std::size_t reference_width_ = 1;
};

} // namespace ane::formats::detail::inline ANEMONE_WAY
