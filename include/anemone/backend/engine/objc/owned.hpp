#pragma once

#include "../../../base/way.hpp"
#include "api.hpp"

#include <utility>

namespace ane::objc::inline ANEMONE_WAY {

/// Owner of one reference; move-only. The table must outlive it.
class owned {
public:
    owned() noexcept = default;
    ~owned() { reset(); }
    owned(owned&& other) noexcept
        : object_(std::exchange(other.object_, nullptr)), table_(other.table_), foundation_(other.foundation_) {}
    owned& operator=(owned&& other) noexcept {
        if (this != &other) {
            reset();
            object_ = std::exchange(other.object_, nullptr);
            table_ = other.table_;
            foundation_ = other.foundation_;
        }
        return *this;
    }

    /// What a Create function of CoreFoundation or IOSurface gave; may be null.
    static owned created(const api& table, void* object) noexcept { return {table, object, true}; }
    /// What a message gave, which is the pool's: one more reference, so that it outlives the pool.
    static owned kept(const api& table, void* object) noexcept {
        return {table, object != nullptr ? table.objc_retain(object) : nullptr, false};
    }

    void* get() const noexcept { return object_; }
    explicit operator bool() const noexcept { return object_ != nullptr; }

    void reset() noexcept {
        if (void* const object = std::exchange(object_, nullptr)) {
            foundation_ ? table_->CFRelease(object) : table_->objc_release(object);
        }
    }
    /// Lets go without a release.
    void forget() noexcept { object_ = nullptr; }

private:
    owned(const api& table, void* object, bool foundation) noexcept
        : object_(object), table_(&table), foundation_(foundation) {}

    void* object_ = nullptr;
    const api* table_ = nullptr;
    bool foundation_ = false;
};

/// What messages give in a scope goes at its end, unless it is kept.
class autorelease_pool {
public:
    explicit autorelease_pool(const api& table) noexcept : table_(table), pool_(table.objc_autoreleasePoolPush()) {}
    ~autorelease_pool() { table_.objc_autoreleasePoolPop(pool_); }
    autorelease_pool(const autorelease_pool&) = delete;
    autorelease_pool& operator=(const autorelease_pool&) = delete;

private:
    const api& table_;
    void* pool_;
};

} // namespace ane::objc::inline ANEMONE_WAY
