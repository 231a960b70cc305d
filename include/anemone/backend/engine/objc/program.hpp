#ifndef ANEMONE_BACKEND_ENGINE_OBJC_PROGRAM_HPP
#define ANEMONE_BACKEND_ENGINE_OBJC_PROGRAM_HPP

#include "../../../base/hidden.hpp"
#include "../../../base/way.hpp"
#include "../../backend.hpp"
#include "session.hpp"

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ane::objc::inline ANEMONE_WAY {

/// A lowered graph as a netplist, or as MIL text, of an in-memory model on the engine: buffers in the order of its ports, states in surfaces that are both an
/// input and an output. One surface at two indices is inferred: no source has tried it. Move-only.
class program {
public:
    ANEMONE_API_OF(anemone_backend_engine_objc_program_hpp)
    program(const graph_view& lowered, const netplist& written, std::shared_ptr<const runtime> from,
            e5rt::session_options options, door_options door);
    ANEMONE_API_OF(anemone_backend_engine_objc_program_hpp)
    program(const graph_view& lowered, const mil_program& written, std::shared_ptr<const runtime> from,
            e5rt::session_options options, door_options door);

    /// Throws as `session::write`, `execute` and `read` do, and `error` (errc::port) for buffers that do not fit. After
    /// a run that failed the states are what its beginning or its end left.
    ANEMONE_API void run(input_buffers inputs, output_buffers outputs);

    /// The value of a state, dense. What is written there, the next run reads.
    ANEMONE_API std::span<std::byte> state(std::string_view name);
    ANEMONE_API void reset();

    ANEMONE_API objc::session& session();

private:
    struct members;
    template <class Written>
    void open(const graph_view& lowered, const Written& written, const std::vector<std::string>& input_symbols,
              const std::vector<std::string>& output_symbols, std::shared_ptr<const runtime> from,
              e5rt::session_options options, door_options door);

    hidden<members> state_;
};

} // namespace ane::objc::inline ANEMONE_WAY

#endif
#if ANEMONE_BODIES
#include "program.ipp"
#endif
