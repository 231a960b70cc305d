#include "guarded.hpp"
#include "handles.hpp"
#include <anemone/version.hpp>

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <pthread.h>

namespace c_interface {

namespace {

/// Stands for a sentence that there was no memory for.
char no_memory[] = "memory: there is not enough"; // NOLINT: its address is what tells

void forget(void* sentence) noexcept {
    if (sentence != no_memory) {
        std::free(sentence); // NOLINT: of malloc, as only that says without an exception that there is no memory
    }
}

/// The sentence of each thread's last failure. A key, whose slot takes no memory: a thread's own object does when it is first
/// met, and where there is none the system ends the program.
pthread_key_t key_of_sentences() noexcept {
    pthread_key_t key{};
    if (::pthread_key_create(&key, forget) != 0) {
        std::abort(); // when the library is loaded: a process has no more than 1,024 keys
    }
    return key;
}
const pthread_key_t sentences = key_of_sentences();

} // namespace

void remember(const char* what) noexcept {
    const std::size_t size = std::strlen(what) + 1;
    void* kept = std::malloc(size); // NOLINT
    if (kept != nullptr) {
        std::memcpy(kept, what, size);
    } else {
        kept = no_memory;
    }
    void* const before = ::pthread_getspecific(sentences);
    if (::pthread_setspecific(sentences, kept) == 0) {
        forget(before);
    } else {
        forget(kept);
    }
}

} // namespace c_interface

extern "C" {

const char* anemone_version(void) { return ane::version.data(); }

const char* anemone_error(void) {
    const void* const kept = ::pthread_getspecific(c_interface::sentences);
    return kept == nullptr ? "" : static_cast<const char*>(kept);
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
    case ANEMONE_CANCELLED: return "cancelled";
    }
    return "unknown";
}

anemone_status anemone_cancellation_make(anemone_cancellation** wish) {
    return c_interface::guarded([&] { c_interface::needed(wish, "wish") = new anemone_cancellation; });
}
void anemone_cancellation_free(anemone_cancellation* wish) { delete wish; }
void anemone_cancellable(anemone_cancellation* wish) {
    ane::detail::use_cancellation(wish == nullptr ? nullptr : &wish->held);
}
void anemone_cancel(anemone_cancellation* wish) {
    if (wish != nullptr) {
        wish->held.cancel();
    }
}

} // extern "C"
