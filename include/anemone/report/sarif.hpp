#pragma once

#include "../targets/sets.hpp"
#include "../version.hpp"
#include "../way.hpp"
#include "findings.hpp"
#include "json.hpp"

#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

/// The violations of a model as SARIF 2.1.0, the format in which code hosts take findings to mark them in the source.
namespace ane::inline ANEMONE_WAY {

struct sarif_options {
    /// The folder of the sources: files below it are named relative to it. Empty: as the compiler named them.
    std::filesystem::path root{};
    /// An absolute URI under which the pages of the rules lie, as in "https://example.org/anemone/docs/rules/". Empty:
    /// the rules name their page in their help text only, since SARIF takes no relative URI there.
    std::string help_base{};
    policy rules{};
};

} // namespace ane::inline ANEMONE_WAY

namespace ane::detail::inline ANEMONE_WAY {

/// A path as the path of a URI: blanks, non-ASCII bytes and reserved characters as %20.
ANEMONE_INLINE std::string percent_encoded(std::string_view path) {
    std::string text;
    for (const char c : path) {
        const unsigned byte = static_cast<unsigned char>(c);
        const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        if (letter || std::string_view("-._~/").find(c) != std::string_view::npos) {
            text += c;
        } else {
            text += '%';
            for (const unsigned nibble : {byte >> 4U, byte & 0xFU}) {
                text += "0123456789ABCDEF"[nibble];
            }
        }
    }
    return text;
}

} // namespace ane::detail::inline ANEMONE_WAY

namespace ane::inline ANEMONE_WAY {

/// "file:///my%20models/model.cpp" of an absolute path.
ANEMONE_INLINE std::string file_uri(const std::filesystem::path& absolute) {
    return "file://" + detail::percent_encoded(absolute.lexically_normal().generic_string());
}

} // namespace ane::inline ANEMONE_WAY

namespace ane::detail::inline ANEMONE_WAY {

/// Where a source file is: a URI, and whether it is relative to the root.
struct artifact {
    std::string uri;
    bool below_root = false;
};

ANEMONE_INLINE artifact artifact_of(std::string_view file, const std::filesystem::path& root) {
    const std::filesystem::path path = std::filesystem::path(file).lexically_normal();
    if (!root.empty()) {
        const std::filesystem::path base = root.lexically_normal();
        const std::filesystem::path relative = path.is_absolute() == base.is_absolute()
                                                   ? path.lexically_relative(base)
                                                   : (path.is_relative() ? path : std::filesystem::path());
        if (!relative.empty() && *relative.begin() != "..") {
            return {percent_encoded(relative.generic_string()), true};
        }
    }
    return {path.is_absolute() ? file_uri(path) : percent_encoded(path.generic_string()), false};
}

/// "R030.kernel_width_exceeds": the facts and the name of a rule.
ANEMONE_INLINE std::string rule_id(const rule_record& r) {
    std::string id = r.fact;
    std::replace(id.begin(), id.end(), ' ', '-');
    return id + "." + std::string(name(r.id));
}

/// A violation and all targets on which it is the same.
struct shared_violation {
    violation first;
    std::vector<target> targets;
};

/// The violations on every target of a set, those with equal node, rule and figures together, in the order of the
/// nodes.
ANEMONE_INLINE std::vector<shared_violation> shared_violations(const graph_view& g, const target_set& targets,
                                                               const policy& p) {
    std::vector<shared_violation> all;
    for (const target t : targets) {
        for (const violation& v : violations(g, t, p)) {
            all.push_back({v, {t}});
        }
    }
    const auto key = [](const violation& v) { return std::tuple(v.node, v.rule, v.got, v.limit); };
    std::stable_sort(all.begin(), all.end(), [&](const auto& a, const auto& b) { return key(a.first) < key(b.first); });
    std::vector<shared_violation> shared;
    for (shared_violation& s : all) {
        if (!shared.empty() && key(shared.back().first) == key(s.first)) {
            shared.back().targets.push_back(s.targets[0]);
        } else {
            shared.push_back(std::move(s));
        }
    }
    return shared;
}

/// Writes one run of SARIF.
class sarif_writer {
public:
    sarif_writer(const graph_view& g, const target_set& targets, const sarif_options& options)
        : graph_(g), options_(options), elsewhere_(g, macs, options.rules),
          found_(shared_violations(g, targets, options.rules)) {
        for (const shared_violation& s : found_) {
            if (std::find(used_.begin(), used_.end(), s.first.rule) == used_.end()) {
                used_.push_back(s.first.rule);
            }
        }
        std::sort(used_.begin(), used_.end());
    }

