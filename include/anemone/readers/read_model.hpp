#pragma once

#include "../base/way.hpp"
#include "../graph/graph.hpp"
#include "../weights/store.hpp"
#include "unreadable.hpp"

#include <string>
#include <vector>

namespace ane::inline ANEMONE_WAY {

/// What a reader makes of a file: a checked graph, the values of its weights by name, and what the caller should know
/// (ports with another name or type than in the file, parts that were left out), a sentence each.
struct read_model {
    dynamic_graph graph;
    weight_store weights;
    std::vector<std::string> notes = {};
    /// What the file says in words that the engine's compiler was measured to refuse, though the graph can be written in
    /// others: nothing that keeps the model from being used, but a compiler would not take the file.
    std::vector<read_fault> doubts = {};
    /// The inputs and states that are fp16 here and wider integers in the file: fp16 has all of them up to 2048 only.
    std::vector<std::string> integers = {};
    /// Those of the notes that tell of numbers which are others here than in the file.
    std::vector<std::string> changes = {};
    /// The version of Core ML's operations that the file names, as it names it: "ios17", "CoreML7". Empty: none.
    std::string opset = {};
};

} // namespace ane::inline ANEMONE_WAY
