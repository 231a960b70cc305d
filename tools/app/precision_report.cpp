#include "precision.hpp"
#include <anemone/io/json.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace app {

namespace {

using ane::decoder_part;
using ane::logit_error;
using ane::part_effect;
using ane::part_error;
using ane::precision_proposal;

/// Of no position where none is finite.
std::string kl_text(const logit_error& e, double kl) {
    return e.not_finite == e.positions ? "-" : kl == 0 ? "0" : fmt::format("{:.2g}", kl);
}
std::string error_text(double error) { return error == 0 ? "0" : fmt::format("{:.2g} %", 100 * error); }
std::string flips_text(const logit_error& e) {
    return e.not_finite > 0 ? fmt::format("{} ({} not finite)", e.flips, e.not_finite) : fmt::format("{}", e.flips);
}
std::string place_text(std::int64_t layer, decoder_part part) {
    return layer < 0 ? std::string(ane::name(part)) : fmt::format("layer {}, {}", layer, ane::name(part));
}

/// "4094 of 4096 (99.95 %)"
std::string equal_text(const logit_error& e) {
    return fmt::format("{} of {} ({:.4g} %)", e.positions - e.flips, e.positions, 100 * e.equal());
}

std::string change_text(const precision_proposal& p) {
    if (p.kind != ane::precision_change::host) {
        std::string text(ane::name(p.kind));
        return p.scaled > 0 ? fmt::format("{} ({} value{})", text, p.scaled, p.scaled == 1 ? "" : "s") : text;
    }
    std::string parts;
    for (const decoder_part each : p.on_host) {
        parts += fmt::format("{}{}", parts.empty() ? "" : "; ", ane::name(each));
    }
    return "host: " + parts;
}
std::string price_text(const precision_proposal& p) {
    return p.kind == ane::precision_change::host
               ? fmt::format("{} operations there, {} values cross", p.host_operations, p.crossings)
               : fmt::format("{} operations more", p.added_operations);
}

/// The worst of a part's layers, by the error that it makes alone.
const part_error* worst_of(const ane::precision_report& r, decoder_part part) {
    const part_error* worst = nullptr;
    for (const part_error& each : r.errors) {
        if (each.part == part &&
            (worst == nullptr || std::pair(each.overflows, each.alone) > std::pair(worst->overflows, worst->alone))) {
            worst = &each;
        }
    }
    return worst;
}

std::string parts_text(const ane::precision_report& r) {
    std::string text = fmt::format("{:<11} {:>20} {:>9} {:>9}   {:>11} {:>8} {:>12}\n", "part, alone",
                                   "tokens that change", "mean KL", "worst KL", "error alone", "in layer", "largest");
    for (const part_effect& each : r.parts) {
        const part_error* const worst = worst_of(r, each.part);
        text += fmt::format("{:<11} {:>20} {:>9} {:>9}", ane::name(each.part), flips_text(each.alone),
                            kl_text(each.alone, each.alone.mean_kl), kl_text(each.alone, each.alone.worst_kl));
        if (worst != nullptr) {
            text += fmt::format("   {:>11} {:>8} {:>12.4g}{}", error_text(worst->alone),
                                worst->layer < 0 ? "" : fmt::format("{}", worst->layer), worst->largest,
                                worst->overflows ? "   overflows" : "");
        }
        text += "\n";
    }
    return text;
}

std::string layers_text(const ane::precision_report& r) {
    std::string text = fmt::format("{:<12} {:>20} {:>9} {:>9}   {}\n", "layer, alone", "tokens that change", "mean KL",
                                   "worst KL", "error at its end, with those before it");
    for (const part_effect& each : r.layers) {
        const auto end = std::find_if(r.errors.begin(), r.errors.end(), [&](const part_error& e) {
            return e.layer == each.layer && e.part == decoder_part::residual;
        });
        text += fmt::format("{:<12} {:>20} {:>9} {:>9}   {}\n", each.layer, flips_text(each.alone),
                            kl_text(each.alone, each.alone.mean_kl), kl_text(each.alone, each.alone.worst_kl),
                            end == r.errors.end() ? "" : error_text(end->whole));
    }
    return text;
}

std::string proposals_text(const ane::precision_report& r) {
    std::string text =
        fmt::format("{:<44} {:>18} {:>9} {:>9}   {}\n", "change", "tokens that change", "mean KL", "worst KL", "price");
    for (const precision_proposal& each : r.proposals) {
        text += fmt::format("{:<44} {:>18} {:>9} {:>9}   {}\n", change_text(each), flips_text(each.after),
                            kl_text(each.after, each.after.mean_kl), kl_text(each.after, each.after.worst_kl),
                            price_text(each));
    }
    return text;
}

std::string advice_text(const ane::precision_report& r) {
    if (r.whole.flips == 0) {
        return "Every token is that of double precision: nothing has to change.\n";
    }
    if (r.recommended < 0) {
        return "No changes were tried.\n";
    }
    const precision_proposal& best = r.proposals[static_cast<std::size_t>(r.recommended)];
    if (best.after.flips >= r.whole.flips) {
        return "No change that was tried gives more of the tokens of double precision.\n";
    }
    return fmt::format("{}: {}, {}.\n",
                       r.is_restored() ? "The cheapest change that restores every token" : "What restores most tokens",
                       change_text(best), price_text(best));
}

void write(ane::json_writer& j, std::string_view name, const logit_error& e) {
    j.key(name).object();
    j.member("positions", e.positions).member("flips", e.flips).member("not_finite", e.not_finite);
    j.member("equal", e.equal()).member("mean_kl", e.mean_kl).member("worst_kl", e.worst_kl);
    j.member("least_cosine", e.least_cosine).end();
}

} // namespace

