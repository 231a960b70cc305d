#pragma once

#include "../../../base/way.hpp"
ANEMONE_INCLUDED(anemone_backend_engine_objc_session_hpp);

#include "../driver/port_at.hpp"
#include "../driver/running.hpp"
#include "session.hpp"
#include "session_state.hpp"

#include <memory>
#include <utility>

namespace ane::objc::inline ANEMONE_WAY {

template <class Program>
void session::open(std::shared_ptr<const runtime> from, const Program& program, const std::vector<port_spec>& inputs,
                   const std::vector<port_spec>& outputs, const std::vector<resident>& states,
                   e5rt::session_options options, door_options door) {
    if (!from) {
        throw error(errc::argument, "runtime", "no library");
    }
    const e5rt::time_span limit = options.setup_timeout;
    const auto open_one = [from = std::move(from), options = std::move(options),
                           door](const Program& of, const std::vector<port_spec>& in, const std::vector<port_spec>& out,
                                 const std::vector<resident>& kept) {
        auto fresh = std::make_shared<detail::session_state>(from, options, door);
        fresh->open(of, in, out, kept);
        return fresh;
    };
    auto made =
        limit == e5rt::time_span::zero() // else of copies: a call that is out goes on when the caller's are gone
            ? open_one(program, inputs, outputs, states)
            : e5rt::detail::within(limit, "compile", [open_one, program, inputs, outputs, states] {
                  return open_one(program, inputs, outputs, states);
              });
    using owner = e5rt::detail::state_owner<detail::session_state>;
    state_ = hidden<owner>::of(new owner(std::move(made)));
}

ANEMONE_BODY_OF session::session(std::shared_ptr<const runtime> from, const netplist& program,
                                 const std::vector<port_spec>& inputs, const std::vector<port_spec>& outputs,
                                 const std::vector<resident>& states, e5rt::session_options options,
                                 door_options door) {
    open(std::move(from), program, inputs, outputs, states, std::move(options), door);
}
ANEMONE_BODY_OF session::session(std::shared_ptr<const runtime> from, const mil_program& program,
                                 const std::vector<port_spec>& inputs, const std::vector<port_spec>& outputs,
                                 const std::vector<resident>& states, e5rt::session_options options,
                                 door_options door) {
    open(std::move(from), program, inputs, outputs, states, std::move(options), door);
}

ANEMONE_BODY detail::session_state& session::state() const {
    if (closed()) {
        throw error(errc::argument, "session", "the session is closed");
    }
    return *state_.get("session").shared;
}

ANEMONE_BODY std::size_t session::input_count() const { return state().inputs.size(); }
ANEMONE_BODY std::size_t session::output_count() const { return state().outputs.size(); }

} // namespace ane::objc::inline ANEMONE_WAY

namespace ane::objc::detail::inline ANEMONE_WAY {

ANEMONE_INLINE void check_size(const bound_port& port, std::size_t bytes) {
    if (bytes != static_cast<std::size_t>(port.layout.dense())) {
        throw error(errc::port, port.name, formatted("has {} bytes, the port takes {}", bytes, port.layout.dense()));
    }
}

/// The state, whose surfaces no run uses.
ANEMONE_INLINE session_state& idle(session_state& self) {
    e5rt::detail::require_ours(self);
    if (self.out) {
        e5rt::detail::require_idle(self);
    }
    return self;
}

ANEMONE_INLINE void read_surface(const session_state& self, const bound_port& port, std::span<std::byte> dense) {
    check_size(port, dense.size());
    surface_lock access(self.table, self.real(port).surface.get(), lock_read_only, port.name);
    gather(port.layout, access.memory(), dense);
    access.end(port.name);
}

} // namespace ane::objc::detail::inline ANEMONE_WAY

namespace ane::objc::inline ANEMONE_WAY {

ANEMONE_BODY std::size_t session::input_index(std::string_view name) const {
    return detail::index_of(state().inputs, name, "input");
}
ANEMONE_BODY std::size_t session::output_index(std::string_view name) const {
    return detail::index_of(state().outputs, name, "output");
}
ANEMONE_BODY const port_layout& session::input_layout(std::size_t index) const {
    return e5rt::detail::port_at(state().inputs, index, "input").layout;
}
ANEMONE_BODY const port_layout& session::output_layout(std::size_t index) const {
    return e5rt::detail::port_at(state().outputs, index, "output").layout;
}

ANEMONE_BODY void session::write(std::size_t input, std::span<const std::byte> dense) {
    detail::session_state& self = detail::idle(state());
    const bound_port& port = e5rt::detail::port_at(self.inputs, input, "input");
    detail::check_size(port, dense.size());
    surface_lock access(self.table, port.surface.get(), 0, port.name);
    scatter(port.layout, dense, access.memory());
    access.end(port.name);
}

ANEMONE_BODY void session::read(std::size_t output, std::span<std::byte> dense) const {
    detail::session_state& self = detail::idle(state());
    detail::read_surface(self, e5rt::detail::port_at(self.outputs, output, "output"), dense);
}

ANEMONE_BODY void session::read_input(std::size_t input, std::span<std::byte> dense) const {
    detail::session_state& self = detail::idle(state());
    detail::read_surface(self, e5rt::detail::port_at(self.inputs, input, "input"), dense);
}

ANEMONE_BODY void session::execute() { execute(state().options.timeout); }
ANEMONE_BODY void session::execute(e5rt::time_span timeout) {
    static_cast<void>(state());
    e5rt::detail::run_within(state_.get("session").shared, timeout);
}
ANEMONE_BODY bool session::running() const { return state().running; }

ANEMONE_BODY const std::vector<std::string>& session::degraded() const { return state().degraded; }

ANEMONE_BODY void session::close() {
    if (closed()) {
        return;
    }
    const auto owner = std::move(state_);
    const std::shared_ptr<detail::session_state> ending = std::move(owner.get("session").shared);
    e5rt::detail::end_within(ending, [ending] {
        const auto failures = ending->release();
        if (failures.empty()) {
            return;
        }
        std::string all;
        for (const auto& [step, why] : failures) {
            all.append(all.empty() ? "" : "; ").append(step).append(": ").append(why);
        }
        throw error(errc::engine, failures.front().first, "releases failed: " + all);
    });
}

ANEMONE_BODY_OF int compiles() { return e5rt::detail::state_of_process().compiles; }

} // namespace ane::objc::inline ANEMONE_WAY
