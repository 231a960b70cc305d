// The snippets of docs/segments.md, line by line, which tests/python/pages.py compares.

#include <anemone/anemone.hpp>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <fstream>
#include <iterator>
#include <sstream>
#include <string>

using namespace ane::literals;

namespace segments_page {
namespace {

constexpr auto model = ane::graph([](auto& g) {
    auto x = g.input("x"_s, ane::f16<1, 64>, ane::within(-1, 1));
    auto scores = linear(x, g.weight("head"_s, ane::f16<32, 64>, ane::bounded(0.1)));
    g.output("best"_s, softmax(top_k<5>(scores).values));
});
static_assert(ane::segments<model, ane::h13>.size() == 3); // the engine, the host, the engine again
static_assert(ane::segments<model, ane::h13>[1].place == ane::door::host);
static_assert(ane::segments<model, ane::h14>.size() == 1); // the M2 has top-k

constexpr auto marked = ane::graph([](auto& g) {
    auto x = g.input("x"_s, ane::f16<1, 64>, ane::within(-1, 1));
    auto hidden = cut(tanh(linear(x, g.weight("up"_s, ane::f16<64, 64>, ane::bounded(0.1)))));
    g.output("y"_s, on_host(exp(hidden)) * 2);
});
static_assert(ane::segments<marked, ane::h16>.size() == 3);

static_assert(ane::segment_costs<model, ane::h13>.clock->at_most < 600e-6); // s

constexpr ane::device_rates own_cpu{.product = 1e12, .convolution = 6e11, .bandwidth = 68e9, .layer = 12e-6};

void tell_costs() {
    const auto cuts = ane::segments_of(model, ane::h13);
    fmt::print("{}", ane::print(model, cuts, ane::h13));
    const auto costs = ane::segment_costs_of(model, cuts, ane::h13, {.host = &own_cpu});
    fmt::print("{} us on the host\n", costs.host_seconds * 1e6);
}

float largest_share(const ane::ndarray<ane::shape<1, 64>>& x, const ane::weight_store& weights) {
    auto program = ane::compile<model>(ane::backend::segmented(ane::h13, ane::backend::oracle{ane::h13}), weights);
    const auto result = program({"x"_s = x});
    fmt::print("{}", program.compiled().report());
    return static_cast<float>(result["best"_s][0]);
}

} // namespace

TEST_CASE("the report on the page of the segments is what is printed") {
    std::string shown; // as on the page, indented
    std::istringstream lines(ane::print(model, ane::segments_of(model, ane::h13), ane::h13));
    for (std::string line; std::getline(lines, line);) {
        shown += "    " + line + "\n";
    }
    std::ifstream file(ANEMONE_SOURCE_DIR "/docs/segments.md");
    const std::string page{std::istreambuf_iterator<char>(file), {}};
    CHECK(page.find("The report:\n\n" + shown) != std::string::npos);
}

TEST_CASE("the page of the segments runs") {
    tell_costs();
    CHECK(largest_share({}, ane::random_weights(model, 1)) == doctest::Approx(0.2).epsilon(0.01));
}

} // namespace segments_page
