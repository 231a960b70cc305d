// Models through the netplist door on the stand-in: bits equal to the oracle's.

#include "../../../formats/netplist_layer_models.hpp"
#include "../../../formats/netplist_models.hpp"
#include "../../composer.hpp"
#include "../../every_operation.hpp"
#include "door.hpp"
#include <anemone/backend/oracle/oracle.hpp>
#include <anemone/backend/program.hpp>
#include <anemone/model.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

using namespace ane;
using namespace ane::literals;

namespace {

using composing::composer;

backend::engine_options through_the_door() {
    backend::engine_options options = objc_standin::options();
    options.whole = {op::attention, op::minmax_norm};
    options.preflight = false; // the stand-in is to see all that the writer can write
    return options;
}

/// The outputs of one run that differ from the oracle's in a bit.
std::vector<std::size_t> differing(const graph_view& g, const weight_store& weights,
                                   const composing::port_memory& inputs, target machine) {
    const objc_standin::host here(machine);
    composing::port_memory wanted = composing::memory_of_outputs(g);
    composing::port_memory got = composing::memory_of_outputs(g);
    compile(g, backend::oracle{machine}, weights).run(inputs.inputs(), wanted.outputs());
    compile(g, objc_standin::engine(machine, through_the_door()), weights).run(inputs.inputs(), got.outputs());
    std::vector<std::size_t> ports;
    for (std::size_t port = 0; port < g.outputs.size(); ++port) {
        if (wanted.bytes[port] != got.bytes[port]) {
            ports.push_back(port);
        }
    }
    return ports;
}

/// On four generations, with ordinary inputs and with infinities and NaN among them; `apart` are the outputs that the
/// file computes in other steps than the graph.
void same_bits(const dynamic_graph& g, const std::vector<std::size_t>& apart = {}) {
    for (const target machine : {h13, h14, h16, h17s}) {
        composing::random_engine random(7);
        const weight_store weights = netplist_models::sample_weights(g);
        for (const bool wild : {false, true}) {
            for (const std::size_t port : differing(g, weights, composing::random_inputs(g, random, wild), machine)) {
                const bool known = std::find(apart.begin(), apart.end(), port) != apart.end();
                CHECK_MESSAGE(known, "output ", port, " on ", std::string(name(machine)), wild);
            }
        }
    }
    CHECK(std::string(objc_standin::books().misuse()).empty());
}

constexpr auto door_accumulator = graph([](auto& g) {
    auto x = g.input("x"_s, f16<1, 4>);
    auto total = g.state("total"_s, f16<1, 4>);
    write(total, read(total) + x);
    g.output("y"_s, relu(read(total)));
});

constexpr auto door_distances = graph([](auto& g) {
    g.output("y"_s, cost_volume<3>(g.input("x"_s, f16<1, 1, 2, 5>), g.input("reference"_s, f16<1, 1, 2, 8>)));
});

ndarray<shape<1, 4>> row_of(double value) {
    ndarray<shape<1, 4>> x;
    std::fill(x.begin(), x.end(), half(value));
    return x;
}

} // namespace

TEST_CASE("netplist door: the bits of the oracle, layer by layer and behind each other") {
    namespace models = netplist_models;
    same_bits(models::digits());
    same_bits(models::residual());
    same_bits(models::stencil());
    same_bits(models::convolutions());
    same_bits(models::pools());
    same_bits(models::reductions());
    same_bits(models::movement(), {1, 3, 6}); // moves of nothing, and an operand twice: a copy by 1 x, which loses -0
    same_bits(models::rounding());
    same_bits(models::logic());
    same_bits(models::whole());
    same_bits(models::layers());
    same_bits(models::lines(), {2}); // a subtraction of a constant becomes an offset, which joins the gain before it
    // By their parts, where the graph's own are one function: gelu_sigmoid, parametric_softplus, x^3 and 1 / x.
    same_bits(models::functions(), {7, 19, 21, 22});
}

