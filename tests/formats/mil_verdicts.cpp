// Whatever the rule operation_is_not_written lets pass is written: random graphs of every operation.

#include "../differential/graph_maker.hpp"
#include "../from_environment.hpp"
#include <anemone/backend/cpu/constants.hpp>
#include <anemone/formats/mil.hpp>
#include <anemone/forms/written.hpp>
#include <anemone/passes/lowering.hpp>

#include <doctest/doctest.h>

#include <optional>
#include <string>
#include <vector>

using namespace composing;

namespace {

/// The constants of a lowered graph, or nothing where folding gives no numbers.
std::optional<folded_constants> constants_of(const graph_view& lowered, random_engine& random) {
    try {
        return fold_constants(lowered, random_weights(lowered, random));
    } catch (const error&) {
        return std::nullopt;
    }
}

} // namespace

TEST_CASE("mil: what has no fault is written, and what has one is refused") {
    const unsigned first = from_environment::seed();
    const unsigned graphs = from_environment::number("ANEMONE_TEST_GRAPHS", 600);
    std::vector<op> kinds;
    for (std::size_t k = 0; k < op_count; ++k) {
        if (!is_source(static_cast<op>(k))) {
            kinds.push_back(static_cast<op>(k));
        }
    }
    unsigned written = 0;
    unsigned refused = 0;
    unsigned too_strict = 0; // refused by the verdict on the model, though its lowered graph can be written
    for (unsigned seed = first; seed != first + graphs; ++seed) {
        random_engine random(seed);
        const op wanted = kinds[seed % kinds.size()];
        const std::vector<op> few{wanted, op::add, op::reshape, op::reduce_mean, op::concat};
        const dynamic_graph model = differential::graph_maker(random, seed % 2 == 0 ? kinds : few).make(wanted);
        const lowered_graph lowered = lower(model);
        const std::optional<folded_constants> constants = constants_of(lowered.graph, random);
        if (!constants) {
            continue;
        }
        const bool clean = find_form_faults(model).mil_count == 0;
        std::string said;
        try {
            static_cast<void>(emit_mil(lowered.graph, *constants, {.every_stored_form = seed % 3 == 0}));
        } catch (const error& e) {
            said = e.what();
        }
        written += said.empty() ? 1 : 0;
        refused += said.empty() ? 0 : 1;
        too_strict += said.empty() && !clean ? 1 : 0;
        CHECK_MESSAGE((!clean || said.empty()), "seed ", seed, ": ", said, "\n", print(model));
        std::size_t faults = 0; // the writer refuses by the same function
        for (const form_fault& f : mil_faults(lowered.graph)) {
            faults += f ? 1U : 0U;
        }
        CHECK_MESSAGE(said.empty() == (faults == 0), "seed ", seed, ": ", said);
    }
    CHECK(written > graphs / 4);
    MESSAGE(written, " graphs written, ", refused, " refused, ", too_strict, " refused by the verdict alone");
    CHECK(too_strict == 0);
}

TEST_CASE("mil: a result without an axis has a fault, whatever it is made of") {
    for (const bool computed : {false, true}) {
        composer c;
        const int number = computed ? c.add(op::add, {c.input({}), c.constant(1)}) : c.weight({});
        c.output(number);
        c.output(c.add(op::relu, {c.input({2})}));
        const dynamic_graph model = c.finish();
        CHECK(find_form_faults(model).mil_count > 0);
        random_engine random(1);
        const lowered_graph lowered = lower(model);
        const folded_constants constants = fold_constants(lowered.graph, random_weights(lowered.graph, random));
        CHECK_THROWS_WITH_AS(emit_mil(lowered.graph, constants), doctest::Contains("rank 0"), error);
    }
}
