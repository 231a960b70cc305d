// Trainings by the host: from samples to weights, through checkpoints, and what ends them.

#include "../from_environment.hpp"
#include "../processes/full_disk.hpp"
#include "../processes/scratch_folder.hpp"
#include <anemone/backend/cpu/cpu.hpp>
#include <anemone/backend/oracle/oracle.hpp>
#include <anemone/backend/samples.hpp>
#include <anemone/base/formatted.hpp>
#include <anemone/model.hpp>
#include <anemone/segments/recompute.hpp>
#include <anemone/trainer/checkpoint.hpp>
#include <anemone/trainer/trainer.hpp>
#include <anemone/weights/random.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <filesystem>
#include <limits>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

using namespace ane;

namespace {

/// Two layers, three classes, eight samples in a step.
constexpr auto small_net = graph([](auto& g) {
    auto x = g.input("x"_s, f16<8, 2>);
    auto hidden = relu(linear(x, g.weight("first.w", f16<16, 2>), g.weight("first.b", f16<16>)));
    g.output("logits"_s, linear(hidden, g.weight("last.w", f16<3, 16>), g.weight("last.b", f16<3>)));
});
/// A straight line, four samples in a step.
constexpr auto straight_line = graph([](auto& g) {
    auto x = g.input("x"_s, f16<4, 1>);
    g.output("y"_s, linear(x, g.weight("w", f16<1, 1>), g.weight("b", f16<1>)));
});

/// Points of three sectors of the plane, with the number of theirs.
weight_store sectors(std::int64_t count, unsigned seed) {
    std::mt19937 random(seed);
    std::vector<float> points;
    std::vector<float> labels;
    for (std::int64_t i = 0; i < count; ++i) {
        const auto sector = static_cast<float>(random() % 3);
        const float angle = (sector + 0.15F + 0.7F * static_cast<float>(random() % 1000) / 1000) * 2.0943951F;
        const float radius = 0.5F + static_cast<float>(random() % 1000) / 1000;
        points.insert(points.end(), {radius * std::cos(angle), radius * std::sin(angle)});
        labels.push_back(sector);
    }
    weight_store data;
    data.add("x", {count, 2}, points);
    data.add("wanted", {count}, labels);
    return data;
}

trainer small_trainer(const training_options& what, const backend::any& place = backend::cpu{}.threads(1)) {
    return {small_net, random_weights(small_net, 3), what, place};
}

std::string refusal_of(const std::function<void()>& call) {
    try {
        call();
    } catch (const error& e) {
        return e.what();
    }
    return "done";
}
bool has(const std::string& text, const std::string& part) {
    INFO(text);
    return text.find(part) != std::string::npos;
}

/// Samples of y = 2 x - 1.
weight_store line(std::int64_t count) {
    std::vector<float> x;
    std::vector<float> y;
    for (std::int64_t i = 0; i < count; ++i) {
        x.push_back(static_cast<float>(i % 9) / 4 - 1);
        y.push_back(2 * x.back() - 1);
    }
    weight_store data;
    data.add("x", {count, 1}, x);
    data.add("wanted", {count, 1}, y);
    return data;
}
weight_store zeros_of_line() {
    weight_store w;
    w.add("w", {1, 1}, {0});
    w.add("b", {1}, {0});
    return w;
}
float first(const weight_store& w, const std::string& name) {
    float value = 0;
    std::memcpy(&value, w.at(name).bytes.data(), sizeof value);
    return value;
}

} // namespace

namespace {
/// Layers deep enough that what the backward pass reads is most of what a step keeps; 512 samples in a step.
constexpr auto deep_net = graph([](auto& g) {
    auto x = g.input("x"_s, f16<512, 2>);
    auto a = tanh(linear(x, g.weight("a", f16<64, 2>)));
    auto b = tanh(linear(a, g.weight("b", f16<64, 64>)));
    auto c = tanh(linear(b, g.weight("c", f16<64, 64>)));
    auto d = tanh(linear(c, g.weight("d", f16<64, 64>)));
    auto e = tanh(linear(d, g.weight("e", f16<64, 64>)));
    auto f = tanh(linear(e, g.weight("f", f16<64, 64>)));
    g.output("logits"_s, linear(f, g.weight("head", f16<3, 64>)));
});
/// What its step takes where as much as can be is computed again.
std::int64_t least_bytes(const training_options& what) {
    return recompute(make_training_step(deep_net, what), target::h13, {.most_bytes = 1}).bytes;
}
} // namespace