TEST_CASE("netplist door: each operation that has a form, alone") {
    constexpr op_set in_parts{op::silu, op::gelu_sigmoid, op::parametric_softplus, op::pow, op::l2_pool};
    for (const op kind : every_operation::all()) {
        if (find_netplist_form(kind) == nullptr || in_parts.contains(kind)) {
            continue;
        }
        for (unsigned seed = 0; seed < 4; ++seed) {
            const every_operation::sample s = every_operation::draw(kind, seed);
            composing::port_memory inputs({});
            for (const auto& x : s.inputs) {
                const auto bytes = std::as_bytes(std::span(x.values));
                inputs.bytes.emplace_back(bytes.begin(), bytes.end());
            }
            for (const target machine : {h13, h16}) {
                std::vector<std::size_t> ports;
                try {
                    ports = differing(s.graph, s.weights, inputs, machine);
                } catch (const error& e) {
                    CHECK_MESSAGE(e.code() == errc::lowering, e.what()); // it cannot be written
                }
                CHECK_MESSAGE(ports.empty(), print(s.graph));
            }
        }
    }
    CHECK(std::string(objc_standin::books().misuse()).empty());
}

TEST_CASE("netplist door: a state gives 1, 2, 3, 4; it is read, written and reset") {
    for (const target machine : {h13, h16}) {
        const objc_standin::host here(machine);
        auto program = compile<door_accumulator>(objc_standin::engine(machine), weight_store{});
        for (int run = 1; run <= 4; ++run) {
            CHECK(program({"x"_s = row_of(1)})["y"_s](0, 3) == half(run));
        }
        CHECK(program.state("total"_s)(0, 0) == half(4.0));
        program.state("total"_s)(0, 0) = half(100.0);
        const auto y = program({"x"_s = row_of(1)})["y"_s];
        CHECK(y(0, 0) == half(101.0));
        CHECK(y(0, 1) == half(5.0));
        program.reset();
        CHECK(program.state("total"_s)(0, 2) == half(0.0));
        CHECK(program({"x"_s = row_of(-2)})["y"_s](0, 2) == half(0.0));
        CHECK(program.state("total"_s)(0, 2) == half(-2.0));
        CHECK_THROWS_WITH_AS(program.compiled().state("none"), doctest::Contains("is not a state"), error);
    }
    CHECK(std::string(objc_standin::books().misuse()).empty());
}

TEST_CASE("netplist door: what MIL has no words for runs by it alone") {
    const objc_standin::host here(h16);
    auto program = compile<door_distances>(objc_standin::engine(h16), weight_store{});
    ndarray<shape<1, 1, 2, 5>> x;
    ndarray<shape<1, 1, 2, 8>> reference;
    for (int i = 0; i < 16; ++i) {
        reference(0, 0, i / 8, i % 8) = half(i % 8);
    }
    const auto y = program({"x"_s = x, "reference"_s = reference})["y"_s];
    for (int d = 0; d < 3; ++d) {
        CHECK(y(0, d, 1, 4) == half(4 + d));
    }
}

TEST_CASE("netplist door: rules of the netplist route, and the accessors of the right door") {
    composer c;
    c.output(c.add(op::reverse, axes(3), {c.input({1, 4, 2, 3})}));
    const dynamic_graph reversed = c.finish();
    CHECK_THROWS_WITH_AS(compile(reversed, objc_standin::engine(h13)), doctest::Contains("R105"), error);

    auto program = compile<door_accumulator>(objc_standin::engine(h13), weight_store{});
    CHECK(program.compiled().in_memory_session().input_count() == 2);
    CHECK_THROWS_WITH_AS(program.compiled().session(), doctest::Contains("was not compiled by the e5rt door"), error);
    CHECK(program.compiled().mil_path().empty()); // no text was written
    CHECK(program.compiled().weights_path().empty());
    program.compiled().in_memory_session().close();
    CHECK_THROWS_WITH_AS(program({"x"_s = row_of(1)}), doctest::Contains("closed"), error);

    backend::engine_options options = objc_standin::options();
    options.directory = std::filesystem::temp_directory_path() / "anemone_kept_netplist";
    static_cast<void>(compile<door_accumulator>(objc_standin::engine(h13, options), weight_store{}));
    CHECK(std::filesystem::exists(options.directory + "/net.plist"));
    std::filesystem::remove_all(options.directory);
}
