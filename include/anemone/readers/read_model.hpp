#pragma once

#include "../base/way.hpp"
#include "../graph/graph.hpp"
#include "../values/element_type.hpp"
#include "../weights/store.hpp"
#include "unreadable.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace ane::inline ANEMONE_WAY {

/// How a file lays out the memory of a port: a tensor buffer of compiled models (macOS 27). Strides count elements, from
/// axis to axis; an axis is cut into groups of its factor, whose elements stand beside each other. Empty: not said.
struct buffer_layout {
    std::string port; ///< as the file calls it
    std::vector<std::int64_t> strides = {};
    std::vector<std::int64_t> interleave = {};
};

/// What a file's tool wrote beside an operation or a function: where its segmenter would run it, and at which cost.
struct file_hint {
    std::string subject; ///< the layer, or the function
    int line = 0;
    std::string key;
    std::string value;
};

/// How a program uses a value that is not fp16.
enum class type_use : std::uint8_t {
    port,        ///< handed over as an input, an output or a state
    arithmetic,  ///< an operand that is computed with
    value,       ///< anything between two operations
    cast,        ///< changed into another type, or made of one
    weight,      ///< a constant that a convolution or a product reads
    beside_fp16, ///< a constant operand beside one of fp16
    result       ///< declared of arithmetic on fp16
};

/// An element type of the file, where the engine's compiler meets it. The graph computes in fp16 and does not have it.
struct typed_value {
    type_use use;
    element_type type;
    read_fault at; ///< the port or the statement; its reason is empty
};

/// What a reader makes of a file: a checked graph, the values of its weights by name, and what the caller should know
/// (ports with another name or type than in the file, parts that were left out), a sentence each.
struct read_model {
    dynamic_graph graph;
    weight_store weights;
    std::vector<std::string> notes = {};
    /// What the file says in words that the engine's compiler was measured to refuse, though the graph can be written in
    /// others: nothing that keeps the model from being used, but a compiler would not take the file.
    std::vector<read_fault> doubts = {};
    /// Which values of the file are not fp16, as far as a chip's compiler may mind: judged target by target
    /// (`judge`), beside the graph.
    std::vector<typed_value> types = {};
    /// What a compiler takes and some system was seen to fail on, each with the system: no reason to refuse the file.
    std::vector<read_fault> hazards = {};
    /// Numbers of the file that the graph does not hold, and has others for (`approximates`, `saturates_infinities` of the
    /// readers' options; else they are faults): a verdict on the graph is none on the file, and whoever judges it says so.
    std::vector<read_fault> unheld = {};
    /// Forms of the file that Apple's parser is not known to take, each with what to write instead: of its words and its
    /// blobs, not of the model. What we write has none.
    std::vector<read_fault> forms = {};
    /// The inputs and states that are fp16 here and wider integers in the file: fp16 has all of them up to 2048 only.
    std::vector<std::string> integers = {};
    /// The weights whose values are not there (`allows_missing` of the readers' options): the graph has their shapes, the
    /// store nothing of them. What the file computes of such constants is missing too.
    std::vector<std::string> missing = {};
    /// Facts of ports, and what the file's tool remarked of its own placement.
    std::vector<buffer_layout> layouts = {};
    std::vector<file_hint> hints = {};
    /// Those of the notes that tell of numbers which are others here than in the file.
    std::vector<std::string> changes = {};
    /// Those of the notes that tell of weights which the file stores smaller than fp16, and which are fp16 here and in
    /// whatever is written of the model: so they are judged and priced.
    std::vector<std::string> expanded = {};
    /// The version of Core ML's operations that the file names, as it names it: "ios17", "CoreML7". Empty: none.
    std::string opset = {};
};

} // namespace ane::inline ANEMONE_WAY
