// Makes random graphs, runs them on the CPU and in the oracle, and writes them as MIL text and as netplists, with the
// inputs and the CPU's results, for interpreters that share nothing with the library (differential.py).
//
//     differential_graphs <folder> <seed> <number of graphs>
//
// A graph goes into <folder>/<seed>: graph.txt, run.txt (its ports), run.bin (inputs, results of the model, results of
// the lowered graph), and where it can be written model.mil or net.plist, with MIL.bin or netplist.bin: the results of
// what the library's readers make of the file; in whole/ the same of the graph whose composed operations are kept, with
// its results in "MIL whole.bin" or "netplist whole.bin". Standard output has a line for each fault, for each refusal,
// and for each operation what was done with it. Ends with 1 if there was a fault.

#include "closeness.hpp"
#include "data.hpp"
#include "graph_maker.hpp"
#include "read_back.hpp"
#include "tally.hpp"
#include "wide_agreement.hpp"
#include <anemone/diff/wide_diff.hpp>
#include <anemone/formats/mil.hpp>
#include <anemone/formats/netplist.hpp>
#include <anemone/forms/written.hpp>
#include <anemone/io/file.hpp>
#include <anemone/passes/lowering.hpp>
#include <anemone/readers/mil.hpp>
#include <anemone/readers/netplist.hpp>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace ane;
using namespace differential;

std::string shape_text(const extents& shape) {
    std::string text;
    for (int i = 0; i < shape.rank; ++i) {
        text += (i == 0 ? "" : ",") + std::to_string(shape[i]);
    }
    return text;
}

/// One graph with its data, from generator to files.
class experiment {
public:
    experiment(unsigned seed, std::filesystem::path place, tally& counts)
        : seed_(seed), place_(std::move(place)), counts_(counts), random_(seed) {}

    void run() {
        // Half of the graphs have only what can be written, one after the other in the place that is sure to be taken.
        static const std::vector<op> all = listed(computed_ops);
        static const std::vector<op> writable = listed(op_set::where([](op kind) {
            return in_mil.contains(kind) || in_netplist.contains(kind) || is_composed(kind) || kind == op::compressed ||
                   kind == op::floor_div;
        }));
        const std::vector<op>& kinds = seed_ % 2 == 0 ? writable : all;
        model_ = graph_maker(random_, kinds).make(kinds[seed_ / 2 % kinds.size()]);
        count(counts_.made, operations_of(model_));
        write_file(place_ / "graph.txt", print(model_));
        weights_ = weights_of(model_, random_);
        lowered_ = lower(model_);
        try {
            fold_constants(model_, weights_);
            constants_ = fold_constants(lowered_.graph, weights_);
        } catch (const error& e) { // constants that fold to no number
            if (e.code() != errc::weights) {
                throw;
            }
            fmt::print("refused constants {} {}\n", seed_, e.what());
            return;
        }
        inputs_.emplace(inputs_of(model_, random_, static_cast<flavour>(composing::below(random_, 5))));
        execute();
        const auto from_mil = [](const std::string& path) { return read_mil_file(path); };
        read_back("MIL",
                  write("MIL", in_mil, mil_limits, counts_.mil,
                        [this](const graph_view& g) {
                            return write_mil(emit_mil(g, constants_, {.every_stored_form = seed_ % 3 == 0}), place_);
                        }),
                  counts_.mil, from_mil);
        const auto from_netplist = [](const std::string& path) { return read_netplist_file(path); };
        read_back("netplist",
                  write("netplist", in_netplist, netplist_limits, counts_.netplist,
                        [this](const graph_view& g) { return write_netplist(emit_netplist(g, constants_), place_); }),
                  counts_.netplist, from_netplist);
        hold_verdict();
        whole(
            "MIL", mil_whole, counts_.mil,
            [this](const graph_view& g, const folded_constants& constants) {
                return write_mil(emit_mil(g, constants), place_ / "whole");
            },
            from_mil);
        whole(
            "netplist", netplist_whole, counts_.netplist,
            [this](const graph_view& g, const folded_constants& constants) {
                return write_netplist(emit_netplist(g, constants), place_ / "whole");
            },
            from_netplist);
    }

private:
    static std::vector<op> listed(op_set set) {
        std::vector<op> result;
        for (std::size_t i = 0; i < op_count; ++i) {
            if (set.contains(static_cast<op>(i))) {
                result.push_back(static_cast<op>(i));
            }
        }
        return result;
    }

