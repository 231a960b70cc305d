#pragma once

#include "../../../base/way.hpp"
#include "../../../values/element_type.hpp"
#include "foundation.hpp"
#include "layout.hpp"
#include "message.hpp"

#include <cstring>
#include <string>

namespace ane::objc::inline ANEMONE_WAY {

/// Access of the CPU to a surface, for a scope. Throws `error` (errc::engine) where it is refused.
class surface_lock {
public:
    ANEMONE_INLINE surface_lock(const api& table, void* surface, std::uint32_t options, const std::string& port)
        : table_(table), surface_(surface), options_(options) {
        if (const int status = table.IOSurfaceLock(surface, options, nullptr); status != 0) {
            throw error(errc::engine, "IOSurfaceLock",
                        "status " + std::to_string(status) + " for port '" + port + "'; try again");
        }
        memory_ = static_cast<std::byte*>(table.IOSurfaceGetBaseAddress(surface));
        if (memory_ == nullptr) {
            static_cast<void>(table.IOSurfaceUnlock(surface, options, nullptr));
            throw error(errc::engine, "IOSurfaceGetBaseAddress", "port '" + port + "' has no memory; try again");
        }
    }
    ~surface_lock() { static_cast<void>(unlock()); }
    surface_lock(const surface_lock&) = delete;
    surface_lock& operator=(const surface_lock&) = delete;

    std::byte* memory() const noexcept { return memory_; }

    /// Ends the access; the status, which for what was written is worth a look.
    int unlock() noexcept {
        void* const surface = std::exchange(surface_, nullptr);
        return surface != nullptr ? table_.IOSurfaceUnlock(surface, options_, nullptr) : 0;
    }
    ANEMONE_INLINE void end(const std::string& port) {
        if (const int status = unlock(); status != 0) {
            throw error(errc::engine, "IOSurfaceUnlock",
                        "status " + std::to_string(status) + " for port '" + port + "'; try again");
        }
    }

private:
    const api& table_;
    void* surface_;
    std::uint32_t options_;
    std::byte* memory_ = nullptr;
};

/// A surface of some bytes in one row, all zero (facts: engine-runtime 10.3).
ANEMONE_INLINE owned make_surface(const api& table, std::int64_t bytes, const std::string& port) {
    const owned size = make_number(table, bytes);
    const owned one = make_number(table, 1);
    const owned none = make_number(table, 0);
    const auto key = [](const void* constant) { return *static_cast<const void* const*>(constant); };
    const owned properties = make_dictionary(table, {{key(table.kIOSurfaceWidth), size.get()},
                                                     {key(table.kIOSurfaceHeight), one.get()},
                                                     {key(table.kIOSurfaceBytesPerElement), one.get()},
                                                     {key(table.kIOSurfaceBytesPerRow), size.get()},
                                                     {key(table.kIOSurfaceAllocSize), size.get()},
                                                     {key(table.kIOSurfacePixelFormat), none.get()}});
    void* const made = table.IOSurfaceCreate(properties.get());
    const std::string about = std::to_string(bytes) + " bytes for port '" + port + "'";
    if (made == nullptr) {
        throw error(errc::engine, "IOSurfaceCreate", about + " cannot be allocated: close other programs");
    }
    owned surface = owned::created(table, made);
    const std::size_t got = table.IOSurfaceGetAllocSize(made);
    if (got < static_cast<std::size_t>(bytes)) {
        throw error(errc::engine, "IOSurfaceGetAllocSize",
                    "gave " + std::to_string(got) + " of " + about + ": the engine would answer status=0x1d");
    }
    surface_lock access(table, made, 0, port);
    std::memset(access.memory(), 0, got);
    access.end(port);
    return surface;
}

/// A port of a loaded program: its layout, its surface, and the object around it that requests take. A resident output
/// has neither of its own.
struct bound_port {
    std::string name;
    port_layout layout;
    owned surface;
    owned object;
    std::ptrdiff_t shares = -1; ///< the input whose surface it is; -1: its own
};

/// The bytes of an element of a live type (facts: engine-runtime 10.3); 0 of an unknown one.
constexpr std::int64_t element_bytes(std::string_view type) {
    const int bits = facts_of(find_element(&element_facts::netplist, type)).bits;
    return bits >= 8 && bits <= 32 ? bits / 8 : 0;
}

} // namespace ane::objc::inline ANEMONE_WAY
