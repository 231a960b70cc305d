#include <anemone/backend/cpu/constants.hpp>
#include <anemone/dynamic_builder.hpp>
#include <anemone/formats/mil.hpp>
#include <anemone/formats/netplist.hpp>
#include <anemone/forms/written.hpp>
#include <anemone/model.hpp>
#include <anemone/passes/print.hpp>
#include <anemone/report/rule_report.hpp>
#include <anemone/weights/random.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>

using namespace ane;

namespace {

constexpr auto by_either = graph([](auto& g) { g.output("y"_s, relu(g.input("x"_s, f16<1, 4, 8, 8>))); });
constexpr auto by_mil = graph([](auto& g) { g.output("y"_s, atan(g.input("x"_s, f16<1, 4, 8, 8>, within(-1, 1)))); });
constexpr auto by_netplist =
    graph([](auto& g) { g.output("y"_s, log2(g.input("x"_s, f16<1, 4, 8, 8>, within(1, 2)))); });
constexpr auto by_none = graph([](auto& g) {
    auto x = g.input("x"_s, f16<1, 4, 8, 8>, within(1, 2));
    g.output("y"_s, atan(x) + log2(x));
});

constexpr auto from_six_axes =
    graph([](auto& g) { g.output("y"_s, relu(reshape<1, 128>(g.input("x"_s, f16<1, 2, 2, 2, 2, 8>)))); });

constexpr auto constant_blocks = graph([](auto& g) {
    g.output("y"_s, space_to_batch<factors{1, 5}>(g.weight("w"_s, f16<1, 1, 1, 10>)));
    g.output("z"_s, relu(g.input("x"_s, f16<1, 4, 8, 8>)));
});
constexpr auto blocks_of_six = graph([](auto& g) {
    g.output("y"_s, space_to_batch<factors{6, 2}>(g.input("x"_s, f16<2, 4, 12, 4>)));
});

constexpr policy mil = on_route(compile_route::mil);
constexpr policy netplist_route = on_route(compile_route::netplist);

static_assert(writing_route_of<by_either> == compile_route::mil);
static_assert(writing_route_of<by_mil> == compile_route::mil);
static_assert(writing_route_of<by_netplist> == compile_route::netplist);
static_assert(!writing_route_of<by_none>);

static_assert(conforms<by_either, h13> && conforms<by_either, h13, mil> && conforms<by_either, h13, netplist_route>);
static_assert(conforms<by_mil, h13> && conforms<by_mil, h13, mil> && !conforms<by_mil, h13, netplist_route>);
static_assert(conforms<by_netplist, h13> && !conforms<by_netplist, h13, mil> &&
              conforms<by_netplist, h13, netplist_route>);
static_assert(!conforms<by_none, h13> && !conforms<by_none, h13, mil> && !conforms<by_none, h13, netplist_route>);
static_assert(conforms<by_none, h13, waive(rule::operation_is_not_written)>);
static_assert(conforms<constant_blocks, macs> && conforms<constant_blocks, h13, netplist_route>);
static_assert(conforms<blocks_of_six, macs> && !conforms<blocks_of_six, h13, mil> &&
              conforms<blocks_of_six, h13, netplist_route>);
// More axes than a file has, in what is read and not in what is made of it: refused, and not looked up.
static_assert(find_form_faults(from_six_axes, true).netplist_count == 2);
// Before A13 there is no MIL route, so the netplist alone decides.
static_assert(conforms<by_either, h12>);
static_assert(!conforms<by_mil, h12>);

/// Whether a writer takes a model.
template <class Emit> bool writes(const graph_view& model, const Emit& emit) {
    const lowered_graph lowered = lower(model);
    try {
        emit(lowered.view(), fold_constants(lowered.view(), random_weights(model, 1)));
        return true;
    } catch (const error& e) {
        CHECK(e.code() == errc::lowering);
        return false;
    }
}

} // namespace

TEST_CASE("what conforms on a route is written on it, and what does not is refused with the same reason") {
    const auto check = [](const graph_view& model, bool in_mil, bool in_netplist) {
        CHECK(writes(model, [](const graph_view& g, const folded_constants& c) { emit_mil(g, c); }) == in_mil);
        CHECK(writes(model, [](const graph_view& g, const folded_constants& c) { emit_netplist(g, c); }) ==
              in_netplist);
        CHECK(accepts(model, describe(h13), mil) == in_mil);
        CHECK(accepts(model, describe(h13), netplist_route) == in_netplist);
        CHECK(accepts(model, describe(h13)) == (in_mil || in_netplist));
    };
    check(by_either, true, true);
    check(by_mil, true, false);
    check(by_netplist, false, true);
    check(by_none, false, false);
    // An output that is known when the model is compiled is a product with one, whatever operation gives it.
    check(constant_blocks, true, true);
    // Blocks of two images into the batch, whose order MIL text leaves open, by a product of what the unit takes.
    check(blocks_of_six, false, true);
}

TEST_CASE("a report says which route holds a model that MIL text cannot, and what to write instead where none does") {
    const std::string told = report(by_netplist, h13).str();
    CAPTURE(told);
    CHECK(told.find("a netplist can hold the model, MIL text, which the direct route needs, cannot: log2") !=
          std::string::npos);
    const std::string refused = report(by_none, h13).str();
    CAPTURE(refused);
    CHECK(refused.find("cannot be written in a file (it has no form in MIL text)") != std::string::npos);
    CHECK(refused.find("try: write it with other operations") != std::string::npos);
    CHECK(refused.find("no Mac takes it") == std::string::npos);
}

TEST_CASE("a netplist has the moves of blocks that the rules accept on its route, and no others") {
    int written = 0;
    for (const op kind : {op::pixel_shuffle, op::pixel_unshuffle, op::depth_to_space, op::space_to_depth,
                          op::space_to_batch, op::batch_to_space}) {
        for (int high = 1; high <= 16; ++high) {
            for (int wide = 1; wide <= 9; ++wide) {
                for (const std::int64_t images : {1, 2}) {
                    for (const bool constant : {false, true}) {
                        extents shape{images, 3, 2, 2};
                        const bool from_channels = kind == op::pixel_shuffle || kind == op::depth_to_space;
                        if (from_channels || kind == op::batch_to_space) {
                            shape[from_channels ? 1 : 0] *= high * wide;
                        } else {
                            shape[2] *= high;
                            shape[3] *= wide;
                        }
                        dynamic_builder b;
                        const dynamic_tensor x = b.input("x", shape);
                        b.output("y", b.add(kind, {constant ? b.weight("w", shape) : x}, factors{high, wide}));
                        b.output("z", b.add(op::relu, {x}));
                        const dynamic_graph g = b.finish();
                        const bool writes_it =
                            writes(g, [](const graph_view& v, const folded_constants& c) { emit_netplist(v, c); });
                        CAPTURE(print(g));
                        REQUIRE(accepts(g, describe(h13), netplist_route) == writes_it);
                        written += writes_it ? 1 : 0;
                    }
                }
            }
        }
    }
    MESSAGE(written, " of ", 6 * 16 * 9 * 4, " are written");
    CHECK(written > 6 * 16 * 9 * 2); // all constants
}
