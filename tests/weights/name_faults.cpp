#include <anemone/build.hpp>
#include <anemone/dynamic_builder.hpp>
#include <anemone/ops/ops.hpp>
#include <anemone/weights/random.hpp>
#include <anemone/weights/verify.hpp>

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

using namespace ane;

namespace {

/// Two layers under their own names.
dynamic_graph two_layers() {
    dynamic_builder g;
    dynamic_tensor x = g.input("x", {1, 4});
    for (const char* const layer : {"up", "down"}) {
        const std::string name(layer);
        x = g.add(op::linear, {x, g.weight(name + ".w", {name == "up" ? 6 : 4, x.shape().width()}),
                               g.weight(name + ".b", {name == "up" ? 6 : 4})});
    }
    g.output("y", x);
    return g.finish();
}

/// What the check of a store says, or "fits".
std::string said_of(const graph_view& g, const weight_store& store) {
    try {
        verify_weights(g, store);
    } catch (const error& e) {
        CHECK(e.code() == errc::weights);
        return e.what();
    }
    return "fits";
}

bool says(const std::string& text, std::string_view part) {
    if (text.find(part) != std::string::npos) {
        return true;
    }
    MESSAGE(text);
    return false;
}

} // namespace

TEST_CASE("all weights that are missing, misshapen or extra are told at once") {
    const dynamic_graph model = two_layers();
    CHECK(said_of(model, random_weights(model, 1)) == "fits");
    const std::string nothing = said_of(model, {});
    CHECK(nothing.starts_with("weights: up.w: is missing: the model ("));
    CHECK(says(nothing, "name_faults.cpp:"));
    CHECK(says(nothing, "\n  4 missing: up.w [6, 4], up.b [6], down.w [4, 6], down.b [4]"));

    weight_store store = random_weights(model, 1);
    store.remove("up.b");
    store.transpose("down.w");
    store.reshape("down.b", {1, 4, 1});
    store.add("step", {}, {7});
    const std::string all = said_of(model, store);
    CHECK(all.starts_with("weights: up.b: is missing: the model ("));
    CHECK(says(all, "\n  1 missing: up.b [6]\n"));
    CHECK(says(all, "\n  2 of another shape: down.w is stored as [6, 4], the model wants [4, 6] (transpose it: "
                    "weights.transpose(\"down.w\")), down.b is stored as [1, 4, 1], the model wants [4] (if only axes "
                    "of 1 differ: weights.reshape(\"down.b\", {4}))\n"));
    CHECK(says(all, "\n  1 extra: step []"));
}

TEST_CASE("one fault is one line") {
    const dynamic_graph model = two_layers();
    weight_store store = random_weights(model, 1);
    store.transpose("up.w");
    const std::string turned = said_of(model, store);
    CHECK(turned.starts_with("weights: up.w: has shape [4, 6], the model ("));
    CHECK(turned.ends_with(") wants [6, 4]; transpose it: weights.transpose(\"up.w\")"));
    store.transpose("up.w");
    store.add("more", {3}, {1, 2, 3});
    CHECK(said_of(model, store) ==
          "weights: more: is extra: the model has no weight of this name (the store's has shape "
          "[3]); weights_for(model, weights) keeps those of the model");
    CHECK(said_of(model, weights_for(model, store)) == "fits");
}

TEST_CASE("the calls that a message names put it right") {
    constexpr auto kernel = graph([](auto& g) {
        auto x = g.input("x"_s, f16<1, 3, 8, 8>);
        g.output("y"_s, conv2d(x, g.weight("k", f16<16, 3, 5, 4>)));
    });
    weight_store store = random_weights(kernel, 1);
    store.transpose("k", {2, 3, 1, 0}); // TensorFlow's [H, W, I, O]
    CHECK(says(said_of(kernel, store), "weights.transpose(\"k\", {3, 2, 0, 1})"));
    store.transpose("k", {3, 2, 0, 1});
    CHECK(store == random_weights(kernel, 1));

    const dynamic_graph model = two_layers();
    const weight_store good = random_weights(model, 1);
    weight_store renamed = good;
    renamed.rename("up.b", "up.bias");
    CHECK(says(said_of(model, renamed), "weights.rename(\"up.bias\", \"up.b\")"));
    renamed.rename("up.bias", "up.b");
    CHECK(said_of(model, renamed) == "fits");
}

