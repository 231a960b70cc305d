// The snippets of docs/checks.md, docs/envelope.md and docs/differences.md, line by line, which tests/python/pages.py compares;
// and the report that README.md shows.

#include <anemone/anemone.hpp>
#include <anemone/diff/model_pair.hpp>
#include <anemone/report/calibration_report.hpp>
#include <anemone/report/diff_report.hpp>
#include <anemone/report/model_pair_report.hpp>
#include <anemone/report/rule_report.hpp>
#include <anemone/report/wide_diff_report.hpp>
#include <anemone/rules/acceptance.hpp>
#include <anemone/rules/divergence.hpp>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <span>
#include <string>
#include <unistd.h>
#include <vector>

using namespace ane::literals;

// clang-format off
namespace checks_page {
namespace {

inline constexpr ane::target_description my_device = ane::describe(ane::h14);

constexpr auto model = ane::graph([](auto& g) {
    auto x = g.input("x"_s, ane::f16<1, 16, 32, 32>, ane::within(-1, 1));
    g.output("y"_s, relu(conv2d(x, g.weight("w"_s, ane::f16<16, 16, 3, 3>, ane::bounded(1)))));
});
static_assert(ane::conforms<model, ane::h13>);                         // the M1
static_assert(ane::conforms<model, ane::macs>);                        // every Mac, M1 to M6
static_assert(ane::conforms<model, ane::from<ane::h15>>);              // M3 and whatever came later
static_assert(ane::conforms<model, ane::target_set{ane::h13, ane::h17s}>);
static_assert(ane::conforms<model, &my_device>);                       // a description of your own

static_assert(ane::conforms<model, ane::h13, ane::as_error(ane::rule::working_set_exceeds)>);
static_assert(ane::conforms<model, ane::h13, ane::waive(ane::rule::width_slice_may_saturate)>);
static_assert(ane::conforms<model, ane::h13, ane::on_route(ane::compile_route::mil)>);

inline constexpr ane::target_description mine = ane::derive(ane::describe(ane::h13), [](auto& d) {
    d.limits.kernel_width_fp16 = 5;
});
static_assert(ane::conforms<model, &mine>);

} // namespace

namespace wide_kernel {
namespace {

constexpr auto model = ane::graph([](auto& g) {
    auto image = g.input("image"_s, ane::f16<1, 3, 64, 64>);
    g.output("y"_s, relu(conv2d(image, g.weight("stem.weight"_s, ane::f16<64, 3, 7, 14>))));
});
static_assert(ane::first_target<model> == ane::h16);             // the oldest Mac; empty where there is none
static_assert(ane::first_target<model, ane::from<ane::h15>> == ane::m11); // a small one, see above
static_assert(ane::blockers<model, ane::h13>.size() == 1);       // an array of ane::violation, errors only
static_assert(ane::blockers<model, ane::h13>[0].got == 14);

/// A text without the places in files and the white space that lines are wrapped at.
std::string flat(const std::string& text) {
    const std::string placed = std::regex_replace(text, std::regex(R"(\(\w+\.cpp:\d+\))"), "(here)");
    return std::regex_replace(placed, std::regex(R"(\s+)"), " ");
}

} // namespace

TEST_CASE("the report that the README shows of a kernel 14 wide") {
    std::ifstream file(ANEMONE_SOURCE_DIR "/README.md");
    const std::string page{std::istreambuf_iterator<char>(file), {}};
    const std::size_t begin = page.find("    reject: conv2d");
    REQUIRE(begin != std::string::npos);
    const std::string shown = page.substr(begin, page.find("\n\n", begin) - begin);
    const std::size_t left_out = shown.find("    ...\n"); // the warnings
    REQUIRE(left_out != std::string::npos);
    const std::string told = flat(" " + ane::report(model, ane::h13).str());
    CAPTURE(told);
    const std::size_t finding = told.find(flat(shown.substr(0, left_out)));
    REQUIRE(finding != std::string::npos);
    CHECK(told.find(flat(shown.substr(left_out + 8)), finding) != std::string::npos);
}
} // namespace wide_kernel

namespace same_bits {
namespace {

constexpr auto model = ane::graph([](auto& g) { g.output("y"_s, relu(g.input("x"_s, ane::f16<1, 16>))); });
static_assert(ane::diverges<model, ane::h16, ane::h17s>.empty());

} // namespace
} // namespace same_bits
} // namespace checks_page

