// Evaluates graphs that are given as text (graph_text.hpp) on a backend: the half of the conformance tests that is C++.
//
//     evaluate [--layers | --oracle <target> | --wide | --rounded <seed> | --stated <target> <seed>] <tensors> <results> [<graphs>]
//
// The CPU rounds each operation's result, with --layers those alone that it stores.
// --wide computes in double precision; --rounded too, and rounds each value to fp16: to the nearest for a seed of 0, else up or down
// by chance (rounded_values.hpp). --stated moves each operation of the lowered graph off first, by what is stated of the target's
// arithmetic.
//
// <graphs> (standard input if left out) holds any number of cases, each begun by a line `case <name>`; empty lines and
// lines that begin with # are left out. <tensors> holds the elements of inputs and weights, little-endian and dense, at
// the multiples of 16 that the graphs name. <results> gets the outputs of all cases that ran, one behind the other.
// Standard output has one line for each case:
//
//     ok <name> fp16:1,4,2,2 fp16:2           its outputs, in order; fp64 instead of fp16 with --wide, --rounded and --stated, before any rounding of their own
//     unsupported <name> <operation>          the backend has no kernel for it
//     error <name> <what>
//
// Ends with 0 if every case ran, 1 if one did not, 2 (and a message on standard error) if nothing could be read.

#include "graph_text.hpp"
#include "rounded_values.hpp"
#include <anemone/backend/cpu/cpu.hpp>
#include <anemone/backend/oracle/oracle.hpp>
#include <anemone/backend/program.hpp>
#include <anemone/backend/wide/wide.hpp>
#include <anemone/targets/table.hpp>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <fstream>
#include <iostream>
#include <iterator>
#include <optional>
#include <type_traits>

