#pragma once

#include "../../../base/way.hpp"
#include "../driver/completed.hpp"
#include "../driver/port_at.hpp"
#include "../driver/program_slot.hpp"
#include "compilation.hpp"
#include "library.hpp"
#include "port.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unistd.h>
#include <vector>

namespace ane::e5rt::detail::inline ANEMONE_WAY {

/// Releases what an owner holds; failures are reported. In a child after a fork, whose parent has it still, it forgets.
template <class Owner> void release_all(Owner& owner) noexcept {
    if (owner.is_ours())
        owner.in_release_order([](auto& owned) { owned.reset(); });
    else
        owner.in_release_order([](auto& owned) { owned.forget(); });
}
/// The same when the owner goes. A template, as a destructor cannot be one.
template <class Owner> struct release_at_end {
    Owner& owner;
    ~release_at_end() { release_all(owner); }
};

/// One program, compiled, loaded, with bound ports. Handles point to the table and to the options' report, so the object
/// never moves.
struct loaded_program {
    ANEMONE_INLINE loaded_program(std::shared_ptr<const library> from, session_options with)
        : runtime(std::move(from)), table(runtime->functions()), options(completed(std::move(with))),
          slot(options.program_limit), build(table, options) {}
    loaded_program(const loaded_program&) = delete;
    loaded_program& operator=(const loaded_program&) = delete;

    bool is_ours() const noexcept { return process == ::getpid(); }

    /// Makes the calls on behalf of the program.
    ANEMONE_INLINE caller calls(std::string_view about) const noexcept { return {table, *options.report, about}; }

    /// Loads what was compiled, and binds a buffer to each port. A program from the cache that does not load is stale:
    /// it is compiled anew, once; noted.
    ANEMONE_INLINE void load(const std::vector<port_spec>& inputs_of, const std::vector<port_spec>& outputs_of) {
        if (const std::int64_t status = make_operation(); status != 0) {
            op_options.reset();
            function.reset();
            const degradation stale{operation_step::name, status};
            build = compilation(table, options, true);
            build.degraded.push_back(stale);
            make_operation();
        }
        build.release_tools();
        bind(inputs_of, outputs_of);
        add_event();
    }

    template <class Action> void in_release_order(Action&& action) {
        for (auto* ports : {&inputs, &outputs})
            for (bound_port& each : *ports) {
                action(each.buffer);
                action(each.port);
            }
        action(event);
        action(operation);
        action(op_options);
        action(function);
        action(build.program);
        action(build.tool_options); // these three are left over from a failed construction
        action(build.compiler);
        action(build.config);
    }

    ::pid_t process = ::getpid();
    std::shared_ptr<const library> runtime;
    const api& table;
    session_options options;
    program_slot slot; // before the compilation, which takes long
    compilation build;
    handle<handle_kind::function> function;
    handle<handle_kind::op_options> op_options;
    handle<handle_kind::operation> operation;
    handle<handle_kind::event> event;
    std::vector<bound_port> inputs;
    std::vector<bound_port> outputs;
    bool encoded = false;                      ///< at least once: its bindings are fixed
    bool prepared = true;                      ///< it may be encoded
    bool on_stream = false;                    ///< it is encoded now
    release_at_end<loaded_program> end{*this}; // last, so that it comes before the handles' own destructors

private:
    using operation_step =
        symbol<&api::e5rt_execution_stream_operation_create_precompiled_compute_operation_with_options>;

    /// The status of the last step where the program may be a stale one of the cache, else 0. Throws for every other
    /// failure.
    ANEMONE_INLINE std::int64_t make_operation() {
        const std::string others = std::to_string(slot.others());
        const std::string about = "function '" + options.function + "', with " + others +
                                  " other programs loaded by this driver (limit about " +
                                  std::to_string(loaded_program_limit) + ")";
        const caller here = calls(about);
        const char* name = options.function.c_str();
        function = here.retain<handle_kind::function, &api::e5rt_program_library_retain_program_function>(
            build.program.get(), name);
        op_options =
            here.create<handle_kind::op_options,
                        &api::e5rt_precompiled_compute_op_create_options_create_with_program_function>(function.get());
        void* made_from = op_options.get();
        here.call<&api::e5rt_precompiled_compute_op_create_options_set_operation_name>(made_from, name);
        here.call<&api::e5rt_precompiled_compute_op_create_options_set_allocate_intermediate_buffers>(made_from, 1);
        void* object = nullptr;
        const std::int64_t status = status_of<operation_step::member>(table, &object, made_from);
        if (status != 0 && build.warm)
            return status;
        if (status != 0)
            throw call_failure(operation_step::name, status, about);
        if (object == nullptr)
            throw null_result(operation_step::name, about);
        operation = handle<handle_kind::operation>(object, table, *options.report);
        return 0;
    }

    ANEMONE_INLINE void bind(const std::vector<port_spec>& inputs_of, const std::vector<port_spec>& outputs_of) {
        inputs.reserve(inputs_of.size());
        for (const port_spec& each : inputs_of)
            inputs.push_back(bind_port<&api::e5rt_execution_stream_operation_retain_input_port>(
                calls({}), operation.get(), each, build.degraded));
        outputs.reserve(outputs_of.size());
        for (const port_spec& each : outputs_of)
            outputs.push_back(bind_port<&api::e5rt_execution_stream_operation_retain_output_port>(
                calls({}), operation.get(), each, build.degraded));
    }

    ANEMONE_INLINE void add_event() {
        if (!options.completion_event)
            return;
        using release = symbol<&api::e5rt_async_event_release>;
        using bind_event = symbol<&api::e5rt_execution_stream_operation_bind_completion_event>;
        for (const char* missing : {table.*release::member == nullptr ? release::name : nullptr,
                                    table.*bind_event::member == nullptr ? bind_event::name : nullptr})
            if (missing != nullptr) {
                build.degraded.push_back({missing, 0});
                return;
            }
        void* made_event = nullptr;
        if (!try_optional<&api::e5rt_async_event_create>(build.degraded, table, &made_event, "op0_complete",
                                                         std::uint32_t{0}))
            return;
        event = handle<handle_kind::event>(made_event, table, *options.report);
        if (!event)
            build.degraded.push_back({symbol<&api::e5rt_async_event_create>::name, 0});
        else if (!try_optional<bind_event::member>(build.degraded, table, operation.get(), made_event))
            event.reset();
    }
};

/// Names once each, sizes above 0, at least one output, and no output that is an input (the compiler refuses an
/// operation-less function with an unhelpful message).
ANEMONE_INLINE void check_ports(const std::vector<port_spec>& inputs, const std::vector<port_spec>& outputs) {
    if (outputs.empty())
        throw error(errc::port, "outputs", "a program needs at least one output");
    std::vector<std::string_view> seen;
    for (const auto* ports : {&inputs, &outputs})
        for (const port_spec& each : *ports) {
            require_text(errc::port, ports == &inputs ? "input" : "output", each.name);
            for (const std::string_view other : seen)
                if (other == each.name)
                    throw error(errc::port, each.name, "two ports have this name");
            seen.push_back(each.name);
            static_cast<void>(allocation_size(each));
        }
}

/// The position of a port by name; throws `error(errc::port)` when there is none.
ANEMONE_INLINE std::size_t find_port(const std::vector<bound_port>& ports, std::string_view name,
                                     const char* direction) {
    for (std::size_t i = 0; i != ports.size(); ++i)
        if (ports[i].spec.name == name)
            return i;
    throw error(errc::port, std::string(name), std::string("no ") + direction + " has this name");
}

} // namespace ane::e5rt::detail::inline ANEMONE_WAY
