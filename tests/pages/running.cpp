// The snippets of docs/running.md, docs/engine.md and docs/formats.md, line by line, which tests/python/pages.py compares.

#include "../../examples/digits/model.hpp"
#include <anemone/anemone.hpp>
#include <anemone/mlpackage/mlpackage.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string_view>

using namespace ane::literals;
using namespace std::chrono_literals;

namespace {

constexpr auto model = ane::graph([](const ane::builder& g) {
    auto x = g.input("x"_s, ane::f16<6>);
    g.output("y"_s, relu(x * 2 - 3));
});
const ane::ndarray<ane::shape<6>> x{0, 1, 1.5, 2, 3, 4};
const ane::ndarray<ane::shape<1, 1, 28, 28>> image;

// In the folder of the weights, and on a Mac: not called.
[[maybe_unused]] std::size_t first() {
    const ane::weight_store weights = ane::load_safetensors("digits.safetensors");
    auto program = ane::compile<digits>(ane::backend::cpu{}, weights);
    const auto result = program({"image"_s = image});
    const auto digit = result["probabilities"_s].argmax();
    return digit;
}
[[maybe_unused]] float on_the_engine(const ane::weight_store& weights) {
    auto program = ane::compile<model>(ane::backend::engine{ane::h13, {.directory = "program"}}, weights);
    const auto result = program({"x"_s = x});
    return result["y"_s][0];
}
[[maybe_unused]] auto through_the_netplist_door(const ane::weight_store& weights) {
    ane::backend::engine_options options{.runtime = ane::backend::engine_runtime::netplist};
    auto program = ane::compile<model>(ane::backend::engine{ane::h13, options}, weights);
    return program({"x"_s = x});
}

// Writes into the folder in which it is called: not called.
[[maybe_unused]] void write_program(const ane::weight_store& weights) {
    const ane::lowered_graph lowered = ane::lower(model);
    const auto constants = ane::fold_constants(lowered.view(), weights); // fp16, batch norms folded
    const ane::mil_program mil = ane::emit_mil(lowered.view(), constants);
    ane::write_mil(mil, "program"); // program/model.mil, program/weights.bin
    const ane::mil_options for_core_ml{.every_stored_form = true, .core_ml_states = true};
    ane::write_mlpackage(ane::emit_mil(lowered.view(), constants, for_core_ml), "hello.mlpackage");
    const ane::netplist net = ane::emit_netplist(lowered.view(), constants, "hello");
    ane::write_netplist(net, "program"); // program/net.plist and the weight files
}

float chosen(bool exact, const ane::weight_store& weights) {
    ane::backend::any place = ane::backend::cpu{};
    if (exact) {
        place = ane::backend::oracle{ane::h13};
    }
    ane::program<digits, ane::any_program> program = ane::compile<digits>(place, weights);
    program = ane::compile<digits>(ane::backend::cpu{}, weights); // a program of a certain backend becomes one of any
    const auto result = program({"image"_s = image});
    return result["probabilities"_s][0];
}

struct counted_failures final : ane::e5rt::release_report {
    void failed(std::string_view, std::int64_t) override { ++count; }
    int count = 0;
};

} // namespace

TEST_CASE("a backend that is chosen at run time") {
    const ane::weight_store weights = ane::random_weights(digits, 1);
    CHECK(chosen(true, weights) == chosen(false, weights));
}

TEST_CASE("results that are kept") {
    auto program = ane::compile<model>(ane::backend::cpu{});
    ane::results<model> outputs;
    program.run({"x"_s = x}, outputs);
    program.check_inputs(ane::input_check::full); // or sampled, or off, which is the default
    CHECK(outputs["y"_s].floats() == std::vector<float>{0, 0, 0, 1, 3, 5});
}

TEST_CASE("options of the driver") {
    const auto failures = std::make_shared<counted_failures>();
    ane::backend::engine_options options{.directory = "program"};
    options.session.compile_backoff = 20s; // any duration of <chrono>
    options.session.report = failures;     // a shared_ptr to an ane::e5rt::release_report of your own
    const ane::backend::engine place(ane::h13, options);
    CHECK(place.name() == "engine H13");
    CHECK(options.session.compile_backoff.nanoseconds == 20'000'000'000);
    CHECK(failures->count == 0);
}
