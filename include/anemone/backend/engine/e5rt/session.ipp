#pragma once

#include "../../../base/way.hpp"
ANEMONE_INCLUDED(anemone_backend_engine_e5rt_session_hpp);

#include "session.hpp"
#include "session_state.hpp"

#include <utility>

namespace ane::e5rt::inline ANEMONE_WAY {

ANEMONE_BODY_OF session::session(std::shared_ptr<const library> runtime, const std::vector<port_spec>& inputs,
                                 const std::vector<port_spec>& outputs, session_options options) {
    if (!runtime)
        throw error(errc::argument, "runtime", "no library");
    const time_span limit = options.setup_timeout;
    auto made = detail::within(
        limit, "compile", [runtime = std::move(runtime), inputs, outputs, options = std::move(options)]() mutable {
            auto fresh = std::make_shared<detail::session_state>(std::move(runtime), std::move(options));
            fresh->add(fresh->load(inputs, outputs, fresh->options));
            return fresh;
        });
    using owner = detail::state_owner<detail::session_state>;
    state_ = hidden<owner>::of(new owner(std::move(made)));
}

ANEMONE_BODY const std::shared_ptr<detail::session_state>& session::shared() const {
    if (closed())
        throw error(errc::argument, "session", "the session is closed");
    return state_.get("session").shared;
}
ANEMONE_BODY detail::session_state& session::state() const { return *shared(); }

ANEMONE_BODY std::size_t session::input_count() const { return state().programs.front()->inputs.size(); }
ANEMONE_BODY std::size_t session::output_count() const { return state().programs.front()->outputs.size(); }

ANEMONE_BODY std::span<std::byte> session::input(std::size_t index) {
    detail::require_idle(state());
    return detail::port_at(state().programs.front()->inputs, index, "input").data;
}
ANEMONE_BODY std::span<const std::byte> session::input(std::size_t index) const {
    detail::require_idle(state());
    return detail::port_at(state().programs.front()->inputs, index, "input").data;
}
ANEMONE_BODY std::span<std::byte> session::output(std::size_t index) {
    detail::require_idle(state());
    return detail::port_at(state().programs.front()->outputs, index, "output").data;
}
ANEMONE_BODY std::span<const std::byte> session::output(std::size_t index) const {
    detail::require_idle(state());
    return detail::port_at(state().programs.front()->outputs, index, "output").data;
}

ANEMONE_BODY std::size_t session::input_index(std::string_view name) const {
    return detail::find_port(state().programs.front()->inputs, name, "input");
}
ANEMONE_BODY std::size_t session::output_index(std::string_view name) const {
    return detail::find_port(state().programs.front()->outputs, name, "output");
}

ANEMONE_BODY void session::execute() { detail::run_within(shared(), state().options.timeout); }
ANEMONE_BODY void session::execute(clock_source::duration timeout) { detail::run_within(shared(), timeout); }

ANEMONE_BODY pending_run session::submit() {
    const std::uint64_t ticket = detail::submit(shared());
    return {shared(), ticket};
}

ANEMONE_BODY bool session::running() const { return state().running; }

ANEMONE_BODY void session::reopen() {
    detail::session_state& old = state();
    detail::require_ours(old);
    detail::require_idle(old);
    const auto specs = [](const std::vector<bound_port>& ports) {
        std::vector<port_spec> all;
        all.reserve(ports.size());
        for (const bound_port& each : ports)
            all.push_back(each.spec);
        return all;
    };
    const auto inputs = specs(old.programs.front()->inputs);
    const auto outputs = specs(old.programs.front()->outputs);
    const auto aliases = old.aliases;
    const session_options options = old.options;
    const auto runtime = old.runtime;
    state_ = {}; // first: nothing of it works any more, and it counts among the loaded programs
    const auto again = [&] {
        try {
            return session(runtime, inputs, outputs, options);
        } catch (const error& failure) {
            if (failure.subject() != symbol<&api::e5rt_e5_compiler_compile>::name)
                throw;
            return session(runtime, inputs, outputs, options); // waits until the service may be up again
        }
    };
    session fresh = again();
    for (const auto& [from, to] : aliases)
        fresh.alias(from, to);
    *this = std::move(fresh);
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
    detail::use_within(shared(), "alias", [from, to](detail::session_state& self) {
        detail::loaded_program& only = *self.programs.front();
        bound_port& output = detail::port_at(only.outputs, from, "output");
        if (output.aliased)
            throw error(errc::port, output.spec.name, "a port is aliased already");
        detail::share_buffer(only.calls({}), only, output, detail::port_at(only.inputs, to, "input"));
        self.aliases.emplace_back(from, to);
    });
}

ANEMONE_BODY const std::vector<degradation>& session::degraded() const {
    return state().programs.front()->build.degraded;
}

ANEMONE_BODY void session::close() {
    if (closed())
        return;
    const auto ending = std::move(state_);
    detail::close(ending.get("session").shared);
}

ANEMONE_BODY_OF int loaded_programs() { return detail::state_of_process().loaded; }

} // namespace ane::e5rt::inline ANEMONE_WAY
