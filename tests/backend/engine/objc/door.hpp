#pragma once

#include <anemone/backend/engine/engine.hpp>
#include <anemone/targets/table.hpp>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <functional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

/// The stand-in of the netplist door as the tests use it.
namespace objc_standin {

inline const char* path() { return ANEMONE_OBJC_STANDIN_PATH; }

/// Opened once and never closed, so its books live as long as the process.
class control {
public:
    static const control& instance() {
        static const control only;
        return only;
    }

    void (*fail)(const char* name, int nth);
    std::uint64_t (*calls)(const char* name);
    const char* (*called)(std::uint64_t index);
    void (*forget_calls)();
    long (*live)();
    std::uint64_t (*pools)();
    const char* (*misuse)();
    void (*set)(const char* option, int value);
    void (*hide)(const char* name, bool away);
    void (*hang)(const char* name, int nth);
    void (*let_go)();
    std::uint64_t (*hung)();
    void (*kill_service)();

    /// Every function and message that was called since they were forgotten.
    std::vector<std::string> called_by_name() const {
        std::vector<std::string> names;
        while (const char* const name = called(names.size()))
            names.emplace_back(name);
        return names;
    }

    void* symbol(const char* name) const { return ::dlsym(image_, name); }

private:
    control() : image_(::dlopen(path(), RTLD_NOW | RTLD_LOCAL)) {
        if (image_ == nullptr) {
            throw std::runtime_error(std::string("the stand-in cannot be opened: ") + ::dlerror());
        }
        if (std::filesystem::is_directory("/dev/shm")) {
            ::setenv("TMPDIR", "/dev/shm", 0);
        }
        find(fail, "anemone_objc_fail");
        find(calls, "anemone_objc_calls");
        find(called, "anemone_objc_called");
        find(forget_calls, "anemone_objc_forget_calls");
        find(live, "anemone_objc_live");
        find(pools, "anemone_objc_pools");
        find(misuse, "anemone_objc_misuse");
        find(set, "anemone_objc_set");
        find(hide, "anemone_objc_hide");
        find(hang, "anemone_objc_hang");
        find(let_go, "anemone_objc_let_go");
        find(hung, "anemone_objc_hung");
        find(kill_service, "anemone_objc_kill_service");
        set("compile_limit", 1'000'000);
    }
    template <class Function> void find(Function& function, const char* name) const {
        function = reinterpret_cast<Function>(symbol(name));
        if (function == nullptr) {
            throw std::runtime_error(std::string("the stand-in does not export ") + name);
        }
    }

    void* image_;
};

inline const control& books() { return control::instance(); }

/// A limit that no load makes a quick call miss.
inline constexpr ane::e5rt::time_span ample = std::chrono::hours(1);

/// Waits, for real, until something holds: for as long as it takes, as ctest has a limit.
inline void await(const std::function<bool()>& holds) {
    while (!holds()) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
}

/// The machine that the stand-in is, for as long as the object lives.
class host {
public:
    explicit host(ane::target machine) {
        ::setenv("ANEMONE_STANDIN_HOST", std::string(ane::describe(machine).runtime).c_str(), 1);
    }
    host(const host&) = delete;
    host& operator=(const host&) = delete;
    ~host() { ::unsetenv("ANEMONE_STANDIN_HOST"); }
};

/// An option of the stand-in, for as long as the object lives.
class option {
public:
    option(const char* name, int value, int otherwise = 0) : name_(name), otherwise_(otherwise) {
        books().set(name, value);
    }
    option(const option&) = delete;
    option& operator=(const option&) = delete;
    ~option() { books().set(name_, otherwise_); }

private:
    const char* name_;
    int otherwise_;
};

/// Options by which the engine goes through the door to the stand-in, and never waits between compiles.
inline ane::backend::engine_options options() {
    static_cast<void>(books());
    ane::backend::engine_options result;
    result.runtime = ane::backend::engine_runtime::netplist;
    result.library = path();
    result.session.compile_backoff = ane::e5rt::clock_source::duration::zero();
    result.objc.compile_limit = 1'000'000;
    return result;
}
inline ane::backend::engine engine(ane::target machine, ane::backend::engine_options with = options()) {
    return ane::backend::engine(machine, std::move(with));
}

} // namespace objc_standin
