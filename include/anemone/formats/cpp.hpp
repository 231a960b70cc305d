#ifndef ANEMONE_FORMATS_CPP_HPP
#define ANEMONE_FORMATS_CPP_HPP

#include "../base/way.hpp"
#include "../graph/graph.hpp"
#include "../targets/sets.hpp"
#include "../weights/store.hpp"

#include <cstddef>
#include <string>
#include <string_view>

/// Graphs as C++: the header that one would have written by hand.
namespace ane::inline ANEMONE_WAY {

struct cpp_options {
    std::string name = "net";                     ///< of the namespace that holds the model; `a::b` too
    std::string source{};                         ///< the file that the model comes from, for the first lines
    std::string digest{};                         ///< and its SHA-256
    std::string weights_file = "net.safetensors"; ///< where the weights are, as programs are to open it
    target_set targets{};                         ///< that the model has to conform to, as a static_assert
    std::size_t largest_literal = 64;             ///< constants of more elements become weights
};

/// A header and the values of its weights.
struct cpp_program {
    std::string header;
    weight_store weights;
};

/// Writes a graph as a header with a constexpr model, `net::model`: ports as they are called, layers with their names,
/// and a contract for each weight that says what its values are. The model is the graph that was given, node by node,
/// but for constants that became weights and for the order of the ports of states. Throws `error`: errc::graph for an
/// operation or a port that the typed functions cannot say, by its name; errc::argument for a name that C++ does not
/// take; errc::weights for a weight that is missing or
/// has another shape.
ANEMONE_API_OF(anemone_formats_cpp_hpp)
cpp_program emit_cpp(const graph_view& g, weight_store weights, const cpp_options& options = {});

/// A namespace for a model of any name, such as that of a file.
ANEMONE_API_OF(anemone_formats_cpp_hpp) std::string cpp_namespace(std::string_view name);

/// Writes the header and a safetensors file, both or none. Throws `error` (errc::file).
ANEMONE_API_OF(anemone_formats_cpp_hpp)
void write_cpp(const cpp_program& program, const std::string& header, const std::string& weights);

} // namespace ane::inline ANEMONE_WAY

#endif
#if ANEMONE_BODIES
#include "cpp.ipp"
#endif
