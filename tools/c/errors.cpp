#include "guarded.hpp"
#include <anemone/version.hpp>

namespace c_interface {

namespace {

thread_local std::string sentence;                 // NOLINT: of the thread's last failure
thread_local const char* without_memory = nullptr; // NOLINT: instead of it

} // namespace

void remember(const char* what) noexcept {
    try {
        sentence = what;
        without_memory = nullptr;
    } catch (...) {
        without_memory = "memory: there is not enough";
    }
}

} // namespace c_interface

extern "C" {

const char* anemone_version(void) { return ane::version.data(); }

const char* anemone_error(void) {
    using namespace c_interface;
    return without_memory != nullptr ? without_memory : sentence.c_str();
}

const char* anemone_status_name(anemone_status status) {
    switch (status) {
    case ANEMONE_OK: return "ok";
    case ANEMONE_FILE: return "file";
    case ANEMONE_WEIGHTS: return "weights";
    case ANEMONE_PORT: return "port";
    case ANEMONE_GRAPH: return "graph";
    case ANEMONE_LOWERING: return "lowering";
    case ANEMONE_LIBRARY: return "library";
    case ANEMONE_ENGINE: return "engine";
    case ANEMONE_ARGUMENT: return "argument";
    case ANEMONE_MEMORY: return "memory";
    case ANEMONE_INTERNAL: return "internal";
    }
    return "unknown";
}

} // extern "C"
