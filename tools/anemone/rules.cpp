#include "../app/rule_names.hpp"
#include "command.hpp"
#include <anemone/io/json.hpp>
#include <anemone/rules/registry.hpp>

#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

namespace command {

namespace {

std::vector<ane::rule> chosen_rules(const std::vector<std::string>& names) {
    std::vector<ane::rule> chosen;
    for (const std::string& each : names) {
        const auto found = app::rules_named(each);
        chosen.insert(chosen.end(), found.begin(), found.end());
    }
    for (std::size_t i = 0; names.empty() && i < ane::rule_count; ++i) {
        chosen.push_back(static_cast<ane::rule>(i));
    }
    return chosen;
}

std::string as_list(const std::vector<ane::rule>& chosen) {
    std::string text;
    for (const ane::rule r : chosen) {
        const ane::rule_record& record = ane::record_of(r);
        text += fmt::format("{:<12} {:<8} {}\n", record.fact, ane::name(record.level), ane::name(r));
    }
    return text;
}

std::string as_json(const std::vector<ane::rule>& chosen) {
    ane::json_writer json;
    json.array();
    for (const ane::rule r : chosen) {
        const ane::rule_record& record = ane::record_of(r);
        json.object();
        json.member("rule", ane::name(r)).member("fact", record.fact).member("severity", ane::name(record.level));
        json.member("sentence", record.sentence).member("rejection", record.reject);
        json.member("consequence", record.consequence).member("advice", record.advice);
        json.member("source", record.source).member("evidence", ane::name(record.evidence));
        json.member("measured_on", record.silicon);
        json.end();
    }
    json.end();
    return json.str();
}

} // namespace

std::string explanation(ane::rule r) {
    const ane::rule_record& record = ane::record_of(r);
    std::string text =
        fmt::format("{} ({}, {})\n  {}\n", ane::name(r), record.fact, ane::name(record.level), record.sentence);
    const auto part = [&](const char* title, std::string_view what) {
        if (!what.empty()) {
            text += fmt::format("  {}: {}\n", title, what);
        }
    };
    part("the compiler says", record.reject);
    part("on the device", record.consequence);
    part("try", record.advice);
    part("known by", fmt::format("{}{}{}: {}", ane::name(record.evidence), *record.silicon != '\0' ? " on " : "",
                                 record.silicon, record.source));
    return text;
}

void add_rules(CLI::App& app, int& status) {
    struct options {
        std::vector<std::string> names;
        bool json = false;
    };
    const auto given = std::make_shared<options>();
    CLI::App* const sub =
        app.add_subcommand("rules", "Lists the rules of the engine, or explains some: anemone rules R030");
    sub->add_option("NAMES", given->names, "Facts (R030) or names (kernel_width_exceeds)");
    sub->add_flag("--json", given->json, "As JSON");
    sub->footer("Examples:\n  anemone rules\n  anemone rules R030 kernel_width_exceeds");
    sub->callback([given, &status] {
        const std::vector<ane::rule> chosen = chosen_rules(given->names);
        std::string text;
        if (given->json) {
            text = as_json(chosen);
        } else if (given->names.empty()) {
            text = as_list(chosen);
        } else {
            for (const ane::rule r : chosen) {
                text += explanation(r);
            }
        }
        write_text("", text);
        status = well;
    });
}

} // namespace command
