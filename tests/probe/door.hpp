#pragma once

#include <anemone/backend/engine/engine.hpp>
#include <anemone/targets/table.hpp>

#include <memory>
#include <string>
#include <string_view>

namespace kit {

using ane::backend::engine_door;

constexpr std::string_view name(engine_door door) { return door == engine_door::e5rt ? "direct" : "netplist"; }

/// One door of the engine in this process, its calls written down.
class open_door {
public:
    /// Opens the libraries; throws `ane::error` (errc::library). `pause` is the time after a failed compile.
    open_door(engine_door door, ane::target chip, ane::e5rt::time_span pause);

    ane::backend::engine engine() const { return engine({}); }
    ane::backend::engine engine(ane::backend::engine_options options) const;

    engine_door door() const { return door_; }
    ane::target chip() const { return chip_; }
    /// Which library answers: "the stand-in of this repository, <path>".
    std::string identity() const;
    /// Functions or constants that the driver can do without and this library lacks.
    std::string missing() const;

    /// Compiles `model`; counts it, and tells the parent if it failed.
    ane::backend::engine_program compile(const ane::graph_view& model, ane::backend::engine_options options = {},
                                         const ane::weight_store& weights = {});
    int compiles() const { return compiles_; }

private:
    engine_door door_;
    ane::target chip_;
    ane::e5rt::time_span pause_;
    std::string image_;
    std::shared_ptr<const ane::e5rt::library> direct_;
    std::shared_ptr<const ane::objc::runtime> netplist_;
    int compiles_ = 0;
};

/// Whether a library is a stand-in of this repository.
bool is_standin(engine_door door, const std::string& image);

} // namespace kit