namespace {

using namespace ane;
using graph_text::described;

constexpr std::size_t tensor_alignment = 16;

/// The most memory that the values of one case may take.
constexpr std::size_t most_bytes = std::size_t{1} << 29;

std::size_t byte_count(const node& n) { return static_cast<std::size_t>(bytes(n.type, n.shape.count())); }

std::span<const std::byte> tensor_at(std::span<const std::byte> tensors, std::size_t offset, const node& n) {
    if (offset % tensor_alignment != 0 || offset > tensors.size() || byte_count(n) > tensors.size() - offset) {
        throw error(errc::file, "tensors", fmt::format("have no {} at {}", print(n.type, n.shape), offset));
    }
    return tensors.subspan(offset, byte_count(n));
}

std::string port_list(const graph_view& g, bool is_wide) {
    std::string text;
    for (const output_port& port : g.outputs) {
        const node& n = g[port.node];
        text += fmt::format(" {}:", is_wide && n.type == dtype::f16 ? "fp64" : mil_name(n.type));
        for (int i = 0; i < n.shape.rank; ++i) {
            text += fmt::format("{}{}", i == 0 ? "" : ",", n.shape[i]);
        }
    }
    return text;
}

/// Runs one case; returns its line without the name. Throws what stops it.
template <class Backend>
std::pair<std::string, std::string> run(const Backend& place, const described& test, std::span<const std::byte> tensors,
                                        std::ostream& results) {
    const bool derives = !test.gradients.empty();
    const dynamic_graph whole = derives ? test.whole() : dynamic_graph();
    const graph_view g = derives ? whole.view() : test.graph.graph().view();
    std::size_t total = 0;
    for (const node& n : g.nodes) {
        if (!place.supports(n.kind)) {
            return {"unsupported", " " + std::string(name(n.kind))};
        }
        total += byte_count(n);
        if (total > most_bytes) {
            throw error(errc::argument, test.name, "its values take more memory than a test may");
        }
    }
    weight_store weights;
    std::vector<std::span<const std::byte>> inputs;
    for (const auto& [node, offset] : test.tensors) {
        const std::span<const std::byte> elements = tensor_at(tensors, offset, g[node]);
        if (g[node].kind == op::input) {
            inputs.push_back(elements);
        } else {
            weights.add(
                {std::string(g.name(node)), element_type::f16, g[node].shape, {elements.begin(), elements.end()}});
        }
    }
    auto program = compile(g, place, weights);
    std::vector<std::vector<std::byte>> memory;
    for (const output_port& port : g.outputs) {
        memory.emplace_back(byte_count(g[port.node]));
    }
    std::vector<std::span<std::byte>> outputs(memory.begin(), memory.end());
    program.run(inputs, outputs);
    constexpr bool is_wide = std::is_same_v<Backend, backend::wide> || std::is_same_v<Backend, rounded_values::rounded>;
    for (std::size_t i = 0; i < memory.size(); ++i) {
        std::span<const std::byte> output = memory[i];
        if constexpr (is_wide) {
            if (g[g.outputs[i].node].type == dtype::f16) {
                output = std::as_bytes(program.value(g.outputs[i].node));
            }
        }
        results.write(reinterpret_cast<const char*>(output.data()), static_cast<std::streamsize>(output.size()));
    }
    return {"ok", port_list(g, is_wide)};
}

/// Runs all cases of a text; whether each of them ran.
template <class Backend>
bool run_all(const Backend& place, std::string_view graphs, std::span<const std::byte> tensors, std::ostream& results) {
    bool all = true;
    std::optional<graph_text::reader> reader;
    std::string fault;
    std::string name;
    const auto finish = [&] {
        if (!reader) {
            return;
        }
        std::pair<std::string, std::string> line{"error", " " + fault};
        if (fault.empty()) {
            try {
                line = run(place, reader->result(), tensors, results);
            } catch (const std::exception& e) {
                line.second = std::string(" ") + e.what();
            }
        }
        std::replace(line.second.begin(), line.second.end(), '\n', ' ');
        fmt::print("{} {}{}\n", line.first, name, line.second);
        std::fflush(stdout); // should a case end the process, the one behind the last line did it
        all = all && line.first == "ok";
    };
    int number = 0;
    for (const std::string_view text : graph_text::split(graphs, '\n')) {
        ++number;
        if (text.empty() || text.front() == '#') {
            continue;
        }
        if (text.substr(0, 5) == "case ") {
            finish();
            reader.emplace();
            name = text.substr(5);
            reader->result().name = name;
            fault.clear();
            continue;
        }
        if (!reader) {
            throw error(errc::file, "graph text", "begins without a line `case <name>`");
        }
        if (fault.empty()) {
            try {
                reader->line(text);
            } catch (const std::exception& e) {
                fault = fmt::format("line {}: {}", number, e.what());
            }
        }
    }
    finish();
    return all;
}

std::string all_of(std::istream& stream, std::string_view what) {
    std::string text{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
    if (!stream) {
        throw error(errc::file, std::string(what), "cannot be read");
    }
    return text;
}

int evaluate(std::vector<std::string> arguments) {
    std::optional<target> generation;
    std::optional<std::uint64_t> seed;
    const bool is_wide = !arguments.empty() && arguments[0] == "--wide";
    const bool by_layers = !arguments.empty() && arguments[0] == "--layers";
    if (is_wide || by_layers) {
        arguments.erase(arguments.begin());
    } else if (arguments.size() >= 2 && arguments[0] == "--rounded") {
        seed = std::stoull(arguments[1]);
        arguments.erase(arguments.begin(), arguments.begin() + 2);
    } else if (arguments.size() >= 3 && (arguments[0] == "--oracle" || arguments[0] == "--stated")) {
        generation = find_target(arguments[1]);
        if (!generation) {
            throw error(errc::argument, arguments[1], "is no target");
        }
        const bool is_stated = arguments[0] == "--stated";
        if (is_stated) {
            seed = std::stoull(arguments[2]);
        }
        arguments.erase(arguments.begin(), arguments.begin() + (is_stated ? 3 : 2));
    }
    if (arguments.size() != 2 && arguments.size() != 3) {
        throw error(
            errc::argument, "usage",
            "evaluate [--layers | --oracle <target> | --wide | --rounded <seed> | --stated <target> <seed>] <tensors> <results> [<graphs>]");
    }
    std::ifstream tensor_file(arguments[0], std::ios::binary);
    const std::string tensors = all_of(tensor_file, arguments[0]);
    std::string graphs;
    if (arguments.size() == 3) {
        std::ifstream graph_file(arguments[2], std::ios::binary);
        graphs = all_of(graph_file, arguments[2]);
    } else {
        graphs = all_of(std::cin, "standard input");
    }
    std::ofstream results(arguments[1], std::ios::binary);
    // A string's memory is not aligned by contract: the programs read fp16 elements in place.
    const std::vector<std::byte> aligned(std::as_bytes(std::span(tensors)).begin(),
                                         std::as_bytes(std::span(tensors)).end());
    const bool all = [&] {
        if (is_wide) {
            return run_all(ane::backend::wide{}, graphs, aligned, results);
        }
        if (seed) {
            return run_all(rounded_values::rounded{*seed == 0 ? std::nullopt : seed, generation}, graphs, aligned,
                           results);
        }
        if (generation) {
            return run_all(ane::backend::oracle{*generation}, graphs, aligned, results);
        }
        const auto where = by_layers ? ane::rounding::each_layer : ane::rounding::each_operation;
        return run_all(ane::backend::cpu{}.rounding(where), graphs, aligned, results);
    }();
    results.flush();
    if (!results) {
        throw error(errc::file, arguments[1], "cannot be written");
    }
    return all ? 0 : 1;
}

} // namespace

int main(int count, char** arguments) {
    try {
        return evaluate({arguments + 1, arguments + count});
    } catch (const std::exception& e) {
        std::fprintf(stderr, "evaluate: %s\n", e.what());
    }
    return 2;
}
