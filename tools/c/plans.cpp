#include "../app/by_name.hpp"
#include "arguments.hpp"
#include "guarded.hpp"
#include "handles.hpp"
#include "options.hpp"

#include <fmt/format.h>

#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace {

using c_interface::arrays_of;
using c_interface::caller;
using c_interface::found_in;
using c_interface::guarded;
using c_interface::needed;
using c_interface::needed_text;
using c_interface::not_known;
using c_interface::options_from;

/// The runs in the caller's memory, which has no shape: of each input so many, one after the other.
template <class Options> ane::model_samples samples_of(const app::model_ports& ports, const Options& how) {
    std::vector<app::input_array> arrays = arrays_of<const std::byte>(how.data, how.data_count, "data");
    const app::by_name<app::input_array> given(arrays);
    for (app::input_array& each : arrays) {
        const app::port& p = app::named(ports.inputs, each.name, "input");
        given.find(each.name); // once
        const std::size_t wanted = p.count * app::bytes_of(each.type);
        if (how.runs == 0 || each.bytes.size() % how.runs != 0 || each.bytes.size() / how.runs != wanted) {
            throw ane::error(ane::errc::port, p.name,
                             fmt::format("is {} of {}, which is {} bytes in each of {} runs, the array has {}",
                                         app::shape_text(p.shape), app::name(each.type), wanted, how.runs,
                                         each.bytes.size()));
        }
        each.shape = p.shape;
        each.shape->insert(each.shape->begin(), static_cast<std::int64_t>(how.runs));
    }
    ane::model_samples samples;
    app::add_runs(samples, ports.inputs, arrays, "data");
    return samples;
}

double known(double value, bool is_known) { return is_known ? value : not_known; }
const char* name(const std::optional<ane::compute_device>& device) {
    return device ? ane::name(*device).data() : "none";
}

} // namespace

