#pragma once

#include "../base/formatted.hpp"
#include "../base/way.hpp"
#include "../formats/plist.hpp"
#include "../forms/netplist_layout.hpp"
#include "../io/unicode.hpp"
#include "../values/half.hpp"

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

/// The keys of a dictionary of a netplist. Only bodies include this header.
namespace ane::readers::inline ANEMONE_WAY {

/// Extents, counts and factors of a netplist are from 1 to this. The engine has 65536 at most.
inline constexpr std::int64_t most_netplist_extent = std::int64_t{1} << 20U;

/// A file that has more faults is told of these alone.
inline constexpr std::size_t most_netplist_faults = 1000;

ANEMONE_INLINE std::string in_quotes(std::string_view text) {
    const bool cut = text.size() > 80;
    return formatted("\"{}{}\"", ane::detail::printable(text.substr(0, 80)), cut ? "..." : "");
}

ANEMONE_INLINE std::optional<netplist_axis> find_netplist_axis(std::string_view token) {
    for (const netplist_axis axis : netplist_axes) {
        if (name(axis) == token) {
            return axis;
        }
    }
    return std::nullopt;
}

/// What a dictionary says key by key. A value that cannot be used is put down as a complaint, and a harmless one given
/// in its place, so that one pass finds them all.
class netplist_keys {
public:
    netplist_keys(const formats::plist_dict* values, std::vector<std::string>& complaints)
        : values_(values), complaints_(&complaints) {}

    ANEMONE_INLINE const formats::plist_value* find(std::string_view key) {
        known_.insert(std::string(key));
        return values_ == nullptr ? nullptr : values_->find(key);
    }
    ANEMONE_INLINE bool has(std::string_view key) { return find(key) != nullptr; }
    ANEMONE_INLINE void complain(std::string text) {
        if (complaints_->size() < most_netplist_faults) {
            complaints_->push_back(std::move(text));
        }
    }

    ANEMONE_INLINE std::int64_t integer(std::string_view key, std::int64_t least, std::int64_t most,
                                        std::optional<std::int64_t> otherwise = std::nullopt) {
        const formats::plist_value* const value = present(key, otherwise.has_value());
        if (value == nullptr) {
            return otherwise.value_or(least);
        }
        return integer_of(*value, key, least, most);
    }
    /// From 1 on.
    ANEMONE_INLINE std::int64_t extent(std::string_view key, std::optional<std::int64_t> otherwise = std::nullopt) {
        return integer(key, 1, most_netplist_extent, otherwise);
    }
    ANEMONE_INLINE std::int64_t integer_of(const formats::plist_value& value, std::string_view key, std::int64_t least,
                                           std::int64_t most) {
        const auto* const number = value.get_if<std::int64_t>();
        if (number == nullptr || *number < least || *number > most) {
            complain(number == nullptr ? formatted("{} is no integer", key)
                                       : formatted("{} is {}; from {} to {} is read", key, *number, least, most));
            return least;
        }
        return *number;
    }

    /// A number as the integer of its fp16 bit pattern; finite.
    ANEMONE_INLINE half pattern(std::string_view key, std::optional<half> otherwise = std::nullopt) {
        const formats::plist_value* const value = present(key, otherwise.has_value());
        if (value == nullptr) {
            return otherwise.value_or(half());
        }
        if (value->get_if<double>() != nullptr) {
            complain(formatted("{} is a real, which the engine truncates; it takes the integer of an fp16 bit pattern",
                               key));
            return half();
        }
        half result;
        result.bits = static_cast<std::uint16_t>(integer_of(*value, key, 0, 0xFFFF));
        if ((result.bits & 0x7C00U) == 0x7C00U) {
            complain(formatted("{} is {}, the fp16 bit pattern of no finite number", key, result.bits));
            return half();
        }
        return result;
    }

    ANEMONE_INLINE double real(std::string_view key, std::optional<double> otherwise = std::nullopt) {
        const formats::plist_value* const value = present(key, otherwise.has_value());
        if (value == nullptr) {
            return otherwise.value_or(0);
        }
        if (const auto* const whole = value->get_if<std::int64_t>()) {
            return static_cast<double>(*whole);
        }
        const auto* const number = value->get_if<double>();
        if (number == nullptr || !(*number >= -65504 && *number <= 65504)) {
            complain(number == nullptr ? formatted("{} is no number", key)
                                       : formatted("{} is {}, which fp16 does not hold", key, *number));
            return 0;
        }
        return *number;
    }

    ANEMONE_INLINE bool flag(std::string_view key, std::optional<bool> otherwise = std::nullopt) {
        const formats::plist_value* const value = present(key, otherwise.has_value());
        if (value == nullptr) {
            return otherwise.value_or(false);
        }
        const auto* const result = value->get_if<bool>();
        if (result == nullptr) {
            complain(formatted("{} is no boolean", key));
        }
        return result != nullptr && *result;
    }

    /// Empty where the key is missing and need not be there.
    ANEMONE_INLINE std::string_view text(std::string_view key, bool optional = false) {
        const formats::plist_value* const value = present(key, optional);
        const auto* const result = value == nullptr ? nullptr : value->get_if<std::string>();
        if (value != nullptr && result == nullptr) {
            complain(formatted("{} is no text", key));
        }
        return result == nullptr ? std::string_view() : std::string_view(*result);
    }

