// The snippet of docs/trainer.md.

#include <anemone/anemone.hpp>
#include <anemone/trainer/trainer.hpp>

#include <doctest/doctest.h>

#include <vector>

namespace {

ane::weight_store learned(const ane::graph_view& model, const ane::weight_store& first,
                          const ane::weight_store& digits) {
    ane::trainer t(model, first, {.by = ane::adam{}, .scale = ane::dynamic_loss_scale}, ane::backend::cpu{});
    const ane::sample_arrays data(t.ports(), digits); // "image": M x 1 x 28 x 28, "wanted": M labels
    t.train(data, {.epochs = 5, .rate = {.rate = 0.001, .form = ane::rate_form::cosine}});
    return t.weights();
}

} // namespace

TEST_CASE("the page of training") {
    using namespace ane::literals;
    static constexpr auto model = ane::graph([](auto& g) {
        auto x = g.input("image"_s, ane::f16<2, 1, 28, 28>);
        g.output("logits"_s, linear(flatten(x), g.weight("w", ane::f16<2, 784>)));
    });
    ane::weight_store first;
    first.add("w", {2, 784}, std::vector<float>(1568, 0.0F));
    std::vector<float> images(4 * 784, 0.0F);
    for (std::size_t i = 0; i < 784; ++i) {
        images[784 + i] = images[3 * 784 + i] = 0.5F;
    }
    ane::weight_store digits;
    digits.add("image", {4, 1, 28, 28}, images);
    digits.add("wanted", {4}, {0, 1, 0, 1});
    const ane::weight_store trained = learned(model, first, digits);
    const std::vector<float> w = ane::to_float(trained.at("w"));
    CHECK(w[0] < 0); // bright images are of class 1
    CHECK(w[784] > 0);
}
