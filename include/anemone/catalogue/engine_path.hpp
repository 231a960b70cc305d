#pragma once

#include "catalogue.hpp"

namespace ane {

namespace detail {
inline constexpr numerics::engine_path engine_paths[] = {
#define ANEMONE_OPERATION(name, ...) catalogue::operation<op::name>::engine,
#include "../graph/operations.def"
};
} // namespace detail

/// Which arithmetic of the engine an operation uses.
constexpr const numerics::engine_path& engine_path_of(op kind) noexcept {
    return detail::engine_paths[static_cast<std::size_t>(kind)];
}
/// Whether an operation has an arithmetic of its own; the others are lowered to several that have.
constexpr bool has_engine_path(op kind) noexcept { return !engine_path_of(kind).source.empty(); }

} // namespace ane
