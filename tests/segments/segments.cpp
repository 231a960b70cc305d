// Where models are cut, and why.

#include "decoder.hpp"
#include <anemone/base/error.hpp>
#include <anemone/dynamic_builder.hpp>
#include <anemone/model.hpp>
#include <anemone/passes/print.hpp>
#include <anemone/segments/constant.hpp>
#include <anemone/segments/print.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

using namespace ane;
using namespace ane::literals;

namespace {

constexpr auto plain = graph([](auto& g) {
    auto x = g.input("x"_s, f16<1, 4, 8, 8>);
    g.output("y"_s, relu(conv2d(x, g.weight("w"_s, f16<4, 4, 1, 1>))));
});
static_assert(segments<plain, h13>.size() == 1);
static_assert(segments<plain, h13>[0] ==
              segment{.place = door::direct, .because = 2, .operations = 2, .weight_bytes = 2 * 4 * 4});
static_assert(segments<plain, h11>[0].place == door::netplist); // no MIL below A13 (R176)

// The M1's code generator has no top-k (R134): the host selects. The M2 takes the model whole.
constexpr auto selecting = graph([](auto& g) {
    auto x = g.input("x"_s, f16<1, 16>);
    auto best = top_k<5>(exp(x));
    g.output("y"_s, best.values * 2);
});
static_assert(segments<selecting, h13>.size() == 3);
static_assert(segments<selecting, h13>[1].place == door::host);
static_assert(segments<selecting, h13>[1].why == cut_reason::host_only);
static_assert(segments<selecting, h13>[2].why == cut_reason::resumption);
static_assert(segments<selecting, h14>.size() == 1);

// Only the netplist route has sort; the activation behind it is fused, so it stays there.
constexpr auto sorting = graph([](auto& g) {
    auto x = g.input("x"_s, f16<1, 16>);
    auto ordered = relu(sort(x - 1));
    g.output("y"_s, ordered * x);
});
static_assert(segments<sorting, h14>.size() == 3);
static_assert(segments<sorting, h14>[1].place == door::netplist);
static_assert(segments<sorting, h14>[1].why == cut_reason::netplist_only);
static_assert(segments<sorting, h14>[1].operations == 2);

// A cut inside a fused layer falls behind it.
constexpr auto marked = graph([](auto& g) {
    auto x = g.input("x"_s, f16<1, 4, 8, 8>);
    auto y = relu(cut(conv2d(x, g.weight("w"_s, f16<4, 4, 1, 1>))));
    g.output("y"_s, y + x);
});
static_assert(segments<marked, h13>.size() == 2);
static_assert(segments<marked, h13>[0].operations == 2);
static_assert(segments<marked, h13>[1].why == cut_reason::marked);

constexpr auto given = graph([](auto& g) {
    auto x = g.input("x"_s, f16<1, 4>);
    g.output("y"_s, relu(on_host(exp(sigmoid(x)))));
});
static_assert(segments<given, h16>.size() == 3);
static_assert(segments<given, h16>[1].why == cut_reason::given_to_host);

// Twelve layers, at most four in a program.
constexpr segment_limits four_layers{.decoder_layers = 4};
static_assert(segments<decoders::decoder<12>, h13>.size() == 1);
static_assert(segments<decoders::decoder<12>, h13, four_layers>.size() == 3);

std::int64_t operations_of_all(const segmentation& cuts) {
    std::int64_t operations = 0;
    for (const segment& each : cuts.list) {
        operations += each.operations;
    }
    return operations;
}

/// A chain of products, each with a weight of its own of `width` squared.
dynamic_graph chain_of_products(int length, std::int64_t width) {
    dynamic_builder g;
    dynamic_tensor x = g.input("x", {1, width});
    for (int i = 0; i < length; ++i) {
        x = g.add(op::linear, {x, g.weight("w" + std::to_string(i), {width, width})});
        x = g.add(op::relu, {x});
    }
    g.output("y", x);
    return g.finish();
}

/// The message of the error that a function throws.
template <class Function> std::string refusal_by(const Function& function) {
    try {
        function();
    } catch (const error& e) {
        return e.what();
    }
    return "nothing thrown";
}

} // namespace

TEST_CASE("constants and values are cut alike") {
    const segmentation cuts = segments_of(decoders::decoder<12>, h13, four_layers);
    const segmentation_view constant = segments<decoders::decoder<12>, h13, four_layers>;
    REQUIRE(constant.size() == cuts.size());
    for (int i = 0; i < cuts.size(); ++i) {
        CHECK(constant[i] == cuts[i]);
        CHECK(cuts[i].decoder_layers == 4);
    }
    CHECK(operations_of_all(cuts) == operations_of_all(segments_of(decoders::decoder<12>, h13)));
}

TEST_CASE("a decoder is cut between its layers: the residual stream is all that is handed over") {
    const graph_view g = decoders::decoder<12>;
    CHECK(print(g, segments<decoders::decoder<12>, h13, four_layers>) ==
          "3 segments, 3 programs of the engine\n"
          // a layer: 4 of 16 by 16 and 3 of 32 by 16, two gains of 16; at the end one gain more
          "#0 direct: 88 operations, 4 decoder layers, 20736 bytes of weights\n"
          "    from rms_norm #3 on: begins on the direct route\n"
          "#1 direct: 88 operations, 4 decoder layers, 20736 bytes of weights\n"
          "    from rms_norm #127 on: the decoder layers before it fill a program\n"
          "    takes add_125 from segment #0: fp16 [8, 16], 256 bytes\n"
          "#2 direct: 89 operations, 4 decoder layers, 20768 bytes of weights\n"
          "    from rms_norm #251 on: the decoder layers before it fill a program\n"
          "    takes add_249 from segment #1: fp16 [8, 16], 256 bytes\n");
}

