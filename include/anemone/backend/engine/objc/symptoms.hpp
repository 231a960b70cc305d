#pragma once

#include "../../../base/way.hpp"
#include "message.hpp"

#include <string>
#include <string_view>

namespace ane::objc::inline ANEMONE_WAY {

/// What is known of a message that failed, and what to do (facts: engine-runtime 7.3, 8.2 and 10).
struct symptom {
    std::string_view selector;
    std::string_view text; ///< part of the runtime's message; empty: whatever it says
    std::string_view advice;
};

inline constexpr symptom symptoms[] = {
    {messages::describe.selector, "", "the property list cannot be read; report this with the model"},
    {messages::describe_mil.selector, "", "the MIL text cannot be read; report this with the model"},
    {messages::identifier.selector, "", "the model has no folder for model.mil; use the e5rt door"},
    {messages::in_memory.selector, "",
     "the description is rejected: the schema of netplists has changed; use the e5rt "
     "door"},
    {messages::local_path.selector, "", "the model has no directory for net.plist; use the e5rt door"},
    {messages::compile.selector, "",
     "the compiler refused a unit or a shape: check the rules of the target (on_route(compile_route::netplist)), then "
     "halve the model; after about 119 compiles in a process every one fails: start another process"},
    {messages::load.selector, "", "close another program (about 128 can be loaded at once) or compile again"},
    {messages::attributes.selector, "", "the program is not loaded; compile it again"},
    {messages::wrap.selector, "", "the surface is null; memory may have run out"},
    {messages::map.selector, "", "set door_options::map_surfaces to false, as other drivers do"},
    {messages::evaluate.selector, "0x1d",
     "a surface is too small or in the wrong place: report this with the layouts of the ports"},
    {messages::evaluate.selector, "0xe00002c7", "the call needs an entitlement; use the e5rt door"},
    {messages::evaluate.selector, "", "run again; if it fails again, close the program and compile it anew"},
    {messages::unload.selector, "", "the program may stay loaded until the process ends"},
};

/// The advice for a failure: the first that fits.
ANEMONE_INLINE std::string advice_for(std::string_view selector, std::string_view reason) {
    for (const symptom& known : symptoms) {
        if (known.selector == selector && (known.text.empty() || reason.find(known.text) != std::string_view::npos)) {
            return std::string(known.advice);
        }
    }
    return "the factory gave no request; use the e5rt door";
}

} // namespace ane::objc::inline ANEMONE_WAY
