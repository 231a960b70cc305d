#pragma once

#include "journal.hpp"
#include <anemone/backend/engine/e5rt/api.hpp>
#include <anemone/backend/engine/e5rt/library.hpp>

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <type_traits>

/// The direct route with every call written down: its name before, its status after.
namespace kit {

inline std::shared_ptr<const ane::e5rt::library>& tapped_library() {
    static std::shared_ptr<const ane::e5rt::library> real;
    return real;
}

template <auto Member, class Type = std::remove_const_t<decltype(Member)>> struct e5rt_tap;
template <auto Member, class... Arguments> struct e5rt_tap<Member, std::int64_t (*ane::e5rt::api::*)(Arguments...)> {
    static std::int64_t call(Arguments... arguments) {
        const journal& out = journal::instance();
        out.call(ane::e5rt::symbol<Member>::name);
        const std::int64_t status = (tapped_library()->functions().*Member)(arguments...);
        status == 0 ? out.answer(status) : out.refusal(ane::e5rt::symbol<Member>::name, status);
        return status;
    }
};

/// Opens the library of a path; the functions that it lacks are missing in the result too.
inline std::shared_ptr<const ane::e5rt::library> tapped_e5rt(const std::string& path) {
    tapped_library() = ane::e5rt::library::open(path);
    const ane::e5rt::api& real = tapped_library()->functions();
    const auto find = [&real](const char* name) {
        void* found = nullptr;
        ane::e5rt::for_each_symbol([&](auto known) {
            if (std::strcmp(known.name, name) == 0 && real.*known.member != nullptr) {
                found = reinterpret_cast<void*>(&e5rt_tap<decltype(known)::member>::call);
            }
        });
        return found;
    };
    return ane::e5rt::library::from_resolver(find, path);
}

} // namespace kit
