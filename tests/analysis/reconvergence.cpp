// Where branches of a graph meet again, against the definition.

#include "one_layer.hpp"
#include "random_graph.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <set>
#include <vector>

using namespace one_layer;

namespace {

/// `count` sources that compute, each a relu of one input.
dynamic_graph fan(int count) {
    dynamic_graph g;
    node x;
    x.shape = {1, 8};
    x.attributes = contract{};
    g.append(x, {});
    for (int i = 0; i < count; ++i) {
        node n;
        n.kind = op::relu;
        n.shape = {1, 8};
        g.append(n, std::array{0});
    }
    return g;
}
int join(dynamic_graph& g, op kind, const std::vector<int>& operands) {
    node n;
    n.kind = kind;
    n.shape = {1, 8};
    return g.append(n, operands);
}

} // namespace

TEST_CASE("branches that meet: one consumer, a chain, a tree") {
    const auto widest = [](const dynamic_graph& g) {
        const sequence<int> all = reconverging_branches(g);
        return *std::max_element(all.begin(), all.end());
    };
    std::vector<int> twelve(12);
    for (int i = 0; i < 12; ++i) {
        twelve[static_cast<std::size_t>(i)] = i + 1;
    }
    dynamic_graph wide = fan(12);
    wide.add_output(join(wide, op::concat, twelve), "y");
    CHECK(widest(wide) == 12);

    dynamic_graph chain = fan(12);
    int sum = 1;
    for (int i = 2; i <= 12; ++i) {
        sum = join(chain, op::add, {i % 2 == 0 ? sum : i, i % 2 == 0 ? i : sum});
    }
    chain.add_output(sum, "y");
    CHECK(reconverging_branches(chain)[static_cast<std::size_t>(sum)] == 12);
    CHECK(reconverging_branches(chain)[static_cast<std::size_t>(sum - 1)] == 2); // inside the chain: its own operands

    // A value that another operation reads ends the chain: 2 + ... at the reader, the rest from there.
    dynamic_graph cut = fan(12);
    sum = 1;
    int middle = 0;
    for (int i = 2; i <= 12; ++i) {
        sum = join(cut, op::add, {sum, i});
        middle = i == 6 ? sum : middle;
    }
    cut.add_output(sum, "y");
    cut.add_output(middle, "z");
    CHECK(reconverging_branches(cut)[static_cast<std::size_t>(middle)] == 6);
    CHECK(reconverging_branches(cut)[static_cast<std::size_t>(sum)] == 7); // the six as one value, and six more

    dynamic_graph tree = fan(16);
    std::vector<int> level(16);
    for (int i = 0; i < 16; ++i) {
        level[static_cast<std::size_t>(i)] = i + 1;
    }
    while (level.size() > 1) {
        std::vector<int> next;
        for (std::size_t i = 0; i < level.size(); i += 2) {
            next.push_back(join(tree, op::add, {level[i], level[i + 1]}));
        }
        level = next;
    }
    tree.add_output(level[0], "y");
    CHECK(widest(tree) == 2);

    dynamic_graph repeated = fan(3);
    repeated.add_output(join(repeated, op::concat, {1, 1, 2, 3, 3, 0, 0}), "y"); // 0 is the input
    CHECK(widest(repeated) == 3);
}

TEST_CASE("branches that meet: the definition on random graphs") {
    for (std::uint32_t seed = 1; seed <= 200; ++seed) {
        CAPTURE(seed);
        const dynamic_graph made = passes_test::random_graph(seed, 60);
        const graph_view g = made;
        std::vector<int> readers(g.nodes.size());
        for (const int o : g.operand_pool) {
            ++readers[static_cast<std::size_t>(o)];
        }
        for (const output_port& p : g.outputs) {
            ++readers[static_cast<std::size_t>(p.node)];
        }
        const auto carried = [&](int i) {
            std::vector<int> all;
            for (const int o : g.operands(i)) {
                const op kind = g[i].kind;
                const bool joins = is_binary(kind) || kind == op::concat;
                if (joins && g[o].kind == kind && readers[static_cast<std::size_t>(o)] == 1) {
                    all.push_back(o);
                }
            }
            return all.size() == 1 ? all[0] : -1;
        };
        std::vector<bool> inside(g.nodes.size());
        for (int i = 0; i < g.size(); ++i) {
            if (carried(i) >= 0) {
                inside[static_cast<std::size_t>(carried(i))] = true;
            }
        }
        const sequence<char> known = constant_nodes(g);
        const sequence<int> found = reconverging_branches(g);
        for (int i = 0; i < g.size(); ++i) {
            std::set<int> values;
            int link = i;
            while (link >= 0) {
                const int next = inside[static_cast<std::size_t>(i)] ? -1 : carried(link);
                for (const int o : g.operands(link)) {
                    if (o != next && !is_source(g[o].kind) && known[static_cast<std::size_t>(o)] == 0) {
                        values.insert(o);
                    }
                }
                link = next;
            }
            CHECK(found[static_cast<std::size_t>(i)] == static_cast<int>(values.size()));
        }
    }
}

TEST_CASE("a long chain takes time in proportion to its length") {
    // Quadratic work would be 10^10 steps here.
    dynamic_graph g = fan(100000);
    int sum = 1;
    for (int i = 2; i <= 100000; ++i) {
        sum = join(g, op::add, {sum, i});
    }
    g.add_output(sum, "y");
    CHECK(reconverging_branches(g)[static_cast<std::size_t>(sum)] == 100000);
    CHECK(live_bytes(g).size() == g.nodes.size());
}
