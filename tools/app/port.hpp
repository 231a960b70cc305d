#pragma once

#include <anemone/graph/graph.hpp>
#include <anemone/values/element_type.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace app {

using ane::element_type;

/// What callers call the type of an array: "float16".
inline std::string name(element_type type) { return std::string(ane::facts_of(type).array); }
inline std::size_t bytes_of(element_type type) { return static_cast<std::size_t>(ane::bytes(type, 1)); }

/// An input or an output of a model, or a state that its programs keep.
struct port {
    std::string name; ///< as the file calls it
    element_type type = element_type::f16;
    std::vector<std::int64_t> shape{};
    std::size_t count = 1; ///< elements
    /// fp16, and of integers: the file says so, or an operation takes them for indices. One that is rounded is another.
    bool has_integers = false;
    std::string inner{}; ///< its name in the graph

    std::size_t bytes() const { return count * bytes_of(type); }
};

struct model_ports {
    std::vector<port> inputs{};
    std::vector<port> outputs{};
    std::vector<port> states{};
};

/// The ports of a graph; `integers` are the inputs that hold integers in the file. Throws `ane::error` (errc::port) for
/// elements that no array of a caller has.
model_ports ports_of(const ane::graph_view& g, const std::vector<std::string>& integers);

/// The port of a name; `what` it is. Throws `ane::error` (errc::port) for an unknown name: "x: no input has this name; there are:
/// image".
const port& named(const std::vector<port>& ports, const std::string& name, const char* what);

/// "image, mask"; "none" where there is none.
std::string names_of(const std::vector<port>& ports);

/// "1x3x224x224"; "scalar" without an extent.
std::string shape_text(const std::vector<std::int64_t>& shape);

/// A shape without its extents of 1, which mean nothing in arrays that callers give.
std::vector<std::int64_t> without_ones(std::vector<std::int64_t> shape);

} // namespace app