    template <class Backend> composing::port_memory outputs_of(const Backend& place, const graph_view& g) {
        composing::port_memory memory = composing::memory_of_outputs(model_);
        auto program = place.compile(g, weights_);
        program.run(inputs_->inputs(), memory.outputs());
        return memory;
    }

    void execute() {
        static constexpr target machines[] = {h13, h14, h15, h16, h17s};
        const backend::oracle oracle(machines[seed_ % std::size(machines)]);
        static_cast<void>(outputs_of(oracle, model_)); // whatever its values
        const std::vector<std::span<const std::byte>> inputs = inputs_->inputs();
        closeness near(model_, weights_, oracle, inputs);
        if (const std::string far = near.fault(); !far.empty()) {
            counts_.fault(seed_, far);
        }
        for (std::size_t i = 0; i < op_count; ++i) {
            counts_.compared[i] += near.compared[i];
        }
        compare_exactly(oracle, inputs);
        const composing::port_memory model = outputs_of(backend::cpu{}.rounding(rounding::each_operation), model_);
        lowered_results_.emplace(outputs_of(backend::cpu{}.rounding(rounding::each_operation), lowered_.graph));
        const graph_view g = model_;
        std::string ports =
            fmt::format("composed {}\nblended {}\n", composed(), blended(lowered_.graph) ? "yes" : "no");
        for (int i = 0; i < g.size(); ++i) {
            if (g[i].kind == op::input) {
                ports += fmt::format("input {} {} {}\n", g.name(i), mil_name(g[i].type), shape_text(g[i].shape));
            }
        }
        for (const output_port& port : g.outputs) {
            ports += fmt::format("output {} {} {}\n", g.name(port), mil_name(g[port.node].type),
                                 shape_text(g[port.node].shape));
        }
        write_file(place_ / "run.txt", ports);
        write_ports("run.bin", *inputs_, model, *lowered_results_);
    }

    /// The CPU's value of each operation beside that in double precision; and both backends beside a run in double
    /// precision, whatever that finds: it counts each layer once.
    void compare_exactly(const backend::oracle& oracle, input_buffers inputs) {
        if (const std::string far = wide_agreement(model_, weights_, inputs).fault(); !far.empty()) {
            counts_.fault(seed_, far);
        }
        model_samples samples;
        samples.add(inputs);
        const wide_difference of_cpu = diff(model_, backend::cpu{}, backend::wide{}, weights_, samples);
        const wide_difference of_oracle = diff(model_, oracle, backend::wide{}, weights_, samples);
        for (const wide_difference* const d : {&of_cpu, &of_oracle}) {
            const auto layers = static_cast<std::int64_t>(d->layers.size());
            if (d->work.judged_layers != layers || d->work.alone_layers != layers) {
                counts_.fault(seed_, fmt::format("{} layers of {} were run {} times, alone {} times", layers, d->judged,
                                                 d->work.judged_layers, d->work.alone_layers));
            }
        }
    }

    /// "no", "yes" where the model has an operation that lowering takes apart, "folded" where one of these, or a product
    /// with its bias, works on constants alone, or where an output is made of constants: the steps between, which the
    /// CPU rounds and folding does not, cannot be read from a program.
    std::string_view composed() const {
        const graph_view g = model_;
        const std::vector<char> reached = reached_by_inputs(g);
        const bool constant_output = std::any_of(g.outputs.begin(), g.outputs.end(), [&](const output_port& port) {
            return reached[static_cast<std::size_t>(port.node)] == 0 && !is_source(g[port.node].kind);
        });
        std::string_view found = constant_output ? "folded" : "no";
        for (const node& n : g.nodes) {
            const bool biased = is_contraction(n.kind) && n.operands.count == 3;
            if (n.kind == op::floor_div) {
                found = "folded"; // of 0 / 0 what is written gives 0, the model NaN
            } else if (is_composed(n.kind) || biased) {
                const auto operands = g.operands(n);
                const bool folded = std::none_of(operands.begin(), operands.end(), [&](int operand) {
                    return reached[static_cast<std::size_t>(operand)] != 0;
                });
                found = folded || found == "folded" ? "folded" : biased ? found : "yes";
            }
        }
        return found;
    }

