/// Digits, drawn by strokes: a convolutional network from random weights, judged on new digits of the hands that it learned from
/// and, apart, on hands that it never saw.
#include "digits.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <span>

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

ane::trainer digit_trainer(const ane::graph_view& model, const ane::backend::any& place,
                           const ane::loss_scaling& scale = ane::dynamic_loss_scale) {
    return {model, ane::random_weights(model, 1), {.by = ane::adam{}, .scale = scale}, place};
}

/// What part of new digits of some hands is right.
double right_of(ane::trainer& t, std::span<const handwriting> hands, int count, const std::string& who) {
    const double right = t.validate(ane::sample_arrays(t.ports(), draw_digits(hands, count, 3))).accuracy;
    fmt::print("  digits: {}: {:.4f} of {} right\n", who, right, count);
    return right;
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
    const int count = wanted.is_full ? 1000 : 60;
    const double seen = right_of(t, seen_hands, count, "new digits of the hands it learned from");
    const double unseen = right_of(t, unseen_hands, count, "unseen hands");
    for (std::size_t i = 0; i < unseen_hands.size(); ++i) {
        right_of(t, std::span(unseen_hands).subspan(i, 1), count, fmt::format("unseen hand {} alone", i + 1));
    }
    return {"digits: right, of seen hands or of unseen ones", std::min(seen, unseen), wanted.is_full ? 0.97 : 0.2};
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

namespace {

/// Of a training: the loss of each step, and which part of new digits is right after every so many.
struct learned {
    std::vector<double> losses;
    std::vector<double> right;
};

/// Judged on the CPU: what the weights have learned, not what a chip makes of them.
double right_with(const ane::weight_store& weights, const ane::weight_store& unseen) {
    ane::trainer judge(few_digits, weights, {.by = ane::adam{}}, ane::backend::cpu{});
    return judge.validate(ane::sample_arrays(judge.ports(), unseen)).accuracy;
}

learned learn(ane::trainer t, const ane::weight_store& samples, const ane::weight_store& unseen, std::int64_t steps,
              std::int64_t every) {
    learned all;
    (void)t.train(ane::sample_arrays(t.ports(), samples),
                  {.steps = steps, .rate = {.rate = 0.002}, .told = [&](const ane::training_moment& m) {
                       all.losses.push_back(m.step.loss);
                       if (m.step.step % every == 0) {
                           all.right.push_back(right_with(t.weights(), unseen));
                       }
                   }});
    return all;
}

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
    double most = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        most = std::max(most, std::abs(a[i] - b[i]));
    }
    return most;
}

} // namespace

reached compare_accuracies(const amount& wanted) {
    const std::int64_t steps = wanted.is_full ? 300 : 1;
    const std::int64_t every = wanted.is_full ? 50 : 1;
    const ane::weight_store samples = draw_digits(seen_hands, wanted.is_full ? 4000 : 160, 1);
    const ane::weight_store unseen = draw_digits(unseen_hands, wanted.is_full ? 1000 : 20, 2);
    struct run {
        std::string_view name;
        ane::backend::any place;
        ane::loss_scaling scale;
    };
    std::vector<run> runs{{"the CPU", ane::backend::cpu{}, ane::dynamic_loss_scale}};
    for (const double scale : {128., 1024., 65536.}) {
        if (wanted.is_full || scale == 1024) {
            runs.push_back({"the M1", ane::backend::oracle{ane::h13}, {.fixed = scale}});
            runs.push_back({"the M5", ane::backend::oracle{ane::h17s}, {.fixed = scale}});
        }
    }
    std::vector<learned> found;
    for (const run& each : runs) {
        found.push_back(learn(digit_trainer(few_digits, each.place, each.scale), samples, unseen, steps, every));
    }
    for (std::size_t k = 0; k < runs.size(); ++k) {
        const std::vector<double>& losses = found[k].losses;
        const std::vector<double>& first = found[1].losses; // of the first chip
        const double mean =
            std::accumulate(losses.begin(), losses.end(), 0.) - std::accumulate(first.begin(), first.end(), 0.);
        fmt::print(
            "  accuracies: {} steps by {}, loss scale {}: {:.4f} of {} right; losses at most {:.4f} from the first "
            "chip's, on average {:+.4f}; every {}: {:.3f}\n",
            steps, runs[k].name, runs[k].scale.by_host ? "by the host" : fmt::format("{}", runs[k].scale.fixed),
            found[k].right.back(), unseen.at("wanted").shape[0], largest_difference(losses, first),
            mean / static_cast<double>(losses.size()), every, fmt::join(found[k].right, " "));
    }
    // At equal scales the chips are to be within a few samples in a thousand of each other, and so are the scales of a chip.
    double chips = 0;
    double scales = 0;
    double curves = 0;
    for (std::size_t i = 1; i + 1 < found.size(); i += 2) {
        chips = std::max(chips, std::abs(found[i].right.back() - found[i + 1].right.back()));
        scales = std::max({scales, std::abs(found[i].right.back() - found[1].right.back()),
                           std::abs(found[i + 1].right.back() - found[2].right.back())});
        curves = std::max(curves, largest_difference(found[i].right, found[i + 1].right));
    }
    fmt::print(
        "  accuracies: chips at most {:.4f} apart at equal scales, {:.4f} on the way; scales at most {:.4f} on a chip\n",
        chips, curves, scales);
    return {"accuracies: how near the chips are, and the scales", 0.005 - std::max(chips, scales),
            wanted.is_full ? 0. : -1.};
}