TEST_CASE("a step in less memory computes values again, to the same losses, and says so") {
    const weight_store first = random_weights(deep_net, 4);
    const backend::cpu place = backend::cpu{}.threads(1).rounding(rounding::each_operation);
    const training_options what{.by = momentum{}};
    const trainer_options how{.steps = 6, .rate = {.rate = 0.01}};
    trainer whole(deep_net, first, what, place);
    CHECK(whole.memory().repeated == 0);
    CHECK(whole.memory().bytes == whole.memory().bytes_before);
    const sample_arrays data(whole.ports(), sectors(1024, 1));
    const training_result expected = whole.train(data, how);
    const auto run_with = [&](std::int64_t most) {
        trainer t(deep_net, first, what, place, most);
        CHECK(t.memory().bytes <= most);
        CHECK(t.memory().bytes_before == whole.memory().bytes);
        CHECK(t.train(data, how).history.steps.back().loss == expected.history.steps.back().loss);
        CHECK(t.weights().at("c").bytes == whole.weights().at("c").bytes);
        return t.memory();
    };
    CHECK(run_with(whole.memory().bytes) == whole.memory());
    CHECK(run_with(least_bytes(what)).repeated > 0);
    const std::string refused = refusal_of([&] { trainer(deep_net, first, what, place, 1000); });
    CHECK(has(refused, formatted("step memory: the values of a step take {} bytes at once", whole.memory().bytes)));
    CHECK(has(refused, "allowed are 1000: a smaller batch takes less"));
    CHECK(has(refusal_of([&] { trainer(deep_net, first, what, place, -1); }), "must be 0, for any, or more"));
}

TEST_CASE("a checkpoint of a step in less memory goes on with such a step alone") {
    const scratch_folder folder;
    const weight_store first = random_weights(deep_net, 4);
    const backend::any place = backend::cpu{}.threads(1);
    const auto train_with = [&](std::int64_t most, std::int64_t steps, bool resume) {
        trainer t(deep_net, first, {.by = momentum{}}, place, most);
        const sample_arrays data(t.ports(), sectors(1024, 1));
        t.train(data, {.steps = steps, .checkpoints = {.folder = folder / "run", .resume = resume}});
        return t.memory();
    };
    const std::int64_t most = least_bytes({.by = momentum{}});
    CHECK(train_with(most, 2, false).repeated > 0);
    CHECK(has(refusal_of([&] { train_with(0, 4, true); }), "is a checkpoint of another training: its model is"));
    CHECK(refusal_of([&] { train_with(most, 4, true); }) == "done");
}

