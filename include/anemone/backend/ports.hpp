#pragma once

#include "../base/way.hpp"
#include "../graph/graph.hpp"
#include "backend.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace ane::detail::inline ANEMONE_WAY {

/// Names and sizes of a program's ports, kept to check the buffers of each run.
class port_table {
public:
    ANEMONE_API explicit port_table(const graph_view& g);

    /// Throws `error` (errc::port) unless there is one buffer for each port, of just its bytes, aligned as its elements
    /// are. Allocates only to throw.
    ANEMONE_API void check(input_buffers inputs, output_buffers outputs) const;

private:
    struct port {
        std::string name;
        std::size_t bytes;
        std::size_t alignment;
    };
    std::vector<port> inputs_;
    std::vector<port> outputs_;
};

} // namespace ane::detail::inline ANEMONE_WAY

#if !defined(ANEMONE_COMPILED)
#include "ports.ipp"
#endif
