#pragma once

#include "../backend/wide/step.hpp"
#include "../base/cancellation.hpp"
#include "../base/error.hpp"
#include "../base/way.hpp"
#include "../diff/judged_layers.hpp"
#include "../diff/wide_diff.hpp"
#include "../diff/wide_walk.hpp"
#include "../graph/constants.hpp"
#include "../passes/print.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

/// Only bodies include this header.
namespace ane::detail::inline ANEMONE_WAY {

/// A graph of fp16 that runs in several mixtures of two arithmetics at once: each says which nodes are in the one that is
/// judged, a char by node; the others are in double precision, with digits kept between them. The first mixture has none.
/// A weight is read once for all mixtures, and what has the same operands in the same arithmetic is computed once.
template <class Layers> class precision_walk {
public:
    using numbers = std::shared_ptr<const std::vector<double>>;
    using mixture = std::vector<char>;

    precision_walk(const graph_view& g, const weight_store& weights, Layers& layers, int threads, bool keeps_constants)
        : g_(g), layers_(layers), known_(constant_nodes(g)), keeps_constants_(keeps_constants),
          dying_(g.nodes.size() + 1), wide_(g, weights, wide_reference::every_step()), operands_(g.nodes.size()) {
        wide_.threads = threads;
        const std::vector<int> last = last_readers(g, [this](int node) { return has_value(node); });
        for (int i = 0; i < g.size(); ++i) {
            dying_[at(last[at(i)])].push_back(i);
            if (g[i].type != dtype::f16) {
                throw error(errc::graph, print(g, i), "is not fp16, as all values of a decoder are");
            }
        }
    }

    /// Whether the judged arithmetic rounds a node on its own.
    bool has_value(int node) const {
        return !is_source(g_[node].kind) && known_[at(node)] == 0 && layers_.has_value(node);
    }

    /// Runs the graph; `inputs` by node. After each node that is no constant `visit(node)` may look at `value` of the first two
    /// mixtures and at `alone`. From the node `tail` on each further mixture runs alone, for the values there are large;
    /// `finish(mixture)` finds its outputs and those of the first one.
    template <class Visit, class Finish>
    void run(const std::vector<numbers>& inputs, std::span<const mixture> mixtures, int tail, const Visit& visit,
             const Finish& finish) {
        values_.assign(mixtures.size(), std::vector<numbers>(g_.nodes.size()));
        const std::size_t together = std::min<std::size_t>(2, mixtures.size());
        for (int i = 0; i < g_.size(); ++i) {
            const std::size_t end = i < tail ? mixtures.size() : together;
            if (g_[i].kind == op::input) {
                take(i, inputs[at(i)], mixtures);
                continue;
            }
            step(i, mixtures, 0, end);
            if (!is_source(g_[i].kind) && known_[at(i)] == 0) {
                visit(i);
            }
            release(i, 0, end);
        }
        for (std::size_t m = 0; m < mixtures.size(); ++m) {
            for (int i = tail; m >= together && i < g_.size(); ++i) {
                step(i, mixtures, m, m + 1);
                release(i, m, m + 1);
            }
            finish(m);
            if (m > 0) {
                values_[m].clear();
            }
        }
        if (!keeps_constants_) {
            forget_constants();
        }
    }

    /// What a mixture gave a node, where it is still there.
    const std::vector<double>& value(std::size_t which, int node) const { return *values_[which][at(node)]; }
    /// The node that was just computed, in the judged arithmetic, on exact operands that are rounded.
    const std::vector<double>& alone(int node) {
        if (alone_ == nullptr) {
            alone_ = judged(0, node);
        }
        return *alone_;
    }

private:
    static std::size_t at(int index) { return static_cast<std::size_t>(index); }

    static numbers as_half(const std::vector<double>& exact) {
        auto result = std::make_shared<std::vector<double>>(exact.size());
        std::transform(exact.begin(), exact.end(), result->begin(),
                       [](double x) { return static_cast<double>(half(x)); });
        return result;
    }
    void take(int input, const numbers& exact, std::span<const mixture> mixtures) {
        const numbers narrow = as_half(*exact);
        for (std::size_t m = 0; m < mixtures.size(); ++m) {
            values_[m][at(input)] = mixtures[m][at(input)] != 0 ? narrow : exact;
        }
    }

    /// Computes a node in the mixtures from `first` to before `end`. Constants of the tail are kept until the run ends.
    void step(int node, std::span<const mixture> mixtures, std::size_t first, std::size_t end) {
        stop_if_cancelled();
        if (is_source(g_[node].kind) || known_[at(node)] != 0) {
            return;
        }
        alone_ = nullptr;
        compute(node, mixtures, first, end);
        if (!keeps_constants_ && end == mixtures.size() && first == 0) {
            forget_constants();
        }
    }
    void forget_constants() {
        for (const int constant : constants_) {
            wide_.release(constant);
        }
        constants_.clear();
    }
    void release(int node, std::size_t first, std::size_t end) {
        for (const int each : dying_[at(node)]) {
            for (std::size_t m = first; m < end; ++m) {
                values_[m][at(each)] = nullptr;
            }
        }
    }

    void compute(int node, std::span<const mixture> mixtures, std::size_t first, std::size_t end) {
        const bool is_rounded = has_value(node);
        for (std::size_t m = first; m < end; ++m) {
            const auto narrow = [&](std::size_t of) { return is_rounded && mixtures[of][at(node)] != 0; };
            numbers& result = values_[m][at(node)];
            for (std::size_t before = 0; before < m && result == nullptr; ++before) {
                if (!values_[before].empty() && narrow(before) == narrow(m) && reads_the_same(node, before, m)) {
                    result = values_[before][at(node)];
                }
            }
            if (result != nullptr) {
                continue;
            }
            if (!narrow(m)) {
                result = exact(m, node);
            } else if (reads_the_same(node, 0, m)) {
                alone(node);
                result = alone_;
            } else {
                result = judged(m, node);
            }
        }
    }
    bool reads_the_same(int node, std::size_t one, std::size_t other) const {
        const auto operands = g_.operands(node);
        return std::all_of(operands.begin(), operands.end(),
                           [&](int operand) { return values_[one][at(operand)] == values_[other][at(operand)]; });
    }

    void read_constant(int node) {
        if (known_[at(node)] == 0 || g_[node].kind == op::input || wide_.known(node)) {
            return;
        }
        for (const int operand : g_.operands(node)) {
            read_constant(operand);
        }
        wide_.compute(node);
        constants_.push_back(node);
    }
    numbers exact(std::size_t which, int node) {
        for (const int operand : g_.operands(node)) {
            read_constant(operand);
            if (const numbers& given = values_[which][at(operand)]; given != nullptr) {
                wide_.set(operand, std::vector<double>(*given));
            }
        }
        wide_.compute(node);
        const std::span<const double> made = wide_.numbers(node);
        auto result = std::make_shared<std::vector<double>>(made.begin(), made.end());
        wide_.release(node);
        for (const int operand : g_.operands(node)) {
            if (values_[which][at(operand)] != nullptr) {
                wide_.release(operand);
            }
        }
        return result;
    }

    numbers judged(std::size_t which, int node) {
        load(which, node);
        const std::vector<std::byte> memory = layers_.run(node, operands_.values());
        for (const int loaded : loaded_) {
            operands_.forget(loaded);
        }
        loaded_.clear();
        const std::span halves(reinterpret_cast<const half*>(memory.data()), memory.size() / sizeof(half));
        return std::make_shared<std::vector<double>>(halves.begin(), halves.end());
    }
    /// Rounds what a node reads, through operands that are rounded only together with it.
    void load(std::size_t which, int node) {
        for (const int operand : g_.operands(node)) {
            const numbers& given = values_[which][at(operand)];
            if (given == nullptr || operands_.values().known(operand)) {
                continue;
            }
            if (g_[operand].kind == op::input || has_value(operand)) {
                operands_.set(operand, rounded(*given));
                loaded_.push_back(operand);
            } else {
                load(which, operand);
            }
        }
    }

    graph_view g_;
    Layers& layers_;
    sequence<char> known_;
    bool keeps_constants_;
    std::vector<std::vector<int>> dying_;      ///< by node, what it reads as the last
    wide_reference::evaluation wide_;          ///< of one node at a time, and constants
    std::vector<int> constants_;               ///< that it has
    std::vector<std::vector<numbers>> values_; ///< by mixture, then by node
    numbers alone_;
    held_trace operands_; ///< of the node that is judged
    std::vector<int> loaded_;
};

} // namespace ane::detail::inline ANEMONE_WAY