extern "C" {

anemone_status anemone_optimize(const anemone_model* model, const char* target, const anemone_optimizing* how,
                                anemone_plan** plan) {
    return guarded([&] {
        needed(plan, "plan") = nullptr;
        const app::model& of = *needed(model, "model").held;
        auto options = options_from<app::optimize_options>(how);
        options.target = needed_text(target, "target");
        *plan = new anemone_plan{app::plan_of(app::optimize(of, options, caller))};
    });
}

anemone_status anemone_compress(const anemone_model* model, const char* target, const anemone_compressing* how,
                                anemone_plan** plan) {
    return guarded([&] {
        needed(plan, "plan") = nullptr;
        const anemone_model& of = needed(model, "model");
        auto options = options_from<app::compress_options>(how);
        options.target = needed_text(target, "target");
        ane::model_samples data;
        if (how != nullptr && how->data_count > 0) {
            data = samples_of(of.ports, *how);
            options.random_runs = app::compress_options().random_runs; // the runs are those of the data
        }
        *plan = new anemone_plan{app::plan_of(app::compress(*of.held, options, std::move(data), caller))};
    });
}

anemone_status anemone_diff(const anemone_model* model, const anemone_differing* how, anemone_plan** plan) {
    return guarded([&] {
        needed(plan, "plan") = nullptr;
        const anemone_model& of = needed(model, "model");
        auto options = options_from<app::layer_error_options>(how);
        ane::model_samples data;
        if (how != nullptr && how->data_count > 0) {
            data = samples_of(of.ports, *how);
            options.random_runs = app::layer_error_options().random_runs; // the samples are those of the data
        }
        *plan = new anemone_plan{app::plan_of(app::compare_layers(*of.held, options, std::move(data), 0, caller))};
    });
}

anemone_status anemone_place(const anemone_model* model, const char* target, const anemone_placing* how,
                             anemone_plan** plan) {
    return guarded([&] {
        needed(plan, "plan") = nullptr;
        const app::model& of = *needed(model, "model").held;
        auto options = options_from<app::placement_options>(how);
        options.target = needed_text(target, "target");
        *plan = new anemone_plan{app::plan_of(of, options, caller)};
    });
}

anemone_status anemone_timeline(const anemone_model* const* models, size_t model_count, const char* target,
                                const anemone_calling* how, anemone_plan** plan) {
    return guarded([&] {
        needed(plan, "plan") = nullptr;
        std::vector<app::shared_model> all;
        for (size_t i = 0; i < model_count; ++i) {
            all.push_back(needed((&needed(models, "models"))[i], "model").held);
        }
        auto options = options_from<app::timeline_options>(how);
        options.target = needed_text(target, "target");
        *plan = new anemone_plan{app::plan_of(all, options, caller)};
    });
}

void anemone_plan_free(anemone_plan* plan) { delete plan; }

const char* anemone_plan_text(const anemone_plan* plan) { return plan == nullptr ? nullptr : plan->held.text.c_str(); }
const char* anemone_plan_json(const anemone_plan* plan) { return plan == nullptr ? nullptr : plan->held.json.c_str(); }

anemone_status anemone_plan_drawing(const anemone_plan* plan, const char** svg) {
    return guarded([&] {
        needed(svg, "svg") = nullptr;
        const anemone_plan& of = needed(plan, "plan");
        const std::lock_guard<std::mutex> mine(of.drawing);
        if (of.svg.empty()) {
            std::optional<std::string> drawn = app::drawing(of.held);
            if (!drawn) {
                throw ane::error(ane::errc::argument, "plan", "has no drawing");
            }
            of.svg = std::move(*drawn);
        }
        *svg = of.svg.c_str();
    });
}

anemone_status anemone_plan_model(const anemone_plan* plan, anemone_model** model) {
    return guarded([&] {
        needed(model, "model") = nullptr;
        const app::model* const made = app::made(needed(plan, "plan").held);
        if (made == nullptr) {
            throw ane::error(ane::errc::argument, "plan", "makes no model");
        }
        *model = new anemone_model(*made);
    });
}

anemone_status anemone_plan_optimized(const anemone_plan* plan, anemone_optimized* figures) {
    return guarded([&] {
        anemone_optimized& to = needed(figures, "figures");
        to = {};
        const auto& of = found_in<app::optimized>(plan, "anemone_optimize");
        const ane::optimized& found = of.found;
        const std::optional<ane::rewrite_proof>& proof = of.proof;
        to = {found.before,
              found.after,
              found.gain(),
              ane::name(found.kept()).data(),
              found.steps.size(),
              static_cast<size_t>(found.refuted_before),
              static_cast<size_t>(found.refuted_after),
              found.error_before,
              found.error_after,
              proof ? 1 : 0,
              proof && proof->holds() ? 1 : 0};
    });
}

anemone_status anemone_plan_compressed(const anemone_plan* plan, anemone_compressed* figures) {
    return guarded([&] {
        anemone_compressed& to = needed(figures, "figures");
        to = {};
        const ane::compression_plan& found = found_in<app::compressed>(plan, "anemone_compress").found;
        to = {found.before.bytes,
              found.after.bytes,
              found.ratio(),
              found.after.loss,
              found.before.seconds.value_or(not_known),
              found.after.seconds.value_or(not_known),
              found.weights.size(),
              found.held_out.runs,
              found.held_out.runs > 0 ? found.held_out.loss : not_known,
              found.held_out.at_least.value_or(not_known),
              found.held_out.at_most.value_or(not_known)};
    });
}

anemone_status anemone_plan_placed(const anemone_plan* plan, anemone_placed* figures) {
    return guarded([&] {
        anemone_placed& to = needed(figures, "figures");
        to = {};
        const auto& found = found_in<ane::device_plan>(plan, "anemone_place");
        const auto seconds_on = [&](ane::compute_device d) { return known(found.on(d).seconds, found.on(d).possible); };
        to = {name(found.fastest),
              name(found.most_efficient),
              found.seconds,
              known(found.joules, found.joules > 0),
              found.segments.size(),
              seconds_on(ane::compute_device::engine),
              seconds_on(ane::compute_device::gpu),
              seconds_on(ane::compute_device::cpu),
              found.known_by == ane::mark::measured ? 1 : 0};
    });
}

anemone_status anemone_plan_differed(const anemone_plan* plan, anemone_differed* figures) {
    return guarded([&] {
        anemone_differed& to = needed(figures, "figures");
        to = {};
        const auto& errors = found_in<app::layer_errors>(plan, "anemone_diff");
        const ane::wide_difference& found = errors.found;
        to.samples = found.samples;
        to.affected = found.affected;
        to.worst_sample = found.worst_sample;
        to.layers = found.layers.size();
        to.first = found.first;
        to.remedies = errors.remedies ? errors.remedies->helpful.size() : 0;
        to.tried = errors.remedies ? static_cast<size_t>(errors.remedies->tried) : 0;
        to.cut_short = errors.remedies && errors.remedies->is_cut_short ? 1 : 0;
        to.cause = "";
        if (found.first >= 0) {
            const ane::layer_error& layer = found.layers[static_cast<size_t>(found.first)];
            to.name = errors.first_name.c_str();
            to.cause = ane::name(layer.cause).data();
            to.expected = layer.whole.expected;
            to.got = layer.whole.got;
        }
    });
}

anemone_status anemone_plan_timed(const anemone_plan* plan, anemone_timed* figures) {
    return guarded([&] {
        anemone_timed& to = needed(figures, "figures");
        to = {};
        const ane::timeline& found = found_in<app::simulated>(plan, "anemone_timeline").found;
        to = {found.seconds(),
              found.throughput(),
              found.utilisation(),
              found.mean_latency(),
              found.latency(50),
              found.latency(99),
              known(found.joules, found.joules > 0),
              found.requests.size(),
              found.known_by == ane::mark::measured ? 1 : 0};
    });
}

} // extern "C"
