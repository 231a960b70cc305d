#pragma once

#include "chain.hpp"
#include "session_state.hpp"

#include <utility>

namespace ane::e5rt::inline ANEMONE_WAY {

ANEMONE_BODY chain::chain(std::shared_ptr<const library> runtime, session_options options) {
    if (!runtime)
        throw error(errc::argument, "runtime", "no library");
    using owner = detail::state_owner<detail::session_state>;
    state_ =
        hidden<owner>::of(new owner(std::make_shared<detail::session_state>(std::move(runtime), std::move(options))));
}

ANEMONE_BODY const std::shared_ptr<detail::session_state>& chain::shared() const {
    if (closed())
        throw error(errc::argument, "chain", "the chain is closed");
    return state_.get("chain").shared;
}

ANEMONE_BODY std::size_t chain::add(const std::vector<port_spec>& inputs, const std::vector<port_spec>& outputs,
                                    session_options options) {
    if (size() >= chain_limit)
        throw error(errc::argument, "chain",
                    std::to_string(chain_limit) + " programs are in it, and one stream takes no more; begin another");
    shared()->add(detail::use_within(shared(), "compile",
                                     [inputs, outputs, options = std::move(options)](detail::session_state& self) {
                                         return self.load(inputs, outputs, options);
                                     }));
    return size() - 1;
}

ANEMONE_BODY void chain::connect(std::size_t from, std::size_t output, std::size_t to, std::size_t input) {
    detail::use_within(shared(), "connect", [from, output, to, input](detail::session_state& self) {
        detail::loaded_program& writer = *detail::port_at(self.programs, from, "program");
        detail::loaded_program& reader = *detail::port_at(self.programs, to, "program");
        detail::share_buffer(writer.calls({}), reader, detail::port_at(writer.outputs, output, "output"),
                             detail::port_at(reader.inputs, input, "input"));
    });
}

ANEMONE_BODY std::size_t chain::size() const { return shared()->size; }
ANEMONE_BODY std::span<std::byte> chain::input(std::size_t program, std::size_t index) {
    detail::require_idle(*shared());
    return detail::port_at(detail::port_at(shared()->programs, program, "program")->inputs, index, "input").data;
}
ANEMONE_BODY std::span<std::byte> chain::output(std::size_t program, std::size_t index) {
    detail::require_idle(*shared());
    return detail::port_at(detail::port_at(shared()->programs, program, "program")->outputs, index, "output").data;
}

ANEMONE_BODY void chain::execute() {
    if (size() == 0)
        throw error(errc::argument, "chain", "is empty");
    detail::run_within(shared(), shared()->options.timeout);
}
ANEMONE_BODY pending_run chain::submit() {
    if (size() == 0)
        throw error(errc::argument, "chain", "is empty");
    const std::uint64_t ticket = detail::submit(shared());
    return {shared(), ticket};
}
ANEMONE_BODY bool chain::running() const { return shared()->running; }

ANEMONE_BODY void chain::close() {
    if (closed())
        return;
    const auto ending = std::move(state_);
    detail::close(ending.get("chain").shared);
}

} // namespace ane::e5rt::inline ANEMONE_WAY
