#include <anemone/build.hpp>
#include <anemone/drawing/scopes.hpp>
#include <anemone/ops/ops.hpp>

#include <doctest/doctest.h>

using namespace ane;
using drawing::scope;
using drawing::scope_of;

TEST_CASE("scopes of names") {
    CHECK(scope_of("/encoder/layers.3/attention/MatMul") == scope{"encoder", "layers", "3", "attention"});
    CHECK(scope_of("encoder.layers.3.weight") == scope{"encoder", "layers", "3"});
    CHECK(scope_of("conv") == scope{});
    CHECK(scope_of("") == scope{});
    CHECK(scope_of("//..a//b") == scope{"a"});
    CHECK(scope_of("a/") == scope{"a"});
    CHECK(drawing::shared_parts(scope_of("a/b/c"), scope_of("a/b/d/e")) == 2);
    CHECK(drawing::shared_parts(scope_of("a/b"), scope_of("c/b")) == 0);
    CHECK(drawing::shared_parts({}, scope_of("c/b")) == 0);
}

TEST_CASE("operations without names stand where their neighbours do") {
    const dynamic_graph g = build_graph([](auto& b) {
        auto x = b.input("x"_s, f16<1, 8>);
        auto first = relu(linear(x, b.weight("net.0.up.weight"_s, f16<8, 8>)));
        auto second = relu(linear(first, b.weight("net.0.down.weight"_s, f16<8, 8>)));
        b.output("y"_s, abs(linear(second, b.weight("net.1.up.weight"_s, f16<8, 8>))));
    });
    std::vector<int> order;
    for (int i = 0; i < g.view().size(); ++i) {
        if (!is_source(g.view()[i].kind)) {
            order.push_back(i);
        }
    }
    const std::vector<scope> found = drawing::scopes_of(g, order);
    REQUIRE(found.size() == 6);
    CHECK(found[0] == scope{"net", "0", "up"});
    CHECK(found[1] == scope{"net", "0"}); // relu, between up and down
    CHECK(found[2] == scope{"net", "0", "down"});
    CHECK(found[3] == scope{"net"}); // between net.0 and net.1
    CHECK(found[4] == scope{"net", "1", "up"});
    CHECK(found[5] == scope{}); // nothing follows
}
