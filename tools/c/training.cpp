#include "../app/by_name.hpp"
#include "arguments.hpp"
#include "guarded.hpp"
#include "handles.hpp"
#include "options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

namespace {

using c_interface::array_of;
using c_interface::caller;
using c_interface::guarded;
using c_interface::needed;
using c_interface::not_known;

/// A sample of a port: its shape without the first axis.
std::vector<std::int64_t> sample_of(const app::port& p) { return {p.shape.begin() + 1, p.shape.end()}; }

std::int64_t count_of(const std::vector<std::int64_t>& shape) {
    std::int64_t count = 1;
    for (const std::int64_t extent : shape) {
        count *= extent;
    }
    return count;
}

/// The output that is trained; none where nobody has said which of several.
const app::port* trained_output(const app::model_ports& ports, const std::string& name) {
    const auto& all = ports.outputs;
    const auto found = std::find_if(all.begin(), all.end(), [&](const app::port& p) { return p.name == name; });
    return found != all.end() ? &*found : name.empty() && all.size() == 1 ? &all.front() : nullptr;
}

/// A sample of what is wanted, of so many numbers: that of the output, or one without its classes; else one row.
std::vector<std::int64_t> wanted_sample(const app::port* output, int axis, std::int64_t numbers) {
    if (output != nullptr && !output->shape.empty()) {
        std::vector<std::int64_t> whole = sample_of(*output);
        if (count_of(whole) == numbers) {
            return whole;
        }
        const auto rank = static_cast<std::int64_t>(output->shape.size());
        const std::int64_t classes = axis < 0 ? rank + axis : axis;
        if (classes >= 1 && classes < rank) {
            whole.erase(whole.begin() + (classes - 1));
            if (count_of(whole) == numbers) {
                return whole;
            }
        }
    }
    return {numbers};
}

/// The arrays of a caller, which have no shapes: `count` samples in each.
std::vector<app::input_array> samples_of(const anemone_samples* given, const char* name, const app::model_ports& ports,
                                         const app::train_options& how) {
    std::vector<app::input_array> all;
    if (given == nullptr) {
        return all;
    }
    if (given->count == 0 && given->array_count > 0) {
        throw ane::error(ane::errc::argument, name, "has no samples");
    }
    for (std::size_t i = 0; i < given->array_count; ++i) {
        app::input_array& each =
            all.emplace_back(array_of<const std::byte>((&needed(given->arrays, "arrays of samples"))[i]));
        const std::size_t size = app::bytes_of(each.type) * given->count;
        if (each.bytes.size() % size != 0) {
            throw ane::error(ane::errc::port, each.name,
                             fmt::format("has {} bytes, which is no whole number of elements in each of {} samples",
                                         each.bytes.size(), given->count));
        }
        const auto numbers = static_cast<std::int64_t>(each.bytes.size() / size);
        const auto port = std::find_if(ports.inputs.begin(), ports.inputs.end(),
                                       [&](const app::port& p) { return p.name == each.name; });
        std::vector<std::int64_t> sample{numbers};
        if (each.name == how.wanted) {
            sample = wanted_sample(trained_output(ports, how.output), how.axis, numbers);
        } else if (port != ports.inputs.end() && !port->shape.empty() && count_of(sample_of(*port)) == numbers) {
            sample = sample_of(*port);
        }
        sample.insert(sample.begin(), static_cast<std::int64_t>(given->count));
        each.shape = std::move(sample);
    }
    return all;
}

anemone_moment moment_of(const ane::training_moment& m) {
    return {m.step.step,
            m.steps,
            m.step.epoch,
            m.step.loss,
            m.step.rate,
            m.step.loss_scale,
            m.step.skipped ? 1 : 0,
            m.steps_per_second,
            m.seconds_left,
            m.validation == nullptr ? not_known : m.validation->loss,
            m.validation == nullptr || m.validation->accuracy < 0 ? not_known : m.validation->accuracy};
}

} // namespace

extern "C" {

anemone_status anemone_train(const anemone_model* model, const anemone_training* how,
                             void (*told)(void* context, const anemone_moment* moment), void* context,
                             anemone_plan** plan) {
    return guarded([&] {
        needed(plan, "plan") = nullptr;
        const anemone_model& of = needed(model, "model");
        const auto options = c_interface::options_from<app::train_options>(&needed(how, "training"));
        std::function<void(const ane::training_moment&)> tell;
        if (told != nullptr) {
            tell = [told, context](const ane::training_moment& m) {
                const anemone_moment now = moment_of(m);
                told(context, &now);
            };
        }
        *plan = new anemone_plan{
            app::plan_of(app::train(*of.held, options, samples_of(how->data, "data", of.ports, options),
                                    samples_of(how->validate, "validate", of.ports, options), caller, tell))};
    });
}

anemone_status anemone_plan_trained(const anemone_plan* plan, anemone_trained* figures) {
    return guarded([&] {
        anemone_trained& to = needed(figures, "figures");
        to = {};
        const auto& found = c_interface::found_in<app::trained>(plan, "anemone_train");
        const std::vector<ane::trained_step>& steps = found.result.history.steps;
        const auto skipped = std::count_if(steps.begin(), steps.end(), [](const auto& each) { return each.skipped; });
        to.steps = static_cast<std::int64_t>(steps.size());
        to.skipped = skipped;
        to.batch = found.batch;
        to.best_step = found.result.best_step;
        to.resumed_from = found.result.resumed_from;
        to.stopped = found.result.was_stopped ? 1 : 0;
        to.weights = found.trained_weights;
        to.frozen = found.frozen.size();
        to.first_loss = steps.empty() ? not_known : steps.front().loss;
        to.last_loss = steps.empty() ? not_known : steps.back().loss;
        to.held_out_loss = found.validation ? found.validation->loss : not_known;
        to.held_out_accuracy =
            found.validation && found.validation->accuracy >= 0 ? found.validation->accuracy : not_known;
        to.seconds = found.seconds;
    });
}

} // extern "C"
