/// A language model of characters: two blocks of a transformer that read 32 characters and say the next one, from random
/// weights. Its language has sentences such as "the old fox sees a red bird."; whoever has learned it writes words of it.
#include "example.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

namespace {

constexpr int length = 32, width = 48, heads = 4;
constexpr std::string_view alphabet = " .abcdefghijklmnopqrstuvwxyz";
constexpr int kinds = static_cast<int>(alphabet.size());

constexpr std::array<std::string_view, 2> articles{"the", "a"};
constexpr std::array<std::string_view, 5> adjectives{"small", "old", "red", "happy", "quiet"};
constexpr std::array<std::string_view, 6> nouns{"cat", "dog", "bird", "fox", "child", "horse"};
constexpr std::array<std::string_view, 5> verbs{"sees", "likes", "follows", "finds", "hears"};

template <int Out, class Tensor> constexpr auto dense(const ane::builder& g, std::string_view name, Tensor x) {
    return linear(x, g.weight(name, ane::f16<Out, Tensor::extent.width()>));
}
template <int Batch> constexpr auto by_heads(auto x) {
    return transpose<ane::permutation{0, 2, 1, 3}>(ane::reshape<Batch, length, heads, width / heads>(x));
}

/// The same model for any batch: training takes 16 windows at once, writing one.
template <int Batch> constexpr auto text_net(ane::builder& g) {
    using namespace ane::literals;
    auto tokens = g.input("tokens"_s, ane::f16<Batch, length, kinds>, ane::within(0, 1));
    auto mask = g.weight("mask", ane::f16<1, 1, length, length>);
    auto places = ane::reshape<1, length, width>(g.weight("places", ane::f16<length, width>));
    auto embedded = dense<width>(g, "embed", ane::reshape<Batch * length, kinds>(tokens));
    auto h = ane::reshape<Batch * length, width>(ane::reshape<Batch, length, width>(embedded) + places);
    for (int i = 0; i < 2; ++i) {
        const ane::builder own = g.scope("blocks", i);
        auto n = rms_norm(h, own.weight("norm1", ane::f16<width>));
        auto a = attention(by_heads<Batch>(dense<width>(own, "query", n)), by_heads<Batch>(dense<width>(own, "key", n)),
                           by_heads<Batch>(dense<width>(own, "value", n)), mask);
        auto joined = ane::reshape<Batch * length, width>(transpose<ane::permutation{0, 2, 1, 3}>(a));
        h = h + dense<width>(own, "projection", joined);
        auto m = rms_norm(h, own.weight("norm2", ane::f16<width>));
        h = h + dense<width>(own, "down", gelu(dense<4 * width>(own, "up", m)));
    }
    auto last = rms_norm(h, g.weight("norm", ane::f16<width>));
    return g.output("logits"_s, ane::reshape<Batch, length, kinds>(dense<kinds>(g, "head", last)));
}
constexpr auto learner = ane::graph([](ane::builder& g) { return text_net<16>(g); });
constexpr auto writer = ane::graph([](ane::builder& g) { return text_net<1>(g); });

std::string sentence(random_numbers& random) {
    const auto one_of = [&](const auto& words) {
        return std::string(words[static_cast<std::size_t>(random.below(static_cast<int>(words.size())))]) + " ";
    };
    const auto thing = [&] {
        const std::string article = one_of(articles);
        const std::string adjective = random.below(2) == 0 ? one_of(adjectives) : "";
        return article + adjective + one_of(nouns);
    };
    const std::string subject = thing();
    const std::string verb = one_of(verbs);
    std::string all = subject + verb + thing();
    all.back() = '.';
    return all + " ";
}

/// Windows of a text; what is wanted of each character is the next one.
ane::weight_store windows(int count, std::uint64_t seed) {
    random_numbers random(seed);
    std::vector<float> tokens(static_cast<std::size_t>(count) * length * kinds);
    std::vector<float> labels;
    for (int i = 0; i < count; ++i) {
        std::string text;
        while (text.size() < 100) {
            text += sentence(random);
        }
        const auto begin = static_cast<std::size_t>(random.below(40));
        for (int k = 0; k < length; ++k) {
            const std::size_t at = begin + static_cast<std::size_t>(k);
            tokens[static_cast<std::size_t>((i * length + k) * kinds) + alphabet.find(text[at])] = 1;
            labels.push_back(static_cast<float>(alphabet.find(text[at + 1])));
        }
    }
    ane::weight_store data;
    data.add("tokens", {count, length, kinds}, tokens);
    data.add("wanted", {count, length}, labels);
    return data;
}

ane::weight_store first_weights() {
    ane::weight_store weights = ane::random_weights(learner, 1);
    std::vector<float> mask; // no character looks at later ones
    for (int row = 0; row < length; ++row) {
        for (int column = 0; column < length; ++column) {
            mask.push_back(column > row ? -1e4F : 0);
        }
    }
    weights.remove("mask");
    weights.add("mask", {1, 1, length, length}, mask);
    return weights;
}

/// Goes on from a prompt, always with the likeliest character but for a few that are drawn by their probabilities.
std::string completed(const std::string& prompt, std::size_t count, const ane::weight_store& weights) {
    using namespace ane::literals;
    auto program = ane::compile<writer>(ane::backend::cpu{}, weights);
    random_numbers random(4);
    std::string text = prompt;
    while (text.size() < prompt.size() + count) {
        const std::size_t seen = std::min<std::size_t>(text.size(), length);
        ane::ndarray<ane::shape<1, length, kinds>> tokens;
        for (std::size_t k = 0; k < length; ++k) { // behind the text: anything, for nothing looks there
            tokens[k * kinds + (k < seen ? alphabet.find(text[text.size() - seen + k]) : 0)] = ane::half(1);
        }
        const auto answers = program({"tokens"_s = tokens});
        const auto logits = answers["logits"_s];
        std::array<double, kinds> likely{};
        double all = 0;
        for (std::size_t c = 0; c < kinds; ++c) {
            likely[c] = std::exp(static_cast<double>(logits[(seen - 1) * kinds + c]) / 0.7);
            all += likely[c];
        }
        double left = random.within(0, all);
        std::size_t next = 0;
        while (next + 1 < kinds && (left -= likely[next]) > 0) {
            ++next;
        }
        text += alphabet[next];
    }
    return text;
}

/// The part of the whole words of a text that the language has.
double known_words(const std::string& text) {
    double known = 0;
    double all = 0;
    std::string word;
    for (const char c : text) {
        if (c != ' ' && c != '.') {
            word += c;
            continue;
        }
        if (!word.empty()) {
            const auto is_in = [&](const auto& words) {
                return std::find(words.begin(), words.end(), word) != words.end();
            };
            known += is_in(articles) || is_in(adjectives) || is_in(nouns) || is_in(verbs) ? 1 : 0;
            all += 1;
            word.clear();
        }
    }
    return all > 0 ? known / all : 0;
}

} // namespace

reached train_text(const amount& wanted) {
    const std::string_view frozen[] = {"mask"};
    ane::trainer t(learner, first_weights(),
                   {.by = ane::adam{}, .clip = {.norm = 1}, .scale = ane::dynamic_loss_scale, .frozen = frozen},
                   ane::backend::cpu{});
    const ane::sample_arrays data(t.ports(), windows(wanted.is_full ? 8000 : 160, 1));
    const ane::sample_arrays held_out(t.ports(), windows(wanted.is_full ? 160 : 32, 2));
    const ane::training_result r = t.train(data,
                                           {.epochs = wanted.is_full ? 2. : 1.,
                                            .rate = {.rate = 0.004, .form = ane::rate_form::cosine, .warm_up = 20},
                                            .validate_every = wanted.is_full ? 100 : 0,
                                            .told = told("text")},
                                           &held_out);
    draw(r, wanted, "text", "a language model of characters");
    const std::string prompt = "the old fox ";
    const std::string text = completed(prompt, wanted.is_full ? 300 : 40, t.weights());
    fmt::print("  text: {}|{}\n", prompt, text.substr(prompt.size()));
    return {"text: words of the language", known_words(text.substr(0, text.rfind(' '))), wanted.is_full ? 0.95 : 0};
}
