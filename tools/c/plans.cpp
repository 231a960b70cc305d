#include "arguments.hpp"
#include "guarded.hpp"
#include "handles.hpp"

#include <mutex>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace {

using c_interface::arrays_of;
using c_interface::guarded;
using c_interface::needed;
using c_interface::needed_text;
using c_interface::not_known;
using c_interface::require_size;

/// A word that may be left out.
std::string word(const char* text, const char* otherwise) { return text == nullptr ? otherwise : text; }

template <class Found> const Found& found_in(const anemone_plan* plan, const char* function) {
    const auto* const found = std::get_if<Found>(&needed(plan, "plan").held.found);
    if (found == nullptr) {
        throw ane::error(ane::errc::argument, "plan", std::string("is none of ") + function);
    }
    return *found;
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
        bindings::optimizing given;
        if (how != nullptr) {
            require_size(how->size, sizeof *how, "anemone_optimizing");
            given = {how->bits != 0, how->values != 0, how->errors != 0, how->resident != 0, how->prove != 0, {}};
            for (size_t i = 0; i < how->range_count; ++i) {
                const anemone_range& each = (&needed(how->ranges, "ranges"))[i];
                given.ranges.push_back({needed_text(each.input, "input of a range"), each.low, each.high});
            }
        }
        *plan = new anemone_plan{bindings::optimize(needed(model, "model").held, needed_text(target, "target"), given)};
    });
}

anemone_status anemone_compress(const anemone_model* model, const char* target, const anemone_compressing* how,
                                anemone_plan** plan) {
    return guarded([&] {
        needed(plan, "plan") = nullptr;
        bindings::compressing given;
        if (how != nullptr) {
            require_size(how->size, sizeof *how, "anemone_compressing");
            given.most_loss = how->most_loss == 0 ? given.most_loss : how->most_loss;
            given.goal = word(how->goal, "size");
            given.to = word(how->to, "mil");
            given.backend = word(how->backend, "cpu");
            given.plain = how->plain != 0;
            given.data = arrays_of<const std::byte>(how->data, how->data_count, "data");
            given.runs = how->runs;
        }
        *plan = new anemone_plan{bindings::compress(needed(model, "model").held, needed_text(target, "target"), given)};
    });
}

anemone_status anemone_place(const anemone_model* model, const char* target, const anemone_placing* how,
                             anemone_plan** plan) {
    return guarded([&] {
        needed(plan, "plan") = nullptr;
        bindings::placing given;
        if (how != nullptr) {
            require_size(how->size, sizeof *how, "anemone_placing");
            given = {word(how->goal, "time"), how->batches};
        }
        *plan = new anemone_plan{bindings::place(needed(model, "model").held, needed_text(target, "target"), given)};
    });
}

anemone_status anemone_timeline(const anemone_model* const* models, size_t model_count, const char* target,
                                const anemone_calling* how, anemone_plan** plan) {
    return guarded([&] {
        needed(plan, "plan") = nullptr;
        std::vector<bindings::shared_model> all;
        for (size_t i = 0; i < model_count; ++i) {
            all.push_back(needed((&needed(models, "models"))[i], "model").held);
        }
        bindings::calling given;
        if (how != nullptr) {
            require_size(how->size, sizeof *how, "anemone_calling");
            given.calls = how->calls == 0 ? given.calls : how->calls;
            given.period = how->period;
            given.idle = how->idle;
            given.is_warm = how->warm != 0;
            for (size_t i = 0; i < how->batch_count; ++i) {
                given.batches.push_back((&needed(how->batches, "batches"))[i]);
            }
        }
        *plan = new anemone_plan{bindings::simulate(all, needed_text(target, "target"), given)};
    });
}

void anemone_plan_free(anemone_plan* plan) { delete plan; }

const char* anemone_plan_text(const anemone_plan* plan) { return plan == nullptr ? nullptr : plan->held.text.c_str(); }
const char* anemone_plan_json(const anemone_plan* plan) { return plan == nullptr ? nullptr : plan->held.json.c_str(); }

anemone_status anemone_plan_drawing(const anemone_plan* plan, const char** svg) {
    return guarded([&] {
        needed(svg, "svg") = nullptr;
        const anemone_plan& of = needed(plan, "plan");
        if (!of.held.draw) {
            throw ane::error(ane::errc::argument, "plan", "has no drawing");
        }
        const std::lock_guard<std::mutex> mine(of.drawing);
        if (of.svg.empty()) {
            of.svg = of.held.draw();
        }
        *svg = of.svg.c_str();
    });
}

anemone_status anemone_plan_model(const anemone_plan* plan, anemone_model** model) {
    return guarded([&] {
        needed(model, "model") = nullptr;
        const bindings::plan& of = needed(plan, "plan").held;
        if (of.made == nullptr) {
            throw ane::error(ane::errc::argument, "plan", "makes no model");
        }
        *model = new anemone_model{of.made};
    });
}

anemone_status anemone_plan_optimized(const anemone_plan* plan, anemone_optimized* figures) {
    return guarded([&] {
        anemone_optimized& to = needed(figures, "figures");
        to = {};
        const auto& [found, proof] = found_in<bindings::optimized_plan>(plan, "anemone_optimize");
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
        const auto& found = found_in<ane::compression_plan>(plan, "anemone_compress");
        to = {found.before.bytes,
              found.after.bytes,
              found.ratio(),
              found.after.loss,
              found.before.seconds.value_or(not_known),
              found.after.seconds.value_or(not_known),
              found.weights.size()};
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

anemone_status anemone_plan_timed(const anemone_plan* plan, anemone_timed* figures) {
    return guarded([&] {
        anemone_timed& to = needed(figures, "figures");
        to = {};
        const auto& found = found_in<ane::timeline>(plan, "anemone_timeline");
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
