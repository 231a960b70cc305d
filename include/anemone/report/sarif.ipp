#pragma once

#include "../base/way.hpp"
ANEMONE_INCLUDED(anemone_report_sarif_hpp);

#include "../base/formatted.hpp"
#include "../io/json.hpp"
#include "../passes/validate.hpp"
#include "../rules/acceptance.hpp"
#include "../rules/phrases.hpp"
#include "../version.hpp"
#include "artifact.hpp"
#include "findings.hpp"
#include "sarif.hpp"
#include "shared_violation.hpp"
#include "weight_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <vector>

namespace ane::detail::inline ANEMONE_WAY {

/// "R030.kernel_width_exceeds": the facts and the name of a rule.
ANEMONE_INLINE std::string rule_id(const rule_record& r) {
    std::string id = r.fact;
    std::replace(id.begin(), id.end(), ' ', '-');
    return id + "." + std::string(name(r.id));
}

/// Writes one run of SARIF.
class sarif_writer {
public:
    ANEMONE_INLINE sarif_writer(json_writer& to, const graph_view& g, const target_set& targets,
                                const sarif_options& options)
        : j_(to), graph_(validated(g)), options_(options), root_(options.root),
          elsewhere_(g, macs, verdict_policy(options.rules)), found_(shared_violations(g, targets, options.rules)),
          remarks_(targets.empty() ? std::vector<remark>() : remarks_on_shared_weights(g)) {
        for (const shared_violation& s : found_) {
            if (std::find(used_.begin(), used_.end(), s.first.rule) == used_.end()) {
                used_.push_back(s.first.rule);
            }
        }
        std::sort(used_.begin(), used_.end());
        for (const aside& o : options.observed) {
            const auto same = [&](const aside_kind& k) { return k.id == o.kind.id; };
            if (std::none_of(kinds_.begin(), kinds_.end(), same)) {
                kinds_.push_back(o.kind);
            }
        }
    }

    ANEMONE_INLINE void run() {
        j_.object();
        tool();
        if (root_.is_absolute()) {
            j_.key("originalUriBaseIds").object().key(root_id).object();
            j_.member("uri", uri_of(root_ / "")).end().end();
        }
        j_.member("columnKind", "unicodeCodePoints");
        j_.key("results").array();
        for (const shared_violation& s : found_) {
            result(s);
        }
        for (const remark& r : remarks_) {
            result(r);
        }
        for (const aside& o : options_.observed) {
            result(o);
        }
        j_.end().end();
    }

private:
    static constexpr std::string_view root_id = "SRCROOT";
    static constexpr std::string_view shared_weights_id = "model.weights_are_shared";

    ANEMONE_INLINE void tool() {
        j_.key("tool").object().key("driver").object();
        j_.member("name", "Anemone").member("version", version).member("semanticVersion", version);
        j_.key("rules").array();
        for (const rule id : used_) {
            descriptor(record_of(id));
        }
        if (!remarks_.empty()) {
            shared_weights_descriptor();
        }
        for (const aside_kind& k : kinds_) {
            descriptor(k);
        }
        j_.end().end().end();
    }

    ANEMONE_INLINE void descriptor(const rule_record& r) {
        const std::string page = std::string(name(r.id)) + ".md";
        j_.object().member("id", rule_id(r)).member("name", name(r.id));
        const std::string sentence =
            fmt::format(fmt::runtime(r.sentence), fmt::arg("got", "<got>"), fmt::arg("limit", "<limit>"));
        text("shortDescription", sentence);
        std::string full = sentence;
        for (const std::string_view more : {r.consequence, r.advice}) {
            full += more.empty() ? "" : ". " + std::string(more);
        }
        text("fullDescription", full);
        text("help", "docs/rules/" + page);
        if (!options_.help_base.empty()) {
            j_.member("helpUri", options_.help_base + page);
        }
        const bool error = options_.rules.is_error(r.id, r.level);
        j_.key("defaultConfiguration").object();
        j_.member("level", error ? "error" : (r.level == severity::note ? "note" : "warning")).end();
        j_.key("properties").object().member("fact", r.fact).member("severity", name(r.level));
        j_.member("scope", name(r.scope)).member("mark", name(r.evidence)).member("source", r.source).end();
        j_.end();
    }

    /// The one rule that is not a rule of the engine.
    ANEMONE_INLINE void shared_weights_descriptor() {
        j_.object().member("id", shared_weights_id).member("name", "weights_are_shared");
        text("shortDescription", "several operations read one weight");
        text("fullDescription", "several operations read one weight. Meant where weights are tied; a mistake where two "
                                "blocks have one scope by oversight");
        text("help", "docs/weights.md");
        j_.key("defaultConfiguration").object().member("level", name(severity::note)).end();
        j_.key("properties").object().member("severity", name(severity::note)).end().end();
    }

    ANEMONE_INLINE void descriptor(const aside_kind& k) {
        j_.object().member("id", k.id).member("name", k.id.substr(k.id.find('.') + 1));
        text("shortDescription", k.summary);
        text("help", k.page);
        j_.key("defaultConfiguration").object().member("level", name(severity::note)).end().end();
    }

