#pragma once

#include "session.hpp"
#include "session_state.hpp"

#include <mutex>
#include <utility>

namespace ane::e5rt::detail::inline ANEMONE_WAY {

/// Makes the calls on behalf of a session.
ANEMONE_INLINE caller calls(const session_state& self, std::string_view about) noexcept {
    return {self.runtime->functions(), *self.options.report, about};
}

ANEMONE_INLINE void load(session_state& self) {
    const std::string others = std::to_string(loaded_programs() - 1);
    const std::string about = "function '" + self.options.function + "', with " + others +
                              " other programs loaded by this driver (limit about " +
                              std::to_string(loaded_program_limit) + ")";
    const caller here = calls(self, about);
    const char* name = self.options.function.c_str();
    self.function = here.retain<handle_kind::function, &api::e5rt_program_library_retain_program_function>(
        self.build.program.get(), name);
    self.op_options =
        here.create<handle_kind::op_options,
                    &api::e5rt_precompiled_compute_op_create_options_create_with_program_function>(self.function.get());
    void* op_options = self.op_options.get();
    here.call<&api::e5rt_precompiled_compute_op_create_options_set_operation_name>(op_options, name);
    here.call<&api::e5rt_precompiled_compute_op_create_options_set_allocate_intermediate_buffers>(op_options, 1);
    self.operation =
        here.create<handle_kind::operation,
                    &api::e5rt_execution_stream_operation_create_precompiled_compute_operation_with_options>(
            op_options);
    self.build.release_tools();
}

ANEMONE_INLINE void bind(session_state& self, const std::vector<port_spec>& inputs,
                         const std::vector<port_spec>& outputs) {
    const caller here = calls(self, {});
    void* operation = self.operation.get();
    self.inputs.reserve(inputs.size());
    for (const port_spec& each : inputs)
        self.inputs.push_back(
            bind_port<&api::e5rt_execution_stream_operation_retain_input_port>(here, operation, each));
    self.outputs.reserve(outputs.size());
    for (const port_spec& each : outputs)
        self.outputs.push_back(
            bind_port<&api::e5rt_execution_stream_operation_retain_output_port>(here, operation, each));
}

ANEMONE_INLINE void add_event(session_state& self) {
    if (!self.options.completion_event)
        return;
    const api& table = self.runtime->functions();
    using release = symbol<&api::e5rt_async_event_release>;
    using bind_event = symbol<&api::e5rt_execution_stream_operation_bind_completion_event>;
    for (const char* missing : {table.*release::member == nullptr ? release::name : nullptr,
                                table.*bind_event::member == nullptr ? bind_event::name : nullptr})
        if (missing != nullptr) {
            self.build.degraded.push_back({missing, 0});
            return;
        }
    void* event = nullptr;
    if (!try_optional<&api::e5rt_async_event_create>(self.build.degraded, table, &event, "op0_complete",
                                                     std::uint32_t{0}))
        return;
    self.event = handle<handle_kind::event>(event, table, *self.options.report);
    if (!self.event)
        self.build.degraded.push_back({symbol<&api::e5rt_async_event_create>::name, 0});
    else if (!try_optional<bind_event::member>(self.build.degraded, table, self.operation.get(), event))
        self.event.reset();
}

ANEMONE_INLINE void add_stream(session_state& self) {
    const api& table = self.runtime->functions();
    self.stream = calls(self, {}).create<handle_kind::stream, &api::e5rt_execution_stream_create>();
    auto& left_out = self.build.degraded;
    if (self.options.quality_of_service)
        try_optional<&api::e5rt_execution_stream_set_quality_of_service>(left_out, table, self.stream.get(),
                                                                         *self.options.quality_of_service);
    if (self.options.execution_priority)
        try_optional<&api::e5rt_execution_stream_set_ane_execution_priority>(left_out, table, self.stream.get(),
                                                                             *self.options.execution_priority);
}

} // namespace ane::e5rt::detail::inline ANEMONE_WAY