TEST_CASE("a network learns samples, and the trained weights run as a model") {
    trainer t = small_trainer({.by = adam{}});
    CHECK(t.ports().size() == 2);
    CHECK(t.ports()[1].name == "wanted");
    CHECK(t.ports()[1].classes == 1);
    CHECK(t.frozen().empty());
    const sample_arrays data(t.ports(), sectors(200, 1));
    const sample_arrays held_out(t.ports(), sectors(61, 2)); // not a multiple of 8
    CHECK(t.validate(held_out).accuracy < 0.9);
    std::int64_t told = 0;
    const training_result r = t.train(data,
                                      {.epochs = 12,
                                       .rate = {.rate = 0.01, .form = rate_form::cosine, .warm_up = 5},
                                       .told =
                                           [&](const training_moment& m) {
                                               CHECK(m.step.step == ++told);
                                               CHECK(m.steps == 300);
                                               CHECK((m.validation != nullptr) == (told % 25 == 0));
                                           }},
                                      &held_out);
    CHECK(told == 300);
    CHECK(r.history.steps.size() == 300);
    CHECK(r.history.validations.size() == 12);
    CHECK(r.history.steps[0].loss > 0.7);
    CHECK(r.history.steps[299].loss < 0.3);
    CHECK(r.history.steps[299].epoch == 12);
    CHECK_FALSE(r.was_stopped);
    const validated_step found = t.validate(held_out);
    CHECK(found.accuracy > 0.95);
    CHECK(found.loss == r.history.validations.back().loss); // the best one

    // The same answers from the model itself.
    const weight_store trained = t.weights();
    any_program program = backend::cpu{}.compile(small_net, trained);
    std::vector<half> x(16);
    std::vector<half> logits(24);
    std::vector<half> wanted(24);
    int right = 0;
    for (std::int64_t begin = 0; begin < 56; begin += 8) {
        std::vector<std::int64_t> numbers;
        for (std::int64_t i = begin; i < begin + 8; ++i) {
            numbers.push_back(i);
        }
        const std::span<std::byte> batch[] = {std::as_writable_bytes(std::span(x)),
                                              std::as_writable_bytes(std::span(wanted))};
        held_out.fill(numbers, batch);
        const std::span<const std::byte> in[] = {std::as_bytes(std::span(x))};
        const std::span<std::byte> out[] = {std::as_writable_bytes(std::span(logits))};
        program.run(in, out);
        for (std::size_t i = 0; i < 8; ++i) {
            const auto best = std::max_element(logits.begin() + 3 * static_cast<std::ptrdiff_t>(i),
                                               logits.begin() + 3 * static_cast<std::ptrdiff_t>(i) + 3);
            right += wanted[static_cast<std::size_t>(best - logits.begin())] == half(1) ? 1 : 0;
        }
    }
    CHECK(right >= 53);
}

TEST_CASE("steps of gradient descent on a line are those of the closed form") {
    trainer t(straight_line, zeros_of_line(), {.loss = {.kind = loss_kind::mean_squared}}, backend::cpu{});
    const sample_arrays data(t.ports(), line(4)); // x = -1, -0.75, -0.5, -0.25
    const training_result r = t.train(data, {.steps = 3, .rate = {.rate = 0.25}, .shuffles = false});
    double w = 0;
    double b = 0;
    for (const trained_step& each : r.history.steps) {
        double loss = 0;
        double dw = 0;
        double db = 0;
        for (int i = 0; i < 4; ++i) {
            const double x = i / 4. - 1;
            const double d = w * x + b - (2 * x - 1);
            loss += d * d / 4;
            dw += 2 * d * x / 4;
            db += 2 * d / 4;
        }
        CHECK(each.loss == doctest::Approx(loss).epsilon(2e-3));
        w -= 0.25 * dw;
        b -= 0.25 * db;
    }
    CHECK(first(t.weights(), "w") == doctest::Approx(w).epsilon(2e-3));
    CHECK(first(t.weights(), "b") == doctest::Approx(b).epsilon(2e-3));
    CHECK(r.history.validations.empty());
    CHECK(r.best_step == 3);
}

TEST_CASE("the loss of held-out samples is their mean, however many fill the last batch") {
    trainer t(straight_line, zeros_of_line(), {.loss = {.kind = loss_kind::mean_squared}}, backend::cpu{});
    for (const std::int64_t count : {1, 3, 4, 7, 9}) {
        const sample_arrays samples(t.ports(), line(count));
        double sum = 0;
        for (std::int64_t i = 0; i < count; ++i) {
            const double y = 2 * (static_cast<double>(i % 9) / 4 - 1) - 1;
            sum += y * y;
        }
        const validated_step found = t.validate(samples);
        CHECK(found.loss == doctest::Approx(sum / static_cast<double>(count)).epsilon(2e-3));
        CHECK(found.accuracy < 0);
    }
}

