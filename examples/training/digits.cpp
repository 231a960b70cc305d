/// Digits, drawn by strokes: a convolutional network from random weights, judged on hands that it never saw.
#include "digits.hpp"

namespace {

template <int Batch> constexpr auto digit_net(ane::builder& g) {
    using namespace ane::literals;
    auto x = g.input("image"_s, ane::f16<Batch, 1, 28, 28>, ane::within(0, 1));
    auto a = max_pool<ane::pool{.kernel = 2, .stride = 2}>(relu(conv2d<ane::conv{.padding = ane::same}>(
        x, g.weight("conv1.weight", ane::f16<8, 1, 3, 3>), g.weight("conv1.bias", ane::f16<8>))));
    auto b = max_pool<ane::pool{.kernel = 2, .stride = 2}>(relu(conv2d<ane::conv{.padding = ane::same}>(
        a, g.weight("conv2.weight", ane::f16<16, 8, 3, 3>), g.weight("conv2.bias", ane::f16<16>))));
    auto c = relu(linear(flatten(b), g.weight("fc1.weight", ane::f16<64, 784>), g.weight("fc1.bias", ane::f16<64>)));
    return g.output("logits"_s,
                    linear(c, g.weight("fc2.weight", ane::f16<10, 64>), g.weight("fc2.bias", ane::f16<10>)));
}
constexpr auto digits = ane::graph([](auto& g) { return digit_net<64>(g); });
constexpr auto few_digits = ane::graph([](auto& g) { return digit_net<16>(g); });

ane::trainer digit_trainer(const ane::graph_view& model, const ane::backend::any& place) {
    return {model, ane::random_weights(model, 1), {.by = ane::adam{}, .scale = ane::dynamic_loss_scale}, place};
}

} // namespace

reached train_digits(const amount& wanted) {
    ane::trainer t = digit_trainer(digits, ane::backend::cpu{});
    const ane::sample_arrays data(t.ports(), draw_digits(seen_hands, wanted.is_full ? 4000 : 320, 1));
    const ane::sample_arrays held_out(t.ports(), draw_digits(unseen_hands, wanted.is_full ? 600 : 60, 2));
    const ane::training_result r = t.train(data,
                                           {.epochs = wanted.is_full ? 8. : 2.,
                                            .rate = {.rate = 0.002, .form = ane::rate_form::cosine, .warm_up = 5},
                                            .told = told("digits")},
                                           &held_out);
    draw(r, wanted, "digits", "digits of unseen hands");
    return {"digits: right of unseen hands", t.validate(held_out).accuracy, wanted.is_full ? 0.97 : 0.2};
}

reached compare_chips(const amount& wanted) {
    const ane::weight_store samples = draw_digits(seen_hands, 160, 1);
    const ane::trainer_options how{.steps = wanted.is_full ? 50 : 2, .rate = {.rate = 0.002}};
    std::vector<std::vector<double>> losses;
    for (const ane::backend::any& place :
         {ane::backend::any(ane::backend::cpu{}), ane::backend::any(ane::backend::oracle{ane::h13}),
          ane::backend::any(ane::backend::oracle{ane::h17s})}) {
        ane::trainer t = digit_trainer(few_digits, place);
        const ane::sample_arrays data(t.ports(), samples);
        std::vector<double>& curve = losses.emplace_back();
        for (const ane::trained_step& each : t.train(data, how).history.steps) {
            curve.push_back(each.loss);
        }
    }
    double apart = 0;
    for (std::size_t i = 0; i < losses[0].size(); ++i) {
        apart = std::max({apart, std::abs(losses[1][i] - losses[0][i]), std::abs(losses[2][i] - losses[0][i])});
    }
    fmt::print(
        "  chips: loss after {} steps {:.4f} on the CPU, {:.4f} as the M1, {:.4f} as the M5; at most {:.4f} apart\n",
        losses[0].size(), losses[0].back(), losses[1].back(), losses[2].back(), apart);
    return {"chips: how far losses stay together", 0.2 - apart, 0};
}

reached compare_accuracies(const amount& wanted) {
    const ane::trainer_options how{.steps = wanted.is_full ? 300 : 1, .rate = {.rate = 0.002}};
    const ane::weight_store samples = draw_digits(seen_hands, wanted.is_full ? 4000 : 160, 1);
    const ane::weight_store unseen = draw_digits(unseen_hands, wanted.is_full ? 1000 : 20, 2);
    double least = 1;
    double most = 0;
    for (const auto& [name, place] : {std::pair("the CPU", ane::backend::any(ane::backend::cpu{})),
                                      std::pair("the M1", ane::backend::any(ane::backend::oracle{ane::h13})),
                                      std::pair("the M5", ane::backend::any(ane::backend::oracle{ane::h17s}))}) {
        ane::trainer t = digit_trainer(few_digits, place);
        t.train(ane::sample_arrays(t.ports(), samples), how);
        // Judged on the CPU: what the weights have learned, not what a chip makes of them.
        ane::trainer judge(few_digits, t.weights(), {.by = ane::adam{}}, ane::backend::cpu{});
        const double right = judge.validate(ane::sample_arrays(judge.ports(), unseen)).accuracy;
        fmt::print("  accuracies: {} steps by {}: {:.4f} of {} right\n", how.steps, name, right,
                   unseen.at("wanted").shape[0]);
        least = std::min(least, right);
        most = std::max(most, right);
    }
    return {"accuracies: how near the chips are", 0.05 - (most - least), wanted.is_full ? 0. : -1.};
}