TEST_CASE("weights fill programs up to the limit, and not above it") {
    const dynamic_graph g = chain_of_products(10, 8); // 128 bytes each
    struct row {
        std::int64_t limit;
        int programs;
    };
    for (const row& r : {row{1280, 1}, row{1279, 2}, row{384, 4}, row{128, 10}}) {
        const std::int64_t limit = r.limit;
        CAPTURE(limit);
        const segmentation cuts = segments_of(g, h13, {.weight_bytes = limit});
        CHECK(cuts.size() == r.programs);
        std::int64_t all = 0;
        for (int i = 0; i < cuts.size(); ++i) {
            CHECK(cuts[i].weight_bytes <= limit);
            CHECK(cuts[i].operations % 2 == 0); // an activation stays with its product
            CHECK(cuts[i].why == (i == 0 ? cut_reason::start : cut_reason::weights));
            all += cuts[i].weight_bytes;
        }
        CHECK(all == 1280);
    }
}

TEST_CASE("a weight that several layers read counts once in each program") {
    dynamic_builder g;
    const dynamic_tensor w = g.weight("w", {8, 8});
    dynamic_tensor x = g.input("x", {1, 8});
    for (int i = 0; i < 6; ++i) {
        x = g.add(op::linear, {x, w});
    }
    g.output("y", x);
    const segmentation cuts = segments_of(g.finish(), h13, {.operations = 2});
    REQUIRE(cuts.size() == 3);
    CHECK(cuts[1] ==
          segment{.why = cut_reason::operations, .because = cuts[1].because, .operations = 2, .weight_bytes = 128});
}

TEST_CASE("what no program can hold is refused with its name and the limit") {
    const dynamic_graph g = chain_of_products(3, 8);
    CHECK(refusal_by([&] { segments_of(g, h13, {.weight_bytes = 100}); }) ==
          "graph: linear #2: no program holds the weights of this layer, in bytes (128, at most 100)");
    CHECK(refusal_by([&] { segments_of(g, h13, {.operations = 1}); }) ==
          "graph: relu #3: no program holds the operations that are fused here (2, at most 1)");
    CHECK(refusal_by([&] { segments_of(chain_of_products(129, 8), h13, {.operations = 2}); }) ==
          "graph: segments: more programs than a process loads (129, at most 128)");
    CHECK(segments_of(chain_of_products(128, 8), h13, {.operations = 2}).size() == 128);
}

TEST_CASE("builders mark what operations compute, and nothing else") {
    dynamic_builder g;
    const dynamic_tensor x = g.input("x", {4});
    CHECK(refusal_by([&] { g.cut(x); }) ==
          "graph: cut: it takes what an operation computes, no port, weight or constant");
    CHECK(refusal_by([&] { g.on_host(x); }) ==
          "graph: on_host: it takes what an operation computes, no port, weight or constant");
    CHECK(refusal_by([&] { g.on_host({}); }) == "graph: on_host: reads a dynamic_tensor that no builder made");
    g.output("y", g.cut(g.on_host(g.add(op::exp, {x}))));
    const dynamic_graph made = g.finish();
    CHECK(print(made).find("on the host, ends a segment") != std::string::npos);
}

TEST_CASE("what no port holds is computed where it is read") {
    dynamic_builder g; // the mask is boolean: both sides of the cut compare
    const dynamic_tensor x = g.input("x", {4});
    const dynamic_tensor mask = g.add(op::greater, {x, g.constant(0)});
    const dynamic_tensor first = g.cut(g.add(op::select, {mask, g.add(op::exp, {x}), x}));
    g.output("y", g.add(op::select, {mask, first, g.add(op::sigmoid, {first})}));
    const dynamic_graph made = g.finish();
    const segmentation cuts = segments_of(made, h13);
    REQUIRE(cuts.size() == 2);
    CHECK(cuts.view().of(mask.node()) == -1);
}

TEST_CASE("what no port holds cannot come from the host, unless the host reads it too") {
    for (const bool both : {false, true}) {
        dynamic_builder g;
        const dynamic_tensor x = g.input("x", {4});
        const dynamic_tensor mask = g.on_host(g.add(op::greater, {x, g.constant(0)}));
        const dynamic_tensor y = g.add(op::select, {mask, x, g.add(op::exp, {x})});
        g.output("y", both ? g.on_host(y) : y);
        const dynamic_graph made = g.finish();
        if (both) {
            CHECK(segments_of(made, h13).size() == 2);
        } else {
            CHECK(
                refusal_by([&] { segments_of(made, h13); }) ==
                "graph: greater: the host computes it, and no port hands its value to the engine: give its readers to "
                "the host too");
        }
    }
}

TEST_CASE("a model without operations is one segment") {
    dynamic_builder g;
    g.output("y", g.input("x", {4}));
    const segmentation cuts = segments_of(g.finish(), h13);
    REQUIRE(cuts.size() == 1);
    CHECK(cuts[0].operations == 0);
}

TEST_CASE("segments as text: the door, the reason, what is taken from whom") {
    CHECK(print(selecting, segments<selecting, h13>) ==
          "3 segments, 2 programs of the engine\n"
          "#0 direct: 1 operation, 0 bytes of weights\n"
          "    from exp #1 on: begins on the direct route\n"
          "#1 host: 1 operation, 0 bytes of weights\n"
          "    from top_k #2 on: no route of the target has the operation\n"
          "    takes exp_1 from segment #0: fp16 [1, 16], 32 bytes\n"
          "#2 direct: 1 operation, 2 bytes of weights\n"
          "    from mul #4 on: reads what another door computed\n"
          "    takes top_k_2 from segment #1: fp16 [1, 5], 10 bytes\n");
}