TEST_CASE("one class alone is right where it is on the side of what is wanted, as a logit and as a probability") {
    static constexpr auto probability = graph([](auto& g) {
        auto x = g.input("x"_s, f16<4, 1>);
        g.output("y"_s, sigmoid(linear(x, g.weight("w", f16<1, 1>), g.weight("b", f16<1>))));
    });
    weight_store data;
    data.add("x", {6, 1}, {-3, -2, -1, 1, 2, 3});
    data.add("wanted", {6, 1}, {0, 0, 1, 1, 1, 0}); // the third and the last are on the wrong side
    weight_store weights;
    weights.add("w", {1, 1}, {1});
    weights.add("b", {1}, {0});
    for (const graph_view& model : {graph_view(straight_line), graph_view(probability)}) {
        trainer t(model, weights, {.loss = {.kind = loss_kind::binary_cross_entropy}}, backend::cpu{});
        CHECK(t.validate(sample_arrays(t.ports(), data)).accuracy == doctest::Approx(4. / 6));
    }
}

TEST_CASE("a training that was killed and goes on has the bits of one that was not") {
    const training_options what{.by = adam{}, .scale = dynamic_loss_scale};
    trainer_options how{.steps = 40,
                        .rate = {.rate = 0.01, .form = rate_form::cosine, .warm_up = 3},
                        .scale = {.first = 32768, .growth = 6},
                        .seed = 5,
                        .validate_every = 7,
                        .patience = 30};
    const weight_store samples = sectors(50, 4);
    const weight_store others = sectors(20, 5);
    trainer whole = small_trainer(what);
    const sample_arrays data(whole.ports(), samples);
    const sample_arrays held_out(whole.ports(), others);
    const training_result unbroken = whole.train(data, how, &held_out);

    const scratch_folder folder;
    how.checkpoints = {.folder = folder / "run", .every = 5, .keep = 2, .resume = true};
    for (const std::int64_t end : {12, 13, 27, 40}) { // 10, 10, 25 are saved
        trainer broken = small_trainer(what);
        how.told = [end](const training_moment& m) {
            if (m.step.step == end && end < 40) {
                throw std::runtime_error("killed");
            }
        };
        if (end < 40) {
            CHECK_THROWS_WITH((void)broken.train(data, how, &held_out), "killed");
            continue;
        }
        const training_result r = broken.train(data, how, &held_out);
        CHECK(r.resumed_from == 25);
        CHECK(r.history == unbroken.history);
        CHECK(r.best_step == unbroken.best_step);
        CHECK(broken.weights() == whole.weights());
    }
    CHECK(checkpoints_in(folder / "run") == std::vector<std::int64_t>{35, 40});

    trainer again = small_trainer(what); // nothing is left to do
    const training_result r = again.train(data, how, &held_out);
    CHECK(r.resumed_from == 40);
    CHECK(r.history == unbroken.history);
    CHECK(again.weights() == whole.weights());

    how.checkpoints.resume = false;
    CHECK(has(refusal_of([&] { (void)again.train(data, how, &held_out); }),
              "has the checkpoint of step 40: resume that training, or name another folder"));
    how.checkpoints.resume = true;
    trainer other = small_trainer({.by = sgd{}, .scale = dynamic_loss_scale});
    CHECK(has(refusal_of([&] { (void)other.train(data, how, &held_out); }),
              "is a checkpoint of another training: it has first.w.momentum, which this one does not train"));
    how.seed = 6;
    CHECK(has(refusal_of([&] { (void)again.train(data, how, &held_out); }),
              "its order is 50 samples, 8 in a step, seed 5, this one's 50 samples, 8 in a step, seed 6"));
}

TEST_CASE("a full disk, or a folder that is none, loses nothing") {
    const scratch_folder folder;
    std::ofstream(folder.path() / "file") << "mine";
    trainer t = small_trainer({});
    const sample_arrays data(t.ports(), sectors(16, 1));
    CHECK_THROWS_AS((void)t.train(data, {.steps = 2, .checkpoints = {.folder = folder / "file"}}), error);
    CHECK(folder.names() == std::vector<std::string>{"file"});
    CHECK_THROWS_AS((void)t.train(data, {.steps = 2, .checkpoints = {.folder = "/dev/full/run"}}), error);
}

