// The exported functions of the stand-in. Each is one line of bookkeeping around an action on the objects of
// runtime_objects.hpp: counted, possibly made to fail, and with every exception turned into a status and a line of
// text.

#include "call_ledger.hpp"
#include "e5rt_standin.h"
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
namespace {

double steady_seconds() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

constexpr double compile_pause = 15.0; // seconds after a failed compile

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

void say(const char* function, const char* message) {
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

void compile(runtime& r, void* compiler_handle, const char* path, void* options_handle, void** out) {
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

void load(runtime& r, void** out, void* options_handle) {
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

void retain_port(runtime& r, void* op, const char* name, void** out, bool output) {
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

void bind_buffer(runtime& r, void* port_handle, void* buffer_handle) {
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

void encode(runtime& r, void* stream_handle, void* op) {
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

void prepare(runtime& r, void* op) {
    const auto what = r.handles.get<operation>(op, "operation");
    if (what->state == operation_state::fresh) {
        throw failure{status_order, "Op has not been encoded and hence cannot be reset to 'ReadyForEncode'"};
    }
    if (!what->on.expired()) {
        throw failure{status_order, "prepare_op_for_encode: the op's stream must be reset first"};
    }
    what->state = operation_state::ready;
}

void reset(runtime& r, void* stream_handle) {
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

void submit(runtime& r, void* stream_handle, void* block) {
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

void wait(runtime& r, void* handle) {
    const auto on = r.handles.get<event>(handle, "event");
    if (on->last == 0 || on->last < on->future) {
        throw failure{status_order,
                      "sync_wait on '" + on->name + "' would never return: nothing is going to signal it"};
    }
}

} // namespace
} // namespace ane::standin

using namespace ane::standin;

// Configuration, compiler, options

int64_t e5rt_e5_compiler_config_options_create(void** out) { return create<config_options>(__func__, out); }
int64_t e5rt_e5_compiler_config_options_release(void** obj) { return release<config_options>(__func__, obj); }
int64_t e5rt_e5_compiler_config_options_set_cache_bundle_location(void* obj, const char* path) {
    return call(__func__, [&](runtime& r) {
        r.handles.get<config_options>(obj, "config")->cache_location = required(path, "path");
    });
}
int64_t e5rt_e5_compiler_config_options_set_bundle_cache_apfs_purgeable(void* obj, int) {
    return touch<config_options>(__func__, obj);
}

int64_t e5rt_e5_compiler_create(void** out) { return create<compiler>(__func__, out); }
int64_t e5rt_e5_compiler_create_with_config(void** out, void* config) {
    return call(__func__, [&](runtime& r) {
        const auto from = r.handles.get<config_options>(config, "config");
        auto made = std::make_shared<compiler>();
        made->cache_location = from->cache_location;
        *required(out, "out") = r.handles.add(std::move(made));
    });
}
int64_t e5rt_e5_compiler_release(void** obj) { return release<compiler>(__func__, obj); }
int64_t e5rt_e5_compiler_compile(void* handle, const char* path, void* options, void** out_library) {
    return call(__func__, [&](runtime& r) { compile(r, handle, path, options, out_library); });
}

int64_t e5rt_e5_compiler_options_create(void** out) { return create<compile_options>(__func__, out); }
int64_t e5rt_e5_compiler_options_release(void** obj) { return release<compile_options>(__func__, obj); }
int64_t e5rt_e5_compiler_options_set_compute_device_types_mask(void* obj, uint64_t mask) {
    return call(__func__, [&](runtime& r) { r.handles.get<compile_options>(obj, "options")->mask = mask; });
}
int64_t e5rt_e5_compiler_options_get_compute_device_types_mask(void* obj, uint64_t* out) {
    return call(__func__,
                [&](runtime& r) { *required(out, "out") = r.handles.get<compile_options>(obj, "options")->mask; });
}
int64_t e5rt_e5_compiler_options_set_force_recompilation(void* obj, int value) {
    return call(__func__, [&](runtime& r) { r.handles.get<compile_options>(obj, "options")->force = value != 0; });
}
int64_t e5rt_e5_compiler_options_set_force_bnns_graph(void* obj, int) { return touch<compile_options>(__func__, obj); }
int64_t e5rt_e5_compiler_options_set_segmenter(void* obj, const char* value) {
    return call(__func__, [&](runtime& r) {
        r.handles.get<compile_options>(obj, "options")->segmenter = required(value, "segmenter");
    });
}
int64_t e5rt_e5_compiler_options_set_custom_ane_compiler_options(void* obj, const char* value) {
    return call(__func__, [&](runtime& r) {
        r.handles.get<compile_options>(obj, "options")->ane_options = required(value, "ANE options");
    });
}
int64_t e5rt_e5_compiler_options_set_enable_profiling(void* obj, int) { return touch<compile_options>(__func__, obj); }

// Library and function

int64_t e5rt_program_library_create(void** out, const char* bundle_path) {
    return call(__func__, [&](runtime& r) {
        auto made = std::make_shared<library>();
        made->compiled = r.compiles.reopen(required(bundle_path, "bundle path"));
        *required(out, "out") = r.handles.add(std::move(made)); // not before: swapped arguments must not be written to
    });
}
int64_t e5rt_program_library_release(void** obj) { return release<library>(__func__, obj); }
int64_t e5rt_program_library_get_num_functions(void* lib, uint64_t* out) {
    return call(__func__, [&](runtime& r) {
        static_cast<void>(r.handles.get<library>(lib, "library"));
        *required(out, "out") = 1;
    });
}
int64_t e5rt_program_library_get_function_names(void* lib, uint64_t count, const char** names) {
    return call(__func__, [&](runtime& r) {
        static_cast<void>(r.handles.get<library>(lib, "library"));
        if (count != 1) {
            throw failure{status_argument,
                          "get_function_names: the library has 1 function, not " + std::to_string(count)};
        }
        *required(names, "names") = "main";
    });
}
int64_t e5rt_program_library_retain_program_function(void* lib, const char* name, void** out) {
    return call(__func__, [&](runtime& r) {
        const auto from = r.handles.get<library>(lib, "library");
        if (std::string(required(name, "function name")) != "main") {
            throw failure{status_argument, std::string("no function '") + name + "'"};
        }
        auto made = std::make_shared<function>();
        made->compiled = from->compiled;
        *required(out, "out") = r.handles.add(std::move(made));
    });
}

int64_t e5rt_program_function_release(void** obj) { return release<function>(__func__, obj); }
int64_t e5rt_program_function_get_name(void* fn, const char** out) {
    return call(__func__, [&](runtime& r) {
        static_cast<void>(r.handles.get<function>(fn, "function"));
        *required(out, "out") = "main";
    });
}
int64_t e5rt_program_function_load_for_execution(void* fn) { return touch<function>(__func__, fn); }

// Operation

int64_t e5rt_precompiled_compute_op_create_options_create_with_program_function(void** out, void* fn) {
    return call(__func__, [&](runtime& r) {
        std::shared_ptr<function> from;
        try {
            from = r.handles.get<function>(fn, "program function");
        } catch (const failure& f) {
            throw failure{f.status, "Cannot provide program function as nullptr. @ Create: " + f.message};
        }
        auto made = std::make_shared<operation_options>();
        made->compiled = from->compiled;
        *required(out, "out") = r.handles.add(std::move(made));
    });
}
int64_t e5rt_precompiled_compute_op_create_options_release(void** obj) {
    return release<operation_options>(__func__, obj);
}
int64_t e5rt_precompiled_compute_op_create_options_set_operation_name(void* obj, const char* name) {
    return call(__func__, [&](runtime& r) {
        r.handles.get<operation_options>(obj, "op options")->name = required(name, "operation name");
    });
}
int64_t e5rt_precompiled_compute_op_create_options_set_allocate_intermediate_buffers(void* obj, int) {
    return touch<operation_options>(__func__, obj);
}

int64_t e5rt_execution_stream_operation_create_precompiled_compute_operation_with_options(void** out,
                                                                                          void* op_options) {
    return call(__func__, [&](runtime& r) { load(r, out, op_options); });
}
int64_t e5rt_execution_stream_operation_release(void** obj) { return release<operation>(__func__, obj); }
int64_t e5rt_execution_stream_operation_retain_input_port(void* op, const char* name, void** out) {
    return call(__func__, [&](runtime& r) { retain_port(r, op, name, out, false); });
}
int64_t e5rt_execution_stream_operation_retain_output_port(void* op, const char* name, void** out) {
    return call(__func__, [&](runtime& r) { retain_port(r, op, name, out, true); });
}
int64_t e5rt_execution_stream_operation_prepare_op_for_encode(void* op) {
    return call(__func__, [&](runtime& r) { prepare(r, op); });
}
int64_t e5rt_execution_stream_operation_bind_completion_event(void* op, void* handle) {
    return call(__func__, [&](runtime& r) {
        const auto to = r.handles.get<operation>(op, "operation");
        auto bound = r.handles.get<event>(handle, "event");
        to->must_be_fresh("bind_completion_event");
        to->completion = std::move(bound);
    });
}
int64_t e5rt_execution_stream_operation_bind_dependent_events(void* op, void** events, uint64_t count) {
    return call(__func__, [&](runtime& r) {
        const auto to = r.handles.get<operation>(op, "operation");
        std::vector<std::shared_ptr<event>> bound;
        for (uint64_t i = 0; i < count; ++i) {
            bound.push_back(r.handles.get<event>(required(events, "events")[i], "event"));
        }
        to->must_be_fresh("bind_dependent_events");
        to->dependents = std::move(bound);
    });
}

// Ports and buffers

int64_t e5rt_io_port_bind_buffer_object(void* to, void* memory) {
    return call(__func__, [&](runtime& r) { bind_buffer(r, to, memory); });
}
int64_t e5rt_io_port_release(void** obj) { return release<port>(__func__, obj); }

int64_t e5rt_buffer_object_alloc(void** out, uint64_t size, uint32_t type) {
    return call(__func__, [&](runtime& r) {
        if (type >= 3) {
            throw failure{status_argument, "Invalid BufferType @ AllocMemory: " + std::to_string(type)};
        }
        if (size == 0 || size > (uint64_t{1} << 40U)) {
            throw failure{status_memory, "buffer of " + std::to_string(size) + " bytes"};
        }
        static_cast<void>(required(out, "out"));
        const bool halved = r.planned.short_buffers > 0;
        r.planned.short_buffers -= halved ? 1 : 0;
        *out = r.handles.add(std::make_shared<buffer>(halved ? size / 2 : size));
    });
}
int64_t e5rt_buffer_object_get_data_ptr(void* buf, void** out) {
    return call(__func__, [&](runtime& r) { *required(out, "out") = r.handles.get<buffer>(buf, "buffer")->memory; });
}
int64_t e5rt_buffer_object_get_size(void* buf, uint64_t* out) {
    return call(__func__, [&](runtime& r) { *required(out, "out") = r.handles.get<buffer>(buf, "buffer")->size; });
}
int64_t e5rt_buffer_object_release(void** obj) { return release<buffer>(__func__, obj); }

// Stream

int64_t e5rt_execution_stream_create(void** out) { return create<stream>(__func__, out); }
int64_t e5rt_execution_stream_release(void** obj) { return release<stream>(__func__, obj); }
int64_t e5rt_execution_stream_encode_operation(void* on, void* op) {
    return call(__func__, [&](runtime& r) { encode(r, on, op); });
}
int64_t e5rt_execution_stream_execute_sync(void* handle) {
    const faults::execution here(runtime::instance().planned);
    return call(__func__, [&](runtime& r) {
        const auto what = r.handles.get<stream>(handle, "stream");
        for (const auto& one : what->operations) {
            if (one->compiled->service != r.planned.service) {
                throw failure{status_load, "the service that the program was loaded by is gone"};
            }
        }
        what->execute();
    });
}
int64_t e5rt_execution_stream_submit_async(void* handle, void* block) {
    return call(__func__, [&](runtime& r) { submit(r, handle, block); });
}
int64_t e5rt_execution_stream_async_submit(void*) {
    return call(__func__, [](runtime&) { throw failure{status_order, "Use submit_async"}; });
}
int64_t e5rt_execution_stream_reset(void* handle) {
    return call(__func__, [&](runtime& r) { reset(r, handle); });
}
int64_t e5rt_execution_stream_set_quality_of_service(void* handle, uint64_t) { return touch<stream>(__func__, handle); }
int64_t e5rt_execution_stream_set_ane_execution_priority(void* handle, uint64_t) {
    return touch<stream>(__func__, handle);
}

// Events

int64_t e5rt_async_event_create(void** out, const char* name, uint32_t initial) {
    return call(__func__, [&](runtime& r) {
        if (name == nullptr) {
            throw failure{status_argument, "Invalid Function Argument: eventName is NULL"};
        }
        auto made = std::make_shared<event>();
        made->name = name;
        made->last = initial;
        *required(out, "out") = r.handles.add(std::move(made));
    });
}
int64_t e5rt_async_event_release(void** obj) { return release<event>(__func__, obj); }
int64_t e5rt_async_event_signal(void* handle) {
    return call(__func__, [&](runtime& r) {
        const auto on = r.handles.get<event>(handle, "event");
        on->last = on->future > on->last ? on->future : on->last + 1;
    });
}
int64_t e5rt_async_event_sync_wait(void* handle) {
    return call(__func__, [&](runtime& r) { wait(r, handle); });
}
int64_t e5rt_async_event_get_last_signaled_value(void* handle, uint64_t* out) {
    return call(__func__, [&](runtime& r) { *required(out, "out") = r.handles.get<event>(handle, "event")->last; });
}
int64_t e5rt_async_event_set_active_future_value(void* handle, uint64_t value) {
    return call(__func__, [&](runtime& r) { r.handles.get<event>(handle, "event")->future = value; });
}

// For tests

int anemone_standin_fail(const char* function, int nth, int64_t status) {
    runtime& r = runtime::instance();
    const std::lock_guard lock(r.mutex);
    if (function == nullptr) {
        r.ledger.withdraw();
        return 0;
    }
    return r.ledger.fail(function, nth, status) ? 0 : 1;
}

uint64_t anemone_standin_live_handles(void) {
    runtime& r = runtime::instance();
    const std::lock_guard lock(r.mutex);
    return r.handles.size();
}

uint64_t anemone_standin_calls(const char* function) {
    runtime& r = runtime::instance();
    const std::lock_guard lock(r.mutex);
    return function == nullptr ? 0 : r.ledger.calls(function);
}

uint64_t anemone_standin_early_compiles(void) {
    runtime& r = runtime::instance();
    const std::lock_guard lock(r.mutex);
    return r.early_compiles;
}

void anemone_standin_set_clock(double (*seconds)()) {
    runtime& r = runtime::instance();
    const std::lock_guard lock(r.mutex);
    r.clock = seconds == nullptr ? steady_seconds : seconds;
    r.planned.died_at = -1e9; // a time by another clock
}

int anemone_standin_hang(const char* function) {
    if (function == nullptr || !call_ledger::knows(function)) {
        return 1;
    }
    runtime::instance().planned.held.want(function);
    return 0;
}
void anemone_standin_let_go(void) { runtime::instance().planned.held.let_go(); }
uint64_t anemone_standin_hung(void) { return runtime::instance().planned.held.count(); }
uint64_t anemone_standin_overlaps(void) { return runtime::instance().planned.overlaps; }
void anemone_standin_slow(int milliseconds) { runtime::instance().planned.slow = milliseconds; }

void anemone_standin_kill_service(void) {
    runtime& r = runtime::instance();
    const std::lock_guard lock(r.mutex);
    r.kill_service();
}
void anemone_standin_stale(int count) {
    runtime& r = runtime::instance();
    const std::lock_guard lock(r.mutex);
    r.planned.stale = count;
}
void anemone_standin_short_buffers(int count) {
    runtime& r = runtime::instance();
    const std::lock_guard lock(r.mutex);
    r.planned.short_buffers = count;
}
void anemone_standin_program_limit(int count) {
    runtime& r = runtime::instance();
    const std::lock_guard lock(r.mutex);
    operation::limit = count == 0 ? operation::most : count;
}
