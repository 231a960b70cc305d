#pragma once

#include "families.hpp"

#include <array>
#include <optional>
#include <string_view>

namespace ane {

namespace detail {

/// What a table entry states about itself; the rest comes from its family.
struct target_entry {
    target id;
    const char* name;
    const char* runtime;
    const char* product;
    const char* soc;
    std::int32_t cores;
    const target_clock& clock;
    bool own_clock;        ///< or the curve of a relative
    bool measured = false; ///< the limits, gates and streams were run on this silicon
};

constexpr target_description make_target(const target_description& base, const target_entry& e) {
    target_description d = base;
    d.id = e.id;
    d.name = e.name;
    d.runtime = e.runtime;
    d.product = e.product;
    d.soc = e.soc;
    d.cores = d.cost_cores = e.cores;
    d.clock = e.clock;
    d.own_clock = e.own_clock;
    d.silicon_measured = e.measured;
    if (e.measured) {
        d.marks.limits = d.marks.capabilities = d.marks.weight_streams = mark::measured;
    }
    return d;
}

template <class Change>
constexpr target_description make_target(const target_description& base, const target_entry& e, Change change) {
    return derive(make_target(base, e), change);
}

constexpr void kernel_width_measured(target_description& d) { d.marks.kernel_width = mark::measured; }
constexpr void kernel_measured(target_description& d) { d.marks.kernel_width = d.marks.kernel_height = mark::measured; }
/// The compiler was run with programs on each side of its limits (L001 to L008).
constexpr void limits_compiled(target_description& d) {
    kernel_measured(d);
    d.marks.compiled_limits = mark::measured;
}

} // namespace detail

/// The 28 targets, in the order of `target`. Adding one is an enumerator and an entry.
inline constexpr std::array<target_description, target_count> target_table = [] {
    using namespace detail::families;
    namespace clocks = detail::clocks;
    using detail::make_target;
    using d = target_description;
    constexpr bool own = true, borrowed = false, measured = true;
    constexpr const char* none = "";
    constexpr const char* legacy = "pre-A13 legacy";
    return std::array<target_description, target_count>{
        make_target(older, {h11, "H11", "h11", legacy, none, 4, clocks::h11, own},
                    [](d& t) {
                        t.compiler_family = 0;
                        t.hardware_version = 1;
                        t.has.dynamic_goc = true; // set "except on the smallest legacy parts"
                        t.assume(assumption::dynamic_goc);
                    }),
        // TC16: 1 to 4 cores for the four of them together; the lower end where no source says more.
        make_target(older, {h12, "H12", "h12", legacy, none, 1, clocks::none, borrowed},
                    [](d& t) {
                        t.compiler_family = 1;
                        t.hardware_version = 3;
                        t.has.dynamic_goc = true;
                        t.assume(assumption::dynamic_goc);
                        t.assume(assumption::cores);
                    }),
        make_target(older, {m9, "M9", "m9", legacy, none, 1, clocks::none_m9, borrowed},
                    [](d& t) {
                        t.memory.working_set_nominal = 1048576;
                        t.memory.dma_width_granule = 1; // chapter 24; appendix A has 16 for the whole tier
                        t.assume(assumption::dynamic_goc);
                    }),
        make_target(older, {t0, "T0", "t0", legacy, none, 1, clocks::none, borrowed},
                    [](d& t) {
                        t.assume(assumption::dynamic_goc);
                        t.assume(assumption::cores);
                    }),

        make_target(a13, {h13, "H13", "h13", "M1 base", "T8103", 4, clocks::h13, own, measured},
                    [](d& t) {
                        detail::kernel_measured(t);
                        t.marks.cores = mark::measured; // the four-core scaling was measured
                        t.memory.working_set_measured = 2280000;
                        t.marks.cost = mark::measured;
                    }),
        make_target(a13, {h13g, "H13g", "h13g", "M1 Pro, Max, Ultra", "T600x", 8, clocks::h13g, own, measured},
                    detail::kernel_measured),
        // TC1: the guide's table says 4 cores, the cost curves were written for 16.
        make_target(a13, {t1, "T1", "t1", "A13 reference", none, 4, clocks::h13, own}, [](d& t) { t.cost_cores = 16; }),

        make_target(a14, {h14, "H14", "h14", "M2 base", "T8112", 4, clocks::h14, own},
                    [](d& t) { t.marks.cost = mark::measured; }),
        make_target(a14, {h14g, "H14g", "h14g", "M2 Pro, Max", "T602x", 8, clocks::h14, borrowed, measured}),
        make_target(a14, {h14c, "H14c", "h14c", "A14 Max-class", none, 32, clocks::h14, borrowed}),

        make_target(a15, {h15, "H15", "h15", "M3 base", "T8122", 4, clocks::h15, own}),
        make_target(a15, {h15g, "H15g", "h15g", "M3 Pro, Max", "T603x", 8, clocks::h15, borrowed}),
        make_target(a15, {h15c, "H15c", "h15c", "A15 Max-class", none, 32, clocks::h15c, own}),

        make_target(a16, {h16, "H16", "h16", "M4 base", "T8132", 4, clocks::h16, own}),
        make_target(a16, {h16g, "H16g", "h16g", "M4 Pro, Max", "T604x", 8, clocks::h16s, borrowed},
                    detail::limits_compiled),
        make_target(a16, {h16s, "H16s", "h16s", "A16 Pro-class", none, 16, clocks::h16s, own}),
        make_target(a16, {h16c, "H16c", "h16c", "A16 Max-class", none, 32, clocks::h16s, borrowed}),

        make_target(a17, {h17, "H17", "h17", "M5 base", "T8142", 4, clocks::h17, own}),
        make_target(a17, {h17a, "H17a", "h17a", "A17 variant", none, 4, clocks::h16s, borrowed}),
        // TC4: one table gives the M5 Pro and Max to h17g, the resolver gives them to h17s, and was seen
        // at work.
        make_target(a17, {h17g, "H17g", "h17g", "M5 Pro, Max (TC4)", none, 8, clocks::h16s, borrowed}),
        make_target(a17, {h17s, "H17s", "h17s", "M5 Pro, Max", "T605x", 16, clocks::h16s, own, measured},
                    [](d& t) {
                        t.compiler_family = 6; // TC3
                        t.hardware_version = 9;
                        detail::kernel_width_measured(t);
                        t.memory.working_set_measured = 4720000;
                        t.marks.cost = mark::measured;
                    }),
        make_target(a17, {h17c, "H17c", "h17c", "A17 Max-class", none, 32, clocks::h16s, own}),
        make_target(a17, {h17d, "H17d", "h17d", "A17 Ultra-class", none, 64, clocks::h16s, own}),

        // TC17: M6 by the naming rule; a study names the M6 that it ran h18g, which is none of the 28.
        make_target(a18, {h18, "H18", "h18", "M6 base", none, 4, clocks::h16s, borrowed}, detail::limits_compiled),

        make_target(small, {m11, "M11", "m11", "small embedded ANE", none, 1, clocks::m11, own}),

        make_target(reference, {u1, "U1", "u1", "reference", none, 4, clocks::none, borrowed}),
        make_target(reference, {u2, "U2", "u2", "reference", none, 4, clocks::none, borrowed},
                    [](d& t) { t.has.cross_die_addressing = true; }),
        make_target(reference, {u3, "U3", "u3", "reference", none, 4, clocks::none, borrowed},
                    [](d& t) { t.has.cross_die_addressing = true; }),
    };
}();

static_assert(
    [] {
        for (std::size_t i = 0; i < target_count; ++i) {
            if (ordinal(target_table[i].id) != i) {
                return false;
            }
        }
        return true;
    }(),
    "the entries of target_table stand in the order of the enumeration");

/// The description behind what a template parameter `auto Target` may hold: an enumerator, or the address of a
/// description.
constexpr const target_description& describe(target t) noexcept { return target_table[ordinal(t)]; }
constexpr const target_description& describe(const target_description* custom) noexcept { return *custom; }
constexpr const target_description& describe(const target_description& d) noexcept { return d; }

/// A type that `describe` accepts.
template <class T>
concept target_like = requires(const T& t) {
    describe(t);
};

/// The name of the compiler target ("H13g"), and the runtime's name of the architecture ("h13g").
constexpr std::string_view name(target t) noexcept { return describe(t).name; }
constexpr std::string_view runtime_architecture(target t) noexcept { return describe(t).runtime; }

/// The target that a TargetArchitecture string names. Given a name that it does not know, the runtime silently falls
/// back to the host (R175), so look it up here first. Exact match.
constexpr std::optional<target> find_target(std::string_view runtime) noexcept {
    for (const target_description& d : target_table) {
        if (runtime == d.runtime) {
            return d.id;
        }
    }
    return std::nullopt;
}

} // namespace ane