TEST_CASE("a prefix is recognised") {
    const dynamic_graph model = two_layers();
    const weight_store good = random_weights(model, 1);
    CHECK(says(said_of(model, good.with_prefix("transformer")),
               "all 4 names in the store start with \"transformer.\": weights.without_prefix(\"transformer.\")"));
    CHECK(said_of(model, good.with_prefix("transformer").without_prefix("transformer.")) == "fits");

    weight_store file = good.with_prefix("transformer.h.0");
    file.merge(good.with_prefix("transformer.h.1"));
    file.merge(good.with_prefix("transformer.h.10"));
    file.add("transformer.wte", {1}, {1});
    file.add("head", {1}, {1});
    const std::string layers = said_of(model, file);
    CHECK(says(layers, "the store has 4 of them below \"transformer.h.0.\", and as many below 2 other prefixes: "
                       "weights.subset(\"transformer.h.0.\")"));
    CHECK(said_of(model, file.subset("transformer.h.1")) == "fits");
    CHECK(said_of(model, file.subset("transformer.h.1.")) == "fits");

    weight_store part = good;
    part.remove("down.b");
    part = std::move(part).with_prefix("a");
    CHECK(says(said_of(model, part), "all 3 names in the store start with \"a.\": weights.without_prefix(\"a.\")"));
    CHECK(says(said_of(model, weight_store(part).without_prefix("a")), "down.b: is missing"));

    weight_store other;
    other.add("net.x", {1}, {1});
    other.add("net.y", {1}, {1});
    CHECK(says(said_of(model, other), "\n  all 2 names in the store start with \"net.\""));
}

TEST_CASE("a prefix that only the model has is recognised") {
    constexpr auto scoped = graph([](auto& g) {
        auto inner = g.scope("encoder", 0);
        g.output("y"_s, linear(g.input("x"_s, f16<1, 4>), inner.weight("w", f16<4, 4>), inner.weight("b", f16<4>)));
    });
    const weight_store bare = random_weights(scoped, 1).subset("encoder.0");
    const std::string text = said_of(scoped, bare);
    CHECK(says(text, "the store has 2 of them without \"encoder.0.\": weights.with_prefix(\"encoder.0.\")"));
    CHECK(said_of(scoped, bare.with_prefix("encoder.0.")) == "fits");
}

TEST_CASE("square matrices are told of, where others are the wrong way round") {
    dynamic_builder g;
    const dynamic_tensor x = g.add(op::linear, {g.input("x", {1, 4}), g.weight("square", {4, 4})});
    g.output("y", g.add(op::linear, {x, g.weight("wide", {8, 4})}));
    const dynamic_graph model = g.finish();
    weight_store store = random_weights(model, 1);
    CHECK(said_of(model, store) == "fits");
    store.transpose("wide");
    CHECK(said_of(model, store)
              .ends_with("transpose it: weights.transpose(\"wide\")\n  square matrices fit either way "
                         "round and may be transposed too: square"));
    store.reshape("wide", {8, 4, 1});
    CHECK(said_of(model, store).find("square matrices") == std::string::npos);
}

TEST_CASE("missing weights are all named where no prefix explains them; other lists are cut") {
    dynamic_builder g;
    dynamic_tensor x = g.input("x", {1, 2});
    for (int i = 0; i < 25; ++i) {
        x = g.add(op::linear, {x, g.weight("w" + std::to_string(i), {2, 2})});
    }
    g.output("y", x);
    const std::string text = said_of(g.finish(), {});
    CHECK(says(text, "25 missing: w0 [2, 2], w1 [2, 2],"));
    CHECK(text.ends_with(", w23 [2, 2], w24 [2, 2]"));
    const dynamic_graph model = g.finish();
    const std::string prefixed = said_of(model, random_weights(model, 1).with_prefix("net"));
    CHECK(says(prefixed, "w9 [2, 2] and 15 more\n"));
    CHECK(says(prefixed, "net.w9 [2, 2] and 15 more\n"));
    CHECK(says(prefixed, "all 25 names in the store start with \"net.\""));
}

TEST_CASE("the weights of a model are taken out of a larger store") {
    const dynamic_graph model = two_layers();
    const weight_store good = random_weights(model, 1);
    weight_store file = good;
    for (int i = 0; i < 20; ++i) {
        file.add("other." + std::to_string(i), {2}, {1, 2});
    }
    CHECK(weights_for(model, file) == good);
    CHECK(file.size() == 24);
    CHECK(weights_for(model, weight_store(file)) == good);
    file.remove("down.w");
    try {
        (void)weights_for(model, std::move(file));
        FAIL("nothing was thrown");
    } catch (const error& e) {
        CHECK(e.subject() == "down.w");
        CHECK(says(e.what(), "1 missing: down.w [4, 6]"));
    }
    CHECK(file.size() == 23); // what was refused is still there // NOLINT(bugprone-use-after-move)
}
