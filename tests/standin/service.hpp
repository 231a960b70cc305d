#pragma once

// What the exported functions of the stand-in do: actions on the objects of runtime_objects.hpp, each counted, possibly
// made to fail, and with every exception turned into a status and a line of text.

#include "call_ledger.hpp"
#include "faults.hpp"
#include "runtime_objects.hpp"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <thread>
#include <utility>

namespace ane::standin {

inline double steady_seconds() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

inline constexpr double compile_pause = 15.0; // seconds after a failed compile

struct runtime {
    std::recursive_mutex mutex; // recursive: the block of an asynchronous submission may call in again
    handle_table handles;
    call_ledger ledger;
    faults planned;
    compile_service compiles;
    int loaded = 0;
    double (*clock)() = steady_seconds;
    bool compile_failed = false;
    double failed_at = 0;
    std::uint64_t early_compiles = 0;

    void kill_service() {
        ++planned.service;
        planned.died_at = clock();
    }

    /// Never destroyed: handles may be released by destructors that run after those of this file.
    static runtime& instance() {
        static runtime* const only = new runtime;
        return *only;
    }
};

inline void say(const char* function, const char* message) {
    if (std::getenv("ANEMONE_STANDIN_QUIET") == nullptr) {
        std::fprintf(stderr, "%s: %s\n", function, message);
    }
}

template <class Body> std::int64_t call(const char* function, Body&& body) noexcept {
    try {
        runtime& r = runtime::instance();
        r.planned.held.hold(function);
        const std::lock_guard lock(r.mutex);
        if (const auto status = r.ledger.enter(function)) {
            say(function, "failure asked for by the test");
            if (status == never_returns) {
                for (;;) {
                    std::this_thread::sleep_for(std::chrono::hours(1));
                }
            }
            if (status == ends_the_process) {
                std::abort();
            }
            if (status != service_dies) {
                return *status;
            }
            r.kill_service();
        }
        body(r);
        return 0;
    } catch (const failure& f) {
        say(function, f.message.c_str());
        return f.status;
    } catch (const std::bad_alloc&) {
        say(function, "out of memory");
        return status_memory;
    } catch (const std::exception& e) {
        say(function, e.what());
        return status_argument;
    } catch (...) {
        return status_argument;
    }
}

template <class T> T* required(T* pointer, const char* what) {
    if (pointer == nullptr) {
        throw failure{status_argument, std::string(what) + " is NULL"};
    }
    return pointer;
}

template <class T> std::int64_t create(const char* function, void** out) {
    return call(function, [&](runtime& r) { *required(out, "out") = r.handles.add(std::make_shared<T>()); });
}

template <class T> std::int64_t release(const char* function, void** handle) {
    return call(function, [&](runtime& r) { r.handles.release<T>(handle, "handle"); });
}

/// A call that only has to find its object.
template <class T> std::int64_t touch(const char* function, void* handle) {
    return call(function, [&](runtime& r) { static_cast<void>(r.handles.get<T>(handle, "handle")); });
}

inline void compile(runtime& r, void* compiler_handle, const char* path, void* options_handle, void** out) {
    const auto with = r.handles.get<compiler>(compiler_handle, "compiler");
    const auto options = r.handles.get<compile_options>(options_handle, "options");
    const compile_request request{required(path, "path"), with->cache_location, options->mask,
                                  options->force,         options->segmenter,   options->ane_options};
    static_cast<void>(required(out, "out"));
    if (r.compile_failed && r.clock() - r.failed_at < compile_pause) {
        ++r.early_compiles;
    }
    auto made = std::make_shared<library>();
    try {
        if (r.clock() - r.planned.died_at < compile_pause) {
            throw failure{status_compile, "lost helper application: the compile service is restarting"};
        }
        made->compiled = r.compiles.compile(request, r.planned.service);
        if (!request.force && r.planned.stale > 0) {
            --r.planned.stale;
            auto stale = std::make_shared<compiled_program>(*made->compiled);
            stale->process = 0;
            made->compiled = std::move(stale);
        }
    } catch (...) {
        r.compile_failed = true;
        r.failed_at = r.clock();
        throw;
    }
    r.compile_failed = false;
    *out = r.handles.add(std::move(made));
}

inline void load(runtime& r, void** out, void* options_handle) {
    static_cast<void>(required(out, "out"));
    const auto options = r.handles.get<operation_options>(options_handle, "op options");
    if (options->compiled->process != static_cast<long>(getpid()) || options->compiled->service != r.planned.service) {
        throw failure{status_load,
                      "ANE model load has failed for on-device compiled program. Must re-compile the E5 bundle"};
    }
    const family host = machine_of(host_name()).generation;
    const bool foreign = options->compiled->code.built_for.generation != host;
    if (foreign && std::getenv("ANEMONE_STANDIN_RUN_FOREIGN") == nullptr) {
        throw failure{status_load, "GetANEFModel: must re-compile: the program is built for " +
                                       std::string(options->compiled->code.built_for.name) + ", the host is " +
                                       host_name()};
    }
    if (r.loaded >= operation::limit) {
        throw failure{status_load,
                      "GetANEFModel: must re-compile: " + std::to_string(operation::limit) + " programs are loaded"};
    }
    *out = r.handles.add(std::make_shared<operation>(options->compiled, r.loaded));
}

inline void retain_port(runtime& r, void* op, const char* name, void** out, bool output) {
    static_cast<void>(required(out, "out"));
    const auto owner = r.handles.get<operation>(op, "operation");
    const std::string wanted = required(name, "port name");
    const program& code = owner->compiled->code;
    const std::vector<int>& ids = output ? code.outputs : code.inputs;
    for (std::size_t i = 0; i < ids.size(); ++i) {
        if (code.at(ids[i]).name == wanted) {
            auto made = std::make_shared<port>();
            made->owner = owner;
            made->output = output;
            made->index = i;
            *out = r.handles.add(std::move(made));
            return;
        }
    }
    throw failure{status_argument, std::string("no ") + (output ? "output" : "input") + " port '" + wanted + "'"};
}

inline void bind_buffer(runtime& r, void* port_handle, void* buffer_handle) {
    const auto to = r.handles.get<port>(port_handle, "port");
    auto memory = r.handles.get<buffer>(buffer_handle, "buffer");
    to->owner->must_be_fresh("bind_buffer_object");
    const program& code = to->owner->compiled->code;
    const std::size_t needed = to->owner->run.port_bytes((to->output ? code.outputs : code.inputs)[to->index]);
    if (memory->size < needed) {
        throw failure{status_argument,
                      "buffer of " + std::to_string(memory->size) + " bytes for a port of " + std::to_string(needed)};
    }
    (to->output ? to->owner->outputs : to->owner->inputs)[to->index] = std::move(memory);
}

inline void encode(runtime& r, void* stream_handle, void* op) {
    const auto on = r.handles.get<stream>(stream_handle, "stream");
    const auto what = r.handles.get<operation>(op, "operation");
    if (on->executed) {
        throw failure{status_order, "encode_operation: the stream has run and must be reset first"};
    }
    if (what->state == operation_state::encoded) {
        throw failure{status_order, "encode_operation: the op is encoded already and not prepared again"};
    }
    for (const auto& side : {what->inputs, what->outputs}) {
        for (const auto& bound : side) {
            if (!bound) {
                throw failure{status_order, "encode_operation: a port has no buffer"};
            }
        }
    }
    on->operations.push_back(what);
    what->state = operation_state::encoded;
    what->on = on;
}

inline void prepare(runtime& r, void* op) {
    const auto what = r.handles.get<operation>(op, "operation");
    if (what->state == operation_state::fresh) {
        throw failure{status_order, "Op has not been encoded and hence cannot be reset to 'ReadyForEncode'"};
    }
    if (!what->on.expired()) {
        throw failure{status_order, "prepare_op_for_encode: the op's stream must be reset first"};
    }
    what->state = operation_state::ready;
}

inline void reset(runtime& r, void* stream_handle) {
    const auto what = r.handles.get<stream>(stream_handle, "stream");
    if (what->operations.empty()) {
        throw failure{status_order, "reset: nothing is encoded in the stream"};
    }
    for (const auto& one : what->operations) {
        one->on.reset();
    }
    what->operations.clear();
    what->executed = false;
}

/// The head of an Objective-C block, as the platform's block ABI lays it out: enough to call one without arguments.
struct block_head {
    void* isa;
    int flags;
    int reserved;
    std::int64_t (*invoke)(void*);
};

inline void submit(runtime& r, void* stream_handle, void* block) {
    const auto what = r.handles.get<stream>(stream_handle, "stream");
    static_cast<void>(required(block, "block"));
    if (const std::int64_t status = static_cast<block_head*>(block)->invoke(block); status != 0) {
        throw failure{status, "submit_async: the block returned " + std::to_string(status)};
    }
    what->execute();
    for (const auto& one : what->operations) {
        if (one->completion) {
            one->completion->last =
                one->completion->future > one->completion->last ? one->completion->future : one->completion->last + 1;
        }
    }
}

inline void wait(runtime& r, void* handle) {
    const auto on = r.handles.get<event>(handle, "event");
    if (on->last == 0 || on->last < on->future) {
        throw failure{status_order,
                      "sync_wait on '" + on->name + "' would never return: nothing is going to signal it"};
    }
}

} // namespace ane::standin
