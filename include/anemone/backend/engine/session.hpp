#pragma once

#include "../../way.hpp"
#include "session_state.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ane::e5rt::inline ANEMONE_WAY {

/// One MIL program, compiled, loaded, with bound ports, run as often as wanted. Source of the call order: guide
/// chapters 2 and 6 where they agree with what was run on M1 and M5 (engine-runtime 2.1 to 2.3: no prepare before the
/// first encode, no reset between runs). Tested against stand-ins; never run on Apple silicon by this project.
///
/// Use a session from one thread at a time. Sessions of different threads share the pacing of compiles, the gate that
/// lets one program run at a time, and the count of loaded programs, all thread safe. A process must not fork while it
/// holds a session. Move-only; a closed or moved-from session throws on use.
///
/// A failure in a constructor releases all that was acquired and throws `error(errc::engine)` whose subject is the
/// function that failed, with its status and the known symptoms. Every step is required except:
///
/// | step                              | function missing                | nonzero status                             |
/// |-----------------------------------|---------------------------------|--------------------------------------------|
/// | set_enable_profiling, if asked    | no profiling; noted             | no profiling; noted                        |
/// | async_event_create, _release      | no completion event; noted      | create: no completion event; noted         |
/// | operation_bind_completion_event   | no completion event; noted      | the event is released; noted               |
/// | set_quality_of_service, if asked  | the runtime's own value; noted  | the runtime's own value; noted             |
/// | set_ane_execution_priority, idem  | the runtime's own value; noted  | the runtime's own value; noted             |
///
/// "noted" means a row in `degraded()`. Nothing in `execute` depends on these.
class session {
public:
    /// Compiles `options.directory`/model.mil and binds a zeroed buffer to each port, in the given order.
    session(std::shared_ptr<const library> runtime, const std::vector<port_spec>& inputs,
            const std::vector<port_spec>& outputs, session_options options) {
        if (!runtime)
            throw error(errc::argument, "runtime", "no library");
        detail::check_ports(inputs, outputs);
        state_ = std::make_unique<detail::session_state>(std::move(runtime), std::move(options));
        load();
        bind(inputs, outputs);
        add_event();
        add_stream();
    }

    session(session&&) noexcept = default;
    session& operator=(session&&) noexcept = default;

    std::size_t input_count() const { return state().inputs.size(); }
    std::size_t output_count() const { return state().outputs.size(); }

    /// The data of input `index`, dense in its logical shape, zero at first; the address stays for the session's life.
    /// An aliased input is the memory of its output: do not clear it by habit before each run.
    std::span<std::byte> input(std::size_t index) { return detail::port_at(state().inputs, index, "input").data; }
    std::span<const std::byte> input(std::size_t index) const {
        return detail::port_at(state().inputs, index, "input").data;
    }
    /// The data of output `index`, valid after `execute`.
    std::span<std::byte> output(std::size_t index) { return detail::port_at(state().outputs, index, "output").data; }
    std::span<const std::byte> output(std::size_t index) const {
        return detail::port_at(state().outputs, index, "output").data;
    }

    /// Position of a port by name; throws `error(errc::port)` when there is none.
    std::size_t input_index(std::string_view name) const { return detail::find_port(state().inputs, name, "input"); }
    std::size_t output_index(std::string_view name) const { return detail::find_port(state().outputs, name, "output"); }

    /// Runs the program once on the present inputs and waits for the end; first for the runs of other sessions
    /// (dispatch.hpp). The first run encodes the operation, later ones only execute. Allocates nothing unless it
    /// throws. After a failed encode the next call encodes again.
    void execute() {
        detail::session_state& self = state();
        const api& table = self.runtime->functions();
        dispatch_gate& gate = self.options.gate != nullptr ? *self.options.gate : dispatch_gate::process();
        gate.alone([&] {
            if (!self.encoded) {
                call<&api::e5rt_execution_stream_encode_operation>(table, self.stream.get(), self.operation.get());
                self.encoded = true;
            }
            call<&api::e5rt_execution_stream_execute_sync>(table, self.stream.get());
        });
        self.last_run = self.options.time.now();
    }

    /// Time since the last run ended well; empty before the first one.
    std::optional<clock_source::duration> idle() const {
        const detail::session_state& self = state();
        return self.last_run ? std::optional(self.options.time.now() - *self.last_run) : std::nullopt;
    }

