// A package and the MIL text that it was made of are the same model: random graphs of every operation.

#include "../differential/graph_maker.hpp"
#include "../from_environment.hpp"
#include "package_folder.hpp"
#include <anemone/backend/cpu/constants.hpp>
#include <anemone/backend/oracle/oracle.hpp>
#include <anemone/formats/mil.hpp>
#include <anemone/forms/written.hpp>
#include <anemone/passes/lowering.hpp>
#include <anemone/passes/print.hpp>
#include <anemone/readers/mil.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace composing;

namespace {

/// A model as the program that is made of it: everything that it computes with, whatever it was read from.
std::string told(const read_model& model) {
    const lowered_graph lowered = lower(model.graph);
    const mil_program p =
        emit_mil(lowered.graph, fold_constants(lowered.graph, model.weights), {.every_stored_form = true});
    const std::span<const std::byte> blob = p.weights.bytes();
    std::string text = p.text + std::string(reinterpret_cast<const char*>(blob.data()), blob.size());
    for (const std::string& note : model.notes) {
        text += "\n" + note;
    }
    return text;
}

/// What the oracle gives for ramps, of whole numbers or of sixteenths.
std::vector<std::vector<half>> outputs_of(const read_model& model, bool whole) {
    const graph_view g = model.graph;
    auto program = backend::oracle{h16}.compile(g, model.weights);
    std::vector<std::vector<std::byte>> given;
    for (int i = 0; i < g.size(); ++i) {
        if (ane::detail::is_bound(g, i)) {
            std::vector<std::byte>& bytes = given.emplace_back();
            for (int k = 0; k < g[i].shape.count(); ++k) {
                const int ramp = k % 100;
                const std::uint16_t bits =
                    g[i].type == dtype::f16 ? half(whole ? ramp : ramp / 16.0).bits : static_cast<std::uint16_t>(ramp);
                bytes.push_back(static_cast<std::byte>(bits & 0xFFU));
                if (g[i].type == dtype::f16) {
                    bytes.push_back(static_cast<std::byte>(bits >> 8U));
                }
            }
        }
    }
    std::vector<std::span<const std::byte>> in(given.begin(), given.end());
    std::vector<std::vector<half>> results;
    std::vector<std::span<std::byte>> out;
    for (const output_port& port : g.outputs) {
        results.emplace_back(static_cast<std::size_t>(g[port.node].shape.count()));
    }
    for (auto& r : results) {
        out.push_back(std::as_writable_bytes(std::span(r)));
    }
    program.run(in, out);
    return results;
}

} // namespace

TEST_CASE("a package is read as the text is that it was made of") {
    const unsigned first = from_environment::seed();
    const unsigned graphs = from_environment::number("ANEMONE_TEST_GRAPHS", 300);
    std::vector<op> kinds;
    for (std::size_t k = 0; k < op_count; ++k) {
        if (!is_source(static_cast<op>(k))) {
            kinds.push_back(static_cast<op>(k));
        }
    }
    unsigned compared = 0;
    unsigned run = 0;
    for (unsigned seed = first; seed != first + graphs; ++seed) {
        random_engine random(seed);
        const dynamic_graph model = differential::graph_maker(random, kinds).make(kinds[seed % kinds.size()]);
        const lowered_graph lowered = lower(model);
        mil_program p;
        try {
            p = emit_mil(lowered.graph, fold_constants(lowered.graph, random_weights(lowered.graph, random)),
                         {.every_stored_form = seed % 3 == 0});
        } catch (const error&) { // MIL text has no words for something
            continue;
        }
        CAPTURE(seed);
        CAPTURE(p.text);
        const auto blob = [&](const std::string&) { return p.weights.bytes(); };
        const std::vector<std::byte> bytes = mlmodel_bytes(p);
        CHECK(mlmodel_bytes(p) == bytes);
        const read_model of_text = read_mil(p.text, blob);
        const read_model of_package = read_mlmodel(bytes, [&](const std::string& path) {
            CHECK(path == "@model_path/weights/weight.bin");
            return p.weights.bytes();
        });
        const bool bytes_of_ports = p.text.find("tensor<uint8") < p.text.find('{', p.text.find("func"));
        ++compared;
        if (!bytes_of_ports) { // such a port is an int32 port with a cast
            CHECK(told(of_package) == told(of_text));
        }
        if (bytes_of_ports || seed % 10 == 0) {
            ++run;
            CHECK(outputs_of(of_package, bytes_of_ports) == outputs_of(of_text, bytes_of_ports));
        }
    }
    MESSAGE(compared, " of ", graphs, " compared, ", run, " run");
    CHECK(5 * compared > graphs);
}
