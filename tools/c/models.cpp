#include "../anemone/rule_names.hpp"
#include "arguments.hpp"
#include "guarded.hpp"
#include "handles.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

namespace {

using c_interface::guarded;
using c_interface::needed;
using c_interface::needed_text;
using c_interface::not_known;
using c_interface::require_size;
using c_interface::texts;

const std::vector<bindings::port>& ports_of(const anemone_model& model, anemone_direction direction) {
    switch (direction) {
    case ANEMONE_INPUT: return model.held->inputs();
    case ANEMONE_OUTPUT: return model.held->outputs();
    case ANEMONE_STATE: return model.held->states();
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
        command::reading r;
        if (how != nullptr) {
            require_size(how->size, sizeof *how, "anemone_reading");
            r.function = how->function == nullptr ? "" : how->function;
            r.shapes = texts(how->shapes, how->shape_count, "shapes");
            r.memory = how->max_memory == 0 ? r.memory : how->max_memory;
            r.approximates = how->approximates != 0;
        }
        *model = new anemone_model{std::make_shared<const bindings::model>(needed_text(path, "path"), r)};
    });
}

void anemone_model_free(anemone_model* model) { delete model; }

anemone_status anemone_convert(const anemone_model* model, const char* to, const char* folder) {
    return guarded([&] { needed(model, "model").held->convert(needed_text(to, "to"), needed_text(folder, "folder")); });
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
        const bindings::port& p = at(ports_of(needed(model, "model"), direction), index);
        to = {p.name.c_str(), static_cast<anemone_type>(p.type), p.shape.size(), {1, 1, 1, 1, 1, 1, 1, 1}, p.count};
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
        const bindings::model& m = *needed(model, "model").held;
        ane::report_policy rules = command::policy_named({}, {}, "any");
        if (policy != nullptr) {
            require_size(policy->size, sizeof *policy, "anemone_policy");
            rules = command::policy_named(texts(policy->errors, policy->error_count, "errors"),
                                          texts(policy->waived, policy->waived_count, "waived"),
                                          policy->route == nullptr ? "any" : policy->route);
        }
        auto [verdicts, observed] = m.check(targets == nullptr ? "macs" : targets, rules);
        std::string json = verdicts.json(m.path(), observed);
        std::string text = verdicts.str();
        *report = new anemone_report{std::move(verdicts), std::move(json), std::move(text)};
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
        const ane::cost c = needed(model, "model").held->cost(needed_text(target, "target"));
        to = {c.seconds.value_or(not_known), c.flops(), c.bytes, ane::name(c.limit).data(),
              c.roof && c.roof->known_by == ane::mark::measured ? 1 : 0};
    });
}

} // extern "C"