    /// Whether the engine may have gone to sleep since the last run of this session, so that the next one takes about a
    /// quarter of a second (R174). Who must answer at once runs the program now and then, on whatever inputs.
    bool cold() const {
        const auto gap = idle();
        return !gap || *gap >= idle_limit;
    }

    /// Resident state: makes input `to` the memory of output `from`, so a run reads what the last one wrote (guide
    /// chapter 2). Before the first `execute` only; equal sizes; each port once. Binds first, then releases the input's
    /// own buffer (spans of the input taken earlier are void); when the bind fails it throws and keeps that buffer.
    /// Throws `error(errc::port)` for a rule broken.
    void alias(std::size_t from, std::size_t to) {
        detail::session_state& self = state();
        bound_port& output = detail::port_at(self.outputs, from, "output");
        bound_port& input = detail::port_at(self.inputs, to, "input");
        const std::string pair = output.spec.name + " -> " + input.spec.name;
        if (self.encoded)
            throw error(errc::port, pair, "an alias must be made before the first execute");
        if (output.aliased || input.aliased)
            throw error(errc::port, pair, "a port is aliased already");
        if (output.spec.bytes != input.spec.bytes)
            throw error(errc::port, pair,
                        "sizes differ: " + std::to_string(output.spec.bytes) + " and " +
                            std::to_string(input.spec.bytes) + " bytes");
        calls(self, pair).call<&api::e5rt_io_port_bind_buffer_object>(input.port.get(), output.buffer.get());
        input.data = output.data;
        input.aliased = output.aliased = true;
        input.buffer.reset();
    }

    /// Optional steps left out, in the order of the calls.
    const std::vector<degradation>& degraded() const { return state().build.degraded; }

    /// Releases everything in the documented order (stream; input, then output buffers and ports; event; operation and
    /// its options; function; library), also after a failure, then throws one `error(errc::engine)` that lists the
    /// failures. Does nothing on a closed session. The destructor does the same, but reports instead of throwing;
    /// releases during construction (options, compiler, configuration) report too.
    void close() {
        if (!state_)
            return;
        const auto ending = std::move(state_);
        std::string first;
        std::string failures;
        ending->in_release_order([&](auto& owned) {
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

    bool closed() const noexcept { return state_ == nullptr; }

private:
    detail::session_state& state() const {
        if (!state_)
            throw error(errc::argument, "session", "the session is closed");
        return *state_;
    }

    static caller calls(const detail::session_state& self, std::string_view about) noexcept {
        return {self.runtime->functions(), self.options.report, about};
    }

    void load() {
        detail::session_state& self = *state_;
        const std::string others = std::to_string(loaded_programs() - 1);
        const std::string about = "function '" + self.options.function + "', with " + others +
                                  " other programs loaded by this driver (limit about " +
                                  std::to_string(loaded_program_limit) + ")";
        const caller here = calls(self, about);
        const char* name = self.options.function.c_str();
        self.function = here.retain<handle_kind::function, &api::e5rt_program_library_retain_program_function>(
            self.build.program.get(), name);
        self.op_options = here.create<handle_kind::op_options,
                                      &api::e5rt_precompiled_compute_op_create_options_create_with_program_function>(
            self.function.get());
        void* op_options = self.op_options.get();
        here.call<&api::e5rt_precompiled_compute_op_create_options_set_operation_name>(op_options, name);
        here.call<&api::e5rt_precompiled_compute_op_create_options_set_allocate_intermediate_buffers>(op_options, 1);
        self.operation =
            here.create<handle_kind::operation,
                        &api::e5rt_execution_stream_operation_create_precompiled_compute_operation_with_options>(
                op_options);
        self.build.release_tools();
    }

    void bind(const std::vector<port_spec>& inputs, const std::vector<port_spec>& outputs) {
        detail::session_state& self = *state_;
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

    void add_event() {
        detail::session_state& self = *state_;
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
        self.event = handle<handle_kind::event>(event, table, self.options.report);
        if (!self.event)
            self.build.degraded.push_back({symbol<&api::e5rt_async_event_create>::name, 0});
        else if (!try_optional<bind_event::member>(self.build.degraded, table, self.operation.get(), event))
            self.event.reset();
    }

    void add_stream() {
        detail::session_state& self = *state_;
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

    std::unique_ptr<detail::session_state> state_;
};

} // namespace ane::e5rt::inline ANEMONE_WAY
