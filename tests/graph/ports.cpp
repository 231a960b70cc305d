#include <anemone/build.hpp>
#include <anemone/graph/uses.hpp>
#include <anemone/ops/ops.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace ane;

namespace {

/// Names in an order of no sorting: 0, 7, 14, ... modulo a prime.
std::string port_of(int i, int count) { return "p" + std::to_string(i * 7 % count); }

} // namespace

TEST_CASE("what a file calls ports is found whatever their number and order") {
    for (const int count : {0, 1, 2, 3, 4, 5, 11, 31, 32, 33, 127, 1009}) {
        CAPTURE(count);
        dynamic_graph g;
        for (int i = 0; i < count; ++i) {
            g.call(port_of(i, 1009), "./" + port_of(i, 1009));
            REQUIRE(g.view().called(port_of(0, 1009)) == "./p0"); // at any time
        }
        g.call("p0", count > 0 ? "later" : "./p0"); // the first stays
        dynamic_graph other;
        other.call_as(g);
        int wrong = 0;
        for (int i = 0; i < 1009; ++i) {
            const std::string name = port_of(i, 1009);
            const std::string wanted = i < count || i == 0 ? "./" + name : name;
            wrong += g.view().called(name) == wanted && other.view().called(name) == wanted ? 0 : 1;
        }
        CHECK(wrong == 0);
        CHECK(g.view().port_called("./p0") == "p0");
        CHECK(g.view().called("") == "");
    }
}

TEST_CASE("a state, its next value and outputs are said of each node") {
    constexpr auto built = [] {
        dynamic_graph graph;
        const builder g(graph);
        const auto x = g.input("x"_s, f16<2>);
        const auto total = g.state("total"_s, f16<2>);
        const auto sum = x + read(total);
        g.output("y"_s, sum);
        write(total, sum);
        const graph_view view = graph;
        const sequence<node_port> all = node_ports(view);
        bool right = all.size() == view.nodes.size();
        for (int i = 0; i < view.size(); ++i) {
            const node_port& each = all[static_cast<std::size_t>(i)];
            right = right && each.next == view.next_of(i) && each.is_output == is_output(view, i);
        }
        const int state = view.find(op::input, "total");
        return right && all[static_cast<std::size_t>(state)].next >= 0 &&
               all[static_cast<std::size_t>(view.find(op::input, "x"))].next == -1;
    };
    CHECK(built());
    static_assert(built());
}