    /// Requires a value that has one known meaning; an absent one means the same.
    ANEMONE_INLINE void only_text(std::string_view key, std::string_view wanted) {
        const std::string_view found = text(key, true);
        if (!found.empty() && found != wanted) {
            complain(formatted("{} is {}; {} alone is read", key, in_quotes(found), wanted));
        }
    }
    ANEMONE_INLINE void only_number(std::string_view key, std::int64_t wanted) {
        if (const std::int64_t found = integer(key, std::numeric_limits<std::int64_t>::min(),
                                               std::numeric_limits<std::int64_t>::max(), wanted);
            found != wanted) {
            complain(formatted("{} is {}; {} alone is read", key, found, wanted));
        }
    }
    ANEMONE_INLINE void only_flag(std::string_view key, bool wanted) {
        if (flag(key, wanted) != wanted) {
            complain(formatted("{} is {}; {} alone is read", key, !wanted, wanted));
        }
    }

    ANEMONE_INLINE netplist_axis axis(std::string_view key, std::optional<netplist_axis> otherwise = std::nullopt) {
        const formats::plist_value* const value = present(key, otherwise.has_value());
        return value == nullptr ? otherwise.value_or(netplist_axis::width) : axis_of(*value, key);
    }
    ANEMONE_INLINE netplist_axis axis_of(const formats::plist_value& value, std::string_view key) {
        const auto* const token = value.get_if<std::string>();
        const auto found = token == nullptr ? std::nullopt : find_netplist_axis(*token);
        if (!found) {
            complain(formatted("{} is {}; Batch, Depth, Channel, Height or Width is read", key,
                               token == nullptr ? "no text" : in_quotes(*token)));
        }
        return found.value_or(netplist_axis::width);
    }
    /// A list of different axes.
    ANEMONE_INLINE std::vector<netplist_axis> axes(std::string_view key) {
        std::vector<netplist_axis> result;
        const formats::plist_array& tokens = list(key);
        if (tokens.size() > std::size(netplist_axes)) {
            complain(formatted("{} has {} entries; there are {} axes", key, tokens.size(), std::size(netplist_axes)));
            return {netplist_axis::width};
        }
        for (const formats::plist_value& value : tokens) {
            const netplist_axis found = axis_of(value, key);
            for (const netplist_axis other : result) {
                if (other == found) {
                    complain(formatted("{} names {} twice", key, name(found)));
                }
            }
            result.push_back(found);
        }
        if (result.empty()) {
            complain(formatted("{} names no axis", key));
            result.push_back(netplist_axis::width);
        }
        return result;
    }

    ANEMONE_INLINE const formats::plist_array& list(std::string_view key, bool optional = false) {
        static const formats::plist_array nothing;
        const formats::plist_value* const value = present(key, optional);
        const auto* const result = value == nullptr ? nullptr : value->get_if<formats::plist_array>();
        if (value != nullptr && result == nullptr) {
            complain(formatted("{} is no array", key));
        }
        return result == nullptr ? nothing : *result;
    }
    /// The dictionaries of a list.
    ANEMONE_INLINE std::vector<const formats::plist_dict*> dictionaries(std::string_view key, bool optional = false) {
        std::vector<const formats::plist_dict*> result;
        for (const formats::plist_value& value : list(key, optional)) {
            if (const auto* const entry = value.get_if<formats::plist_dict>()) {
                result.push_back(entry);
            } else {
                complain(formatted("{} holds something else than dictionaries", key));
            }
        }
        return result;
    }
    /// The texts of a list.
    ANEMONE_INLINE std::vector<std::string_view> texts(std::string_view key, bool optional = false) {
        std::vector<std::string_view> result;
        for (const formats::plist_value& value : list(key, optional)) {
            if (const auto* const entry = value.get_if<std::string>()) {
                result.emplace_back(*entry);
            } else {
                complain(formatted("{} holds something else than texts", key));
            }
        }
        return result;
    }
    ANEMONE_INLINE const formats::plist_dict* dictionary(std::string_view key, bool optional = false) {
        const formats::plist_value* const value = present(key, optional);
        const auto* const result = value == nullptr ? nullptr : value->get_if<formats::plist_dict>();
        if (value != nullptr && result == nullptr) {
            complain(formatted("{} is no dictionary", key));
        }
        return result;
    }

    /// Complains of every key that nobody asked for: it may change what the unit means.
    ANEMONE_INLINE void require_no_others() {
        for (std::size_t i = 0; values_ != nullptr && i < values_->members().size(); ++i) {
            if (const std::string& key = values_->members()[i].key; !known_.contains(key)) {
                complain(formatted("has the key {}, whose meaning here is not known", in_quotes(key)));
            }
        }
    }

private:
    ANEMONE_INLINE const formats::plist_value* present(std::string_view key, bool optional) {
        const formats::plist_value* const value = find(key);
        if (value == nullptr && !optional) {
            complain(formatted("{} is missing", key));
        }
        return value;
    }

    const formats::plist_dict* values_;
    std::vector<std::string>* complaints_;
    std::set<std::string> known_;
};

} // namespace ane::readers::inline ANEMONE_WAY
