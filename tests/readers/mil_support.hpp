#pragma once

#include <anemone/backend/cpu/cpu.hpp>
#include <anemone/readers/mil.hpp>
#include <anemone/values/half.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

/// MIL text for tests, read and run.
namespace reading {

using numbers = std::vector<double>;

inline std::string program_of(const std::string& inputs, const std::string& body, const std::string& outputs = "y") {
    return "program(1.3)\n{\n    func main<ios18>(" + inputs + ") {\n" + body + "\n    } -> (" + outputs + ");\n}\n";
}

inline ane::read_model read(const std::string& text, std::span<const std::byte> blob = {},
                            const ane::mil_reader_options& options = {}) {
    return ane::read_mil(
        text, [&](const std::string&) { return blob; }, options, "model.mil");
}

/// Runs a model on the CPU: numbers for each input port, in order, give numbers for each output port.
inline std::vector<numbers> run(const ane::read_model& model, const std::vector<numbers>& inputs) {
    const ane::graph_view g = model.graph;
    auto program = ane::backend::cpu{}.compile(g, model.weights);
    std::vector<std::vector<std::byte>> given;
    for (int i = 0; i < g.size(); ++i) {
        if (!ane::detail::is_bound(g, i)) {
            continue;
        }
        std::vector<std::byte> bytes;
        for (const double x : inputs.at(given.size())) {
            const std::uint16_t bits =
                g[i].type == ane::dtype::f16 ? ane::half(x).bits : static_cast<std::uint16_t>(static_cast<int>(x));
            bytes.push_back(static_cast<std::byte>(bits & 0xFFU));
            if (g[i].type == ane::dtype::f16) {
                bytes.push_back(static_cast<std::byte>(bits >> 8U));
            }
        }
        given.push_back(bytes);
    }
    std::vector<std::vector<ane::half>> results;
    std::vector<std::span<const std::byte>> in(given.begin(), given.end());
    std::vector<std::span<std::byte>> out;
    for (const ane::output_port& port : g.outputs) {
        if (!port.is_state()) {
            results.emplace_back(static_cast<std::size_t>(g[port.node].shape.count()));
        }
    }
    for (auto& r : results) {
        out.push_back(std::as_writable_bytes(std::span(r)));
    }
    program.run(in, out);
    std::vector<numbers> values;
    for (const auto& r : results) {
        values.emplace_back();
        for (const ane::half h : r) {
            values.back().push_back(static_cast<double>(h));
        }
    }
    return values;
}

/// The faults of a text that is refused; none where it is read.
inline std::vector<ane::read_fault> faults_of(const std::string& text, std::span<const std::byte> blob = {},
                                              const ane::mil_reader_options& options = {}) {
    try {
        read(text, blob, options);
    } catch (const ane::unreadable& e) {
        return e.faults();
    }
    return {};
}

} // namespace reading
