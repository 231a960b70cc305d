#pragma once

#include "../../base/way.hpp"
#include "../../graph/graph.hpp"
#include "../../weights/store.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace ane::wide_reference::inline ANEMONE_WAY {

class evaluation;

/// Computes the value of one node from those of its operands.
using evaluator = void (*)(evaluation&, int node);
/// One entry per operation; null for sources and stored weights, and where no program of this table uses it.
using step_table = std::array<evaluator, op_count>;

/// The table of all operations (wide.ipp).
ANEMONE_API const step_table& every_step();

/// The values of a graph in double precision, node by node, on request: `compute` in the order of the graph
/// after the inputs are set, `release` what nothing reads any more. A node of fp16 has doubles, which nothing rounds;
/// bytes and booleans are as in memory. Weights have the values of the store, of whatever type; those in a stored form
/// what its bytes stand for, integers times scales. `graph` and `weights` must outlive it.
class evaluation {
public:
    /// Throws `error` (errc::weights) for names and shapes that are not those of the graph.
    ANEMONE_API evaluation(const graph_view& g, const weight_store& weights, const step_table& evaluators);

    const graph_view graph;
    int threads = 1; ///< of a contraction, at most

    const node& at(int index) const { return graph[index]; }
    const extents& shape(int index) const { return graph[index].shape; }
    std::int64_t count(int index) const { return shape(index).count(); }
    int operand(int index, int position) const { return graph.operands(index)[static_cast<std::size_t>(position)]; }
    int operand_count(int index) const { return at(index).operands.count; }
    const extents& operand_shape(int index, int position) const { return shape(operand(index, position)); }
    dtype operand_type(int index, int position) const { return at(operand(index, position)).type; }

    /// The value of a node that was set or computed, and not released since.
    bool known(int index) const { return !numbers_[position(index)].empty() || !bytes_[position(index)].empty(); }
    std::span<const double> numbers(int index) const { return numbers_[position(index)]; }
    std::span<const std::byte> bytes(int index) const { return bytes_[position(index)]; }
    /// Those of an operand.
    const double* input(int index, int operand_position) const {
        return numbers_[position(operand(index, operand_position))].data();
    }
    const std::byte* input_bytes(int index, int operand_position) const {
        return bytes_[position(operand(index, operand_position))].data();
    }
    /// Where a step writes.
    double* result(int index) { return numbers_[position(index)].data(); }
    std::byte* result_bytes(int index) { return bytes_[position(index)].data(); }

    /// Sets the value of a node from memory of its own type.
    ANEMONE_API void set(int index, std::span<const std::byte> memory);
    /// Sets that of an fp16 node.
    ANEMONE_API void set(int index, std::vector<double> numbers);
    /// Computes a node from its operands, which are known, or reads a weight or a constant; nothing for a known source.
    /// Throws `error` as `verified_weight` does, and for indices outside their axes.
    ANEMONE_API void compute(int index);
    ANEMONE_API void release(int index);

    /// Bytes that the known values take.
    std::int64_t held_bytes() const noexcept { return held_; }

private:
    static std::size_t position(int index) { return static_cast<std::size_t>(index); }
    ANEMONE_API std::vector<double> read_weight(int index) const;
    ANEMONE_API void count_held(int index, int sign);
    /// Zeros, in memory that a released value had where some fits: what is new, the system clears page by page.
    ANEMONE_API std::vector<double> zeros(std::size_t count);

    const weight_store& weights_;
    const step_table& steps_;
    std::vector<std::vector<double>> numbers_;
    std::vector<std::vector<std::byte>> bytes_;
    std::vector<std::vector<double>> spare_; ///< a few of the values that were released last
    std::int64_t held_ = 0;
};

} // namespace ane::wide_reference::inline ANEMONE_WAY
