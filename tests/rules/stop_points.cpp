// A check of many nodes that is not wanted any more ends between its passes, and within those that take long.

#include <anemone/base/cancellation.hpp>
#include <anemone/dynamic_builder.hpp>
#include <anemone/passes/lowering.hpp>
#include <anemone/rules/evaluate.hpp>

#include <doctest/doctest.h>

using namespace ane;

namespace {

int stops_met = 0;
int last_stop = 0; ///< 0: none

/// Ends what is called in its life at the stop point of this number.
class ends_at {
public:
    explicit ends_at(int stop) {
        stops_met = 0;
        last_stop = stop;
        detail::stop_if_wanted = [] {
            if (++stops_met == last_stop) {
                throw cancelled();
            }
        };
    }
    ends_at(const ends_at&) = delete;
    ends_at& operator=(const ends_at&) = delete;
    ~ends_at() { detail::stop_if_wanted = nullptr; }
};

dynamic_graph chain_of(int nodes) {
    dynamic_builder g;
    dynamic_tensor x = g.input("x", {1, 4});
    for (int i = 0; i < nodes; ++i) {
        x = g.add(i % 2 == 0 ? op::relu : op::sin, {x});
    }
    g.output("y", x);
    return g.finish();
}

} // namespace

TEST_CASE("the search for what one target refuses ends at each of its stop points") {
    constexpr int nodes = 5000;
    const dynamic_graph g = chain_of(nodes);
    const auto wanted = violations(g, target::h13).size();
    int stops = 0;
    {
        const ends_at none(0);
        CHECK(violations(g, target::h13).size() == wanted);
        stops = stops_met;
    }
    CHECK(stops > 2 * (nodes / 1024) + 5); // two passes stop every 1024 nodes, others at their begin
    for (int stop = 1; stop <= stops; ++stop) {
        const ends_at here(stop);
        CHECK_THROWS_AS(violations(g, target::h13), cancelled);
    }
}

TEST_CASE("a wish that is there ends what works on graphs, until it is not there any more") {
    const dynamic_graph g = chain_of(8);
    cancellation wish;
    wish.cancel();
    {
        const cancellable calls(wish);
        CHECK_THROWS_AS(lower(g), cancelled);
        {
            cancellation other;
            const cancellable inner(other);
            CHECK(lower(g).graph.nodes.size() == g.nodes.size());
        }
        CHECK_THROWS_AS(violations(g, target::h13), cancelled);
    }
    CHECK(lower(g).graph.nodes.size() == g.nodes.size());
}
