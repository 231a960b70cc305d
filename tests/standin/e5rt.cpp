// The exported functions of the stand-in. Each is one line of bookkeeping around an action of service.hpp.

#include "e5rt_standin.h"
#include "service.hpp"

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

int anemone_standin_hang(const char* function, int nth) {
    if (function == nullptr || nth < 1 || !call_ledger::knows(function)) {
        return 1;
    }
    runtime::instance().planned.held.want(function, nth);
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