namespace envelope_page {
namespace {

constexpr auto model = ane::graph([](auto& g) {
    auto x = g.input("x"_s, ane::f16<1, 8>, ane::within(-4, 4));
    g.output("y"_s, softmax(linear(x, g.weight("w", ane::f16<4, 8>, ane::row_l1(10)))));
});
static_assert(ane::proves(model, ane::h13, ane::hazard::accumulator));
static_assert(ane::proves(model, ane::h13, ane::hazard::stored_value));

} // namespace

TEST_CASE("the page of the envelope runs") {
    const ane::weight_store weights = ane::random_weights(model, 1);
    const ane::ndarray<ane::shape<1, 8>> image{-4, -3, -2, -1, 0, 1, 2, 4};
    const std::span<const std::byte> inputs[] = {std::as_bytes(image.elements())};
    ane::calibration runs(ane::backend::oracle(ane::h13), model, weights);
    runs.run(inputs);                                        // once for each of your samples
    fmt::print("{}", ane::calibration_table(model, ane::ranges(model), runs.measured()));
    CHECK(ane::calibration_table(model, ane::ranges(model), runs.measured()).find("softmax") != std::string::npos);
}
} // namespace envelope_page

namespace differences_page {
namespace {

/// A folder that the process works in until the end.
class scratch {
public:
    scratch() { std::filesystem::create_directories(path_), std::filesystem::current_path(path_); }
    scratch(const scratch&) = delete;
    scratch& operator=(const scratch&) = delete;
    ~scratch() {
        std::filesystem::current_path(before_);
        std::filesystem::remove_all(path_);
    }

private:
    std::filesystem::path before_ = std::filesystem::current_path();
    std::filesystem::path path_ =
        std::filesystem::temp_directory_path() / ("anemone_page_differences_" + std::to_string(::getpid()));
};

constexpr auto model = ane::graph([](auto& g) {
    auto x = g.input("x"_s, ane::f16<1, 8>);
    g.output("y"_s, x / sqrt(reduce_mean<1>(square(x))));
});

} // namespace

TEST_CASE("the page of the differences runs") {
    const scratch folder;
    const ane::weight_store weights;
    const ane::ndarray<ane::shape<1, 8>> x{300, 280, -310, 290, 20, 30, 10, -25}; // squares above 65504
    {
        const auto d = ane::diff<model>(ane::backend::cpu{}, ane::backend::oracle(ane::h13), weights, {"x"_s = x});
        ane::diff_report(model, d).print();
        ane::write_file("diff.svg", ane::draw_diff(model, d));
        CHECK(d.nodes.size() == 4);
    }
    ane::model_samples samples;
    samples.add(x.elements());
    {
        const ane::wide_difference d =
            ane::diff(model, ane::backend::oracle(ane::h13), ane::backend::wide{}, weights, samples);
        const ane::remedy_search helps =
            ane::find_remedies(model, ane::backend::oracle(ane::h13), ane::backend::wide{}, weights, samples, d, {.chip = ane::h13});
        ane::wide_diff_report(model, d, helps).print(); // or json()
        ane::write_file("layers.svg", ane::draw_wide_diff(model, d));
        CHECK(d.affected == 1);
        CHECK_FALSE(helps.helpful.empty());
    }
    const auto made = [] {
        return ane::build_graph([](auto& g) { g.output("y"_s, square(g.input("x"_s, ane::f16<1, 8>))); });
    };
    const ane::read_model first{.graph = made(), .weights = {}}, second{.graph = made(), .weights = {}};
    const std::vector<std::span<const std::byte>> buffers{std::as_bytes(x.elements())};
    const auto d = ane::diff(first.graph, first.weights, second.graph, second.weights, ane::backend::cpu{}, buffers);
    ane::write_file("pair.txt", ane::pair_text(first.graph, second.graph, d));
    std::ifstream file("pair.txt");
    const std::string told{std::istreambuf_iterator<char>(file), {}};
    CHECK(told.find("the outputs are the same") != std::string::npos);
}
} // namespace differences_page
// clang-format on
