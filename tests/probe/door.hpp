#pragma once

#include <anemone/backend/engine/engine.hpp>
#include <anemone/targets/table.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace kit {

using ane::backend::engine_runtime;

constexpr std::string_view name(engine_runtime door) {
    constexpr std::string_view names[] = {"direct", "netplist", "in-memory-mil"};
    return names[static_cast<std::size_t>(door)];
}
constexpr std::optional<engine_runtime> door_named(std::string_view text) {
    for (const engine_runtime door : {engine_runtime::e5rt, engine_runtime::netplist, engine_runtime::in_memory_mil}) {
        if (name(door) == text) {
            return door;
        }
    }
    return std::nullopt;
}

/// One door of the engine in this process, its calls written down.
class open_door {
public:
    /// Opens the libraries; throws `ane::error` (errc::library). `pause` is the time after a failed compile.
    open_door(engine_runtime door, ane::target chip, ane::e5rt::time_span pause);

    ane::backend::engine engine() const { return engine({}); }
    ane::backend::engine engine(ane::backend::engine_options options) const;

    engine_runtime door() const { return door_; }
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
    engine_runtime door_;
    ane::target chip_;
    ane::e5rt::time_span pause_;
    std::string image_;
    std::shared_ptr<const ane::e5rt::library> direct_;
    std::shared_ptr<const ane::objc::runtime> netplist_;
    int compiles_ = 0;
};

/// Whether a library is a stand-in of this repository.
bool is_standin(engine_runtime door, const std::string& image);

} // namespace kit
