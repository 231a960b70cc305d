#pragma once

#include <anemone/graph/graph.hpp>
#include <anemone/weights/store.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

/// The table of workloads against other libraries: `./run bench`.
namespace suite {

/// Writes one row of a state: a run makes `select` of a mask, which a peer without masks does as a store in place.
struct cache_write {
    int select = -1; ///< the node, which a peer need not compute as one
    int state = -1;  ///< the input that is updated
    int row = -1;    ///< the node whose value is stored
    int axis = 2;
    int position = 0;
};

/// A workload with its numbers: a graph, and a value for every input, weight and state, each of them fp16 so that
/// contenders with fp16 and fp32 storage compute the same thing.
struct problem {
    std::string name;  ///< "conv3x3_64"
    std::string title; ///< "conv 3x3, 64 to 64 channels, 56x56"
    ane::dynamic_graph graph;
    std::vector<std::vector<float>> values; ///< by node; empty for what is computed
    std::vector<cache_write> writes;
    double flops = 0;   ///< of one run, direct methods
    double bytes = 0;   ///< that a run has to move at least: ports and weights once, as fp16
    bool whole = false; ///< a network rather than one layer

    ane::weight_store weights() const;
    /// The nodes of the outputs that callers see.
    std::vector<int> output_nodes() const;
    const cache_write* write_of(int node) const;
};

/// The names of all workloads, in the order of the table.
std::vector<std::string> workload_names();

/// The workload of that name; `small` ones have a few per cent of the work, for tests. Throws ane::error
/// (errc::argument) for a name that is none.
problem make_problem(const std::string& name, bool small);

/// What every output should be: the graph in float64, one operation after the other, without a rounding between them.
std::vector<std::vector<double>> reference(const problem& p);

/// |got - wanted| / |wanted| over all elements (Frobenius); infinite where `got` has another size or a NaN.
double relative_error(const std::vector<float>& got, const std::vector<double>& wanted);

} // namespace suite