    ANEMONE_INLINE void result(const aside& o) {
        std::size_t kind = 0;
        while (kinds_[kind].id != o.kind.id) {
            ++kind;
        }
        j_.object().member("ruleId", o.kind.id);
        j_.member("ruleIndex", used_.size() + (remarks_.empty() ? 0U : 1U) + kind);
        j_.member("level", name(level_of(o.level)));
        text("message", o.text + ".");
        j_.key("locations").array();
        if (!o.file.empty()) {
            j_.object();
            place(o.file.c_str(), o.line);
            j_.end();
        }
        j_.end().end();
    }

    ANEMONE_INLINE void result(const remark& r) {
        const node& n = graph_[r.node];
        j_.object().member("ruleId", shared_weights_id).member("ruleIndex", used_.size());
        j_.member("level", name(severity::note));
        text("message", r.text + ".");
        locations(r.node, n.where.file, n.where.line);
        j_.key("properties").object().member("operation", name(n.kind)).member("node", r.node).end();
        j_.end();
    }

    ANEMONE_INLINE void result(const shared_violation& s) {
        const violation& v = s.first;
        const rule_record& r = record_of(v.rule);
        const auto index = std::lower_bound(used_.begin(), used_.end(), v.rule) - used_.begin();
        j_.object().member("ruleId", rule_id(r)).member("ruleIndex", index);
        j_.member("level", name(level_of(v)));
        text("message", message(s));
        locations(v.node, v.file, v.line);
        j_.key("properties").object().member("operation", name(v.operation)).member("node", v.node);
        j_.member("target", runtime_architecture(v.target));
        j_.key("targets").array();
        mark weakest = mark::measured;
        for (const target t : s.targets) {
            j_.value(runtime_architecture(t));
            weakest = std::max(weakest, evidence_on(r, describe(t)));
        }
        j_.end().member("got", v.got).member("limit", v.limit).member("mark", name(weakest)).end();
        j_.end();
    }

    ANEMONE_INLINE std::string message(const shared_violation& s) const {
        const violation& v = s.first;
        std::string where = target_phrase(describe(v.target));
        for (std::size_t i = 1; i < s.targets.size(); ++i) {
            where += formatted(", {}", runtime_architecture(s.targets[i]));
        }
        std::string text = formatted("{}: {} on {}", node_phrase(graph_, v.node, v.operation), sentence_of(v), where);
        text += asks_elsewhere(v) ? "; " + remedy_phrase(elsewhere_.first_for(v.node)) : "";
        std::string_view lead = "try";
        for (const std::string& suggestion : suggestions_of(v, graph_, describe(v.target))) {
            text += formatted("; {}: {}", lead, suggestion);
            lead = "or";
        }
        return text + ".";
    }

    ANEMONE_INLINE void locations(int node, const char* file, int line) {
        j_.key("locations").array().object();
        place(file, line);
        j_.key("logicalLocations").array().object();
        const std::string_view called = label(graph_, node);
        j_.member("name", called.empty() ? "#" + std::to_string(node) : std::string(called)).member("kind", "node");
        j_.end().end().end().end();
    }

    ANEMONE_INLINE void place(const char* file, int line) {
        if (*file == '\0') {
            return;
        }
        const artifact where = artifact_of(file, root_);
        j_.key("physicalLocation").object().key("artifactLocation").object().member("uri", where.uri);
        if (where.below_root) {
            j_.member("uriBaseId", root_id);
        }
        j_.end();
        if (line > 0) {
            j_.key("region").object().member("startLine", line).end();
        }
        j_.end();
    }

    /// A message: an object with a text. Braces are doubled, since single ones stand for arguments.
    ANEMONE_INLINE void text(std::string_view key, std::string_view words) {
        std::string doubled;
        for (const char c : words) {
            doubled.append(c == '{' || c == '}' ? 2 : 1, c);
        }
        j_.key(key).object().member("text", doubled).end();
    }

    json_writer& j_;
    graph_view graph_;
    const sarif_options& options_;
    std::filesystem::path root_;
    node_acceptance elsewhere_;
    std::vector<shared_violation> found_;
    std::vector<remark> remarks_;
    std::vector<aside_kind> kinds_; ///< of the observations
    std::vector<rule> used_;        ///< the rules with findings, in the order of `rule`
};

} // namespace ane::detail::inline ANEMONE_WAY

namespace ane::inline ANEMONE_WAY {

ANEMONE_BODY_OF std::string file_uri(const std::string& absolute) { return detail::uri_of(absolute); }

ANEMONE_BODY_OF std::string sarif(std::span<const sarif_run> runs) {
    json_writer j;
    j.object();
    j.member("$schema", "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json");
    j.member("version", "2.1.0");
    j.key("runs").array();
    for (const sarif_run& each : runs) {
        detail::sarif_writer(j, each.graph, each.targets, each.options).run();
    }
    j.end().end();
    return j.str();
}
ANEMONE_BODY_OF std::string sarif(const graph_view& g, const target_set& targets, const sarif_options& options) {
    const sarif_run one[] = {{g, targets, options}};
    return sarif(one);
}
ANEMONE_BODY_OF std::string sarif(const graph_view& g, target t, const sarif_options& options) {
    return sarif(g, target_set{t}, options);
}

} // namespace ane::inline ANEMONE_WAY
