#pragma once

#include "../../../base/way.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace ane::e5rt::inline ANEMONE_WAY {

/// Whether the driver can work without a function of the runtime.
enum class presence {
    required, ///< loading the library fails when it is missing
    optional  ///< its feature is left out when it is missing; see the table in session.hpp
};

/// The one description of the C functions the driver calls: name, presence, parameters. All return `int64_t`, 0 is
/// success. The table struct, the loader, the list of symbols and fault injection are generated from it.
///
/// Place of the out-parameter: FIRST for whatever creates or allocates, LAST for compile, retain and getters. A release
/// takes the address of the handle. Measured on M1 and M5 with macOS 26.5 by the authors of the guide (chapter 6), not
/// by this project: this driver was never run on Apple silicon by this project.
// clang-format off
#define ANEMONE_E5RT_FUNCTIONS(X)                                                                                      \
    /* compiler configuration */                                                                                       \
    X(e5rt_e5_compiler_config_options_create, required, (void** out))                                                  \
    X(e5rt_e5_compiler_config_options_release, required, (void** object))                                              \
    X(e5rt_e5_compiler_config_options_set_cache_bundle_location, required, (void* object, const char* path))           \
    /* compiler */                                                                                                     \
    X(e5rt_e5_compiler_create_with_config, required, (void** out, void* config))                                       \
    X(e5rt_e5_compiler_release, required, (void** object))                                                             \
    X(e5rt_e5_compiler_compile, required, (void* compiler, const char* path, void* options, void** out_library))       \
    /* compiler options */                                                                                             \
    X(e5rt_e5_compiler_options_create, required, (void** out))                                                         \
    X(e5rt_e5_compiler_options_release, required, (void** object))                                                     \
    X(e5rt_e5_compiler_options_set_compute_device_types_mask, required, (void* object, std::uint64_t mask))            \
    X(e5rt_e5_compiler_options_set_force_recompilation, required, (void* object, int value))                           \
    X(e5rt_e5_compiler_options_set_segmenter, required, (void* object, const char* value))                             \
    X(e5rt_e5_compiler_options_set_custom_ane_compiler_options, required, (void* object, const char* value))           \
    X(e5rt_e5_compiler_options_set_enable_profiling, optional, (void* object, int value))                              \
    /* program library and function */                                                                                 \
    X(e5rt_program_library_release, required, (void** object))                                                         \
    X(e5rt_program_library_retain_program_function, required, (void* library, const char* name, void** out))           \
    X(e5rt_program_function_release, required, (void** object))                                                        \
    /* operation */                                                                                                    \
    X(e5rt_precompiled_compute_op_create_options_create_with_program_function, required, (void** out, void* function)) \
    X(e5rt_precompiled_compute_op_create_options_release, required, (void** object))                                   \
    X(e5rt_precompiled_compute_op_create_options_set_operation_name, required, (void* object, const char* name))       \
    X(e5rt_precompiled_compute_op_create_options_set_allocate_intermediate_buffers, required,                          \
      (void* object, int value))                                                                                       \
    X(e5rt_execution_stream_operation_create_precompiled_compute_operation_with_options, required,                     \
      (void** out, void* op_options))                                                                                  \
    X(e5rt_execution_stream_operation_release, required, (void** object))                                              \
    X(e5rt_execution_stream_operation_retain_input_port, required, (void* operation, const char* name, void** out))    \
    X(e5rt_execution_stream_operation_retain_output_port, required, (void* operation, const char* name, void** out))   \
    X(e5rt_execution_stream_operation_bind_completion_event, optional, (void* operation, void* event))                 \
    X(e5rt_execution_stream_operation_prepare_op_for_encode, optional, (void* operation))                              \
    /* ports and buffers */                                                                                            \
    X(e5rt_io_port_bind_buffer_object, required, (void* port, void* buffer))                                           \
    X(e5rt_io_port_release, required, (void** object))                                                                 \
    X(e5rt_buffer_object_alloc, required, (void** out, std::uint64_t size, std::uint32_t type))                        \
    X(e5rt_buffer_object_get_data_ptr, required, (void* buffer, void** out))                                           \
    X(e5rt_buffer_object_get_size, optional, (void* buffer, std::uint64_t* out))                                       \
    X(e5rt_buffer_object_release, required, (void** object))                                                           \
    /* events */                                                                                                       \
    X(e5rt_async_event_create, optional, (void** out, const char* name, std::uint32_t initial))                        \
    X(e5rt_async_event_release, optional, (void** object))                                                             \
    /* execution stream */                                                                                             \
    X(e5rt_execution_stream_create, required, (void** out))                                                            \
    X(e5rt_execution_stream_release, required, (void** object))                                                        \
    X(e5rt_execution_stream_encode_operation, required, (void* stream, void* operation))                               \
    X(e5rt_execution_stream_execute_sync, required, (void* stream))                                                    \
    X(e5rt_execution_stream_reset, optional, (void* stream))                                                           \
    X(e5rt_execution_stream_set_quality_of_service, optional, (void* stream, std::uint64_t value))                     \
    X(e5rt_execution_stream_set_ane_execution_priority, optional, (void* stream, std::uint64_t value))
// clang-format on

/// The functions of one loaded runtime, one typed pointer each; null where an optional function is missing.
struct api {
#define ANEMONE_MEMBER(name, presence, parameters) std::int64_t(*name) parameters = nullptr;
    ANEMONE_E5RT_FUNCTIONS(ANEMONE_MEMBER)
#undef ANEMONE_MEMBER
};

/// What is known at compile time about the function a member of `api` points to: its exported name and presence.
template <auto Member> struct symbol;

#define ANEMONE_SYMBOL(function, need, parameters)                                                                     \
    template <> struct symbol<&api::function> {                                                                        \
        static constexpr auto member = &api::function;                                                                 \
        static constexpr const char* name = #function;                                                                 \
        static constexpr presence required_or_optional = presence::need;                                               \
    };
ANEMONE_E5RT_FUNCTIONS(ANEMONE_SYMBOL)
#undef ANEMONE_SYMBOL

/// Calls `visit(symbol<&api::x>{})` for every function, in the order of the description.
template <class Visitor> constexpr void for_each_symbol(Visitor&& visit) {
#define ANEMONE_VISIT(name, presence, parameters) visit(symbol<&api::name>{});
    ANEMONE_E5RT_FUNCTIONS(ANEMONE_VISIT)
#undef ANEMONE_VISIT
}

/// One row of the list of symbols.
struct symbol_info {
    const char* name;
    presence required_or_optional;
};

#define ANEMONE_COUNT(name, presence, parameters) +1
inline constexpr std::size_t symbol_count = 0 ANEMONE_E5RT_FUNCTIONS(ANEMONE_COUNT);
#undef ANEMONE_COUNT

/// Every symbol the driver looks up.
inline constexpr std::array<symbol_info, symbol_count> symbols = {{
#define ANEMONE_ROW(name, need, parameters) symbol_info{#name, presence::need},
    ANEMONE_E5RT_FUNCTIONS(ANEMONE_ROW)
#undef ANEMONE_ROW
}};

} // namespace ane::e5rt::inline ANEMONE_WAY
