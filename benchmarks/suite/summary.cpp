#include "summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>

namespace suite {

namespace {

constexpr const char* machine = "machine";
constexpr std::string_view begins = "<!-- measured by ./run bench --markdown docs/performance.md -->\n";
constexpr std::string_view ends = "<!-- end of the measurements -->\n";

std::string milliseconds(double seconds) {
    const double ms = seconds * 1e3;
    return fmt::format("{:.{}f}", ms, ms >= 100 ? 0 : ms >= 10 ? 1 : ms >= 1 ? 2 : 3);
}

/// What limits a workload, and how much of it a time reaches.
std::string limit_text(const record& r, double seconds, const std::optional<ane::machine_limits>& limits) {
    if (!limits || limits->reads.empty()) {
        return "|";
    }
    const ane::read_rate& level = limits->reads_of(r.bytes);
    const double by_memory = r.bytes / level.bandwidth;
    const double by_arithmetic = r.flops / limits->peak;
    return by_arithmetic >= by_memory ? fmt::format("multiply-adds | {:.0f} %", 100 * by_arithmetic / seconds)
                                      : fmt::format("reads from {} | {:.0f} %", level.level, 100 * by_memory / seconds);
}

std::set<int> thread_counts(const std::vector<record>& records) {
    std::set<int> counts;
    for (const record& r : records) {
        counts.insert(r.found.threads);
    }
    return counts;
}

std::vector<std::vector<record>> timed_blocks(const std::vector<record>& records, int threads) {
    std::vector<std::vector<record>> blocks;
    for (auto& block : blocks_of(records)) {
        if (block.front().found.threads == threads && block.front().found.workload != machine && judge(block).ours) {
            blocks.push_back(std::move(block));
        }
    }
    return blocks;
}

std::string main_table(const std::vector<record>& records, int threads) {
    const auto limits = limits_of(records, threads);
    struct row {
        const record* ours;
        const record* peer;
        comparison against;
        const char* form;
    };
    std::vector<row> rows;
    const auto blocks = timed_blocks(records, threads);
    for (const auto& block : blocks) {
        const verdict v = judge(block);
        rows.push_back({v.ours, v.peer, v.against, ""});
        if (v.winograd != nullptr) {
            rows.push_back({v.winograd, v.any_peer, v.winograd_against, ", Winograd"});
        }
    }
    std::stable_sort(rows.begin(), rows.end(), [](const row& a, const row& b) {
        return (a.peer != nullptr ? a.against.median : 1e9) < (b.peer != nullptr ? b.against.median : 1e9);
    });
    std::string text = fmt::format("### {} thread{}\n\n", threads, threads == 1 ? "" : "s");
    if (limits) {
        text += "Limits of the machine, measured in the same run: " + limits->line() + ".\n\n";
    }
    text += "| Workload | ours, ms | fastest peer | its ms | ours is so many times as fast [quartiles] | by the "
            "fastest runs | bound by | of that limit |\n|---|---|---|---|---|---|---|---|\n";
    for (const row& r : rows) {
        text += fmt::format("| {}{} | {} |", r.ours->title, r.form, milliseconds(median_of(r.ours->found.rounds)));
        text += r.peer != nullptr
                    ? fmt::format(" {} | {} | {}{:.2f}{} [{:.2f}, {:.2f}] | {:.2f} |", r.peer->found.contender,
                                  milliseconds(median_of(r.peer->found.rounds)), r.against.median < 1 ? "**" : "",
                                  r.against.median, r.against.median < 1 ? "**" : "", r.against.low, r.against.high,
                                  r.against.of_least)
                    : " none | | | |";
        text += fmt::format(" {} |\n", limit_text(*r.ours, r.ours->found.least, limits));
    }
    return text + "\n";
}

/// How two of our own times compare, workload by workload.
std::string thread_table(const std::vector<record>& records, int few, int many) {
    std::string text = fmt::format("### From {} to {} threads\n\n| Workload | ours, ms | ours, ms | gain | gain of its "
                                   "limit |\n|---|---|---|---|---|\n",
                                   few, many);
    const auto before = limits_of(records, few);
    const auto after = limits_of(records, many);
    for (const auto& block : timed_blocks(records, few)) {
        for (const auto& other : timed_blocks(records, many)) {
            if (other.front().found.workload != block.front().found.workload) {
                continue;
            }
            const record& a = *judge(block).ours;
            const record& b = *judge(other).ours;
            text += fmt::format("| {} | {} | {} | {:.2f} |", a.title, milliseconds(a.found.least),
                                milliseconds(b.found.least), a.found.least / b.found.least);
            if (before && after) {
                const auto seconds = [&](const ane::machine_limits& l) {
                    return std::max(a.flops / l.peak, a.bytes / l.reads_of(a.bytes).bandwidth);
                };
                text += fmt::format(" {:.2f} |\n", seconds(*before) / seconds(*after));
            } else {
                text += " |\n";
            }
        }
    }
    return text + "\n";
}

std::string fusion_table(const std::vector<record>& records, int threads) {
    std::string rows;
    for (const auto& block : timed_blocks(records, threads)) {
        const verdict v = judge(block);
        if (v.unfused != nullptr) {
            const comparison c = compare(v.ours->found, v.unfused->found);
            rows += fmt::format("| {} | {} | {} | {:.2f} [{:.2f}, {:.2f}] | {:.2f} |\n", v.ours->title,
                                milliseconds(median_of(v.ours->found.rounds)),
                                milliseconds(median_of(v.unfused->found.rounds)), c.median, c.low, c.high, c.of_least);
        }
    }
    return rows.empty() ? rows
                        : fmt::format("### Fused against unfused, {} thread{}\n\n| Workload | fused, ms | unfused, ms "
                                      "| gain [quartiles] | by the fastest runs |\n|---|---|---|---|---|\n{}\n",
                                      threads, threads == 1 ? "" : "s", rows);
}

std::string cold_table(const std::vector<record>& records, int threads) {
    std::string rows;
    for (const auto& block : timed_blocks(records, threads)) {
        if (block.front().found.workload != "resnet18" && block.front().found.workload != "mobilenet") {
            continue;
        }
        for (const record& r : block) {
            if (!r.found.rounds.empty()) {
                const double run = median_of(r.found.rounds);
                rows += fmt::format("| {} | {} | {} | {} | {} | {:.1f} |\n", r.title, r.found.contender,
                                    milliseconds(r.found.prepare), milliseconds(r.found.first), milliseconds(run),
                                    (r.found.prepare + r.found.first) / run);
            }
        }
    }
    return rows.empty()
               ? rows
               : fmt::format("### Cold start, {} thread{}\n\n| Workload | contender | prepare, ms | first run, "
                             "ms | a run, ms | prepare and first run, in runs |\n|---|---|---|---|---|---|\n{}\n",
                             threads, threads == 1 ? "" : "s", rows);
}

} // namespace

std::vector<record> records_of(const ane::machine_limits& limits) {
    std::vector<record> records;
    const auto add = [&](std::string contender, std::string title, double rate, double fits) {
        record r;
        r.found.workload = machine;
        r.found.contender = std::move(contender);
        r.found.threads = limits.threads;
        r.title = std::move(title);
        r.flops = rate;
        r.bytes = fits;
        records.push_back(r);
    };
    add("peak", std::string(name(limits.level)), limits.peak, 0);
    for (const ane::read_rate& rate : limits.reads) {
        add(rate.level, "read bandwidth", rate.bandwidth, static_cast<double>(rate.fits));
    }
    return records;
}

ane::machine_limits best_of(ane::machine_limits a, const ane::machine_limits& b) {
    a.peak = std::max(a.peak, b.peak);
    for (std::size_t i = 0; i < a.reads.size() && i < b.reads.size(); ++i) {
        a.reads[i].bandwidth = std::max(a.reads[i].bandwidth, b.reads[i].bandwidth);
    }
    return a;
}

std::optional<ane::machine_limits> limits_of(const std::vector<record>& records, int threads) {
    ane::machine_limits limits;
    limits.threads = threads;
    for (const record& r : records) {
        if (r.found.workload != machine || r.found.threads != threads) {
            continue;
        }
        if (r.found.contender == "peak") {
            limits.peak = r.flops;
            for (const auto level :
                 {ane::isa_level::generic, ane::isa_level::avx2, ane::isa_level::avx512, ane::isa_level::neon}) {
                limits.level = name(level) == r.title ? level : limits.level;
            }
        } else {
            limits.reads.push_back({r.found.contender, static_cast<std::size_t>(r.bytes), 0, r.flops});
        }
    }
    return limits.peak > 0 && !limits.reads.empty() ? std::optional(limits) : std::nullopt;
}

verdict judge(const std::vector<record>& block) {
    verdict v;
    const auto take_faster = [](const record*& best, const record& r) {
        if (best == nullptr || median_of(r.found.rounds) < median_of(best->found.rounds)) {
            best = &r;
        }
    };
    for (const record& r : block) {
        if (r.found.rounds.empty()) {
            continue;
        }
        if (r.found.ours) {
            for (const auto& [form, place] : {std::pair(default_form, &v.ours), std::pair(unfused_form, &v.unfused),
                                              std::pair(winograd_form, &v.winograd)}) {
                if (r.found.contender == form) {
                    *place = &r;
                }
            }
        } else {
            take_faster(v.any_peer, r);
            if (!r.found.contender.ends_with(" Winograd")) {
                take_faster(v.peer, r);
            }
        }
    }
    if (v.ours != nullptr && v.peer != nullptr) {
        v.against = compare(v.ours->found, v.peer->found);
    }
    if (v.winograd != nullptr && v.any_peer != nullptr) {
        v.winograd_against = compare(v.winograd->found, v.any_peer->found);
    }
    return v;
}

std::string markdown(const std::vector<record>& records) {
    std::string text;
    const std::set<int> counts = thread_counts(records);
    for (const int threads : counts) {
        text += main_table(records, threads);
    }
    if (counts.size() > 1) {
        text += thread_table(records, *counts.begin(), *counts.rbegin());
    }
    for (const int threads : counts) {
        text += fusion_table(records, threads);
    }
    return text + (counts.empty() ? "" : cold_table(records, *counts.begin()));
}

std::string with_measurements(const std::string& page, const std::string& text) {
    const std::string inner = std::string(begins) + '\n' + text + std::string(ends);
    const std::size_t first = page.find(begins);
    const std::size_t last = page.find(ends);
    if (first == std::string::npos || last == std::string::npos || last < first) {
        return inner;
    }
    return page.substr(0, first) + inner + page.substr(last + ends.size());
}

} // namespace suite
