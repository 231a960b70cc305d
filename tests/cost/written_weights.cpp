// Each stored form of a weight on each route: its price and its warning are those of the bytes that the writer writes.

#include <anemone/backend/cpu/constants.hpp>
#include <anemone/cost/cost.hpp>
#include <anemone/dynamic_builder.hpp>
#include <anemone/formats/mil.hpp>
#include <anemone/formats/netplist.hpp>
#include <anemone/ops/ops.hpp>
#include <anemone/passes/lowering.hpp>
#include <anemone/rules/conforms.hpp>
#include <anemone/weights/random.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

using namespace ane;

namespace {

constexpr std::int64_t written_side = 128;
constexpr std::size_t dense_bytes = written_side * written_side * 2;

std::vector<std::pair<std::string, compression>> table_of_forms() {
    std::vector<std::pair<std::string, compression>> all{
        {"int8 by channel", {.form = weight_form::affine, .bits = 8}},
        {"int8 with zero points", {.form = weight_form::affine, .bits = 8, .zero_point = true}},
        {"int4 by channel", {.form = weight_form::affine, .bits = 4}},
        {"int4 in blocks", {.form = weight_form::blockwise, .bits = 4, .block = 32}},
        {"int8 in blocks", {.form = weight_form::blockwise, .bits = 8, .block = 32}},
        {"palette of pairs", {.form = weight_form::palette, .bits = 4, .vector = 2}},
        {"sparse", {.form = weight_form::sparse, .bits = 16, .zeros = 0.75F}}};
    for (const int bits : {1, 2, 3, 4, 6, 8}) {
        all.emplace_back("palette of " + std::to_string(bits) + " bits",
                         compression{.form = weight_form::palette, .bits = bits});
    }
    return all;
}

/// A product with a weight in a form, or in fp16.
dynamic_graph product_with(const compression* form) {
    dynamic_builder b;
    dynamic_tensor w = b.weight("w", {written_side, written_side});
    w = form == nullptr ? w : b.add(op::compressed, {w}, *form);
    b.output("y", b.add(op::linear, {b.input("x", {1, written_side}), w}));
    return b.finish();
}

/// Three quarters of zeros, so that the sparse form is smaller.
weight_store written_weights() {
    std::vector<float> values(dense_bytes / 2, 0.0F);
    for (std::size_t i = 0; i < values.size(); i += 4) {
        values[i] = 0.125F * static_cast<float>(1 + i / 4 % 7);
    }
    weight_store store;
    store.add("w", {written_side, written_side}, std::span<const float>(values));
    return store;
}

/// Bytes of weights in the file of a route.
std::size_t bytes_written(const graph_view& lowered, const weight_store& weights, compile_route route) {
    const folded_constants constants = fold_constants(lowered, weights);
    if (route == compile_route::mil) {
        return emit_mil(lowered, constants).weights.bytes().size();
    }
    std::size_t bytes = 0;
    for (const netplist_blob& each : emit_netplist(lowered, constants).weights) {
        bytes += each.bytes.size();
    }
    return bytes;
}

} // namespace

TEST_CASE("each form of a weight costs, and is warned of, as the file of each route holds it") {
    const weight_store weights = written_weights();
    const dynamic_graph plain = lower(product_with(nullptr)).graph;
    int stored = 0;
    for (const auto& each : table_of_forms()) {
        const std::string& called = each.first;
        const dynamic_graph g = lower(product_with(&each.second)).graph;
        for (const target t : {h13, h16, h17s}) {
            for (const compile_route route : {compile_route::mil, compile_route::netplist}) {
                CAPTURE(called);
                CAPTURE(std::string(name(t)));
                CAPTURE(static_cast<int>(route));
                const target_description d = describe(t);
                const bool is_dense = bytes_written(g, weights, route) >= dense_bytes;
                const held_forms held = held_forms_on(route, d);
                const auto told = violations(g, d, on_route(route));
                const bool is_warned = std::any_of(told.begin(), told.end(), [](const violation& v) {
                    return v.rule == rule::weight_form_is_not_written;
                });
                CHECK(is_warned == is_dense);
                const double price = *estimate(g, d, held).seconds;
                const double of_fp16 = *estimate(plain, d, held).seconds;
                if (is_dense) {
                    CHECK(price == of_fp16);
                } else {
                    CHECK(price <= of_fp16);
                    ++stored;
                }
            }
        }
    }
    CHECK(stored == 3 * 4); // in MIL text: int8 by channel, palettes of 4 and 8 bits, sparse
}
