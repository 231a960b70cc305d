// Rules that no node can break: who holds them, and the advice that a node can ask for.

#include "anemone/backend/engine/e5rt/session.hpp"
#include "anemone/report/cost_report.hpp"
#include "anemone/rules/held_elsewhere.hpp"
#include "anemone/rules/registry.hpp"
#include "one_node.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <fstream>
#include <sstream>
#include <string>

using namespace ane;
using one_node::in;
using one_node::make;
using one_node::weight;

namespace {

std::string header_text(const std::string& path) {
    std::ifstream file(std::string(ANEMONE_TEST_DATA) + "/../include/anemone/" + path);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

dynamic_graph product(extents left, extents right) { return make(op::matmul, transposed{}, {in(left), in(right)}); }

dynamic_graph attend(extents query, extents key) {
    return make(op::attention, score_scaling{}, {in(query), in(key), in(key)});
}

} // namespace

TEST_CASE("a rule of the program or the runtime looks at no node and names an existing header that holds it") {
    for (std::size_t i = 0; i < rule_count; ++i) {
        const rule_record& r = record_of(static_cast<rule>(i));
        CAPTURE(name(r.id));
        if (r.scope == rule_scope::program || r.scope == rule_scope::runtime) {
            CHECK(r.ops == op_set{});
            CHECK((r.held_by[0] != '\0' || r.level != severity::reject)); // a refusal is somebody's
        }
        if (r.held_by[0] != '\0') {
            CHECK_FALSE(header_text(r.held_by).empty());
        }
    }
}

TEST_CASE("the headers that hold the rules of the driver name them") {
    for (const rule id : {rule::target_is_not_known, rule::loaded_programs_exceed, rule::requests_in_flight_exceed,
                          rule::streams_overlap, rule::engine_was_idle}) {
        const rule_record& r = record_of(id);
        CAPTURE(r.fact);
        CHECK(header_text(r.held_by).find(r.fact) != std::string::npos);
    }
}

TEST_CASE("no reject of a program or of the runtime is left to the reader") {
    for (std::size_t i = 0; i < rule_count; ++i) {
        const rule_record& r = record_of(static_cast<rule>(i));
        CAPTURE(name(r.id));
        const bool is_advice = r.scope == rule_scope::advice;
        CHECK_FALSE((is_advice && (r.level == severity::reject || r.level == severity::hazard)));
    }
}

TEST_CASE("the driver's figures are those of the facts") { // R116, R117, R119, R174
    CHECK(e5rt::loaded_program_limit == 128);
    CHECK(e5rt::requests_in_flight_limit == 127);
    CHECK(e5rt::default_compile_backoff == std::chrono::seconds(15));
    CHECK(e5rt::idle_limit == std::chrono::seconds(5));
}

TEST_CASE("R170: a square operand past 2048") {
    CHECK_KEEPS(product({64, 2048}, {2048, 2048}), large_matmul_runs_faster_on_gpu, h13);
    CHECK_BREAKS(product({64, 2049}, {2049, 2049}), large_matmul_runs_faster_on_gpu, h13, 2049, 2048);
    CHECK_BREAKS(product({4096, 4096}, {4096, 64}), large_matmul_runs_faster_on_gpu, h17s, 4096, 2048);
    CHECK_KEEPS(product({64, 4096}, {4096, 64}), large_matmul_runs_faster_on_gpu, h13); // long, but not square
    CHECK_BREAKS(make(op::linear, no_attributes{}, {in({1, 4096}), weight({4096, 4096})}),
                 large_matmul_runs_faster_on_gpu, h13, 4096, 2048);
    CHECK(one_node::find(product({4096, 4096}, {4096, 4096}), rule::large_matmul_runs_faster_on_gpu).severity ==
          severity::note);
}

TEST_CASE("R088: attention of 512 by 512") {
    CHECK_KEEPS(attend({1, 1, 511, 64}, {1, 1, 511, 64}), long_attention_runs_faster_on_gpu, h13);
    CHECK_BREAKS(attend({1, 1, 512, 64}, {1, 1, 512, 64}), long_attention_runs_faster_on_gpu, h13, 512, 511);
    CHECK_KEEPS(attend({1, 1, 16, 64}, {1, 1, 512, 64}), long_attention_runs_faster_on_gpu, h13);
}

TEST_CASE("R172: attention over a batch of 23") {
    CHECK_KEEPS(attend({22, 1, 16, 64}, {22, 1, 16, 64}), encoder_batch_runs_faster_on_gpu, h13);
    CHECK_BREAKS(attend({23, 1, 16, 64}, {23, 1, 16, 64}), encoder_batch_runs_faster_on_gpu, h13, 23, 22);
}

TEST_CASE("R173: one query against many keys") {
    CHECK_BREAKS(attend({1, 8, 1, 64}, {1, 8, 128, 64}), decoding_runs_faster_on_gpu, h13, 128, 1);
    CHECK_KEEPS(attend({1, 8, 2, 64}, {1, 8, 128, 64}), decoding_runs_faster_on_gpu, h13);
    CHECK_KEEPS(attend({1, 8, 1, 64}, {1, 8, 1, 64}), decoding_runs_faster_on_gpu, h13);
}

TEST_CASE("R107: more than two operands of a concat, on the netplist route") {
    const extents part{1, 8, 4, 16};
    const auto joined = [&](int count) {
        return make(op::concat, axis{1}, std::vector<one_node::source>(static_cast<std::size_t>(count), in(part)));
    };
    const auto broken = [](const dynamic_graph& g, compile_route route) {
        return one_node::breaks(g, rule::concat_operands_are_not_two, h13, on_route(route));
    };
    CHECK(broken(joined(3), compile_route::netplist));
    CHECK_FALSE(broken(joined(2), compile_route::netplist));
    CHECK_FALSE(broken(joined(3), compile_route::mil));
    CHECK_FALSE(broken(joined(3), compile_route::any));
}

TEST_CASE("R111 and R171: work below the floor of a dispatch is told with the cost, other work is not") {
    const std::string small = cost_report(one_node::with_names(product({64, 256}, {256, 256})), h13);
    CAPTURE(small);
    CHECK(small.find("the work takes 33 us, a dispatch 233 us") != std::string::npos);
    CHECK(small.find("[R111, measured]") != std::string::npos);
    CHECK(small.find("[R171, measured]") != std::string::npos);
    const std::string large =
        cost_report(one_node::with_names(product({4096, 2048}, {2048, 2048})), h13); // 34 GFLOP: 10 ms at 3.25 TFLOP/s
    CAPTURE(large);
    CHECK(large.find("R111") == std::string::npos);
    CHECK(cost_report(one_node::with_names(product({64, 256}, {256, 256})), u1).find("R111") ==
          std::string::npos); // no time is known
}