    std::string str() {
        j_.object();
        j_.member("$schema",
                  "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json");
        j_.member("version", "2.1.0");
        j_.key("runs").array().object();
        tool();
        if (options_.root.is_absolute()) {
            j_.key("originalUriBaseIds").object().key(root_id).object();
            j_.member("uri", file_uri(options_.root / "")).end().end();
        }
        j_.member("columnKind", "unicodeCodePoints");
        j_.key("results").array();
        for (const shared_violation& s : found_) {
            result(s);
        }
        j_.end().end().end().end();
        return j_.str();
    }

private:
    static constexpr std::string_view root_id = "SRCROOT";

    void tool() {
        j_.key("tool").object().key("driver").object();
        j_.member("name", "Anemone").member("version", version).member("semanticVersion", version);
        j_.key("rules").array();
        for (const rule id : used_) {
            descriptor(record_of(id));
        }
        j_.end().end().end();
    }

    void descriptor(const rule_record& r) {
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

    void result(const shared_violation& s) {
        const violation& v = s.first;
        const rule_record& r = record_of(v.rule);
        const auto index = std::lower_bound(used_.begin(), used_.end(), v.rule) - used_.begin();
        j_.object().member("ruleId", rule_id(r)).member("ruleIndex", index);
        j_.member("level", name(level_of(v)));
        text("message", message(s));
        j_.key("locations").array().object();
        location(v);
        j_.key("logicalLocations").array().object();
        const std::string_view called = label(graph_, v.node);
        j_.member("name", called.empty() ? "#" + std::to_string(v.node) : std::string(called)).member("kind", "node");
        j_.end().end().end().end();
        j_.key("properties").object().member("operation", name(v.operation)).member("node", v.node);
        j_.member("target", runtime_architecture(v.target));
        j_.key("targets").array();
        for (const target t : s.targets) {
            j_.value(runtime_architecture(t));
        }
        j_.end().member("got", v.got).member("limit", v.limit).member("mark", name(r.evidence)).end();
        j_.end();
    }

    std::string message(const shared_violation& s) const {
        const violation& v = s.first;
        std::string where = target_phrase(describe(v.target));
        for (std::size_t i = 1; i < s.targets.size(); ++i) {
            where += fmt::format(", {}", runtime_architecture(s.targets[i]));
        }
        std::string text = fmt::format("{}: {} on {}", node_phrase(graph_, v.node, v.operation), sentence_of(v), where);
        text += v.is_error ? "; " + remedy_phrase(elsewhere_.first_for(v.node)) : "";
        std::string_view lead = "try";
        for (const std::string& suggestion : suggestions_of(record_of(v.rule))) {
            text += fmt::format("; {}: {}", lead, suggestion);
            lead = "or";
        }
        return text + ".";
    }

    void location(const violation& v) {
        if (*v.file == '\0') {
            return;
        }
        const artifact where = artifact_of(v.file, options_.root);
        j_.key("physicalLocation").object().key("artifactLocation").object().member("uri", where.uri);
        if (where.below_root) {
            j_.member("uriBaseId", root_id);
        }
        j_.end();
        if (v.line > 0) {
            j_.key("region").object().member("startLine", v.line).end();
        }
        j_.end();
    }

    /// A message: an object with a text. Braces are doubled, since single ones stand for arguments.
    void text(std::string_view key, std::string_view words) {
        std::string doubled;
        for (const char c : words) {
            doubled.append(c == '{' || c == '}' ? 2 : 1, c);
        }
        j_.key(key).object().member("text", doubled).end();
    }

    graph_view graph_;
    const sarif_options& options_;
    node_acceptance elsewhere_;
    std::vector<shared_violation> found_;
    std::vector<rule> used_; ///< the rules with findings, in the order of `rule`
    json_writer j_;
};

} // namespace ane::detail::inline ANEMONE_WAY

namespace ane::inline ANEMONE_WAY {

/// The violations of a model on some targets as a SARIF log with one run. A violation that is the same on several
/// targets is one result.
ANEMONE_INLINE std::string sarif(const graph_view& g, const target_set& targets, const sarif_options& options = {}) {
    return detail::sarif_writer(g, targets, options).str();
}
ANEMONE_INLINE std::string sarif(const graph_view& g, target t, const sarif_options& options = {}) {
    return sarif(g, target_set{t}, options);
}

} // namespace ane::inline ANEMONE_WAY
