// The snippets of docs/dynamic_models.md, line by line, which tests/python/pages.py compares, and texts that are wrong.

#include <anemone/anemone.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <istream>
#include <numeric>
#include <optional>
#include <span>
#include <sstream>
#include <string>
#include <vector>

namespace {

/// "16 relu\n8 relu\n3 softmax\n": a layer for each line, its width and what follows it.
ane::dynamic_graph read_model(std::istream& text, int inputs) {
    ane::dynamic_builder g;
    ane::dynamic_tensor x = g.input("x", {1, inputs}, ane::within(-1, 1));
    int width = 0;
    std::string function;
    for (int layer = 0; text >> width >> function; ++layer) {
        const std::string name = "layers." + std::to_string(layer);
        const auto weight = g.weight(name + ".weight", {width, x.shape().width()});
        x = g.add(ane::op::linear, {x, weight, g.weight(name + ".bias", {width})});
        const std::optional<ane::op> kind = ane::find_op(function);
        if (!kind) {
            throw ane::error(ane::errc::argument, function, "is no operation");
        }
        x = g.add(*kind, {x});
    }
    g.output("y", x);
    return g.finish();
}

/// What the model of a text is refused with.
std::string refusal(const std::string& lines, int inputs) {
    std::istringstream text(lines);
    try {
        static_cast<void>(read_model(text, inputs));
    } catch (const ane::error& e) {
        return e.what();
    }
    return "nothing was refused";
}

} // namespace

TEST_CASE("a model that is read from a text") {
    std::istringstream text("16 relu\n8 relu\n3 softmax\n");
    const ane::dynamic_graph model = read_model(text, 4);
    ane::report(model, ane::h13).print();
    auto program = ane::compile(model, ane::backend::cpu{}, ane::random_weights(model, 1));

    const ane::ndarray<ane::shape<1, 4>> x{0.5, -0.25, 0, 1};
    std::vector<ane::half> y(3);
    const std::array inputs{std::as_bytes(x.elements())}; // a buffer for each port, in their order
    const std::array outputs{std::as_writable_bytes(std::span(y))};
    program.run(inputs, outputs);

    CHECK(std::accumulate(y.begin(), y.end(), 0.0F) == doctest::Approx(1).epsilon(0.002));
}

TEST_CASE("texts from elsewhere are refused with the thing, the value and the limit") {
    CHECK(refusal("", 4) == "nothing was refused"); // the input is the output
    const auto says = [](const std::string& got, const char* part) {
        CAPTURE(got);
        CHECK(got.find(part) != std::string::npos);
    };
    says(refusal("0 relu", 4), "graph: layers.0.weight: ");
    says(refusal("0 relu", 4), "extent 0");
    says(refusal("-7 relu", 4), "extent -7");
    says(refusal("2147483647 relu\n2147483647 relu", 2147483647), "more elements than memory holds");
    says(refusal("8 relu", 0), "graph: x: ");
    says(refusal("8 relu", -2147483647), "extent -2147483647");
    says(refusal("8 relux", 4), "argument: relux: is no operation");
    says(refusal("8 weight", 4), "graph: weight: is made by the function of the builder that has its name");
    says(refusal("8 add", 4), "graph: add: has a wrong number of operands");
    says(refusal("8 clamp", 4), "graph: clamp: takes the attributes clip_range");
}
