#pragma once

#include "../standin/held_call.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <iterator>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ane::standin_objc {

/// What an object is: of Foundation, of IOSurface or of the engine's framework.
enum class kind : std::uint8_t {
    data,
    string,
    number,
    array,
    dictionary,
    error,
    surface,
    descriptor,
    model,
    surface_object,
    request,
    type ///< a class, which is never released
};

/// The books: live objects, calls, what is to fail, and the first misuse.
class ledger {
public:
    static ledger& instance() {
        static ledger only;
        return only;
    }

    std::atomic<long> live{0};
    standin::held_call held;
    std::atomic<std::uint64_t> service{1}; ///< which one it is; a program of an earlier one is dead

    void note(const std::string& what) {
        const std::lock_guard lock(mutex_);
        if (misuse_.empty()) {
            misuse_ = what;
        }
    }
    /// The first misuse since the last question.
    std::string misuse() {
        const std::lock_guard lock(mutex_);
        return std::exchange(misuse_, {});
    }

    int option(std::string_view name, int otherwise) {
        const std::lock_guard lock(mutex_);
        const auto found = options_.find(name);
        return found == options_.end() ? otherwise : found->second;
    }
    void set(std::string_view name, int value) {
        const std::lock_guard lock(mutex_);
        options_[std::string(name)] = value;
    }

    /// A selector or a class that this macOS does not have, or has again.
    void hide(std::string_view name, bool away) {
        const std::lock_guard lock(mutex_);
        away ? static_cast<void>(hidden_.emplace(name)) : static_cast<void>(hidden_.erase(std::string(name)));
    }
    bool hides(std::string_view name) {
        const std::lock_guard lock(mutex_);
        return hidden_.contains(name);
    }

    /// The environment says the same: ANEMONE_OBJC_FAIL="name:nth"; a selector's colons stay.
    ledger() {
        if (const char* const asked = std::getenv("ANEMONE_OBJC_FAIL")) {
            const std::string_view text = asked;
            const std::size_t last = text.rfind(':');
            if (last != std::string_view::npos) {
                fail(text.substr(0, last), std::atoi(asked + last + 1));
            }
        }
    }

    void fail(std::string_view name, int nth) {
        const std::lock_guard lock(mutex_);
        plan_ = name;
        remaining_ = nth;
    }

    /// Counts a call, holds it if that was asked for; whether it is the one that has to fail.
    bool enter(std::string_view name) {
        held.hold(name);
        const std::lock_guard lock(mutex_);
        auto found = calls_.find(name);
        if (found == calls_.end()) {
            found = calls_.emplace(std::string(name), 0).first;
        }
        ++found->second;
        return plan_ == name && remaining_ > 0 && --remaining_ == 0;
    }
    std::uint64_t calls(std::string_view name) {
        const std::lock_guard lock(mutex_);
        const auto found = calls_.find(name);
        return found == calls_.end() ? 0 : found->second;
    }
    /// The name of a call since they were forgotten, by its place in their order; empty past the last.
    std::string called(std::size_t index) {
        const std::lock_guard lock(mutex_);
        return index < calls_.size() ? std::next(calls_.begin(), static_cast<std::ptrdiff_t>(index))->first
                                     : std::string();
    }
    void forget_calls() {
        const std::lock_guard lock(mutex_);
        calls_.clear();
    }

private:
    std::mutex mutex_;
    std::map<std::string, int, std::less<>> options_;
    std::set<std::string, std::less<>> hidden_;
    std::string misuse_;
    std::map<std::string, std::uint64_t, std::less<>> calls_;
    std::string plan_;
    int remaining_ = 0;
};

inline ledger& books() { return ledger::instance(); }

struct object {
    explicit object(kind what) : is(what) { ++books().live; }
    object(const object&) = delete;
    object& operator=(const object&) = delete;
    virtual ~object() { --books().live; }

    kind is;
    std::atomic<long> references{1};
};

inline object* retain(const void* given) {
    auto* const o = static_cast<object*>(const_cast<void*>(given));
    if (o != nullptr && o->is != kind::type) {
        ++o->references;
    }
    return o;
}
inline void release(const void* given) {
    auto* const o = static_cast<object*>(const_cast<void*>(given));
    if (o == nullptr) {
        books().note("null is released");
    } else if (o->is != kind::type && --o->references == 0) {
        delete o;
    }
}

/// The pools of a thread: a stack of what goes with each.
class pools {
public:
    static pools& instance() {
        static thread_local pools only;
        return only;
    }

    void* push() {
        if (depth_ == stack_.size()) {
            stack_.emplace_back();
        }
        return &stack_[depth_++];
    }
    void pop(void* token) {
        if (depth_ == 0 || token != &stack_[depth_ - 1]) {
            books().note("an autorelease pool is popped that is not the innermost");
            return;
        }
        std::vector<object*> going;
        going.swap(stack_[depth_ - 1]);
        --depth_;
        for (object* each : going) {
            release(each);
        }
        going.clear();
        if (depth_ < stack_.size() && stack_[depth_].empty()) {
            stack_[depth_].swap(going); // keeps its memory
        }
    }
    std::size_t depth() const { return depth_; }

    /// Hands an object over to the innermost pool.
    template <class T> T* keep(T* made) {
        if (made != nullptr) {
            if (depth_ == 0) {
                books().note("an object is autoreleased without a pool: it leaks");
            } else {
                stack_[depth_ - 1].push_back(made);
            }
        }
        return made;
    }

private:
    std::deque<std::vector<object*>> stack_{}; // whose elements stay where they are
    std::size_t depth_ = 0;
};

template <class T> T* autoreleased(T* made) { return pools::instance().keep(made); }

struct data_object : object {
    explicit data_object(std::vector<std::byte> of) : object(kind::data), bytes(std::move(of)) {}
    std::vector<std::byte> bytes;
};
struct string_object : object {
    explicit string_object(std::string of) : object(kind::string), text(std::move(of)) {}
    std::string text;
};
struct number_object : object {
    explicit number_object(std::int64_t of) : object(kind::number), value(of) {}
    std::int64_t value;
};
struct array_object : object {
    explicit array_object(std::vector<object*> of) : object(kind::array), elements(std::move(of)) {}
    ~array_object() override {
        for (object* each : elements) {
            release(each);
        }
    }
    std::vector<object*> elements;
};
struct dictionary_object : object {
    dictionary_object() : object(kind::dictionary) {}
    ~dictionary_object() override {
        for (const auto& [key, value] : members) {
            release(value);
        }
    }
    /// Takes over one reference.
    void set(const std::string& key, object* value) { members.emplace(key, value); }
    object* find(std::string_view key) const {
        const auto found = members.find(key);
        return found == members.end() ? nullptr : found->second;
    }
    std::map<std::string, object*, std::less<>> members;
};
struct error_object : object {
    explicit error_object(std::string of) : object(kind::error), text(std::move(of)) {}
    std::string text;
};
struct surface_object : object {
    explicit surface_object(std::size_t size) : object(kind::surface), bytes(size) {
        for (std::byte& each : bytes) {
            each = std::byte{0xA5}; // nobody promises zeros
        }
    }
    std::vector<std::byte> bytes;
    int locks = 0;
};

/// The object if it is of that kind, else null.
template <class T> T* as(void* given, kind wanted) {
    auto* const o = static_cast<object*>(given);
    return o != nullptr && o->is == wanted ? static_cast<T*>(o) : nullptr;
}

} // namespace ane::standin_objc
