#pragma once

#include "../../../base/error.hpp"
#include "../../../base/way.hpp"
#include "../driver/within.hpp"
#include "api.hpp"

#include <string>

namespace ane::objc::inline ANEMONE_WAY {

/// A message: the class that has it, its selector, and in the type what it takes and gives. Facts: engine-runtime 10.1.
template <class Signature> struct message;
template <class Result, class... Arguments> struct message<Result(Arguments...)> {
    char kind; ///< '+' of a class, '-' of its objects
    const char* type;
    const char* selector;

    /// As it is written: -[_ANEInMemoryModel unloadWithQoS:error:]
    ANEMONE_INLINE std::string text() const { return std::string(1, kind) + "[" + type + " " + selector + "]"; }
};

/// A message to one object, looked up once.
template <class Signature> struct bound_message;
template <class Result, class... Arguments> struct bound_message<Result(Arguments...)> {
    void* target = nullptr;
    void* selector = nullptr;
    Result (*implementation)(void* self, void* selector, Arguments...) = nullptr;
    const char* name = nullptr; ///< of the selector

    explicit operator bool() const noexcept { return implementation != nullptr; }
    Result operator()(Arguments... arguments) const {
        e5rt::detail::note_step(name);
        return implementation(target, selector, arguments...);
    }
};

/// Looks a message to `target` up; empty where its class does not respond to it.
template <class Result, class... Arguments>
bound_message<Result(Arguments...)> find(const api& table, void* target, const message<Result(Arguments...)>& what) {
    void* const selector = table.sel_registerName(what.selector);
    void* const type = table.object_getClass(target);
    if (selector == nullptr || type == nullptr || !table.class_respondsToSelector(type, selector)) {
        return {};
    }
    const method found = table.class_getMethodImplementation(type, selector);
    return {target, selector, reinterpret_cast<Result (*)(void*, void*, Arguments...)>(found), what.selector};
}

/// The same; throws `error` (errc::library) where the class does not respond: this macOS has another interface.
template <class Result, class... Arguments>
bound_message<Result(Arguments...)> bind(const api& table, void* target, const message<Result(Arguments...)>& what) {
    const auto found = find(table, target, what);
    if (!found) {
        throw error(errc::library, what.text(),
                    "the class does not respond to it: this version of macOS has another "
                    "interface; use the e5rt door");
    }
    return found;
}

/// The messages of the door, in the order of their first use.
struct messages {
    using object = void*;
    static constexpr const char* descriptor = "_ANEInMemoryModelDescriptor";
    static constexpr const char* model = "_ANEInMemoryModel";
    static constexpr const char* surface = "_ANEIOSurfaceObject";
    static constexpr const char* request = "_ANERequest";

    /// NSData of the property list, NSDictionary of the weights, nil.
    static constexpr message<object(object, object, object)> describe{
        '+', descriptor, "modelWithNetworkDescription:weights:optionsPlist:"};
    /// The same with NSData of MIL text.
    static constexpr message<object(object, object, object)> describe_mil{'+', descriptor,
                                                                          "modelWithMILText:weights:optionsPlist:"};
    static constexpr message<object(object)> in_memory{'+', model, "inMemoryModelWithDescriptor:"};
    static constexpr message<object()> local_path{'-', model, "localModelPath"};
    /// The folder of MIL text, under NSTemporaryDirectory().
    static constexpr message<object()> identifier{'-', model, "hexStringIdentifier"};
    static constexpr message<bool(unsigned, object, object*)> compile{'-', model, "compileWithQoS:options:error:"};
    static constexpr message<bool(unsigned, object, object*)> load{'-', model, "loadWithQoS:options:error:"};
    static constexpr message<object()> attributes{'-', model, "modelAttributes"};
    static constexpr message<object(object)> wrap{'+', surface, "objectWithIOSurface:"};
    static constexpr message<bool(object, bool, object*)> map{'-', model,
                                                              "mapIOSurfacesWithRequest:cacheInference:error:"};
    static constexpr message<bool(unsigned, object, object, object*)> evaluate{
        '-', model, "evaluateWithQoS:options:request:error:"};
    static constexpr message<void(object)> unmap{'-', model, "unmapIOSurfacesWithRequest:"};
    static constexpr message<bool(unsigned, object*)> unload{'-', model, "unloadWithQoS:error:"};

    /// The factory of requests in its four forms: surfaces and indices of the inputs, those of the outputs, nothing for
    /// the extras, and the procedure last.
    static constexpr message<object(object, object, object, object, object)> request_plain{
        '+', request, "requestWithInputs:inputIndices:outputs:outputIndices:procedureIndex:"};
    static constexpr message<object(object, object, object, object, object, object)> request_one[2] = {
        {'+', request, "requestWithInputs:inputIndices:outputs:outputIndices:perfStats:procedureIndex:"},
        {'+', request, "requestWithInputs:inputIndices:outputs:outputIndices:weightsBuffer:procedureIndex:"}};
    static constexpr message<object(object, object, object, object, object, object, object)> request_two{
        '+', request, "requestWithInputs:inputIndices:outputs:outputIndices:weightsBuffer:perfStats:procedureIndex:"};
};

} // namespace ane::objc::inline ANEMONE_WAY
