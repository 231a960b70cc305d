#include "digits_statistics.hpp" // made by the build from examples/digits/digits.safetensors
#include <anemone/model.hpp>
#include <anemone/weights/convert.hpp>
#include <anemone/weights/safetensors.hpp>
#include <anemone/weights/verify.hpp>

#include <doctest/doctest.h>

#include <filesystem>

using namespace ane;

namespace {

/// The model of examples/digits with every weight declared by the statistics of its file. By the sums of the rows alone
/// the last layer could reach 57,000; what the second convolution gives is held to 60, which no image of the example
/// passes: they stay below 10.
constexpr auto digits = graph([](auto& g) {
    auto x = g.input("image"_s, f16<1, 1, 28, 28>, within(0, 1));
    auto a = relu(
        conv2d<conv{.padding = same}>(x, g.weight("conv1.weight"_s, f16<16, 1, 3, 3>, bounded_by(stats::conv1_weight)),
                                      g.weight("conv1.bias"_s, f16<16>, bounded_by(stats::conv1_bias))));
    auto c = clamp(
        conv2d<conv{.padding = same}>(max_pool<pool{.kernel = 2, .stride = 2}>(a),
                                      g.weight("conv2.weight"_s, f16<32, 16, 3, 3>, bounded_by(stats::conv2_weight)),
                                      g.weight("conv2.bias"_s, f16<32>, bounded_by(stats::conv2_bias))),
        0, 60);
    auto e = relu(linear(flatten(max_pool<pool{.kernel = 2, .stride = 2}>(c)),
                         g.weight("fc1.weight"_s, f16<64, 1568>, bounded_by(stats::fc1_weight)),
                         g.weight("fc1.bias"_s, f16<64>, bounded_by(stats::fc1_bias))));
    g.output("logits"_s, linear(e, g.weight("fc2.weight"_s, f16<10, 64>, bounded_by(stats::fc2_weight)),
                                g.weight("fc2.bias"_s, f16<10>, bounded_by(stats::fc2_bias))));
});

static_assert(conforms<digits, macs>); // no sum reaches 32768

const std::filesystem::path file = ANEMONE_TEST_DATA "/../examples/digits/digits.safetensors";

} // namespace

TEST_CASE("statistics: a header made by the build holds for the file that it was made from") {
    CHECK_NOTHROW(verify_weights(digits, load_safetensors(file)));
}

TEST_CASE("statistics: the header holds for no file with one larger weight") {
    const weight_store good = load_safetensors(file);
    weight_store bad;
    for (const stored_tensor& tensor : good) {
        std::vector<half> values = to_half(tensor);
        if (tensor.name == "conv2.weight") {
            values[5] = half(static_cast<double>(values[5]) + 2);
        }
        bad.add(tensor.name, tensor.shape, std::span<const half>(values));
    }
    CHECK_THROWS_AS(verify_weights(digits, bad), error);
}
