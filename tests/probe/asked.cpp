#include "asked.hpp"

#include "as_written.hpp"
#include "bits.hpp"
#include "journal.hpp"
#include "stopwatch.hpp"
#include "tasks.hpp"
#include <anemone/passes/print.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace kit {
namespace {

constexpr std::size_t kept_programs = 24;
constexpr int told_graphs = 6; ///< of each item with all their bits; others only where they differ
constexpr int told_differences = 20;
constexpr int timed_graphs = 4;
constexpr int failures_in_a_row = 3; ///< a failed compile costs 15 s

/// The same for equal graphs, and for them only.
std::string key_of(const ane::dynamic_graph& model) {
    const ane::graph_view g = model;
    const auto bytes = std::as_bytes(g.payload);
    return ane::print(g) + std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

/// The operations of a graph and its result: "mul, add -> fp16 [1, 4]".
std::string described(const ane::graph_view& g) {
    std::string text;
    for (int i = 0; i < g.size(); ++i) {
        if (!is_source(g[i].kind)) {
            text += (text.empty() ? "" : ", ") + std::string(ane::name(g[i].kind));
        }
    }
    const ane::node& result = g[g.outputs[0].node];
    return text + " -> " + ane::print(result.type, result.shape);
}

void tell_inputs(const ane::graph_view& g, std::span<const std::span<const std::byte>> inputs) {
    std::size_t at = 0;
    for (int i = 0; i < g.size(); ++i) {
        if (g[i].kind == ane::op::input) {
            const auto element = static_cast<std::size_t>(ane::bytes(g[i].type, 1));
            tell(fmt::format("  input {} {}: {}", g.name(i), ane::print(g[i].type, g[i].shape),
                             patterns(inputs[at++], element)));
        }
    }
}

} // namespace

asked::program* asked::program_of(const ane::dynamic_graph& model) const {
    std::string key = key_of(model);
    const auto found = std::find_if(programs_.begin(), programs_.end(), [&](const program& p) { return p.key == key; });
    if (found != programs_.end()) {
        programs_.splice(programs_.begin(), programs_, found);
        return &programs_.front();
    }
    if (programs_.size() == kept_programs) {
        programs_.pop_back();
    }
    if (failed_ >= failures_in_a_row) {
        ++failed_;
        return nullptr;
    }
    try {
        programs_.push_front(
            {std::move(key), engine_.compile(model), ane::backend::oracle(own_).compile(model, ane::weight_store{})});
        return &programs_.front();
    } catch (const ane::error& e) {
        if (e.code() != ane::errc::lowering) {
            throw;
        }
        ++refused_;
        if (std::find(refusals_.begin(), refusals_.end(), e.what()) == refusals_.end()) {
            refusals_.emplace_back(e.what());
            tell(fmt::format("refused by the {} door: {}: {}", name(engine_.door()), described(model), e.what()));
        }
    }
    return nullptr;
}

void asked::time(program& p, const ane::dynamic_graph& model, std::span<const std::span<const std::byte>> inputs,
                 std::span<const std::span<std::byte>> outputs) const {
    try {
        tell("  " + time_against_cost([&] { p.engine.run(inputs, outputs); }, model, engine_.chip()));
    } catch (const std::exception& e) {
        note_failure(model, e.what());
    }
}

void asked::note_failure(const ane::dynamic_graph& model, const char* why) const {
    ++failed_;
    tell(fmt::format("graph {} FAILED: {}", asked_, described(model)));
    tell(fmt::format("  {}", why));
    journal::instance().say(line::failure, "");
}

probing::halves asked::run(const ane::dynamic_graph& model, std::span<const std::span<const std::byte>> inputs,
                           const ane::numerics::datapath& path) const {
    const auto& result = model.nodes[static_cast<std::size_t>(model.outputs[0].node)];
    probing::halves from_oracle(static_cast<std::size_t>(result.shape.count()));
    probing::halves from_engine(from_oracle.size(),
                                ane::half::from_bits(0xFFFF)); // a result that is never written shows
    const std::span<std::byte> oracle_out[] = {std::as_writable_bytes(std::span(from_oracle))};
    const std::span<std::byte> engine_out[] = {std::as_writable_bytes(std::span(from_engine))};
    const auto by_oracle = [&] {
        ane::backend::oracle(path).compile(model, ane::weight_store{}).run(inputs, oracle_out);
        return from_oracle;
    };
    if (!(path == own_)) { // what another arithmetic would give is no question to this engine
        ++other_arithmetic_;
        return by_oracle();
    }
    ++asked_;
    program* p = nullptr;
    try {
        p = program_of(model);
        if (p != nullptr) {
            p->engine.run(inputs, engine_out);
        }
    } catch (const std::exception& e) {
        note_failure(model, e.what());
        p = nullptr;
    }
    if (p == nullptr) {
        return by_oracle();
    }
    p->oracle.run(inputs, oracle_out);
    std::string difference = differences(from_engine, from_oracle);
    bool of_the_file = false;
    if (!difference.empty() && engine_.door() == engine_runtime::netplist) {
        oracle_of_the_file file(model, ane::weight_store{}, own_);
        const probing::halves from_file = file.run(inputs);
        of_the_file = from_file == from_engine;
    }
    of_the_file ? ++of_the_file_ : difference.empty() ? ++same_ : ++different_;
    if (asked_ <= told_graphs || (!difference.empty() && different_ + of_the_file_ <= told_differences)) {
        tell(fmt::format("graph {}: {}", asked_, described(model)));
        tell_inputs(model, inputs);
        tell("  engine " + patterns(from_engine));
        tell("  oracle " + patterns(from_oracle));
        tell("  " + (difference.empty() ? "same bits"
                     : of_the_file      ? "the bits of the file, which is written in other steps: " + difference
                                        : "DIFFERENT: " + difference));
        if (timed_ < timed_graphs) {
            ++timed_;
            std::vector<ane::half> again(from_engine.size());
            const std::span<std::byte> out[] = {std::as_writable_bytes(std::span(again))};
            time(*p, model, inputs, out);
        }
    }
    return from_engine;
}

verdict asked::outcome() const {
    return failed_ > 0                 ? verdict::failed
           : different_ > 0            ? verdict::differs
           : same_ + of_the_file_ == 0 ? verdict::unposed
           : refused_ > 0              ? verdict::partly
                                       : verdict::agrees;
}

std::string asked::summary() const {
    std::string text = fmt::format(
        "graphs {}: {} same bits, {} those of the file, {} different, {} refused by the rules of the door, {} failed",
        asked_, same_, of_the_file_, different_, refused_, failed_);
    if (other_arithmetic_ > 0) {
        text += fmt::format("; {} more ask what another arithmetic than this chip's gives: the oracle alone",
                            other_arithmetic_);
    }
    if (asked_ == 0 && other_arithmetic_ == 0) {
        text += "; the check computes on the host alone";
    }
    return text;
}

} // namespace kit
