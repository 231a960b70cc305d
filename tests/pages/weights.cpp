// The snippets of docs/weights.md, line by line, which tests/python/pages.py compares; here they compile and run.

#include "classifier.hpp"
#include "classifier_model.hpp"
#include "layer.hpp"
#include <anemone/anemone.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using namespace ane::literals;

namespace {

constexpr std::array<float, 3> mean{0.485F, 0.456F, 0.406F};
constexpr auto centred = ane::graph([](const ane::builder& g) {
    auto image = g.input("image"_s, ane::f16<1, 3, 8, 8>, ane::within(0, 1));
    g.output("y"_s, image - g.constant(ane::f16<1, 3, 1, 1>, mean));
});

/// The names and layouts of GPT-2, three layers of it.
ane::weight_store checkpoint() {
    ane::weight_store all;
    all.add("transformer.wte.weight", {5, 3}, std::vector<float>(15));
    for (int i = 0; i < 3; ++i) {
        ane::weight_store one = ane::random_weights(layer, static_cast<std::uint64_t>(i));
        for (const char* const name :
             {"attn.c_attn.weight", "attn.c_proj.weight", "mlp.c_fc.weight", "mlp.c_proj.weight"}) {
            one.transpose(name);
        }
        one.add("attn.bias", {1, 1, 2, 2}, {1, 0, 1, 1});
        all.merge(std::move(one).with_prefix("transformer.h." + std::to_string(i)));
    }
    all.add("transformer.ln_f.weight", {3}, {1, 1, 1});
    all.add("transformer.ln_f.bias", {3}, {0, 0, 0});
    return all;
}

} // namespace

TEST_CASE("what a model wants, and weights from a seed") {
    std::fputs(ane::print_weights(layer).c_str(), stdout);
    const ane::weight_store drawn = ane::random_weights(layer, 42);
    CHECK(drawn.size() == ane::weights_of(layer).size());
}

TEST_CASE("a file from elsewhere") {
    const std::string path = (std::filesystem::temp_directory_path() / "anemone_test_pages.safetensors").string();
    ane::save_safetensors(path, checkpoint());

    const ane::weight_store file = ane::load_safetensors(path);
    std::fputs(ane::print(file).c_str(), stdout); // name, element type and shape of each tensor

    ane::weight_store weights = file.subset("transformer.h.1"); // the names below, without the prefix
    for (const char* name : {"attn.c_attn.weight", "attn.c_proj.weight", "mlp.c_fc.weight", "mlp.c_proj.weight"}) {
        weights.transpose(name); // [in, out] to [out, in]
    }
    weights = ane::weights_for(layer, std::move(weights)); // without what is no weight of the model, such as masks
    auto program = ane::compile<layer>(ane::backend::cpu{}, weights);

    std::filesystem::remove(path);
    CHECK(weights == ane::random_weights(layer, 1));
    static_cast<void>(program);

    ane::weight_store whole = file;
    for (const ane::stored_tensor& tensor : file) {
        if (tensor.shape.rank == 2 && tensor.name.starts_with("transformer.h.")) {
            whole.transpose(tensor.name); // every matrix of every layer
        }
    }
    CHECK(whole.at("transformer.h.2.mlp.c_fc.weight").shape == ane::extents{64, 16});

    const ane::weight_store short_names = file.renamed([](std::string_view name) {
        const std::size_t dot = name.rfind('.');
        return name.starts_with("transformer.ln_f") ? "norm" + std::string(name.substr(dot)) : std::string();
    });
    CHECK(short_names.size() == 2);
    CHECK(short_names.contains("norm.bias"));
}

TEST_CASE("tensors by hand, and as numbers") {
    const std::vector<float> values(192, 0.25F);

    ane::weight_store store;
    store.add("bias", {3}, {0.5F, -1, 2});                                // a list
    store.add("scores", {3, 64}, std::span<const float>(values));         // a span of float or half
    store.add("table", ane::ndarray<ane::shape<2, 3>>{0, 1, 2, 3, 4, 5}); // an array, which knows its shape

    const std::vector<float> numbers = ane::to_float(store.at("scores")); // whatever the tensor's type
    for (const ane::stored_tensor& tensor : store) {
        std::printf("%s has rank %d\n", tensor.name.c_str(), tensor.shape.rank);
    }

    CHECK(numbers == values);
    CHECK(store[2].shape == ane::extents{2, 3});
}

TEST_CASE("arrays from data, results as float") {
    const std::vector<float> pixels(28 * 28, 0.25F);
    const ane::ndarray<ane::shape<1, 1, 28, 28>> image(pixels); // from any span or container of numbers
    const std::vector<std::uint8_t> grey(28 * 28, 64);
    const ane::ndarray<ane::shape<1, 1, 28, 28>, std::uint8_t> bytes(grey);              // for a u8 port
    const ane::ndview<ane::shape<1, 1, 28, 28>, const ane::half> seen(image.elements()); // elements owned elsewhere

    CHECK(static_cast<float>(seen[9]) == 0.25F);
    CHECK(bytes[9] == 64);

    auto classify = ane::compile<classifier>(ane::backend::cpu{}, ane::random_weights(classifier, 1));
    const auto result = classify({"image"_s = image});
    const std::vector<float> probabilities = result["probabilities"_s].floats();
    const std::size_t best = result["probabilities"_s].argmax();
    const std::vector<double> wide(result["probabilities"_s].begin(), result["probabilities"_s].end());

    CHECK(probabilities.size() == 10);
    CHECK(wide[best] == static_cast<double>(probabilities[best]));
}

TEST_CASE("a model in a file of its own") {
    CHECK_THROWS_WITH_AS(classify({}), doctest::Contains("classifier.safetensors"), ane::error);
}

TEST_CASE("constants from arrays") { static_assert(ane::conforms<centred, ane::h13>); }