namespace ane::e5rt::inline ANEMONE_WAY {

ANEMONE_BODY session::session(std::shared_ptr<const library> runtime, const std::vector<port_spec>& inputs,
                              const std::vector<port_spec>& outputs, session_options options) {
    if (!runtime)
        throw error(errc::argument, "runtime", "no library");
    detail::check_ports(inputs, outputs);
    state_ = hidden<detail::session_state>::of(new detail::session_state(std::move(runtime), std::move(options)));
    detail::session_state& self = state();
    detail::load(self);
    detail::bind(self, inputs, outputs);
    detail::add_event(self);
    detail::add_stream(self);
}

ANEMONE_BODY detail::session_state& session::state() const {
    if (closed())
        throw error(errc::argument, "session", "the session is closed");
    return state_.get("session");
}

ANEMONE_BODY std::size_t session::input_count() const { return state().inputs.size(); }
ANEMONE_BODY std::size_t session::output_count() const { return state().outputs.size(); }

ANEMONE_BODY std::span<std::byte> session::input(std::size_t index) {
    return detail::port_at(state().inputs, index, "input").data;
}
ANEMONE_BODY std::span<const std::byte> session::input(std::size_t index) const {
    return detail::port_at(state().inputs, index, "input").data;
}
ANEMONE_BODY std::span<std::byte> session::output(std::size_t index) {
    return detail::port_at(state().outputs, index, "output").data;
}
ANEMONE_BODY std::span<const std::byte> session::output(std::size_t index) const {
    return detail::port_at(state().outputs, index, "output").data;
}

ANEMONE_BODY std::size_t session::input_index(std::string_view name) const {
    return detail::find_port(state().inputs, name, "input");
}
ANEMONE_BODY std::size_t session::output_index(std::string_view name) const {
    return detail::find_port(state().outputs, name, "output");
}

ANEMONE_BODY void session::execute() {
    detail::session_state& self = state();
    const ane::detail::one_run now(self.running, "session");
    const api& table = self.runtime->functions();
    {
        const std::lock_guard alone(*self.options.gate);
        if (!self.encoded) {
            call<&api::e5rt_execution_stream_encode_operation>(table, self.stream.get(), self.operation.get());
            self.encoded = true;
        }
        call<&api::e5rt_execution_stream_execute_sync>(table, self.stream.get());
    }
    self.last_run = self.options.time->now();
}

ANEMONE_BODY std::optional<clock_source::duration> session::idle() const {
    const detail::session_state& self = state();
    return self.last_run ? std::optional(self.options.time->now() - *self.last_run) : std::nullopt;
}

ANEMONE_BODY bool session::cold() const {
    const auto gap = idle();
    return !gap || *gap >= idle_limit;
}

ANEMONE_BODY void session::alias(std::size_t from, std::size_t to) {
    detail::session_state& self = state();
    const ane::detail::one_run now(self.running, "session");
    bound_port& output = detail::port_at(self.outputs, from, "output");
    bound_port& input = detail::port_at(self.inputs, to, "input");
    const std::string pair = output.spec.name + " -> " + input.spec.name;
    if (self.encoded)
        throw error(errc::port, pair, "an alias must be made before the first execute");
    if (output.aliased || input.aliased)
        throw error(errc::port, pair, "a port is aliased already");
    if (output.spec.bytes != input.spec.bytes)
        throw error(errc::port, pair,
                    "sizes differ: " + std::to_string(output.spec.bytes) + " and " + std::to_string(input.spec.bytes) +
                        " bytes");
    detail::calls(self, pair).call<&api::e5rt_io_port_bind_buffer_object>(input.port.get(), output.buffer.get());
    input.data = output.data;
    input.aliased = output.aliased = true;
    input.buffer.reset();
}

ANEMONE_BODY const std::vector<degradation>& session::degraded() const { return state().build.degraded; }

ANEMONE_BODY void session::close() {
    if (closed())
        return;
    const hidden<detail::session_state> ending = std::move(state_);
    std::string first;
    std::string failures;
    ending.get("session").in_release_order([&](auto& owned) {
        const std::int64_t status = owned.release();
        if (status == 0)
            return;
        if (first.empty())
            first = owned.release_step;
        failures +=
            std::string(failures.empty() ? "" : "; ") + owned.release_step + ": status " + std::to_string(status);
    });
    if (!failures.empty())
        throw error(errc::engine, first, "releases failed: " + failures);
}

ANEMONE_BODY int loaded_programs() noexcept { return detail::loaded.load(); }

} // namespace ane::e5rt::inline ANEMONE_WAY
