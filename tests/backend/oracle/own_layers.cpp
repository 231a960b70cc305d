// Layers of the engine that are wrong for some values, as a file of others gets them, and the forms that we write.

#include "../composer.hpp"
#include <anemone/backend/oracle/oracle.hpp>
#include <anemone/dynamic_builder.hpp>

#include <doctest/doctest.h>

#include <vector>

using namespace ane;

namespace {

/// The first element of what a function makes of eight equal numbers.
template <class Make> double of_eight(Make make, float value, layer_forms layers) {
    dynamic_builder b;
    const dynamic_tensor x = b.input("x", {1, 8, 1, 1});
    b.output("y", make(b, x));
    const dynamic_graph g = b.finish();
    auto program = backend::oracle(h17).layers(layers).compile(g, weight_store{});
    const std::vector<half> input(8, half(value));
    std::vector<half> output(8);
    const std::span<const std::byte> inputs[] = {std::as_bytes(std::span(input))};
    const auto count = static_cast<std::size_t>(g.nodes[static_cast<std::size_t>(g.outputs[0].node)].shape.count());
    const std::span<std::byte> outputs[] = {std::as_writable_bytes(std::span(output).first(count))};
    program.run(inputs, outputs);
    return static_cast<double>(output[0]);
}

} // namespace

TEST_CASE("softplus, logarithms of sums and rounding by the engine's own layers, and by the forms that are written") {
    const auto softplus = [](dynamic_builder& b, const dynamic_tensor& x) { return b.add(op::softplus, {x}); };
    CHECK(of_eight(softplus, 1000, layer_forms::safe) == 1000);
    CHECK(of_eight(softplus, 1000, layer_forms::own) == 0);
    CHECK(of_eight(softplus, 5, layer_forms::own) == doctest::Approx(5.0067).epsilon(0.01));

    const auto log_sum = [](dynamic_builder& b, const dynamic_tensor& x) {
        return b.add(op::reduce_log_sum_exp, {x}, axes{1});
    };
    CHECK(of_eight(log_sum, 10, layer_forms::safe) == doctest::Approx(12.0794).epsilon(0.005));
    CHECK(of_eight(log_sum, 10, layer_forms::own) == 0); // 8 e^10 is infinite, and its logarithm 0
    CHECK(of_eight(log_sum, 2, layer_forms::own) == doctest::Approx(4.0794).epsilon(0.01));

    const auto round = [](dynamic_builder& b, const dynamic_tensor& x) { return b.add(op::round, {x}); };
    CHECK(of_eight(round, 1030, layer_forms::safe) == 1030);
    CHECK(of_eight(round, 1030, layer_forms::own) == 1031);
    CHECK(of_eight(round, 7.6F, layer_forms::own) == 8);

    const auto thirds = [](dynamic_builder& b, const dynamic_tensor& x) {
        const float three[] = {3};
        return b.add(op::mul, {b.add(op::floor, {x}), b.constant({}, three)});
    };
    CHECK(of_eight(thirds, 2.5F, layer_forms::safe) == 6);
    CHECK(of_eight(thirds, 2.5F, layer_forms::own) == 2);
}

TEST_CASE("an oracle says which layers it has") {
    CHECK(backend::oracle(h13).layers() == layer_forms::safe);
    CHECK(backend::oracle(h13).layers(layer_forms::own).layers() == layer_forms::own);
}
