#include "anemone/backend/engine/e5rt/api.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <set>
#include <string>
#include <type_traits>

using ane::e5rt::api;
using ane::e5rt::presence;

namespace {

template <auto Member, class... Parameters>
constexpr bool takes = std::is_same_v<decltype(Member), std::int64_t (*api::*)(Parameters...)>;

} // namespace

TEST_CASE("engine api: out-parameters stand where the runtime has them") {
    // creators and allocators: first
    CHECK(takes<&api::e5rt_e5_compiler_create_with_config, void**, void*>);
    CHECK(takes<&api::e5rt_precompiled_compute_op_create_options_create_with_program_function, void**, void*>);
    CHECK(
        takes<&api::e5rt_execution_stream_operation_create_precompiled_compute_operation_with_options, void**, void*>);
    CHECK(takes<&api::e5rt_buffer_object_alloc, void**, std::uint64_t, std::uint32_t>);
    CHECK(takes<&api::e5rt_async_event_create, void**, const char*, std::uint32_t>);
    // compile, retain, getters: last
    CHECK(takes<&api::e5rt_e5_compiler_compile, void*, const char*, void*, void**>);
    CHECK(takes<&api::e5rt_program_library_retain_program_function, void*, const char*, void**>);
    CHECK(takes<&api::e5rt_execution_stream_operation_retain_input_port, void*, const char*, void**>);
    CHECK(takes<&api::e5rt_execution_stream_operation_retain_output_port, void*, const char*, void**>);
    CHECK(takes<&api::e5rt_buffer_object_get_data_ptr, void*, void**>);
    // releases: the address of the handle
    CHECK(takes<&api::e5rt_io_port_release, void**>);
    CHECK(takes<&api::e5rt_execution_stream_release, void**>);
    // values
    CHECK(takes<&api::e5rt_e5_compiler_options_set_compute_device_types_mask, void*, std::uint64_t>);
    CHECK(takes<&api::e5rt_e5_compiler_options_set_force_recompilation, void*, int>);
    CHECK(takes<&api::e5rt_e5_compiler_options_set_segmenter, void*, const char*>);
}

TEST_CASE("engine api: one description gives the table, the list and the names") {
    std::set<std::string> names;
    std::size_t position = 0;
    ane::e5rt::for_each_symbol([&](auto entry) {
        using described = decltype(entry);
        CHECK(std::string(described::name) == ane::e5rt::symbols[position].name);
        CHECK(described::required_or_optional == ane::e5rt::symbols[position].required_or_optional);
        CHECK(std::string(described::name).rfind("e5rt_", 0) == 0);
        names.insert(described::name);
        ++position;
    });
    CHECK(position == ane::e5rt::symbol_count);
    CHECK(names.size() == ane::e5rt::symbol_count);
    CHECK(sizeof(api) == ane::e5rt::symbol_count * sizeof(void (*)()));
}

TEST_CASE("engine api: only what the driver can do without is optional") {
    std::set<std::string> optional;
    for (const auto& each : ane::e5rt::symbols)
        if (each.required_or_optional == presence::optional)
            optional.insert(each.name);
    CHECK(optional ==
          std::set<std::string>{
              "e5rt_e5_compiler_options_set_enable_profiling", "e5rt_execution_stream_operation_bind_completion_event",
              "e5rt_execution_stream_operation_prepare_op_for_encode", "e5rt_execution_stream_reset",
              "e5rt_buffer_object_get_size", "e5rt_async_event_create", "e5rt_async_event_release",
              "e5rt_execution_stream_set_quality_of_service", "e5rt_execution_stream_set_ane_execution_priority"});
}