    /// Whether a netplist composes an operation in a way that treats infinities and NaN differently: 0 times infinity.
    static bool blended(const graph_view& g) {
        static constexpr op_set blends{op::pow,
                                       op::floor_div,
                                       op::select,
                                       op::thresholded_relu,
                                       op::softplus,
                                       op::hard_sigmoid,
                                       op::softsign,
                                       op::parametric_softplus,
                                       op::clamped_relu,
                                       op::prelu,
                                       op::l2_pool,
                                       op::gelu_sigmoid,
                                       op::scaled_tanh,
                                       op::resize,
                                       op::local_response_norm,
                                       op::scaled_elementwise};
        return std::any_of(g.nodes.begin(), g.nodes.end(), [](const node& n) { return blends.contains(n.kind); });
    }

    /// Writes the lowered graph in a format; it must be refused if and only if it has what the format lacks. Returns the
    /// path, or nothing.
    template <class Write>
    std::string write(std::string_view format, op_set has, std::span<const std::string_view> limits,
                      format_tally& counts, const Write& emit) {
        const bool lacking = lacks(lowered_.graph, constants_, has);
        try {
            const std::string path = emit(lowered_.graph);
            count(counts.written, operations_of(lowered_.graph));
            if (lacking) {
                counts_.fault(seed_, fmt::format("{} has an operation that the format lacks", format));
            }
            return path;
        } catch (const error& e) {
            const std::string_view said = e.what();
            const bool documented = std::any_of(limits.begin(), limits.end(), [&](std::string_view part) {
                return said.find(part) != std::string_view::npos;
            });
            fmt::print("refused {} {} {}\n", format, seed_, said);
            if (e.code() != errc::lowering || (!lacking && !documented)) {
                counts_.fault(seed_, fmt::format("{} is refused: {}", format, said));
            }
            return {};
        }
    }

    /// What a file was written from, and its results.
    struct written_graph {
        const lowered_graph& lowered;
        const folded_constants& constants;
        const composing::port_memory& results;
    };

    /// Runs what a reader makes of a file: nothing that the library writes may be refused. From MIL text every operation
    /// comes back as itself, and so do the bits of the results; a netplist says some in several units, but what is only
    /// moved and compared keeps its bits, unless it is blended. Returns the results of the graph that was read.
    template <class Read>
    std::optional<composing::port_memory> read_back(std::string_view format, const std::string& path,
                                                    const written_graph& written, format_tally& counts,
                                                    const Read& read) {
        try {
            const read_model again = read(path);
            composing::port_memory got = results_of(again, written.lowered.graph, inputs_->inputs());
            const bool same = got.bytes == written.results.bytes;
            const bool exact = only_moves(written.lowered.graph, written.constants) &&
                               (format == "MIL" || !blended(written.lowered.graph));
            if (!same && exact) { // the interpreters' sets hold the others
                counts_.fault(seed_, fmt::format("{}, read back, computes other bits", format));
            }
            ++counts.read;
            counts.same += same ? 1 : 0;
            const op_set found = operations_of(again.graph);
            const op_set given = operations_of(written.lowered.graph);
            count(counts.read_back,
                  op_set::where([&](op kind) { return found.contains(kind) && given.contains(kind); }));
            return got;
        } catch (const unreadable& e) {
            counts_.fault(seed_, fmt::format("{} is not read back: {}", format, text(e.faults()[0])));
        } catch (const error& e) {
            // A unit of constants alone may give an infinity on the device; as a constant of a graph it is refused.
            if (format == "MIL" || e.code() != errc::weights) {
                counts_.fault(seed_, fmt::format("{} is not read back: {}", format, e.what()));
            } else {
                fmt::print("refused constants-read-back {} {}\n", seed_, e.what());
            }
        } catch (const std::exception& e) {
            counts_.fault(seed_, fmt::format("{} is not read back: {}", format, e.what()));
        }
        return std::nullopt;
    }

    /// The same of the lowered graph, if it was written, for the interpreters, which get the results.
    template <class Read>
    void read_back(std::string_view format, const std::string& path, format_tally& counts, const Read& read) {
        if (path.empty()) {
            return;
        }
        if (const auto got = read_back(format, path, {lowered_, constants_, *lowered_results_}, counts, read)) {
            write_ports(fmt::format("{}.bin", format), *got);
        }
    }

