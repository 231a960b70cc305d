#pragma once

#include <cstdint>
#include <type_traits>

namespace ane {

namespace detail {

/// The numbers of all graphs of a process. (A compiler builtin, which spares every model file the <atomic> header.)
inline std::uint64_t last_identity = 0;
inline std::uint64_t next_identity() { return __atomic_add_fetch(&last_identity, 1, __ATOMIC_RELAXED); }

} // namespace detail

/// Distinguishes a graph from every other, including one that was at the same address before. At run time no number is
/// used twice: copies, and graphs that were assigned to or moved from, count as new graphs, which refuse the old
/// handles. In a constant expression all numbers are 0 and addresses suffice, since there the compiler detects access
/// to a dead object.
class graph_identity {
public:
    constexpr graph_identity() : number_(next()) {}
    constexpr graph_identity(const graph_identity&) : graph_identity() {}
    constexpr graph_identity(graph_identity&& other) noexcept : graph_identity() { other.number_ = next(); }
    constexpr graph_identity& operator=(const graph_identity&) {
        number_ = next();
        return *this;
    }
    constexpr graph_identity& operator=(graph_identity&& other) noexcept {
        number_ = next();
        other.number_ = next();
        return *this;
    }
    constexpr ~graph_identity() = default;

    constexpr std::uint64_t number() const { return number_; }

private:
    static constexpr std::uint64_t next() { return std::is_constant_evaluated() ? 0 : detail::next_identity(); }

    std::uint64_t number_;
};

} // namespace ane
