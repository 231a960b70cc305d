#pragma once

#include <anemone/graph/graph.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace app {

/// Element types of callers' arrays. Ports have the first three.
enum class element : std::uint8_t { float16, int8, uint8, float32, float64 };

const char* name(element type);
std::size_t bytes_of(element type);

/// An input or an output of a model, or a state that its programs keep.
struct port {
    std::string name;
    element type = element::float16;
    std::vector<std::int64_t> shape{};
    std::size_t count = 1; ///< elements

    std::size_t bytes() const { return count * bytes_of(type); }
};

struct model_ports {
    std::vector<port> inputs{};
    std::vector<port> outputs{};
    std::vector<port> states{};
};

/// Throws `ane::error` (errc::port) for elements that no array of a caller has.
model_ports ports_of(const ane::graph_view& g);

/// The port of a name; `what` it is. Throws `ane::error` (errc::port) for a name that is none: "x: is no input; there are:
/// image".
const port& named(const std::vector<port>& ports, const std::string& name, const char* what);

/// "image, mask"; "none" where there is none.
std::string names_of(const std::vector<port>& ports);

/// "1x3x224x224"; "scalar" without an extent.
std::string shape_text(const std::vector<std::int64_t>& shape);

/// A shape without its extents of 1, which mean nothing in arrays that callers give.
std::vector<std::int64_t> without_ones(std::vector<std::int64_t> shape);

} // namespace app
