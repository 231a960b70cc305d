// Netplists, those that have what no other model of the tests has (netplist_models::rare) among them: read back, written
// again, run.

#include "../formats/netplist_models.hpp"
#include "netplist_network.hpp"

#include <doctest/doctest.h>

using namespace ane;
using namespace netplist_network;

namespace {

/// The results of all outputs, one model at a time for each.
std::vector<float> all_outputs(read_model model) {
    std::vector<float> result;
    const auto ports = model.graph.outputs;
    for (const output_port& port : ports) {
        model.graph.outputs = decltype(ports)(1, port);
        const std::vector<float> values = results_of(model, netplist_models::samples(model.graph));
        result.insert(result.end(), values.begin(), values.end());
    }
    return result;
}

} // namespace

TEST_CASE("a netplist that is read back computes what its model computes, on every output") {
    netplist_models::for_each_model([](const netplist_models::named_model& model) {
        CAPTURE(model.name);
        const dynamic_graph g = model.build();
        const read_model read = read_netplist(model.program());
        const auto got = all_outputs(read);
        const auto want = all_outputs({g, netplist_models::sample_weights(g), {}});
        REQUIRE(got.size() == want.size());
        for (std::size_t i = 0; i < got.size(); ++i) {
            CAPTURE(i);
            CHECK(got[i] == doctest::Approx(want[i]).epsilon(0.01));
        }
    });
}

TEST_CASE("what is read from a netplist of rare units is written the same from the second time on") {
    for (const auto& model : netplist_models::rare) {
        CAPTURE(model.name);
        if (std::string_view(model.name) == "rounding") { // lowering guards the rounding again each time
            continue;
        }
        netplist given = model.program();
        std::vector<std::string> texts;
        for (int i = 0; i < 3; ++i) {
            const read_model read = read_netplist(given);
            const lowered_graph lowered = lower(read.graph, model.kept);
            given =
                emit_netplist(lowered.graph, fold_constants(lowered.graph, read.weights), model.name, model.options);
            texts.push_back(formats::to_xml(given.document));
        }
        CHECK(texts[1] == texts[2]);
    }
}
