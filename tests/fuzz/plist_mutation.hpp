#pragma once

#include <anemone/formats/plist.hpp>
#include <anemone/readers/plist.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

/// Property lists with another value, key or element here and there: what comes out is a property list still, so a reader
/// gets as far as the network.
namespace plist_mutation {

using ane::formats::plist_array;
using ane::formats::plist_dict;
using ane::formats::plist_member;
using ane::formats::plist_value;
using generator = std::minstd_rand;

inline std::size_t values_in(const plist_value& v) {
    std::size_t count = 1;
    if (const auto* const list = v.get_if<plist_array>()) {
        for (const plist_value& each : *list) {
            count += values_in(each);
        }
    } else if (const auto* const members = v.get_if<plist_dict>()) {
        for (const plist_member& each : members->members()) {
            count += values_in(each.content);
        }
    }
    return count;
}

inline std::size_t below(generator& random, std::size_t n) { return static_cast<std::size_t>(random() % n); }

/// Something else in the place of a value.
inline plist_value another(const plist_value& v, generator& random, std::span<const std::string> words) {
    constexpr std::int64_t numbers[] = {0, 1, -1, 2, 3, 4, 7, 8, 64, 65535, 65536, 1 << 30, INT64_MAX, INT64_MIN};
    if (const auto* const list = v.get_if<plist_array>(); list != nullptr && !list->empty()) {
        plist_array changed = *list;
        const std::size_t at = below(random, changed.size());
        switch (below(random, 3)) {
        case 0: changed.erase(changed.begin() + static_cast<std::ptrdiff_t>(at)); break;
        case 1: changed.push_back(plist_value(changed[at])); break;
        default: std::swap(changed[at], changed[below(random, changed.size())]);
        }
        return changed;
    }
    if (const auto* const dict = v.get_if<plist_dict>(); dict != nullptr && !dict->members().empty()) {
        std::vector<plist_member> members = dict->members();
        const std::size_t at = below(random, members.size());
        if (below(random, 2) == 0) {
            members.erase(members.begin() + static_cast<std::ptrdiff_t>(at));
        } else { // two members with each other's values
            std::swap(members[at].content, members[below(random, members.size())].content);
        }
        return plist_dict(std::move(members));
    }
    switch (below(random, 5)) {
    case 0: return words[below(random, words.size())];
    case 1: return 0.5;
    case 2: return plist_array{};
    default: return numbers[below(random, std::size(numbers))];
    }
}

/// The value with a change at the place that `left` counts down to, depth first.
inline plist_value changed(const plist_value& v, std::size_t& left, generator& random,
                           std::span<const std::string> words) {
    if (left-- == 0) {
        return another(v, random, words);
    }
    if (const auto* const list = v.get_if<plist_array>()) {
        plist_array all;
        for (const plist_value& each : *list) {
            all.push_back(changed(each, left, random, words));
        }
        return all;
    }
    if (const auto* const dict = v.get_if<plist_dict>()) {
        std::vector<plist_member> all;
        for (const plist_member& each : dict->members()) {
            all.push_back({each.key, changed(each.content, left, random, words)});
        }
        return plist_dict(std::move(all));
    }
    return v;
}

/// Another property list of at most `most` bytes, in place; the bytes as they are where they are none, or it grew too much.
inline std::size_t mutate(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed,
                          std::span<const std::string> words) {
    generator random(seed + 1);
    try {
        plist_value document = ane::readers::parse_plist(std::as_bytes(std::span(data, size)));
        for (auto times = 1 + random() % 4; times > 0; --times) {
            std::size_t left = below(random, values_in(document));
            document = changed(document, left, random, words);
        }
        const std::string made = ane::formats::to_xml(document);
        if (made.size() > most) {
            return size;
        }
        std::copy(made.begin(), made.end(), data);
        return made.size();
    } catch (const ane::error&) { // no property list, or a text that XML cannot hold
        return size;
    }
}

} // namespace plist_mutation
