#pragma once

#include <anemone/base/error.hpp>

#include <map>
#include <span>
#include <string>
#include <string_view>

namespace app {

/// What has names, by name: n log n steps for all of n look-ups. What it is made of must outlive it.
template <class Named> class by_name {
public:
    explicit by_name(std::span<const Named> all) {
        for (const Named& each : all) {
            const auto [place, is_new] = places_.try_emplace(each.name, entry{&each, false});
            place->second.is_twice = place->second.is_twice || !is_new;
        }
    }

    /// Null where there is none. Throws `ane::error` (errc::port) for a name that is given twice.
    const Named* find(std::string_view name) const {
        const auto found = places_.find(name);
        if (found == places_.end()) {
            return nullptr;
        }
        if (found->second.is_twice) {
            throw ane::error(ane::errc::port, std::string(name), "is given twice");
        }
        return found->second.first;
    }
    bool contains(std::string_view name) const { return places_.contains(name); }

private:
    struct entry {
        const Named* first;
        bool is_twice;
    };
    std::map<std::string_view, entry> places_;
};

} // namespace app