TEST_CASE("a disk that is full at a checkpoint leaves the last one, from which a training goes on to the same bits") {
    const training_options what{.by = momentum{}};
    trainer_options how{.steps = 6, .rate = {.rate = 0.01}};
    trainer whole = small_trainer(what);
    const sample_arrays data(whole.ports(), sectors(16, 1));
    const training_result unbroken = whole.train(data, how);

    const scratch_folder folder;
    how.checkpoints = {.folder = folder / "run", .every = 2, .resume = true};
    for (const std::size_t room : {std::size_t{0}, std::size_t{100}, std::size_t{1000}}) {
        CAPTURE(room);
        trainer broken = small_trainer(what);
        how.steps = 2;
        (void)broken.train(data, how);
        how.steps = 6;
        const std::string said = [&] {
            const full_disk disk(room);
            return refusal_of([&] { (void)broken.train(data, how); });
        }();
        CHECK(has(said, "step-000000004.safetensors"));
        CHECK(has(said, "File too large"));
        CHECK(std::filesystem::exists(checkpoint_path(folder / "run", 2)));
        CHECK(checkpoints_in(folder / "run") == std::vector<std::int64_t>{2});
    }
    trainer again = small_trainer(what);
    const training_result r = again.train(data, how);
    CHECK(r.resumed_from == 2);
    CHECK(r.history == unbroken.history);
    CHECK(again.weights() == whole.weights());
}

TEST_CASE("a dynamic loss scale finds what fp16 holds; skipped steps change no weight") {
    // A gradient of about 8 per unit of loss: at 32768 it is infinite.
    weight_store far = line(8);
    far.remove("wanted");
    far.add("wanted", {8, 1}, {8, 8, 8, 8, 8, 8, 8, 8});
    const training_options what{
        .loss = {.kind = loss_kind::mean_squared}, .by = momentum{}, .scale = dynamic_loss_scale};
    trainer t(straight_line, zeros_of_line(), what, backend::cpu{});
    const sample_arrays data(t.ports(), far);
    const training_result r =
        t.train(data, {.steps = 60, .rate = {.rate = 0.02}, .scale = {.first = 32768, .growth = 10}});
    CHECK(r.history.steps[0].skipped);
    CHECK(r.history.steps[0].loss_scale == 32768);
    CHECK(r.history.steps[1].loss == r.history.steps[0].loss);
    CHECK(r.history.steps[1].loss_scale == 16384);
    double least = 32768;
    bool grew = false;
    for (std::size_t i = 1; i < 60; ++i) {
        const double scale = r.history.steps[i].loss_scale;
        grew = grew || scale > r.history.steps[i - 1].loss_scale;
        CHECK((r.history.steps[i - 1].skipped ? scale == r.history.steps[i - 1].loss_scale / 2
                                              : scale >= r.history.steps[i - 1].loss_scale));
        least = std::min(least, scale);
    }
    CHECK(grew);
    CHECK(least < 16384);
    CHECK(r.history.steps[59].loss < 0.1 * r.history.steps[0].loss);

    // The same training with a scale that never changes: momentum moves with the scale.
    trainer fixed(straight_line, zeros_of_line(),
                  {.loss = {.kind = loss_kind::mean_squared}, .by = momentum{}, .scale = {.fixed = 64}},
                  backend::cpu{});
    std::int64_t skipped = 0;
    for (const trained_step& each : r.history.steps) {
        skipped += each.skipped ? 1 : 0;
    }
    const training_result alike = fixed.train(data, {.steps = 60 - skipped, .rate = {.rate = 0.02}});
    CHECK(alike.history.steps.back().loss == doctest::Approx(r.history.steps[59].loss).epsilon(0.05));
}

TEST_CASE("a training that only gets worse stops, and the best weights are kept") {
    trainer t(straight_line, zeros_of_line(), {.loss = {.kind = loss_kind::mean_squared}}, backend::cpu{});
    weight_store opposite = line(8);
    opposite.remove("wanted");
    opposite.add("wanted", {8, 1}, {3, 2.5F, 2, 1.5F, 1, 0.5F, 0, -0.5F});
    const sample_arrays data(t.ports(), line(8));
    const sample_arrays held_out(t.ports(), opposite);
    const training_result r =
        t.train(data, {.steps = 100, .rate = {.rate = 0.05}, .validate_every = 2, .patience = 4}, &held_out);
    CHECK(r.was_stopped);
    CHECK(r.history.steps.size() == 10); // the first validation is the best one
    CHECK(r.best_step == 2);
    CHECK(t.validate(held_out).loss == r.history.validations[0].loss);
}

