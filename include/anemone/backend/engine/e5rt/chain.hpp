#pragma once

#include "../../../base/hidden.hpp"
#include "../../../base/way.hpp"
#include "../driver/options.hpp"
#include "forward.hpp"
#include "library.hpp"
#include "pending_run.hpp"

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace ane::e5rt::inline ANEMONE_WAY {

/// Operations that one stream takes: about 100 work, at 110 to 120 it ends (measured by the authors of the guide).
inline constexpr std::size_t chain_limit = 100;

/// Several programs in one stream, run in the order in which they were added by one call (engine-runtime 6). Each has
/// its own directory, compile, ports and buffers. It is no faster than one program after the other (measured: 64 in one
/// call 66 ms, in 64 calls 60 ms): it is for programs that are too long for one. Rules of `session` hold. Never run on
/// Apple silicon by this project.
class chain {
public:
    /// An empty one. Of the options the stream takes its own: timeout, gate, time, report, quality of service, priority.
    ANEMONE_API explicit chain(std::shared_ptr<const library> runtime, session_options options = {});

    /// Compiles and loads one more program, which runs after the others; gives its position. After a run the next one
    /// encodes all of them anew.
    ANEMONE_API std::size_t add(const std::vector<port_spec>& inputs, const std::vector<port_spec>& outputs,
                                session_options options);
    /// Makes an input of a program the memory of an output, of the same program (a state) or another. Before the program
    /// of the input runs for the first time; equal sizes. An output may feed several inputs.
    ANEMONE_API void connect(std::size_t from, std::size_t output, std::size_t to, std::size_t input);

    /// How many programs it has.
    ANEMONE_API std::size_t size() const;
    /// The dense data of a port of one program, as `session::input` and `output`. Throws `error` (errc::port) past the end.
    ANEMONE_API std::span<std::byte> input(std::size_t program, std::size_t index);
    ANEMONE_API std::span<std::byte> output(std::size_t program, std::size_t index);

    /// As those of `session`.
    ANEMONE_API void execute();
    ANEMONE_API pending_run submit();
    ANEMONE_API bool running() const;
    ANEMONE_API void close();
    bool closed() const noexcept { return !state_; }

private:
    ANEMONE_API const std::shared_ptr<detail::session_state>& shared() const;

    hidden<detail::state_owner<detail::session_state>> state_;
};

} // namespace ane::e5rt::inline ANEMONE_WAY

#if !defined(ANEMONE_COMPILED)
#include "chain.ipp"
#endif
