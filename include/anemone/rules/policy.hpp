#pragma once

#include "../passes/layer_forms.hpp"
#include "../targets/operation_support.hpp"
#include "../targets/system.hpp"
#include "rule.hpp"

namespace ane {

/// What a model is held to.
enum class check_profile : std::uint8_t {
    engine, ///< what engines refuse, get wrong or do slowly
    vendor  ///< what engines refuse or get wrong, and the vendor's own guidance for models (rules/vendor.hpp)
};

/// Which findings are errors. By default rejects and hazards are, warnings are not. Structural: a template argument of
/// `conforms`. Combine with `|`: `as_error(rule::working_set_exceeds) | waive(rule::width_slice_may_saturate)`.
struct policy {
    rule_set errors{}; ///< warnings that count as errors
    rule_set waived{}; ///< rules that are not checked
    compile_route route = compile_route::any;
    check_profile profile = check_profile::engine;
    layer_forms layers = layer_forms::safe;          ///< whose values are judged: of a file of others, its own
    operating_system system = operating_system::any; ///< which Core ML is to load the file

    constexpr bool is_error(rule r, severity level) const noexcept {
        return !waived.contains(r) && (level == severity::reject || level == severity::hazard || errors.contains(r));
    }

    friend constexpr policy operator|(policy a, const policy& b) noexcept {
        a.errors.insert(b.errors);
        a.waived.insert(b.waived);
        a.route = b.route == compile_route::any ? a.route : b.route;
        a.profile = b.profile == check_profile::engine ? a.profile : b.profile;
        a.layers = b.layers == layer_forms::safe ? a.layers : b.layers;
        a.system = b.system == operating_system::any ? a.system : b.system;
        return a;
    }
    friend constexpr bool operator==(const policy&, const policy&) = default;
};

/// The given warnings are errors.
template <class... Rule> constexpr policy as_error(Rule... rules) { return {.errors = {rules...}}; }
/// The given rules are not checked: the author knows better.
template <class... Rule> constexpr policy waive(Rule... rules) { return {.waived = {rules...}}; }
/// The layers of a file are judged as they are, not as our files would have them.
constexpr policy of_own_layers() { return {.layers = layer_forms::own}; }
/// The vendor's own guidance, apart from what is refused or wrong.
constexpr policy of_vendor() { return {.profile = check_profile::vendor}; }
/// What this system's Core ML does not know is an error.
constexpr policy on_system(operating_system system) { return {.system = system}; }
/// The rules of one route are checked too.
constexpr policy on_route(compile_route route) { return {.route = route}; }

} // namespace ane
