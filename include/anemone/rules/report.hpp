#pragma once

#include "evaluate.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <ostream>
#include <string>
#include <string_view>
#include <unistd.h>
#include <utility>
#include <vector>

/// The rules at run time: every finding as a sentence with its node, source line, value, limit and advice.
namespace ane {

namespace detail {

constexpr std::string_view base_name(std::string_view path) {
    const std::size_t slash = path.find_last_of('/');
    return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

/// What a reader calls a node: its own name, that of the output it is, or that of the weight it reads without the
/// last part ("stem" for "stem.weight"). Empty when there is none.
constexpr std::string_view label(const graph_view& g, int index) {
    if (g[index].name.count > 0) {
        return g.name(index);
    }
    for (const output_port& port : g.outputs) {
        if (port.node == index) {
            return g.name(port);
        }
    }
    for (const int operand : g.operands(index)) {
        if (g[operand].kind == op::weight) {
            const std::string_view weight = g.name(operand);
            const std::size_t dot = weight.find_last_of('.');
            return dot == std::string_view::npos ? weight : weight.substr(0, dot);
        }
    }
    return {};
}

inline std::string target_phrase(const target_description& t) {
    return t.product[0] == '\0' ? std::string(t.runtime) : fmt::format("{} ({})", t.runtime, t.product);
}

} // namespace detail

/// `conv2d "stem" (model.cpp:41): kernel width 14 exceeds 13 on h13 (M1 base); try: swap the axes ... [R030, measured]`
inline std::string format(const violation& v, const graph_view& g, const target_description& t) {
    const rule_record& r = record_of(v.rule);
    const std::string_view label = detail::label(g, v.node);
    std::string text(name(v.operation));
    text += label.empty() ? fmt::format(" #{}", v.node) : fmt::format(" \"{}\"", label);
    if (v.line > 0) {
        text += fmt::format(" ({}:{})", detail::base_name(v.file), v.line);
    }
    text += fmt::format(": {} on {}",
                        fmt::format(fmt::runtime(r.sentence), fmt::arg("got", v.got), fmt::arg("limit", v.limit)),
                        detail::target_phrase(t));
    if (r.advice[0] != '\0') {
        text += fmt::format("; try: {}", r.advice);
    }
    return text + fmt::format(" [{}, {}]", r.fact, name(r.evidence));
}
inline std::string format(const violation& v, const graph_view& g) { return format(v, g, describe(v.target)); }

/// All findings of a graph on a target.
class rule_report {
public:
    rule_report(const graph_view& g, const target_description& t, const policy& p = {})
        : target_(detail::target_phrase(t)), found_(violations(g, t, p)) {
        for (const violation& v : found_) {
            lines_.push_back(format(v, g, t));
            errors_ += v.is_error ? 1 : 0;
        }
    }

    /// Whether nothing is an error under the policy.
    bool ok() const noexcept { return errors_ == 0; }
    std::size_t errors() const noexcept { return errors_; }
    const std::vector<violation>& found() const noexcept { return found_; }

    /// A line for each finding and one that counts them; with `coloured` the severities stand out on a terminal.
    std::string str(bool coloured = false) const {
        std::string text;
        for (std::size_t i = 0; i < found_.size(); ++i) {
            const violation& v = found_[i];
            const std::string_view word = v.is_error && v.severity == severity::warn ? "error" : name(v.severity);
            const std::string_view colour = v.is_error ? "\x1b[1;31m" : "\x1b[33m";
            text += coloured ? fmt::format("{}{}\x1b[0m: {}\n", colour, word, lines_[i])
                             : fmt::format("{}: {}\n", word, lines_[i]);
        }
        return text + fmt::format("{}: {} errors, {} warnings\n", target_, errors_, found_.size() - errors_);
    }

    /// Prints to a stream of the C library: coloured on a terminal unless NO_COLOR is set, plain elsewhere.
    void print(std::FILE* to = stdout) const {
        const bool coloured = ::isatty(::fileno(to)) != 0 && std::getenv("NO_COLOR") == nullptr;
        const std::string text = str(coloured);
        std::fwrite(text.data(), 1, text.size(), to);
    }
    friend std::ostream& operator<<(std::ostream& to, const rule_report& r) { return to << r.str(); }

private:
    std::string target_;
    std::vector<violation> found_;
    std::vector<std::string> lines_;
    std::size_t errors_ = 0;
};

/// Everything that the rules say of a graph on a target: `report(model, ane::h13).print();`
inline rule_report report(const graph_view& g, const target_description& t, const policy& p = {}) {
    return rule_report(g, t, p);
}
inline rule_report report(const graph_view& g, target t, const policy& p = {}) { return report(g, describe(t), p); }

} // namespace ane
