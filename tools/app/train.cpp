#include "train.hpp"

#include "backends.hpp"
#include "option_faults.hpp"
#include "run_memory.hpp"
#include <anemone/io/json.hpp>
#include <anemone/training/training_step.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <string_view>
#include <utility>

namespace app {

namespace {

ane::optimizer optimizer_of(const train_options& how) {
    ane::optimizer by;
    switch (how.optimizer) {
    case ane::optimizer_kind::sgd: by = ane::sgd{}; break;
    case ane::optimizer_kind::momentum: by = ane::momentum{}; break;
    case ane::optimizer_kind::nesterov: by = ane::nesterov{}; break;
    case ane::optimizer_kind::adam: by = ane::adam{}; break;
    case ane::optimizer_kind::adamw: by = ane::adamw{}; break;
    case ane::optimizer_kind::lion: by = ane::lion{}; break;
    }
    by.decay = how.decay;
    return by;
}

/// Arrays of a caller as samples; the one that is wanted gets the name of its port.
ane::weight_store samples_of(const std::vector<input_array>& arrays, const std::string& wanted, const std::string& port,
                             const std::string& what) {
    ane::weight_store samples;
    bool is_there = false;
    for (const input_array& each : arrays) {
        is_there = is_there || each.name == wanted;
        ane::extents shape;
        const std::vector<std::int64_t> given = each.shape.value_or(
            std::vector<std::int64_t>{static_cast<std::int64_t>(each.bytes.size() / bytes_of(each.type))});
        if (given.size() > static_cast<std::size_t>(ane::extents::capacity)) {
            throw ane::error(ane::errc::port, each.name,
                             fmt::format("has {} axes, arrays of {} have at most {}", given.size(), what,
                                         static_cast<int>(ane::extents::capacity)));
        }
        for (const std::int64_t extent : given) {
            shape.append(extent);
        }
        const std::string name = each.name == wanted ? port : each.name;
        if (samples.contains(name)) {
            throw ane::error(ane::errc::port, each.name, "is given twice in " + what);
        }
        samples.add({name, each.type, shape, {each.bytes.begin(), each.bytes.end()}});
    }
    if (!is_there) {
        throw ane::error(ane::errc::port, wanted,
                         fmt::format("{} has no array of this name, which was to be what is wanted", what));
    }
    return samples;
}

/// The model as it is trained: with another batch than that of the file's model, where one is wanted.
model with_batch(const model& of, const train_options& how, const caller& who) {
    if (how.batch == 0) {
        return of;
    }
    return of.read_again(
        [&](reading_options& reading) {
            reading.shapes.clear();
            for (const port& p : of.ports().inputs) {
                std::string text = p.name + "=" + std::to_string(how.batch);
                for (std::size_t axis = 1; axis < p.shape.size(); ++axis) {
                    text += "," + std::to_string(p.shape[axis]);
                }
                reading.shapes.push_back(std::move(text));
            }
        },
        who);
}

/// Whether a step convolves by weights that it computes, which the engine takes at batch 1 only (R044).
bool convolves_by_states(const ane::graph_view& step) {
    const ane::sequence<char> constant = ane::constant_nodes(step);
    for (const ane::node& n : step.nodes) {
        if ((n.kind == ane::op::conv2d || n.kind == ane::op::conv_transpose2d) &&
            constant[static_cast<std::size_t>(step.operands(n)[1])] == 0) {
            return true;
        }
    }
    return false;
}

std::string moment_text(const ane::training_moment& m) {
    return fmt::format("step {} of {}, loss {:.4g}, {:.3g} steps/s, {:.0f} s left", m.step.step, m.steps, m.step.loss,
                       m.steps_per_second, m.seconds_left);
}

} // namespace

trained train(const model& of, const train_options& how, const std::vector<input_array>& data,
              const std::vector<input_array>& held_out, const caller& who,
              const std::function<void(const ane::training_moment&)>& told) {
    require_limits(how, who.by);
    of.require_exact("trained");
    if (data.empty()) {
        throw ane::error(ane::errc::argument, spelled(train_options::data(), who.by), "has no arrays to train on");
    }
    const model shaped = with_batch(of, how, who);
    require_run_memory(shaped.graph(), kept_by(how.backend), of.max_memory(), who);
    const std::vector<std::string_view> only(how.train.begin(), how.train.end());
    const std::vector<std::string_view> frozen(how.freeze.begin(), how.freeze.end());
    ane::training_options what{.prediction = how.output,
                               .loss = {.kind = how.loss, .axis = how.axis, .smoothing = how.smoothing},
                               .by = optimizer_of(how),
                               .clip = {how.clip, how.clip_norm},
                               .scale = ane::dynamic_loss_scale,
                               .trained = only,
                               .frozen = frozen,
                               .weight_limit = how.weight_limit,
                               .pairs = how.pairs};
    if (how.loss_scale > 0) {
        what.scale = {.fixed = how.loss_scale, .skips = true};
    }
    const auto start = std::chrono::steady_clock::now();
    const task shown(who, fmt::format("training {} on {}", of.path(), how.backend));
    // Elsewhere all values of a run are kept, those that are computed again too.
    const auto allowed = kept_by(how.backend) == kept_values::live && how.step_memory == 0
                             ? static_cast<std::int64_t>(std::min<std::uint64_t>(of.max_memory(), INT64_MAX))
                             : how.step_memory;
    ane::trainer by(shaped.graph(), shaped.weights(), what, backend_named(how.backend, how.threads, shaped.layers()),
                    allowed);
    // The engine has no convolution by a weight that is computed, above batch 1; the CPU's own kernels are faster than products.
    what.unfolds = true;
    std::vector<step_cost> chips =
        convolves_by_states(by.step().graph)
            ? costs_of_step(by.step().graph, ane::make_training_step(shaped.graph(), what).graph)
            : costs_of_step(by.step().graph);
    const std::string port = by.wanted();
    const ane::sample_arrays samples(by.ports(), samples_of(data, how.wanted, port, "the data"));
    const ane::sample_arrays others =
        held_out.empty() ? ane::sample_arrays()
                         : ane::sample_arrays(by.ports(), samples_of(held_out, how.wanted, port, "the validation"));
    const ane::sample_arrays* const validation = held_out.empty() ? nullptr : &others;
    ane::trainer_options host{
        .epochs = how.epochs,
        .steps = how.steps,
        .rate = {.rate = how.rate, .form = how.schedule, .warm_up = how.warm_up, .last = how.last_rate},
        .seed = how.seed,
        .shuffles = !how.ordered,
        .validate_every = how.validate_every,
        .patience = how.patience,
        .checkpoints = {.folder = how.checkpoint,
                        .every = how.checkpoint_every,
                        .keep = static_cast<std::size_t>(how.keep),
                        .resume = how.resume},
        .told = [&](const ane::training_moment& m) {
            shown.at(static_cast<double>(m.step.step) / static_cast<double>(m.steps));
            shown.now(moment_text(m));
            if (told) {
                told(m);
            }
        }};
    ane::training_result result = by.train(samples, host, validation);
    ane::weight_store weights = of.weights();
    if (how.batch == 0) {
        weights = by.weights();
    } else { // those of the same names; constants that the shape made may differ
        ane::weight_store all;
        const ane::weight_store found = by.weights();
        for (const ane::stored_tensor& each : weights) {
            const ane::stored_tensor* const now = found.find(each.name);
            all.add(now != nullptr && now->shape == each.shape ? *now : each);
        }
        weights = std::move(all);
    }
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    return {.result = std::move(result),
            .frozen = by.frozen(),
            .trained_weights = by.trained(),
            .batch = samples.batch(),
            .memory = by.memory(),
            .seconds = took.count(),
            .chips = std::move(chips),
            .validation = validation == nullptr ? std::nullopt : std::optional(by.validate(*validation)),
            .made = of.with(of.graph(), std::move(weights))};
}

std::string text(const trained& t) {
    const ane::training_history& h = t.result.history;
    std::string said = fmt::format("{} weights trained, {} as they were\n", t.trained_weights, t.frozen.size());
    for (const std::string& each : t.frozen) {
        if (!each.ends_with(sentence(ane::frozen_because::it_was_asked_for))) {
            said += "  " + each + "\n";
        }
    }
    if (t.memory.bytes < t.memory.bytes_before) {
        said += fmt::format("{} bytes of values at once in place of {}, by computing {} operations again\n",
                            t.memory.bytes, t.memory.bytes_before, t.memory.repeated);
    }
    if (t.result.resumed_from > 0) {
        said += fmt::format("resumed from step {}\n", t.result.resumed_from);
    }
    if (h.steps.empty()) {
        return said;
    }
    const auto skipped = std::count_if(h.steps.begin(), h.steps.end(), [](const auto& each) { return each.skipped; });
    said +=
        fmt::format("{} steps of {} sample{}, {:.4g} epochs; loss {:.4g} at first, {:.4g} at last\n", h.steps.size(),
                    t.batch, t.batch == 1 ? "" : "s", h.steps.back().epoch, h.steps.front().loss, h.steps.back().loss);
    if (skipped > 0) {
        said += fmt::format("{} steps skipped, whose gradients were not finite; loss scale {} at last\n", skipped,
                            h.steps.back().loss_scale);
    }
    if (t.validation) {
        said += fmt::format("held out: loss {:.4g}", t.validation->loss);
        said += t.validation->accuracy < 0 ? "" : fmt::format(", accuracy {:.4f}", t.validation->accuracy);
        said += fmt::format(" at step {}, which is kept{}\n", t.result.best_step,
                            t.result.was_stopped ? "; nothing was better after it" : "");
    }
    return said + text(t.chips);
}

std::string json(const trained& t) {
    const ane::training_history& h = t.result.history;
    ane::json_writer j;
    j.object()
        .member("trained_weights", t.trained_weights)
        .member("batch", t.batch)
        .member("step_bytes", t.memory.bytes)
        .member("step_bytes_before", t.memory.bytes_before)
        .member("repeated", t.memory.repeated)
        .member("resumed_from", t.result.resumed_from)
        .member("was_stopped", t.result.was_stopped)
        .member("best_step", t.result.best_step);
    j.key("frozen").array();
    for (const std::string& each : t.frozen) {
        j.value(each);
    }
    j.end().key("steps").array();
    for (const ane::trained_step& each : h.steps) {
        j.object()
            .member("step", each.step)
            .member("epoch", each.epoch)
            .member("loss", each.loss)
            .member("rate", each.rate)
            .member("loss_scale", each.loss_scale)
            .member("skipped", each.skipped)
            .end();
    }
    j.end().key("validations").array();
    for (const ane::validated_step& each : h.validations) {
        j.object().member("step", each.step).member("loss", each.loss).key("accuracy");
        each.accuracy < 0 ? j.null() : j.value(each.accuracy);
        j.end();
    }
    write(j.end().key("chips"), t.chips);
    return j.end().str();
}

std::string csv(const trained& t) { return ane::csv(t.result.history); }

std::string drawing(const trained& t) { return ane::draw_training(t.result.history, "training " + t.made.file_name()); }

} // namespace app
