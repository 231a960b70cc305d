#pragma once

#include "../base/formatted.hpp"
#include "../targets/table.hpp"
#include "cost_text.hpp"
#include "decode_report.hpp"

#include <algorithm>
#include <string>
#include <string_view>

namespace ane::detail::inline ANEMONE_WAY {

/// A rate in three digits.
ANEMONE_INLINE std::string rate_text(double each_second) {
    return formatted("{:.{}f}", each_second, each_second < 10 ? 2 : (each_second < 100 ? 1 : 0));
}
/// "13.4 (8.1 to 21.9)": how many a second, of so many seconds each.
ANEMONE_INLINE std::string rates_text(const models::decode_interval& seconds) {
    return formatted("{} ({} to {})", rate_text(1 / seconds.typical), rate_text(1 / seconds.at_most),
                     rate_text(1 / seconds.at_least));
}
/// "471 mJ (320 to 700)"
ANEMONE_INLINE std::string joules_text(const models::decode_interval& joules) {
    const int digits = joules.at_most < 10e-3 ? 2 : 0;
    return formatted("{} ({:.{}f} to {:.{}f})", millijoules(joules.typical), joules.at_least * 1e3, digits,
                     joules.at_most * 1e3, digits);
}

struct decode_share_text {
    double seconds;
    std::string_view name, advice;
};
/// Where a token's time goes, the largest first.
ANEMONE_INLINE std::string shares_text(const models::decode_figures& f) {
    decode_share_text all[] = {
        {f.shares.weights, "weights",
         "compress them (anemone compress), or give each run more positions: drafts, more texts at once"},
        {f.shares.caches, "keys and values in and out",
         "a capacity near the context: all of it is read, whatever it holds"},
        {f.shares.arithmetic, "arithmetic", "fewer queries"},
        {f.shares.values, "values between layers", "fewer queries"},
        {f.shares.dispatches, "dispatches", "more layers in a program"}};
    std::sort(std::begin(all), std::end(all), [](const auto& a, const auto& b) { return a.seconds > b.seconds; });
    std::string text;
    for (const decode_share_text& each : all) {
        const double percent = 100 * each.seconds / f.token.typical;
        if (percent >= 0.5) {
            text += formatted("{}{} {:.0f} %", text.empty() ? "" : ", ", each.name, percent);
        }
    }
    return formatted("{}\n  to change the first: {}", text, all[0].advice);
}

ANEMONE_INLINE std::string chip_name(target t) {
    cost c;
    c.target = describe(t).runtime;
    c.product = describe(t).product;
    return device_name(c);
}

} // namespace ane::detail::inline ANEMONE_WAY

namespace ane::inline ANEMONE_WAY {

ANEMONE_BODY std::string decode_text(const models::decoder_configuration& c,
                                     std::span<const models::decode_figures> all) {
    if (all.empty()) {
        return {};
    }
    const models::decode_figures& first = all.front();
    std::string text = formatted(
        "{}\ncontext {}, caches for {}; {} queries a token, chunks of {}{}; fp16, by the cost model: never run on Apple silicon\n"
        "memory {}: weights {}, caches {}, embedding {}; on disk {}\n\n",
        models::print(c), first.how.context, first.how.capacity, first.how.queries, first.how.chunk,
        first.how.batch == 1 ? std::string() : formatted(", {} texts at once", first.how.batch),
        detail::scaled(static_cast<double>(first.memory_bytes()), "B"),
        detail::scaled(static_cast<double>(first.weight_bytes), "B"),
        detail::scaled(static_cast<double>(first.cache_bytes), "B"),
        detail::scaled(static_cast<double>(first.embedding_bytes), "B"),
        detail::scaled(static_cast<double>(first.disk_bytes(c)), "B"));
    text += formatted("{:<26} {:>22} {:>26} {:>24} {:>9}\n", "chip", "tokens/s", "prompt, positions/s", "a token",
                      "programs");
    for (const models::decode_figures& f : all) {
        text +=
            formatted("{:<26} {:>22} {:>26} {:>24} {:>9}\n", detail::chip_name(f.target), detail::rates_text(f.token),
                      detail::rates_text(f.position), detail::joules_text(f.token_joules), f.programs);
    }
    const auto slowest = std::max_element(
        all.begin(), all.end(), [](const auto& a, const auto& b) { return a.token.typical < b.token.typical; });
    return text + formatted("\nA token on {}: {}\n", detail::chip_name(slowest->target), detail::shares_text(*slowest));
}

ANEMONE_BODY void write_decode_json(json_writer& json, const models::decoder_configuration& c,
                                    const models::decode_figures& f) {
    const auto interval = [&](std::string_view name, const models::decode_interval& of) {
        json.key(name).object();
        json.member("typical", of.typical).member("at_least", of.at_least).member("at_most", of.at_most);
        json.end();
    };
    json.object();
    json.member("target", describe(f.target).name);
    json.member("context", f.how.context).member("capacity", f.how.capacity);
    json.member("queries", f.how.queries).member("chunk", f.how.chunk);
    json.member("batch", f.how.batch);
    json.member("programs", f.programs);
    interval("token_seconds", f.token);
    interval("position_seconds", f.position);
    interval("token_joules", f.token_joules);
    interval("position_joules", f.position_joules);
    json.key("token_shares").object();
    json.member("weights", f.shares.weights).member("caches", f.shares.caches);
    json.member("arithmetic", f.shares.arithmetic).member("values", f.shares.values);
    json.member("dispatches", f.shares.dispatches);
    json.end();
    json.member("weight_bytes", f.weight_bytes).member("cache_bytes", f.cache_bytes);
    json.member("embedding_bytes", f.embedding_bytes).member("disk_bytes", f.disk_bytes(c));
    json.member("known_by", f.known_by == mark::measured ? "measured" : "predicted");
    json.end();
}

} // namespace ane::inline ANEMONE_WAY
