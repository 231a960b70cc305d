#pragma once

#include "../../base/way.hpp"
#include "../../graph/graph.hpp"
#include "../../numerics/planar.hpp"
#include "../../weights/encode.hpp"
#include "../../weights/fold_constants.hpp"
#include "function_tables.hpp"
#include "layer_plan.hpp"

#include <array>
#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

namespace ane::oracle::inline ANEMONE_WAY {

class evaluation;

/// Computes the value of one node from those of its operands.
using evaluator = void (*)(evaluation&, int node);
/// One entry per operation; null where there is nothing to compute, or where no program of this table uses it.
using step_table = std::array<evaluator, op_count>;

/// The table of all operations (oracle.ipp).
ANEMONE_API const step_table& every_step();

/// The values of a lowered graph while it runs, one buffer a node from when it is first computed: fp16 as `half`, bytes
/// and booleans (0 or 1) one byte an element.
class evaluation {
public:
    ANEMONE_INLINE evaluation(const graph_view& lowered, const folded_constants& constants,
                              const numerics::datapath& path, const step_table& evaluators)
        : graph(lowered), steps(evaluators), plan(plan_layers(lowered)), arithmetic(path), constants_(constants),
          storage_(lowered.nodes.size()), places_(lowered.nodes.size(), nullptr) {
        for (int i = 0; i < graph.size(); ++i) {
            if (known(i)) {
                places_[position(i)] = constants.memory(i);
            }
        }
    }
    evaluation(const evaluation&) = delete;
    evaluation& operator=(const evaluation&) = delete;
    ~evaluation() = default;

    const graph_view graph;
    const step_table& steps;
    const layer_plan plan;
    numerics::datapath arithmetic; ///< may change between two evaluations
    function_tables tables;
    int threads = 1;             ///< of a contraction, at most
    bool codes_as_given = false; ///< weights are those of a file of others: codes of 4 bits, and palettes of codes

    const node& at(int index) const { return graph[index]; }
    const extents& shape(int index) const { return graph[index].shape; }
    std::int64_t count(int index) const { return shape(index).count(); }
    int operand(int index, int position) const { return graph.operands(index)[static_cast<std::size_t>(position)]; }
    const extents& operand_shape(int index, int position) const { return shape(operand(index, position)); }
    dtype operand_type(int index, int position) const { return at(operand(index, position)).type; }
    /// Whether a node's value does not depend on the inputs.
    bool known(int index) const { return constants_.known(index); }
    /// The stages that are computed together with a node.
    const fusion& role(int index) const { return plan.roles[position(index)]; }
    int partner(int index) const { return plan.partner[position(index)]; }

    /// The value of a node: of an input the memory that was bound.
    const std::byte* bytes(int index) const { return places_[position(index)]; }
    const half* data(int index) const { return reinterpret_cast<const half*>(bytes(index)); }
    /// Those of an operand.
    const std::byte* bytes(int index, int operand_position) const { return bytes(operand(index, operand_position)); }
    const half* input(int index, int operand_position) const { return data(operand(index, operand_position)); }
    /// Where a node's value is written.
    std::byte* result_bytes(int index) {
        std::vector<std::byte>& storage = storage_[position(index)];
        if (storage.empty()) {
            storage.resize(static_cast<std::size_t>(ane::bytes(at(index).type, shape(index).count())));
        }
        places_[position(index)] = storage.data();
        return storage.data();
    }
    half* result(int index) { return reinterpret_cast<half*>(result_bytes(index)); }

    /// A weight of a stored form as it lies in memory; encoded when it is first asked for.
    ANEMONE_INLINE const encoded_weight& stored(int compressed_weight) {
        stored_.resize(storage_.size());
        std::unique_ptr<encoded_weight>& kept = stored_[position(compressed_weight)];
        if (kept != nullptr) {
            return *kept;
        }
        const int given = operand(compressed_weight, 0);
        const std::span values(data(given), static_cast<std::size_t>(count(given)));
        const auto& form = at(compressed_weight).get<compression>();
        kept = std::make_unique<encoded_weight>(encode_weight(values, shape(given), form));
        return *kept;
    }

    /// Takes another node's value, which has as many bytes.
    ANEMONE_INLINE void copy(int from, int to) {
        std::byte* const result = result_bytes(to);
        std::memcpy(result, bytes(from), storage_[position(to)].size());
    }

    /// Reads the value of a node from the caller's memory from here on: an input, or a node that is not evaluated. A
    /// NaN is kept until an operation computes with it; operations that only move it pass it on.
    void bind(int index, std::span<const std::byte> memory) { places_[position(index)] = memory.data(); }
    /// Forgets the value of a node that is computed, and its memory.
    void drop(int index) {
        storage_[position(index)] = {};
        places_[position(index)] = nullptr;
    }

private:
    static std::size_t position(int index) { return static_cast<std::size_t>(index); }

    const folded_constants& constants_;
    std::vector<std::vector<std::byte>> storage_;
    sequence<const std::byte*> places_;
    std::vector<std::unique_ptr<encoded_weight>> stored_; ///< of each node, once one is asked for
};

} // namespace ane::oracle::inline ANEMONE_WAY