TEST_CASE("frozen weights keep their bits, and why is told") {
    const std::string_view frozen[] = {"first.*"};
    trainer t = small_trainer({.by = lion{}, .frozen = frozen});
    CHECK(t.frozen() == std::vector<std::string>{"first.w: it is to stay", "first.b: it is to stay"});
    const sample_arrays data(t.ports(), sectors(16, 1));
    (void)t.train(data, {.steps = 5, .rate = {.rate = 0.01}});
    const weight_store before = random_weights(small_net, 3);
    const weight_store after = t.weights();
    CHECK(after.at("first.w") == before.at("first.w"));
    CHECK(after.at("first.b") == before.at("first.b"));
    CHECK(after.at("last.w") != before.at("last.w"));
    CHECK(after.size() == before.size());
}

TEST_CASE("batches of the caller, and numbers in them that are none") {
    trainer t = small_trainer({});
    const sample_arrays data(t.ports(), sectors(16, 1));
    std::vector<std::int64_t> asked;
    const auto batches = [&](std::int64_t step, std::span<const std::span<std::byte>> memory) {
        asked.push_back(step);
        const std::int64_t numbers[] = {0, 1, 2, 3, 4, 5, 6, 7};
        data.fill(numbers, memory);
        if (step == 2) {
            const half nan = std::numeric_limits<half>::quiet_NaN();
            std::memcpy(memory[0].data() + 6, &nan, sizeof nan);
        }
    };
    CHECK(t.train(batches, {.steps = 2}).history.steps.size() == 2);
    CHECK(asked == std::vector<std::int64_t>{0, 1});
    CHECK(has(refusal_of([&] { (void)t.train(batches, {.steps = 3}); }),
              "x: element 3 of the batch of step 3 is nan; samples must be finite"));
    CHECK(has(refusal_of([&] { (void)t.train(batches, {}); }), "must have 1 or more"));
}

TEST_CASE("trainings that cannot go well end with a sentence") {
    trainer t = small_trainer({});
    const sample_arrays data(t.ports(), sectors(16, 1));
    CHECK(has(refusal_of([&] { (void)t.train(data, {.rate = {.rate = 1e-9}}); }), "must lie between 6e-8"));
    CHECK(has(refusal_of([&] { (void)t.train(data, {.epochs = 0}); }), "must have a step or more"));
    CHECK(has(refusal_of([&] { (void)t.train(data, {.patience = 2}); }), "there are no samples for them"));
    CHECK(has(refusal_of([&] { (void)t.train(data, {.checkpoints = {.resume = true}}); }), "needs the folder"));
    trainer diverging(straight_line, zeros_of_line(), {.loss = {.kind = loss_kind::mean_squared}}, backend::cpu{});
    const sample_arrays points(diverging.ports(), line(8));
    CHECK(has(refusal_of([&] { (void)diverging.train(points, {.steps = 40, .rate = {.rate = 60}}); }),
              "a smaller rate, a warm-up, a limit of the gradients or a dynamic loss scale may help"));
}

TEST_CASE("a training on the engine's arithmetic follows that of the CPU") {
    const sample_arrays data(small_trainer({}).ports(), sectors(64, 1));
    const trainer_options how{.steps = 12, .rate = {.rate = 0.1}};
    trainer cpu = small_trainer({.by = momentum{}});
    const training_result wanted = cpu.train(data, how);
    for (const target chip : {h13, h17s}) {
        trainer engine = small_trainer({.by = momentum{}}, backend::oracle{chip});
        const training_result got = engine.train(data, how);
        for (std::size_t i = 0; i < 12; ++i) {
            CHECK(got.history.steps[i].loss == doctest::Approx(wanted.history.steps[i].loss).epsilon(0.01));
        }
    }
}
