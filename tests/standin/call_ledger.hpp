#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string_view>
#include <system_error>
#include <vector>

namespace ane::standin {

inline constexpr std::array<std::string_view, 57> exported_functions = {
    "e5_compiler_config_options_create",
    "e5_compiler_config_options_release",
    "e5_compiler_config_options_set_cache_bundle_location",
    "e5_compiler_config_options_set_bundle_cache_apfs_purgeable",
    "e5_compiler_create",
    "e5_compiler_create_with_config",
    "e5_compiler_release",
    "e5_compiler_compile",
    "e5_compiler_options_create",
    "e5_compiler_options_release",
    "e5_compiler_options_set_compute_device_types_mask",
    "e5_compiler_options_get_compute_device_types_mask",
    "e5_compiler_options_set_force_recompilation",
    "e5_compiler_options_set_force_bnns_graph",
    "e5_compiler_options_set_segmenter",
    "e5_compiler_options_set_custom_ane_compiler_options",
    "e5_compiler_options_set_enable_profiling",
    "program_library_create",
    "program_library_release",
    "program_library_get_num_functions",
    "program_library_get_function_names",
    "program_library_retain_program_function",
    "program_function_release",
    "program_function_get_name",
    "program_function_load_for_execution",
    "precompiled_compute_op_create_options_create_with_program_function",
    "precompiled_compute_op_create_options_release",
    "precompiled_compute_op_create_options_set_operation_name",
    "precompiled_compute_op_create_options_set_allocate_intermediate_buffers",
    "execution_stream_operation_create_precompiled_compute_operation_with_options",
    "execution_stream_operation_release",
    "execution_stream_operation_retain_input_port",
    "execution_stream_operation_retain_output_port",
    "execution_stream_operation_prepare_op_for_encode",
    "execution_stream_operation_bind_completion_event",
    "execution_stream_operation_bind_dependent_events",
    "io_port_bind_buffer_object",
    "io_port_release",
    "buffer_object_alloc",
    "buffer_object_get_data_ptr",
    "buffer_object_get_size",
    "buffer_object_release",
    "execution_stream_create",
    "execution_stream_release",
    "execution_stream_encode_operation",
    "execution_stream_execute_sync",
    "execution_stream_submit_async",
    "execution_stream_async_submit",
    "execution_stream_reset",
    "execution_stream_set_quality_of_service",
    "execution_stream_set_ane_execution_priority",
    "async_event_create",
    "async_event_release",
    "async_event_signal",
    "async_event_sync_wait",
    "async_event_get_last_signaled_value",
    "async_event_set_active_future_value",
};

/// Instead of a status: what a call does that is to fail in a worse way.
inline constexpr std::optional<std::int64_t> never_returns = -0x7FFF0001, ends_the_process = -0x7FFF0002,
                                             service_dies = -0x7FFF0003;

/// Counts the calls of every function and lets a chosen one fail.
class call_ledger {
public:
    call_ledger() {
        if (const char* const asked = std::getenv("ANEMONE_STANDIN_FAIL")) {
            read_environment(asked);
        }
    }

    bool fail(std::string_view function, std::int64_t nth, std::int64_t status) {
        const std::size_t number = number_of(function);
        if (number == exported_functions.size() || nth < 1) {
            return false;
        }
        planned_.push_back({number, nth, status});
        return true;
    }

    static bool knows(std::string_view function) { return number_of(function) != exported_functions.size(); }

    void withdraw() { planned_.clear(); }

    /// Counts one call; the status it must fail with, if it must. Takes no memory: a release must work when there is none.
    std::optional<std::int64_t> enter(std::string_view function) {
        const std::size_t number = number_of(function);
        if (number != exported_functions.size()) {
            ++calls_[number];
        }
        std::optional<std::int64_t> result;
        for (std::size_t i = 0; i < planned_.size();) {
            if (planned_[i].function == number && --planned_[i].remaining == 0) {
                result = planned_[i].status;
                planned_.erase(planned_.begin() + static_cast<std::ptrdiff_t>(i));
            } else {
                ++i;
            }
        }
        return result;
    }

    std::uint64_t calls(std::string_view function) const {
        const std::size_t number = number_of(function);
        return number == exported_functions.size() ? 0 : calls_[number];
    }

private:
    struct plan {
        std::size_t function = 0;
        std::int64_t remaining = 1;
        std::int64_t status = 1;
    };

    /// Its place among the exported ones, with or without the prefix; their number when it is none of them.
    static std::size_t number_of(std::string_view function) {
        constexpr std::string_view prefix = "e5rt_";
        if (function.substr(0, prefix.size()) == prefix) {
            function.remove_prefix(prefix.size());
        }
        const auto found = std::find(exported_functions.begin(), exported_functions.end(), function);
        return static_cast<std::size_t>(found - exported_functions.begin());
    }

    static std::optional<std::int64_t> number(std::string_view text) {
        std::int64_t value = 0;
        const auto [stop, code] = std::from_chars(text.data(), text.data() + text.size(), value);
        return code == std::errc{} && stop == text.data() + text.size() ? std::optional(value) : std::nullopt;
    }

    void read_environment(std::string_view text) {
        while (!text.empty()) {
            const std::string_view entry = text.substr(0, text.find(','));
            text.remove_prefix(entry.size() + (entry.size() < text.size() ? 1 : 0));
            const std::size_t first = entry.find(':');
            const std::size_t second = entry.rfind(':');
            if (first == std::string_view::npos || first == second) {
                continue;
            }
            const auto nth = number(entry.substr(first + 1, second - first - 1));
            const std::string_view what = entry.substr(second + 1);
            const auto status = what == "hang"    ? never_returns
                                : what == "abort" ? ends_the_process
                                : what == "die"   ? service_dies
                                                  : number(what);
            if (nth && status) {
                fail(entry.substr(0, first), *nth, *status);
            }
        }
    }

    std::vector<plan> planned_;
    std::array<std::uint64_t, exported_functions.size()> calls_{};
};

} // namespace ane::standin
