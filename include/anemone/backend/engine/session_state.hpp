#pragma once

#include "../../base/way.hpp"
#include "../one_run.hpp"
#include "compilation.hpp"
#include "library.hpp"
#include "port.hpp"

#include <atomic>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ane::e5rt::detail::inline ANEMONE_WAY {

inline std::atomic<int> loaded{0};

/// Counts one loaded program for as long as it lives. Throws `error(errc::engine)` where it would be one too many.
class program_slot {
public:
    ANEMONE_INLINE explicit program_slot(int limit) {
        const int others = loaded++;
        if (others >= limit) {
            --loaded;
            throw error(errc::engine, "loaded programs",
                        std::to_string(others) + " are loaded by this driver, the limit is " + std::to_string(limit) +
                            " (R116): close a session, or use one for several sizes");
        }
    }
    ~program_slot() { --loaded; }
    program_slot(const program_slot&) = delete;
    program_slot& operator=(const program_slot&) = delete;
};

/// Releases what a session holds when the session goes. A template, as a destructor cannot be one.
template <class Session> struct release_at_end {
    Session& session;
    ~release_at_end() {
        session.in_release_order([](auto& owned) { owned.reset(); });
    }
};

/// Everything a session holds. Handles point to the table and to the options' report, so the object never moves.
struct session_state {
    ANEMONE_INLINE session_state(std::shared_ptr<const library> from, session_options with)
        : runtime(std::move(from)), options(completed(std::move(with))), slot(options.program_limit),
          build(runtime->functions(), options) {}
    session_state(const session_state&) = delete;
    session_state& operator=(const session_state&) = delete;

    /// The order that was run on hardware by the authors of the guide (engine-runtime 2.3), then what a failed
    /// construction may still hold of the compile tools.
    template <class Action> void in_release_order(Action&& action) {
        action(stream);
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
        action(build.tool_options);
        action(build.compiler);
        action(build.config);
    }

    std::shared_ptr<const library> runtime;
    session_options options;
    program_slot slot; // before the compilation, which takes long
    compilation build;
    handle<handle_kind::function> function;
    handle<handle_kind::op_options> op_options;
    handle<handle_kind::operation> operation;
    handle<handle_kind::event> event;
    std::vector<bound_port> inputs;
    std::vector<bound_port> outputs;
    handle<handle_kind::stream> stream;
    bool encoded = false;
    ane::detail::run_flag running{false};
    std::optional<clock_source::time_point> last_run;
    release_at_end<session_state> end{*this}; // last, so that it comes before the handles' own destructors
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

/// The port at a position; throws `error(errc::port)` past the end.
template <class Ports> auto& port_at(Ports& ports, std::size_t index, const char* direction) {
    if (index >= ports.size())
        throw error(errc::port, direction,
                    "index " + std::to_string(index) + " of " + std::to_string(ports.size()) + " ports");
    return ports[index];
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
