#pragma once

#include "../../base/way.hpp"
#include "../../formats/mil.hpp"
#include "../../formats/netplist.hpp"
#include "../../graph/graph.hpp"
#include "../cpu/constants.hpp"
#include "driver/temporary_directory.hpp"
#include "e5rt/library.hpp"
#include "e5rt/session.hpp"
#include "objc/runtime.hpp"
#include "objc/session.hpp"
#include "options.hpp"

#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

/// The two doors of the driver: what each needs to open a session for a lowered graph, and how bytes get into its ports
/// and out of them. All else of a program is the same for both (engine.ipp).
namespace ane::detail::inline ANEMONE_WAY {

/// A session of the door that was taken, and what was written for it.
struct opened_door {
    std::variant<e5rt::session, objc::session> session;
    std::string mil_path{}; ///< empty where no MIL text was written to a file
};

ANEMONE_INLINE void write_input(e5rt::session& session, std::size_t index, std::span<const std::byte> dense) {
    std::memcpy(session.input(index).data(), dense.data(), dense.size());
}
ANEMONE_INLINE void write_input(objc::session& session, std::size_t index, std::span<const std::byte> dense) {
    session.write(index, dense);
}

ANEMONE_INLINE void read_output(e5rt::session& session, std::size_t index, std::span<std::byte> dense) {
    std::memcpy(dense.data(), session.output(index).data(), dense.size());
}
ANEMONE_INLINE void read_output(objc::session& session, std::size_t index, std::span<std::byte> dense) {
    session.read(index, dense);
}

/// The value of a state, whose input is at `index`, dense. The e5rt door has it in place; a surface may have wider rows,
/// so that of the other one is a copy, kept in `copy`. Whether it is one, and must be written before the next run.
ANEMONE_INLINE bool read_state(e5rt::session& session, std::size_t index, std::vector<std::byte>&,
                               std::span<std::byte>& dense) {
    dense = session.input(index);
    return false;
}
ANEMONE_INLINE bool read_state(objc::session& session, std::size_t index, std::vector<std::byte>& copy,
                               std::span<std::byte>& dense) {
    copy.resize(static_cast<std::size_t>(session.input_layout(index).dense()));
    session.read_input(index, copy);
    dense = copy;
    return true;
}

/// The ports of a graph as a door describes them: `describe(name, node, symbol)`, with what the ports are called in MIL
/// text, in their order; of a netplist nothing.
template <class Port> struct described_ports {
    std::vector<Port> inputs;
    std::vector<Port> outputs;

    template <class Describe> described_ports(const graph_view& g, const mil_program* text, const Describe& describe) {
        for (int i = 0; i < g.size(); ++i) {
            if (g[i].kind == op::input) {
                inputs.push_back(
                    describe(std::string(g.name(i)), g[i], text ? text->inputs[inputs.size()] : std::string()));
            }
        }
        for (const output_port& port : g.outputs) {
            outputs.push_back(describe(std::string(g.name(port)), g[port.node],
                                       text ? text->outputs[outputs.size()] : std::string()));
        }
    }
};

/// Opens the e5rt door: MIL text and weights as files, states as aliases, since native state operations do not compile on
/// this route (facts: engine-runtime 4).
ANEMONE_INLINE opened_door open_e5rt(const graph_view& g, const weight_store& weights, const target_description& chip,
                                     const backend::engine_options& options) {
    const auto runtime = options.e5rt_library      ? options.e5rt_library
                         : options.library.empty() ? e5rt::library::open(e5rt::default_library_path())
                                                   : e5rt::library::open(options.library);
    e5rt::session_options how = options.session;
    how.directory = options.directory;
    if (how.directory.empty()) {
        using both = std::pair<std::shared_ptr<const void>, e5rt::temporary_directory>;
        auto owned = std::make_shared<both>(std::move(how.held), e5rt::temporary_directory("anemone"));
        how.directory = owned->second.path();
        how.held = std::move(owned);
    }
    how.target_architecture = chip.runtime;
    const mil_program program = emit_mil(g, fold_constants(g, weights), options.mil);
    const std::string text = write_mil(program, how.directory);
    const described_ports<e5rt::port_spec> ports(
        g, &program, [](std::string name, const node& n, const std::string& symbol) {
            return e5rt::port_spec{std::move(name), static_cast<std::size_t>(bytes(n.type, n.shape.count())), symbol};
        });
    e5rt::session session(runtime, ports.inputs, ports.outputs, std::move(how));
    for (const output_port& port : g.outputs) {
        if (port.is_state()) {
            session.alias(session.output_index(g.name(port)), session.input_index(g.name(port.state)));
        }
    }
    return {std::move(session), text};
}

/// Opens the door of in-memory models with a netplist or MIL text; a state is one surface at two indices, which is
/// inferred: no source has tried it.
template <class Written>
objc::session open_written(const graph_view& g, const Written& written, const mil_program* text,
                           const backend::engine_options& options) {
    const described_ports<objc::port_spec> ports(
        g, text, [](std::string name, const node& n, const std::string& symbol) {
            return objc::port_spec{std::move(name), netplist_shape_of(n.shape),
                                   static_cast<std::int64_t>(bytes(n.type, 1)), symbol};
        });
    std::vector<objc::resident> states;
    for (const output_port& port : g.outputs) {
        if (port.is_state()) {
            states.push_back({std::string(g.name(port)), std::string(g.name(port.state))});
        }
    }
    return objc::session(options.objc_library ? options.objc_library : objc::runtime::open(options.library), written,
                         ports.inputs, ports.outputs, states, options.session, options.objc);
}

ANEMONE_INLINE opened_door open_in_memory(const graph_view& g, const weight_store& weights,
                                          const backend::engine_options& options) {
    const folded_constants constants = fold_constants(g, weights);
    if (options.runtime == backend::engine_runtime::netplist) {
        const netplist written = emit_netplist(g, constants, "anemone", options.netplist);
        if (!options.directory.empty()) {
            write_netplist(written, options.directory);
        }
        return {open_written(g, written, nullptr, options)};
    }
    const mil_program written = emit_mil(g, constants, options.mil);
    std::string text = options.directory.empty() ? std::string() : write_mil(written, options.directory);
    return {open_written(g, written, &written, options), std::move(text)};
}

} // namespace ane::detail::inline ANEMONE_WAY
