#include "layer_errors.hpp"

#include "backends.hpp"
#include "option_faults.hpp"
#include "run_memory.hpp"
#include <anemone/backend/cpu/cpu.hpp>
#include <anemone/backend/oracle/oracle.hpp>
#include <anemone/backend/wide/wide.hpp>
#include <anemone/base/error.hpp>
#include <anemone/base/thread_pool.hpp>
#include <anemone/report/wide_diff_report.hpp>
#include <anemone/rules/phrases.hpp>

#include <utility>

namespace app {

namespace {

constexpr std::int64_t large_bytes = std::int64_t{256} << 20;
constexpr int large_nodes = 1000;
constexpr int part_nodes = 16;

/// What remedies of a large model may take: a third of a plain run beside the run in each arithmetic.
constexpr std::int64_t remedy_share = 3;

bool is_large(const ane::graph_view& g) {
    std::int64_t bytes = 0;
    for (const ane::node& n : g.nodes) {
        bytes += ane::bytes(n.type, n.shape.count());
    }
    return bytes > large_bytes || g.size() > large_nodes;
}

template <class Judged>
layer_errors compare_with(const model& of, const Judged& judged, const std::optional<ane::target>& chip,
                          const layer_error_options& how, const ane::model_samples& samples, const task& shown) {
    const ane::backend::wide exact = ane::backend::wide{}.threads(ane::available_threads());
    ane::wide_diff_options options;
    options.bound = {.relative = how.bound, .absolute = how.absolute.value_or(-1)};
    options.every_layer_alone = !how.quick && !is_large(of.graph());
    options.part_nodes = options.every_layer_alone || how.quick ? 0 : part_nodes;
    const std::int64_t most_layers = options.part_nodes == 0 ? 0 : of.graph().view().size() / remedy_share;
    layer_errors result{of, ane::diff(of.graph(), judged, exact, of.weights(), samples, options)};
    if (const int first = result.found.first; first >= 0) {
        const int node = result.found.layers[static_cast<std::size_t>(first)].node;
        result.first_name = ane::detail::node_phrase(of.graph(), node, of.graph().view()[node].kind);
    }
    if (!how.quick && result.found.affected > 0) {
        shown.now("trying what helps");
        result.remedies = ane::find_remedies(of.graph(), judged, exact, of.weights(), samples, result.found,
                                             {.diff = options, .chip = chip, .most_layers = most_layers});
    }
    return result;
}

} // namespace

layer_errors compare_layers(const model& of, const layer_error_options& how, ane::model_samples data,
                            std::uint64_t seed, const caller& who) {
    require_limits(how, who.by);
    backend_named(how.backend); // or it is no backend at all
    of.require_exact("run");
    require_run_memory(of.graph(), kept_values::live, of.max_memory(), who);
    if (data.empty()) {
        data = ane::random_samples(of.graph(), how.random_runs, seed);
    }
    const task shown(who, "comparing " + how.backend + " with double precision, layer by layer");
    if (how.backend == "cpu" || how.backend == "cpu:unfused") {
        return compare_with(of, ane::backend::cpu{}, std::nullopt, how, data, shown);
    }
    const std::optional<named_oracle> oracle = oracle_named(how.backend, of.layers());
    if (!oracle) {
        throw ane::error(ane::errc::argument, spelled(&layer_error_options::backend, who.by),
                         "is " + how.backend + ", which has no layers to look at: it must be cpu or oracle:TARGET");
    }
    return compare_with(of, ane::backend::oracle(oracle->chip).layers(oracle->layers), oracle->chip, how, data, shown);
}

std::string text(const layer_errors& e, bool coloured) {
    return ane::wide_diff_report(e.of.graph(), e.found, e.remedies).str(coloured);
}
std::string json(const layer_errors& e) { return ane::wide_diff_report(e.of.graph(), e.found, e.remedies).json(); }
std::string drawing(const layer_errors& e) { return ane::draw_wide_diff(e.of.graph(), e.found); }

} // namespace app
