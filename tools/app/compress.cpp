#include "compress.hpp"

#include "backends.hpp"
#include "option_faults.hpp"
#include "plan_json.hpp"
#include <anemone/compress/compression_report.hpp>

#include <fmt/format.h>

#include <utility>

namespace app {

namespace {

/// Frees what texts and drawings do not need: the values of each weight in each form.
void let_go(ane::compression_plan& plan) {
    plan.model = {};
    plan.store = {};
    for (ane::weight_choice& weight : plan.weights) {
        for (ane::stored_candidate& form : weight.candidates) {
            form.values = {};
        }
    }
}

} // namespace

compressed compress(const model& of, const compress_options& how, ane::model_samples data, const caller& who) {
    require_limits(how, who.by);
    const ane::target t = target_named(how.target);
    of.require_exact("compressed");
    require_run_memory(of.graph(), kept_by(how.backend), of.max_memory(), who);
    const ane::backend::any place = backend_named(how.backend);
    const bool is_random = data.empty();
    const ane::model_samples samples = is_random ? ane::random_samples(of.graph(), how.random_runs) : std::move(data);
    ane::compression_options options;
    options.goal = how.goal;
    options.most_loss = how.most_loss;
    options.file = how.to;
    options.error_feedback = !how.plain;
    options.place = &place;
    const task shown(who, fmt::format("compressing {} on {} runs", of.path(), samples.size()));
    ane::compression_plan plan = ane::choose_compression(of.graph(), of.weights(), t, samples, options);
    ane::compressed_model small = ane::apply(plan);
    let_go(plan);
    compressed made{std::move(plan), of.with(std::move(small.graph), std::move(small.weights)), {}};
    if (is_random) {
        made.note = fmt::format("note: judged on random numbers; {} takes runs of the model, on which losses mean "
                                "something\n",
                                spelled(compress_options::data(), who.by));
    }
    return made;
}

std::string text(const compressed& c) { return ane::compression_report(c.found) + c.note; }

std::string json(const compressed& c) { return json_of(c.found); }

std::string drawing(const compressed& c) { return ane::draw_pareto(c.found, c.found.goal); }

} // namespace app
