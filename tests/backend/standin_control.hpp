#pragma once

#include <anemone/backend/engine/engine.hpp>

#include <cstdint>
#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <stdexcept>
#include <string>

/// The stand-in library as the tests use it: its path, and the functions that it exports for tests only.
namespace standin {

inline std::filesystem::path path() {
#ifdef ANEMONE_STANDIN_PATH
    return ANEMONE_STANDIN_PATH;
#else
    return ane::e5rt::default_library_path();
#endif
}

/// Opened once and never closed, so its counters live as long as the process.
class control {
public:
    static const control& instance() {
        static const control only;
        return only;
    }

    int (*fail)(const char* function, int nth, std::int64_t status);
    std::uint64_t (*live_handles)();
    std::uint64_t (*calls)(const char* function);
    std::uint64_t (*early_compiles)();
    void (*set_clock)(double (*seconds)());
    int (*hang)(const char* function, int nth);
    void (*let_go)();
    std::uint64_t (*hung)();
    std::uint64_t (*overlaps)();
    void (*slow)(int milliseconds);
    void (*kill_service)();
    void (*stale)(int count);
    void (*short_buffers)(int count);
    void (*program_limit)(int count);

    void* symbol(const char* name) const { return ::dlsym(image_, name); }

private:
    control() : image_(::dlopen(path().c_str(), RTLD_NOW | RTLD_LOCAL)) {
        if (image_ == nullptr) {
            throw std::runtime_error("the stand-in cannot be opened: " + path().string());
        }
        if (std::filesystem::is_directory("/dev/shm")) {
            ::setenv("TMPDIR", "/dev/shm", 0); // thousands of small programs are written: not to a disk
        }
        ::setenv("ANEMONE_STANDIN_QUIET", "1", 1); // its failures are wanted here, their log lines are not
        find(fail, "anemone_standin_fail");
        find(live_handles, "anemone_standin_live_handles");
        find(calls, "anemone_standin_calls");
        find(early_compiles, "anemone_standin_early_compiles");
        find(set_clock, "anemone_standin_set_clock");
        find(hang, "anemone_standin_hang");
        find(let_go, "anemone_standin_let_go");
        find(hung, "anemone_standin_hung");
        find(overlaps, "anemone_standin_overlaps");
        find(slow, "anemone_standin_slow");
        find(kill_service, "anemone_standin_kill_service");
        find(stale, "anemone_standin_stale");
        find(short_buffers, "anemone_standin_short_buffers");
        find(program_limit, "anemone_standin_program_limit");
    }
    template <class Function> void find(Function& function, const char* name) const {
        function = reinterpret_cast<Function>(symbol(name));
        if (function == nullptr) {
            throw std::runtime_error(std::string("the stand-in does not export ") + name);
        }
    }

    void* image_;
};

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

/// The engine backend on the stand-in, which never waits between compiles.
inline ane::backend::engine engine(ane::target machine, ane::backend::engine_options options = {}) {
    static_cast<void>(control::instance());
    options.library = path();
    options.preflight = false; // the stand-in is to see all that the emitter can write
    options.session.compile_backoff = ane::e5rt::clock_source::duration::zero();
    return ane::backend::engine(machine, options);
}

} // namespace standin
