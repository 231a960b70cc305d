#pragma once

/* The C interface that the stand-in exports: the functions of the engine's runtime library with the signatures of the
   facts (engine-runtime 1.1), and a few of its own for tests. Every e5rt function returns 0 or a nonzero status. */

#include <stdint.h>

#if defined(__GNUC__)
#define ANEMONE_STANDIN_EXPORT __attribute__((visibility("default")))
#else
#define ANEMONE_STANDIN_EXPORT
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define ANEMONE_STANDIN_CALL ANEMONE_STANDIN_EXPORT int64_t

ANEMONE_STANDIN_CALL e5rt_e5_compiler_config_options_create(void** out);
ANEMONE_STANDIN_CALL e5rt_e5_compiler_config_options_release(void** obj);
ANEMONE_STANDIN_CALL e5rt_e5_compiler_config_options_set_cache_bundle_location(void* obj, const char* path);
ANEMONE_STANDIN_CALL e5rt_e5_compiler_config_options_set_bundle_cache_apfs_purgeable(void* obj, int value);

ANEMONE_STANDIN_CALL e5rt_e5_compiler_create(void** out);
ANEMONE_STANDIN_CALL e5rt_e5_compiler_create_with_config(void** out, void* config);
ANEMONE_STANDIN_CALL e5rt_e5_compiler_release(void** obj);
ANEMONE_STANDIN_CALL e5rt_e5_compiler_compile(void* compiler, const char* path, void* options, void** out_library);

ANEMONE_STANDIN_CALL e5rt_e5_compiler_options_create(void** out);
ANEMONE_STANDIN_CALL e5rt_e5_compiler_options_release(void** obj);
ANEMONE_STANDIN_CALL e5rt_e5_compiler_options_set_compute_device_types_mask(void* obj, uint64_t mask);
ANEMONE_STANDIN_CALL e5rt_e5_compiler_options_get_compute_device_types_mask(void* obj, uint64_t* out);
ANEMONE_STANDIN_CALL e5rt_e5_compiler_options_set_force_recompilation(void* obj, int value);
ANEMONE_STANDIN_CALL e5rt_e5_compiler_options_set_force_bnns_graph(void* obj, int value);
ANEMONE_STANDIN_CALL e5rt_e5_compiler_options_set_segmenter(void* obj, const char* value);
ANEMONE_STANDIN_CALL e5rt_e5_compiler_options_set_custom_ane_compiler_options(void* obj, const char* value);
ANEMONE_STANDIN_CALL e5rt_e5_compiler_options_set_enable_profiling(void* obj, int value);

ANEMONE_STANDIN_CALL e5rt_program_library_create(void** out, const char* bundle_path);
ANEMONE_STANDIN_CALL e5rt_program_library_release(void** obj);
ANEMONE_STANDIN_CALL e5rt_program_library_get_num_functions(void* lib, uint64_t* out);
ANEMONE_STANDIN_CALL e5rt_program_library_get_function_names(void* lib, uint64_t count, const char** names);
ANEMONE_STANDIN_CALL e5rt_program_library_retain_program_function(void* lib, const char* name, void** out);

ANEMONE_STANDIN_CALL e5rt_program_function_release(void** obj);
ANEMONE_STANDIN_CALL e5rt_program_function_get_name(void* fn, const char** out);
ANEMONE_STANDIN_CALL e5rt_program_function_load_for_execution(void* fn);

ANEMONE_STANDIN_CALL e5rt_precompiled_compute_op_create_options_create_with_program_function(void** out, void* fn);
ANEMONE_STANDIN_CALL e5rt_precompiled_compute_op_create_options_release(void** obj);
ANEMONE_STANDIN_CALL e5rt_precompiled_compute_op_create_options_set_operation_name(void* obj, const char* name);
ANEMONE_STANDIN_CALL e5rt_precompiled_compute_op_create_options_set_allocate_intermediate_buffers(void* obj, int value);

ANEMONE_STANDIN_CALL e5rt_execution_stream_operation_create_precompiled_compute_operation_with_options(
    void** out, void* op_options);
ANEMONE_STANDIN_CALL e5rt_execution_stream_operation_release(void** obj);
ANEMONE_STANDIN_CALL e5rt_execution_stream_operation_retain_input_port(void* op, const char* name, void** out);
ANEMONE_STANDIN_CALL e5rt_execution_stream_operation_retain_output_port(void* op, const char* name, void** out);
ANEMONE_STANDIN_CALL e5rt_execution_stream_operation_prepare_op_for_encode(void* op);
ANEMONE_STANDIN_CALL e5rt_execution_stream_operation_bind_completion_event(void* op, void* event);
ANEMONE_STANDIN_CALL e5rt_execution_stream_operation_bind_dependent_events(void* op, void** events, uint64_t count);