std::string text(const measured_precision& p) {
    const ane::precision_report& r = p.report;
    std::string text =
        fmt::format("{}\n{} against double precision, each position after the true tokens: {} positions of "
                    "{} texts; never run on Apple silicon\n\n",
                    ane::models::print(p.configuration), r.judged, r.whole.positions, r.texts);
    text += fmt::format(
        "greedy tokens that are equal: {}\nKL divergence: mean {}, worst {} nats; cosine of logits {:.6f} or "
        "more\n",
        equal_text(r.whole), kl_text(r.whole, r.whole.mean_kl), kl_text(r.whole, r.whole.worst_kl),
        r.whole.least_cosine);
    if (r.whole.not_finite > 0) {
        text += fmt::format("positions with logits that are not finite: {}\n", r.whole.not_finite);
    }
    if (r.first >= 0) {
        const part_error& first = r.errors[static_cast<std::size_t>(r.first)];
        text += fmt::format("first beyond {}: {}{}\n", error_text(r.bound.relative),
                            place_text(first.layer, first.part), first.overflows ? ", which overflows" : "");
    }
    text += "\n" + parts_text(r);
    if (!r.layers.empty()) {
        text += "\n" + layers_text(r);
    }
    if (!r.proposals.empty()) {
        text += "\n" + proposals_text(r);
    }
    return text + "\n" + advice_text(r);
}

std::string json(const measured_precision& p) {
    const ane::precision_report& r = p.report;
    ane::json_writer j;
    j.object().member("model", ane::models::print(p.configuration)).member("backend", r.judged);
    j.member("bound", r.bound.relative).member("texts", r.texts);
    write(j, "whole", r.whole);
    j.key("first");
    if (r.first < 0) {
        j.null();
    } else {
        j.value(r.first);
    }
    j.key("errors").array();
    for (const part_error& e : r.errors) {
        j.object().member("layer", e.layer).member("part", ane::name(e.part)).member("alone", e.alone);
        j.member("whole", e.whole).member("largest", e.largest).member("overflows", e.overflows);
        j.member("beyond_alone", e.is_beyond_alone).member("beyond", e.is_beyond).end();
    }
    j.end().key("parts").array();
    for (const part_effect& e : r.parts) {
        j.object().member("part", ane::name(e.part));
        write(j, "alone", e.alone);
        j.end();
    }
    j.end().key("layers").array();
    for (const part_effect& e : r.layers) {
        j.object().member("layer", e.layer);
        write(j, "alone", e.alone);
        j.end();
    }
    j.end().key("proposals").array();
    for (const precision_proposal& each : r.proposals) {
        j.object().member("change", ane::name(each.kind)).key("on_host").array();
        for (const decoder_part part : each.on_host) {
            j.value(ane::name(part));
        }
        j.end();
        write(j, "after", each.after);
        j.member("added_operations", each.added_operations).member("scaled", each.scaled);
        j.member("host_operations", each.host_operations).member("crossings", each.crossings).end();
    }
    j.end().member("needs_change", r.whole.flips > 0).member("restored", r.is_restored()).key("recommended");
    if (r.recommended < 0) {
        j.null();
    } else {
        j.value(r.recommended);
    }
    return j.member("seconds", p.seconds).end().str();
}

} // namespace app
