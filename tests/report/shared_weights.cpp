#include <anemone/graph/weights_of.hpp>
#include <anemone/model.hpp>
#include <anemone/report/rule_report.hpp>
#include <anemone/report/weight_list.hpp>
#include <anemone/weights/store.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace ane;

namespace {

template <class Tensor> constexpr auto dense(builder g, Tensor x) {
    return relu(linear(x, g.weight("weight", f16<64, 64>), g.weight("bias", f16<64>))); // the line of both readers
}
constexpr int dense_line = __LINE__ - 2;

template <int Second>
constexpr auto two_layers = graph([](auto& g) {
    auto x = g.input("x"_s, f16<2, 64>);
    x = dense(g.scope("layers", 0), x);
    g.output("y"_s, dense(g.scope("layers", Second), x));
});

constexpr auto tied_table = graph([](auto& g) {
    auto table = g.weight("table", f16<100, 64>, bounded(0.5) & row_l1(8));
    auto x = gather<axis{0}>(table, g.input("tokens"_s, f16<2>));
    auto gain = g.weight("gain", f16<64>, deviating(1));
    g.output("y"_s, linear(rms_norm(rms_norm(x, gain), gain), table));
});

constexpr auto packed = graph([](auto& g) {
    auto w = compressed<palette<4>>(g.weight("w", f16<64, 64>));
    g.output("y"_s, linear(linear(g.input("x"_s, f16<2, 64>), w), w));
});

/// The lines of a report that begin with "note:" and speak of weights.
std::vector<std::string> notes_of(const graph_view& g) {
    std::vector<std::string> notes;
    const std::string text = report(g, h13).str();
    for (std::size_t at = 0; at < text.size(); at = text.find('\n', at) + 1) {
        const std::string line = text.substr(at, text.find('\n', at) - at);
        if (line.starts_with("note: ") && line.find(" shared: ") != std::string::npos) {
            notes.push_back(line);
        }
    }
    return notes;
}

std::string line_of_file(int line) { return "(shared_weights.cpp:" + std::to_string(line) + ")"; }

} // namespace

TEST_CASE("the weights of a graph are listed, at build time too") {
    static_assert(weights_of(two_layers<1>).size() == 4);
    static_assert(weights_of(two_layers<0>).size() == 2);
    static_assert(!weights_of(two_layers<1>)[0].is_shared());
    static_assert(weights_of(two_layers<0>)[0].is_shared());
    static_assert(weights_of(two_layers<1>)[2].name == "layers.1.weight");
    static_assert(weights_of(two_layers<1>)[2].shape == extents{64, 64});
    static_assert(weights_of(tied_table)[0].promise == (bounded(0.5) & row_l1(8)));
    const std::vector<wanted_weight> all = weights_of(tied_table);
    REQUIRE(all.size() == 2);
    CHECK(all[0].name == "table");
    REQUIRE(all[0].readers.size() == 2);
    CHECK(tied_table.view()[all[0].readers[0]].kind == op::gather);
    CHECK(tied_table.view()[all[0].readers[1]].kind == op::linear);
    CHECK_FALSE(all[0].is_compressed);
}

TEST_CASE("the readers of a compressed weight are those of its stored form") {
    const std::vector<wanted_weight> all = weights_of(packed);
    REQUIRE(all.size() == 1);
    CHECK(all[0].is_compressed);
    CHECK(all[0].form.bits == 4);
    REQUIRE(all[0].readers.size() == 2);
    CHECK(packed.view()[all[0].readers[0]].kind == op::linear);
}

TEST_CASE("an operation that reads a weight twice is one reader") {
    constexpr auto squared = graph([](auto& g) {
        auto w = g.weight("w", f16<2>);
        g.output("y"_s, g.input("x"_s, f16<2>) + w * w);
    });
    static_assert(weights_of(squared)[0].readers.size() == 1);
    CHECK(notes_of(squared).empty());
}

TEST_CASE("a report says which weights a repeated scope ties") {
    CHECK(notes_of(two_layers<1>).empty());
    const std::vector<std::string> notes = notes_of(two_layers<0>);
    REQUIRE(notes.size() == 1);
    CHECK(notes[0] == "note: 2 weights are shared: \"layers.0.weight\" [64, 64] is read by linear #3 " +
                          line_of_file(dense_line) + " and linear #5 " + line_of_file(dense_line) +
                          "; so is \"layers.0.bias\"; if they are not meant to be tied, give each use a scope of its "
                          "own: g.scope(\"layers\", i)");
    const rule_report once = report(two_layers<1>, h13);
    const rule_report twice = report(two_layers<0>, h13);
    CHECK(twice.errors() == once.errors());
    CHECK(twice.warnings() == once.warnings());
    CHECK(twice.notes() == once.notes() + 1);
    CHECK(twice.found().size() == once.found().size());
    CHECK(once.remarks().empty());
    CHECK(twice.remarks().size() == 1);
}

TEST_CASE("weights that are tied on purpose are told without advice") {
    const std::vector<std::string> notes = notes_of(tied_table);
    REQUIRE(notes.size() == 2); // one line reads the gain twice
    CHECK(notes[0].starts_with("note: 1 weight is shared: \"gain\" [64] is read by rms_norm #"));
    CHECK(notes[0].find("g.scope") != std::string::npos);
    CHECK(notes[1].starts_with("note: 1 weight is shared: \"table\" [100, 64] is read by gather #"));
    CHECK(notes[1].find(" and linear #") != std::string::npos);
    CHECK(notes[1].find("g.scope") == std::string::npos);
}

TEST_CASE("lists of weights and of stores are read in columns") {
    const std::string text = print_weights(two_layers<1>);
    const std::string at = " " + line_of_file(dense_line) + "\n";
    CHECK(text == "layers.0.weight  [64, 64]  linear #3" + at + "layers.0.bias    [64]      linear #3" + at +
                      "layers.1.weight  [64, 64]  linear #7" + at + "layers.1.bias    [64]      linear #7" + at +
                      "4 weights, 8320 elements, 16.6 kB as fp16\n");
    const std::string promised = print_weights(tied_table);
    CHECK(promised.find("within [-0.5, 0.5], row_l1 8") != std::string::npos);
    CHECK(promised.find("deviating 1") != std::string::npos);
    CHECK(promised.find("shared: gather #") != std::string::npos);
    CHECK(print_weights(packed).find("palette, 4 bits") != std::string::npos);
    weight_store store;
    CHECK(print(store) == "0 tensors, 0 elements, 0.0 kB\n");
    store.add("a", {2, 3}, {1, 2, 3, 4, 5, 6});
    store.add("longer\n", {}, {1});
    CHECK(print(store) == "a             F32  [2, 3]\nlonger\\u000a  F32  []\n2 tensors, 7 elements, 0.0 kB\n");
}
