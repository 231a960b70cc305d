#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>

namespace ane::standin {

/// A call that fails: the status for the caller and the text for the log.
struct failure {
    std::int64_t status;
    std::string message;
};

inline constexpr std::int64_t status_argument = 1; ///< a null, a wrong or stale handle, an unknown name, a bad value
inline constexpr std::int64_t status_order = 2;    ///< legal, but not now
inline constexpr std::int64_t status_compile = 3;
inline constexpr std::int64_t status_load = 4;
inline constexpr std::int64_t status_memory = 5;

/// Base of everything a handle can stand for.
struct object {
    virtual ~object() = default;
};

/// Handles are numbers that are never used twice and never dereferenced, so a stale one is recognised whatever happened
/// since. Objects that refer to each other do so by shared ownership: a released handle frees what nobody else uses.
class handle_table {
public:
    void* add(std::shared_ptr<object> target) {
        next_ += 16;
        void* const handle = reinterpret_cast<void*>(next_); // NOLINT: an opaque number by design
        live_.emplace(handle, std::move(target));
        return handle;
    }

    template <class T> std::shared_ptr<T> get(const void* handle, const char* what) const {
        const auto found = live_.find(const_cast<void*>(handle));
        if (handle == nullptr || found == live_.end()) {
            throw failure{status_argument, std::string(what) + (handle == nullptr ? " is NULL" : " is no live handle")};
        }
        std::shared_ptr<T> result = std::dynamic_pointer_cast<T>(found->second);
        if (!result) {
            throw failure{status_argument, std::string(what) + " is the handle of something else"};
        }
        return result;
    }

    template <class T> void release(void** handle, const char* what) {
        if (handle == nullptr) {
            throw failure{status_argument, std::string("the address of ") + what + " is NULL"};
        }
        static_cast<void>(get<T>(*handle, what));
        live_.erase(*handle);
        *handle = nullptr;
    }

    std::size_t size() const { return live_.size(); }

private:
    std::map<void*, std::shared_ptr<object>> live_;
    std::uintptr_t next_ = 0x5E50000;
};

} // namespace ane::standin
