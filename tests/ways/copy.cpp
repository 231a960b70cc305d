// A copy of the driver in a shared library that hides its symbols, header-only or compiled: tests/python/one_process.py
// loads both into one process, beside the C library and the Python module. Functions that can fail give a sentence, empty
// where they did not.
#include <anemone/backend/engine/driver/process_state.hpp>
#include <anemone/backend/engine/engine.hpp>
#include <anemone/build.hpp>
#include <anemone/ops/ops.hpp>

#include <array>
#include <chrono>
#include <optional>
#include <string>
#include <utility>

#define COPY_EXPORT extern "C" __attribute__((visibility("default")))

namespace {

constexpr auto doubled = ane::graph([](auto& g) {
    using namespace ane;
    auto x = g.input("x"_s, f16<1, 2, 4, 4>);
    g.output("y"_s, x + x);
});

std::optional<ane::backend::engine_program> program;

ane::backend::engine_program compiled(ane::backend::engine_options options) {
    options.session.compile_backoff = {};
    return ane::backend::engine(ane::h13, std::move(options)).compile(doubled, {});
}

template <class Work> const char* sentence(const Work& work) noexcept {
    static thread_local std::string said;
    said.clear();
    try {
        work();
    } catch (const std::exception& failure) {
        said = failure.what();
    }
    return said.c_str();
}

} // namespace

COPY_EXPORT const void* copy_state() { return &ane::e5rt::detail::state_of_process(); }
COPY_EXPORT int copy_loaded() { return ane::e5rt::loaded_programs(); }
COPY_EXPORT int copy_compiles() { return ane::objc::compiles(); }
COPY_EXPORT int copy_compile_failed() {
    return static_cast<int>(ane::e5rt::compile_pacing::process()->last_failure().has_value());
}

COPY_EXPORT int copy_lock_for(int milliseconds) {
    return static_cast<int>(ane::e5rt::dispatch_gate::process()->try_lock_for(std::chrono::milliseconds(milliseconds)));
}
COPY_EXPORT void copy_unlock() { ane::e5rt::dispatch_gate::process()->unlock(); }

COPY_EXPORT const char* copy_open() {
    return sentence([] { program.emplace(compiled({})); });
}
COPY_EXPORT void copy_close() { program.reset(); }
/// Within a time, 0: without a limit.
COPY_EXPORT const char* copy_run(int milliseconds) {
    return sentence([&] { program->session().execute(std::chrono::milliseconds(milliseconds)); });
}
COPY_EXPORT const char* copy_compile_in_memory() {
    return sentence([] { compiled({.runtime = ane::backend::engine_runtime::netplist}); });
}
