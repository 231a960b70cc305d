#include "../app/convert.hpp"
#include "../app/cost.hpp"
#include "../app/language.hpp"
#include "arguments.hpp"
#include "guarded.hpp"
#include "handles.hpp"
#include "options.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

namespace {

using c_interface::caller;
using c_interface::guarded;
using c_interface::needed;
using c_interface::needed_text;
using c_interface::not_known;
using c_interface::options_from;

const std::vector<app::port>& ports_of(const anemone_model& model, anemone_direction direction) {
    switch (direction) {
    case ANEMONE_INPUT: return model.ports.inputs;
    case ANEMONE_OUTPUT: return model.ports.outputs;
    case ANEMONE_STATE: return model.ports.states;
    }
    throw ane::error(ane::errc::argument, "direction", std::to_string(direction) + " is none");
}

template <class List> const auto& at(const List& list, std::size_t index) {
    if (index >= list.size()) {
        throw ane::error(ane::errc::argument, "index " + std::to_string(index),
                         "there are " + std::to_string(list.size()));
    }
    return list[index];
}

} // namespace

extern "C" {

anemone_status anemone_open(const char* path, const anemone_reading* how, anemone_model** model) {
    return guarded([&] {
        needed(model, "model") = nullptr;
        const auto options = options_from<app::reading_options>(how);
        *model = new anemone_model(app::model(needed_text(path, "path"), options, caller));
    });
}

void anemone_model_free(anemone_model* model) { delete model; }

anemone_status anemone_convert(const anemone_model* model, const char* to, const char* folder) {
    return guarded([&] {
        const app::model& of = *needed(model, "model").held;
        app::convert_options how;
        how.to = app::value_named(app::row_of(&app::convert_options::to), needed_text(to, "to"), app::front_end::c);
        app::convert(of, how, needed_text(folder, "folder"), caller);
    });
}

size_t anemone_port_count(const anemone_model* model, anemone_direction direction) {
    size_t count = 0;
    guarded([&] { count = ports_of(needed(model, "model"), direction).size(); });
    return count;
}

anemone_status anemone_port_at(const anemone_model* model, anemone_direction direction, size_t index,
                               anemone_port* port) {
    return guarded([&] {
        anemone_port& to = needed(port, "port");
        to = {};
        const app::port& p = at(ports_of(needed(model, "model"), direction), index);
        to = {p.name.c_str(),
              static_cast<anemone_type>(ane::facts_of(p.type).c),
              p.shape.size(),
              {1, 1, 1, 1, 1, 1, 1, 1},
              p.count};
        static_assert(std::size(decltype(to.shape){}) >= ane::extents::capacity);
        std::copy(p.shape.begin(), p.shape.end(), to.shape);
    });
}

size_t anemone_note_count(const anemone_model* model) { return model == nullptr ? 0 : model->held->notes().size(); }
const char* anemone_note_at(const anemone_model* model, size_t index) {
    return index < anemone_note_count(model) ? model->held->notes()[index].c_str() : nullptr;
}

anemone_status anemone_check(const anemone_model* model, const char* targets, const anemone_policy* policy,
                             anemone_report** report) {
    return guarded([&] {
        needed(report, "report") = nullptr;
        const app::model& of = *needed(model, "model").held;
        auto options = options_from<app::check_options>(policy);
        options.targets = targets == nullptr ? options.targets : targets;
        app::judgement found = app::check(of, options, caller);
        std::string json = found.verdicts.json(of.path(), found.observed);
        std::string text = found.verdicts.str();
        *report = new anemone_report{std::move(found.verdicts), std::move(json), std::move(text)};
    });
}

void anemone_report_free(anemone_report* report) { delete report; }

size_t anemone_verdict_count(const anemone_report* report) {
    return report == nullptr ? 0 : report->held.rows().size();
}

anemone_status anemone_verdict_at(const anemone_report* report, size_t index, anemone_verdict* verdict) {
    return guarded([&] {
        anemone_verdict& to = needed(verdict, "verdict");
        to = {};
        const ane::target_verdict& row = at(needed(report, "report").held.rows(), index);
        const ane::target_description& target = ane::describe(row.target); // its texts are literals
        to = {target.runtime,    target.product,      row.first_blocker.c_str(), row.accepted() ? 1 : 0,
              row.counts.errors, row.counts.warnings, row.counts.notes,          row.seconds.value_or(not_known)};
    });
}

const char* anemone_report_json(const anemone_report* report) {
    return report == nullptr ? nullptr : report->json.c_str();
}
const char* anemone_report_text(const anemone_report* report) {
    return report == nullptr ? nullptr : report->text.c_str();
}

anemone_status anemone_estimate(const anemone_model* model, const char* target, anemone_cost* cost) {
    return guarded([&] {
        anemone_cost& to = needed(cost, "cost");
        to = {};
        const app::model& of = *needed(model, "model").held;
        const ane::cost c = app::cost(of, needed_text(target, "target"), caller);
        to = {c.seconds.value_or(not_known), c.flops(), c.bytes, ane::name(c.limit).data(),
              c.roof && c.roof->known_by == ane::mark::measured ? 1 : 0};
    });
}

anemone_status anemone_estimate_energy(const anemone_model* model, const char* target, anemone_energy* energy) {
    return guarded([&] {
        anemone_energy& to = needed(energy, "energy");
        to = {not_known, not_known};
        const app::model& of = *needed(model, "model").held;
        const ane::cost c = app::cost(of, needed_text(target, "target"), caller);
        if (c.seconds) {
            to = {c.joules, c.engine_joules};
        }
    });
}

anemone_status anemone_estimate_decoding(const char* path, const char* target, const anemone_reading* how,
                                         anemone_decoding_cost* cost) {
    return guarded([&] {
        anemone_decoding_cost& to = needed(cost, "cost");
        to = {};
        const std::string of = needed_text(path, "path");
        const app::cost_options on{.targets = needed_text(target, "target")};
        const app::language_cost found = app::cost_of_decoding(of, options_from<app::reading_options>(how), on, caller);
        if (found.rows.size() != 1) {
            throw ane::error(ane::errc::argument, on.targets, "must be one target");
        }
        const ane::models::decode_figures& f = found.rows.front();
        const auto interval = [](const ane::models::decode_interval& i) {
            return anemone_interval{i.typical, i.at_least, i.at_most};
        };
        to = {interval(f.token),
              interval(f.position),
              interval(f.token_joules),
              interval(f.position_joules),
              f.weight_bytes,
              f.embedding_bytes,
              f.cache_bytes,
              f.how.context,
              f.how.capacity,
              f.programs,
              f.known_by == ane::mark::measured ? 1 : 0};
    });
}

} // extern "C"
