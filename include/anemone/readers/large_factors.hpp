#pragma once

#include "../base/way.hpp"
#include "../graph/uses.hpp"
#include "../passes/rewriter.hpp"
#include "../values/half.hpp"
#include "../weights/convert.hpp"
#include "../weights/store.hpp"

#include <cmath>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// Factors beyond fp16 inside a logarithm, as front ends of audio have them: log(a x + b) with a = 2^20 is
/// log(a 2^-k x + b 2^-k) + k log 2. Only bodies include this header.
namespace ane::readers::inline ANEMONE_WAY {

/// A factor, and the nodes up to the logarithm.
struct factor_in_logarithm {
    int factor = -1; ///< a weight
    int sum = -1;    ///< of the product and a constant; -1: the logarithm reads the product
    int addend = -1; ///< the constant
    int logarithm = -1;
    int power = 0; ///< k
};

/// Where the large weight of a name is such a factor: nothing else reads it, the product or the sum.
class factor_search {
public:
    ANEMONE_INLINE factor_search(const graph_view& g, const weight_store& weights)
        : g_(g), weights_(weights), readers_(uses(g)), reader_(readers_.size(), -1) {
        for (int i = 0; i < g.size(); ++i) {
            for (const int operand : g.operands(i)) {
                reader_[static_cast<std::size_t>(operand)] = i;
            }
        }
        for (const output_port& port : g.outputs) {
            reader_[static_cast<std::size_t>(port.node)] = -1;
        }
    }

    ANEMONE_INLINE std::optional<factor_in_logarithm> find(int weight) const {
        const int product = only_reader(weight);
        if (product < 0 || g_[product].kind != op::mul) {
            return {};
        }
        factor_in_logarithm found{.factor = weight};
        found.logarithm = only_reader(product);
        if (found.logarithm >= 0 && g_[found.logarithm].kind == op::add) {
            found.sum = found.logarithm;
            found.logarithm = only_reader(found.sum);
            const std::span<const int> operands = g_.operands(found.sum);
            found.addend = operands[operands[0] == product ? 1 : 0];
        }
        if (found.logarithm < 0 || g_[found.logarithm].kind != op::log) {
            return {};
        }
        const std::vector<float> factor = values_of(weight);
        const std::vector<float> addend = found.addend < 0 ? std::vector<float>{1} : values_of(found.addend);
        const double largest = largest_of(factor);
        if (addend.empty() || !(largest > 0) || std::isinf(largest)) {
            return {};
        }
        // The addend decides the result where x is small: it stays a normal number of fp16.
        double least = 0;
        for (const float value : addend) {
            const double size = std::fabs(static_cast<double>(value));
            least = size > 0 && (least == 0 || size < least) ? size : least;
        }
        found.power = found.sum < 0 || least == 0 ? std::ilogb(largest) : 14 + std::ilogb(least);
        if (found.power < 1 || std::ldexp(largest, -found.power) >= half_max) {
            return {};
        }
        return found;
    }

private:
    ANEMONE_INLINE int only_reader(int node) const {
        return readers_[static_cast<std::size_t>(node)] == 1 ? reader_[static_cast<std::size_t>(node)] : -1;
    }
    ANEMONE_INLINE std::vector<float> values_of(int node) const {
        if (g_[node].kind == op::constant) {
            const std::span<const float> values = g_.values(g_[node]);
            return {values.begin(), values.end()};
        }
        const stored_tensor* const stored =
            g_[node].kind == op::weight ? weights_.find(std::string(g_.name(node))) : nullptr;
        return stored == nullptr ? std::vector<float>() : to_float(*stored);
    }
    ANEMONE_INLINE static double largest_of(std::span<const float> values) {
        double largest = 0;
        for (const float value : values) {
            largest = std::fmax(largest, std::fabs(static_cast<double>(value)));
        }
        return largest;
    }

    const graph_view g_;
    const weight_store& weights_;
    sequence<int> readers_;
    std::vector<int> reader_;
};

/// The graph with the addends scaled and k log 2 added after each logarithm; the factors' own values are the store's.
ANEMONE_INLINE dynamic_graph with_scaled_logarithms(const graph_view& g, std::span<const factor_in_logarithm> found) {
    rewriter w(g);
    for (int i = 0; i < g.size(); ++i) {
        w.visit(i);
        int made = -1;
        for (const factor_in_logarithm& each : found) {
            const auto scale = static_cast<float>(std::ldexp(1.0, -each.power));
            if (i == each.sum) {
                const int addend = w.emit(op::mul, no_attributes{}, {w.renamed(each.addend), w.scalar(scale)});
                const bool is_first = g.operands(i)[0] == each.addend;
                const int product = w.operand(g[i], is_first ? 1 : 0);
                made = is_first ? w.emit(op::add, no_attributes{}, {addend, product})
                                : w.emit(op::add, no_attributes{}, {product, addend});
            } else if (i == each.logarithm) {
                stabilizer how = g[i].get<stabilizer>();
                how.epsilon *= scale;
                const int scaled = w.emit(op::log, how, {w.operand(g[i], 0)});
                made = w.emit(op::add, no_attributes{},
                              {scaled, w.scalar(static_cast<float>(each.power * 0.69314718055994530942))});
            }
        }
        w.rename(i, made >= 0 ? made : w.copy(i));
    }
    for (const output_port& port : g.outputs) {
        w.add_output(w.renamed(port.node), port);
    }
    return w.result();
}

} // namespace ane::readers::inline ANEMONE_WAY