    /// The bytes of all ports, one after the other.
    template <class... Memory> void write_ports(const std::string& file, const Memory&... memory) const {
        std::vector<std::byte> bytes;
        for (const composing::port_memory* ports : {&memory...}) {
            for (const auto& each : ports->bytes) {
                bytes.insert(bytes.end(), each.begin(), each.end());
            }
        }
        write_file(place_ / file, std::span<const std::byte>(bytes));
    }

    /// Composed operations that a format has a word for are also written whole, and read back.
    template <class Emit, class Read>
    void whole(std::string_view format, op_set kept, format_tally& counts, const Emit& emit, const Read& read) {
        const op_set all = operations_of(graph_view(model_));
        const op_set found = op_set::where([&](op kind) { return all.contains(kind) && kept.contains(kind); });
        if (found == op_set{}) {
            return;
        }
        const lowered_graph lowered = lower(model_, kept);
        folded_constants constants;
        std::string path;
        try {
            constants = fold_constants(lowered.graph, weights_);
            path = emit(lowered.graph, constants);
        } catch (const error& e) {
            if (e.code() != errc::lowering) { // otherwise as in `write`, or what the operation's own form cannot say
                throw;
            }
            return;
        }
        count(counts.written, found);
        const composing::port_memory expected =
            outputs_of(backend::cpu{}.rounding(rounding::each_operation), lowered.graph);
        read_back(format, path, {lowered, constants, expected}, counts, read);
        write_ports(fmt::format("{} whole.bin", format), expected);
    }

    /// A model in which the rule finds nothing must be written as a netplist; one that is written although a fault is
    /// told of it is counted. (Constants that folding knows and the model does not may hide a fault.)
    void hold_verdict() {
        const form_faults faults = find_form_faults(model_, true);
        const bool written = std::filesystem::exists(place_ / "net.plist");
        if (faults.netplist_count == 0 && !written) {
            counts_.fault(seed_, "a netplist is refused of which the rule says nothing");
        }
        counts_.written_in_spite_of_a_fault += faults.netplist_count > 0 && written ? 1 : 0;
    }

    unsigned seed_;
    std::filesystem::path place_;
    tally& counts_;
    composing::random_engine random_;
    dynamic_graph model_;
    weight_store weights_;
    lowered_graph lowered_;
    folded_constants constants_;
    std::optional<composing::port_memory> inputs_;
    std::optional<composing::port_memory> lowered_results_;
};

} // namespace

int main(int argc, char** argv) {
    if (argc != 4) {
        std::fprintf(stderr, "usage: differential_graphs <folder> <seed> <number of graphs>\n");
        return 2;
    }
    tally counts;
    const auto first = static_cast<unsigned>(std::strtoul(argv[2], nullptr, 10));
    const auto graphs = static_cast<unsigned>(std::strtoul(argv[3], nullptr, 10));
    for (unsigned seed = first; seed != first + graphs; ++seed) {
        try {
            experiment(seed, std::filesystem::path(argv[1]) / std::to_string(seed), counts).run();
        } catch (const std::exception& e) {
            counts.fault(seed, e.what());
        }
    }
    for (std::size_t i = 0; i < op_count; ++i) {
        const op kind = static_cast<op>(i);
        const bool mil = in_mil.contains(kind) || mil_whole.contains(kind);
        // A slice at a computed place has one accepted form, which chance does not meet; lowering leaves no identity.
        const bool rare = kind == op::dynamic_slice || kind == op::identity;
        const bool netplist = (in_netplist.contains(kind) && !rare) || netplist_whole.contains(kind);
        fmt::print("operation {} {} {} {} {} {} {} {} {}\n", name(kind), counts.made[i], counts.compared[i],
                   counts.mil.written[i], counts.netplist.written[i], counts.mil.read_back[i],
                   counts.netplist.read_back[i], mil ? 1 : 0, netplist ? 1 : 0);
    }
    fmt::print("read MIL {} {}\n", counts.mil.read, counts.mil.same);
    fmt::print("read netplist {} {}\n", counts.netplist.read, counts.netplist.same);
    fmt::print("despite {}\n", counts.written_in_spite_of_a_fault);
    return counts.faulty ? 1 : 0;
}
