#include "precision.hpp"

#include "backends.hpp"
#include "checkpoint_reading.hpp"
#include "option_faults.hpp"
#include <anemone/backend/cpu/cpu.hpp>
#include <anemone/backend/oracle/oracle.hpp>
#include <anemone/base/error.hpp>
#include <anemone/base/thread_pool.hpp>
#include <anemone/models/checkpoint.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

namespace app {

namespace {

/// What the values of a run take at most: those that live at the same time in each mixture of arithmetics, logits of two,
/// and the head's weights.
double value_bytes(const ane::models::decoder_configuration& c, const precision_options& how) {
    const auto positions = static_cast<double>(how.positions == 0 ? how.context : std::min(how.context, how.positions));
    const double mixtures = 17 + (how.quick ? 0 : static_cast<double>(c.layers));
    const double scores = 2 * static_cast<double>(c.heads) * positions;
    const double layer = static_cast<double>(3 * c.width + 3 * c.inner) + scores;
    const auto words = static_cast<double>(c.vocabulary);
    return 8 * (positions * (mixtures * layer + 4 * words) + words * static_cast<double>(c.width));
}

void require_memory(const ane::models::decoder_configuration& c, const precision_options& how, const caller& who) {
    const double bytes = value_bytes(c, how);
    if (bytes > static_cast<double>(how.max_memory)) {
        throw ane::error(ane::errc::argument, spelled(&precision_options::context, who.by),
                         fmt::format("is {}, whose values take up to {:.0f} bytes; {} allows {}", how.context, bytes,
                                     spelled(&precision_options::max_memory, who.by), how.max_memory));
    }
}

} // namespace

measured_precision measure_precision(const std::string& path, const std::vector<std::vector<ane::token_id>>& texts,
                                     const precision_options& how, const caller& who) {
    require_limits(how, who.by);
    backend_named(how.backend); // or it is no backend at all
    const bool is_cpu = how.backend == "cpu" || how.backend == "cpu:unfused";
    const std::optional<named_oracle> oracle =
        is_cpu ? std::nullopt : oracle_named(how.backend, ane::layer_forms::safe);
    if (!is_cpu && !oracle) {
        throw ane::error(ane::errc::argument, spelled(&precision_options::backend, who.by),
                         "is " + how.backend + ", which has no layers to look at: it must be cpu or oracle:TARGET");
    }
    const auto begin = std::chrono::steady_clock::now();
    ane::models::checkpoint found = read_whole_checkpoint(path, how.max_memory, who);
    require_memory(found.configuration, how, who);
    const task shown(who, "comparing " + how.backend + " with double precision on " + path);
    ane::precision_options options;
    options.bound.relative = how.bound;
    options.context = how.context;
    options.positions = how.positions;
    options.proposals = options.each_layer = !how.quick;
    options.progress = [&](double part) { shown.at(part); };
    measured_precision result{path, found.configuration, std::move(found.notes), {}, 0};
    if (oracle) {
        const ane::backend::oracle place = ane::backend::oracle(oracle->chip).layers(oracle->layers);
        result.report = ane::measure_precision(found.configuration, found.weights, texts, place, options);
    } else {
        const ane::backend::cpu place = ane::backend::cpu{}.threads(ane::available_threads());
        result.report = ane::measure_precision(found.configuration, found.weights, texts, place, options);
    }
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    result.seconds = took.count();
    return result;
}

} // namespace app
