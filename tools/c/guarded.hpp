#pragma once

#include <anemone/base/cancellation.hpp>
#include <anemone/base/error.hpp>
#include <anemone/c/anemone.h>

#include <exception>
#include <new>
#include <string>

/// How an exception becomes a status.
namespace c_interface {

/// Keeps the sentence for `anemone_error`; what there is no memory for has one that needs none.
void remember(const char* what) noexcept;

constexpr anemone_status status_of(ane::errc code) noexcept {
    switch (code) {
    case ane::errc::file: return ANEMONE_FILE;
    case ane::errc::weights: return ANEMONE_WEIGHTS;
    case ane::errc::port: return ANEMONE_PORT;
    case ane::errc::graph: return ANEMONE_GRAPH;
    case ane::errc::lowering: return ANEMONE_LOWERING;
    case ane::errc::library: return ANEMONE_LIBRARY;
    case ane::errc::engine: return ANEMONE_ENGINE;
    case ane::errc::argument: return ANEMONE_ARGUMENT;
    }
    return ANEMONE_INTERNAL;
}

/// What every function does that can fail.
template <class Body> anemone_status guarded(const Body& body) noexcept {
    try {
        body();
        return ANEMONE_OK;
    } catch (const ane::error& e) {
        remember(e.what());
        return status_of(e.code());
    } catch (const ane::cancelled& e) {
        remember(e.what());
        return ANEMONE_CANCELLED;
    } catch (const std::bad_alloc&) {
        remember("memory: there is not enough");
        return ANEMONE_MEMORY;
    } catch (const std::exception& e) {
        remember(e.what());
        return ANEMONE_INTERNAL;
    } catch (...) {
        remember("internal: an exception that is not a std::exception");
        return ANEMONE_INTERNAL;
    }
}

/// What must not be NULL.
template <class T> T& needed(T* pointer, const char* name) {
    if (pointer == nullptr) {
        throw ane::error(ane::errc::argument, name, "is NULL");
    }
    return *pointer;
}
inline std::string needed_text(const char* text, const char* name) { return &needed(text, name); }

} // namespace c_interface