ANEMONE_STANDIN_CALL e5rt_io_port_bind_buffer_object(void* port, void* buffer);
ANEMONE_STANDIN_CALL e5rt_io_port_release(void** obj);

ANEMONE_STANDIN_CALL e5rt_buffer_object_alloc(void** out, uint64_t size, uint32_t type);
ANEMONE_STANDIN_CALL e5rt_buffer_object_get_data_ptr(void* buf, void** out);
ANEMONE_STANDIN_CALL e5rt_buffer_object_get_size(void* buf, uint64_t* out);
ANEMONE_STANDIN_CALL e5rt_buffer_object_release(void** obj);

ANEMONE_STANDIN_CALL e5rt_execution_stream_create(void** out);
ANEMONE_STANDIN_CALL e5rt_execution_stream_release(void** obj);
ANEMONE_STANDIN_CALL e5rt_execution_stream_encode_operation(void* stream, void* op);
ANEMONE_STANDIN_CALL e5rt_execution_stream_execute_sync(void* stream);
ANEMONE_STANDIN_CALL e5rt_execution_stream_submit_async(void* stream, void* block);
ANEMONE_STANDIN_CALL e5rt_execution_stream_async_submit(void* stream);
ANEMONE_STANDIN_CALL e5rt_execution_stream_reset(void* stream);
ANEMONE_STANDIN_CALL e5rt_execution_stream_set_quality_of_service(void* stream, uint64_t value);
ANEMONE_STANDIN_CALL e5rt_execution_stream_set_ane_execution_priority(void* stream, uint64_t value);

ANEMONE_STANDIN_CALL e5rt_async_event_create(void** out, const char* name, uint32_t initial);
ANEMONE_STANDIN_CALL e5rt_async_event_release(void** obj);
ANEMONE_STANDIN_CALL e5rt_async_event_signal(void* event);
ANEMONE_STANDIN_CALL e5rt_async_event_sync_wait(void* event);
ANEMONE_STANDIN_CALL e5rt_async_event_get_last_signaled_value(void* event, uint64_t* out);
ANEMONE_STANDIN_CALL e5rt_async_event_set_active_future_value(void* event, uint64_t value);

/* The nth call from now (1: the next) of `function` returns `status` and does nothing else. A null function withdraws all
   failures. Returns 0, or 1 when no such function is exported. The environment says the same at load time:
   ANEMONE_STANDIN_FAIL="function:nth:status[,function:nth:status...]"; there, for a status, `hang` is a call that does not
   return, `abort` one that ends the process, `die` one at which the service dies. */
ANEMONE_STANDIN_EXPORT int anemone_standin_fail(const char* function, int nth, int64_t status);

/* Handles that are not released; calls of a function so far (failed ones too). */
ANEMONE_STANDIN_EXPORT uint64_t anemone_standin_live_handles(void);
ANEMONE_STANDIN_EXPORT uint64_t anemone_standin_calls(const char* function);

/* Compiles begun less than 15 s after a failed one, which the real compile service answers badly; and the clock they are
   measured with, in seconds (null: the steady clock). A change of clock brings a dead service back. */
ANEMONE_STANDIN_EXPORT uint64_t anemone_standin_early_compiles(void);
ANEMONE_STANDIN_EXPORT void anemone_standin_set_clock(double (*seconds)(void));

/* The nth call of `function` from now (1: the next) does not return before anemone_standin_let_go, and then does its work: the
   completion that is lost. Returns 0, or 1 when no such function is exported. `hung` is how many calls are held; `overlaps`, how many
   executions began while another was inside, which on the real one never complete. */
ANEMONE_STANDIN_EXPORT int anemone_standin_hang(const char* function, int nth);
ANEMONE_STANDIN_EXPORT void anemone_standin_let_go(void);
ANEMONE_STANDIN_EXPORT uint64_t anemone_standin_hung(void);
ANEMONE_STANDIN_EXPORT uint64_t anemone_standin_overlaps(void);

/* Every execution takes this long at least (0: no longer than it needs); at first ANEMONE_STANDIN_SLOW. */
ANEMONE_STANDIN_EXPORT void anemone_standin_slow(int milliseconds);

/* The compile service dies: what it compiled neither loads nor executes any more, and for 15 s by the clock above no
   compile succeeds. */
ANEMONE_STANDIN_EXPORT void anemone_standin_kill_service(void);

/* The next `count` compiles without force_recompilation hand out a stale program, which does not load; the next `count`
   buffers have half of the bytes that were asked for; so many programs can be loaded (0: 128). */
ANEMONE_STANDIN_EXPORT void anemone_standin_stale(int count);
ANEMONE_STANDIN_EXPORT void anemone_standin_short_buffers(int count);
ANEMONE_STANDIN_EXPORT void anemone_standin_program_limit(int count);

#ifdef __cplusplus
}
#endif
