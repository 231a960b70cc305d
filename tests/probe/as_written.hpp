#pragma once

#include <anemone/backend/oracle/oracle.hpp>
#include <anemone/graph/graph.hpp>
#include <anemone/values/half.hpp>
#include <anemone/weights/store.hpp>

#include <cstddef>
#include <span>
#include <vector>

namespace kit {

/// What the oracle makes of a model as its netplist says it: some layers are written there as several (docs/formats.md),
/// each with a rounding of its own. The model has one output.
class oracle_of_the_file {
public:
    oracle_of_the_file(const ane::graph_view& model, const ane::weight_store& weights,
                       const ane::numerics::datapath& arithmetic);

    std::vector<ane::half> run(std::span<const std::span<const std::byte>> inputs);

private:
    std::vector<std::size_t> order_; ///< of the file's inputs, their places among the model's
    std::size_t results_ = 0;
    std::vector<std::vector<ane::half>> parts_; ///< values within, which nobody reads
    ane::backend::oracle_program program_;
};

} // namespace kit
