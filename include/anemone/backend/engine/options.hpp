#pragma once

#include "../../base/way.hpp"
#include "../../formats/mil.hpp"
#include "../../formats/netplist_options.hpp"
#include "../../graph/op_set.hpp"
#include "../../rules/policy.hpp"
#include "e5rt/session.hpp"
#include "objc/session.hpp"

#include <cstdint>
#include <memory>
#include <string>

namespace ane::backend::inline ANEMONE_WAY {

/// The ways into the engine's runtime: the e5rt C interface, which takes MIL text, and the Objective-C interface, which
/// takes netplists and with them layers that MIL has no words for, or MIL text too (docs/netplist_door.md).
enum class engine_runtime : std::uint8_t { e5rt, netplist, in_memory_mil };

/// How the engine backend compiles.
struct engine_options {
    engine_runtime runtime = engine_runtime::e5rt;
    /// Where the program's files go; kept after the run. Empty: a temporary directory that goes with the program.
    std::string directory{};
    /// The runtime library; empty: ANEMONE_E5RT, of the other doors ANEMONE_OBJC, then Apple's (on a Mac).
    std::string library{};
    /// Libraries that are open already, one for each door, instead of a path: to record calls, or to be without one.
    std::shared_ptr<const e5rt::library> e5rt_library{};
    std::shared_ptr<const objc::runtime> objc_library{};
    /// Refuse a model that breaks a design rule of the architecture before Apple's compiler sees it: that one does not
    /// enforce a foreign target's limits (engine-runtime section 7.2), and a failed compile costs a pause of 15 s.
    bool preflight = true;
    /// What the preflight counts as an error, and what it waives; the rules of the door's route are always checked.
    policy rules{};
    /// Composed operations that are not taken apart but written as the form's own, where it has them (docs/formats.md).
    op_set whole{};
    /// What is written where the form has a choice.
    mil_options mil{};
    netplist_options netplist{};
    /// Everything else of the driver: pacing, cache, quality of service. Directory and architecture are set here.
    e5rt::session_options session{};
    /// What only the two doors of in-memory models take.
    objc::door_options objc{};
};

} // namespace ane::backend::inline ANEMONE_WAY
