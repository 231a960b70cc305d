#include "table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

namespace suite {

double quantile(std::vector<double> list, double part) {
    if (list.empty()) {
        return 0;
    }
    std::sort(list.begin(), list.end());
    const double place = part * static_cast<double>(list.size() - 1);
    const auto below = static_cast<std::size_t>(place);
    const std::size_t above = std::min(below + 1, list.size() - 1);
    return list[below] + (place - static_cast<double>(below)) * (list[above] - list[below]);
}

double median_of(std::vector<double> list) { return quantile(std::move(list), 0.5); }

comparison compare(const result& ours, const result& peer) {
    std::vector<double> quotients;
    for (std::size_t i = 0; i < std::min(ours.rounds.size(), peer.rounds.size()); ++i) {
        quotients.push_back(peer.rounds[i] / ours.rounds[i]);
    }
    return {median_of(quotients), quantile(quotients, 0.25), quantile(quotients, 0.75),
            ours.least > 0 ? peer.least / ours.least : 0};
}

bool left_out(const result& r) { return r.failure.starts_with("lowering") && r.contender != default_form; }

std::vector<std::vector<record>> blocks_of(const std::vector<record>& records) {
    std::vector<std::vector<record>> blocks;
    for (const record& r : records) {
        const auto same = [&](const std::vector<record>& b) {
            return b.front().found.workload == r.found.workload && b.front().found.threads == r.found.threads;
        };
        const auto found = std::find_if(blocks.begin(), blocks.end(), same);
        if (found == blocks.end()) {
            blocks.push_back({r});
        } else {
            found->push_back(r);
        }
    }
    return blocks;
}

std::string block_text(const std::vector<record>& block, double peak_flops) {
    const record& first = block.front();
    std::string text = fmt::format("{}, {} thread{}: {:.3g} GFLOP, {:.3g} MB\n", first.title, first.found.threads,
                                   first.found.threads == 1 ? "" : "s", first.flops * 1e-9, first.bytes * 1e-6);
    std::string without; // contenders that have no form of it
    for (const record& r : block) {
        const result& f = r.found;
        if (left_out(f)) {
            without += (without.empty() ? "" : ", ") + f.contender;
            continue;
        }
        if (!f.failure.empty()) {
            text += fmt::format("  {:<18} -  {}\n", f.contender, f.failure);
            continue;
        }
        text += fmt::format("  {:<18}", f.contender);
        if (f.rounds.empty()) {
            text += fmt::format(" right, relative error {:.1e}\n", f.error);
            continue;
        }
        const double middle = median_of(f.rounds);
        const bool moves = r.flops < 10 * r.bytes; // its arithmetic says little
        text +=
            fmt::format(" {:>9.4f} ms (least {:>9.4f}) {:>7.1f} {:<7}", middle * 1e3, f.least * 1e3,
                        (moves ? r.bytes * (f.ours ? 1 : 2) : r.flops) / f.least * 1e-9, moves ? "GB/s" : "GFLOP/s");
        if (peak_flops > 0 && !moves) {
            text += fmt::format(" {:>5.1f} %", 100 * r.flops / f.least / peak_flops);
        }
        if (!f.ours && first.found.ours && !first.found.rounds.empty()) {
            const comparison c = compare(first.found, f);
            text += fmt::format("   ours is {:>6.3f} times as fast [{:.3f} {:.3f}], by the least {:.3f}", c.median,
                                c.low, c.high, c.of_least);
        }
        text += fmt::format("   first {:.3g} + {:.3g} ms\n", f.prepare * 1e3, f.first * 1e3);
    }
    if (!without.empty()) {
        text += fmt::format("  {:<18} {}\n", "(not in)", without);
    }
    return text;
}

} // namespace suite
