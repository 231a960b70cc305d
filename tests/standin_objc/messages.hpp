#pragma once

#include "framework.hpp"

#include <map>
#include <string>
#include <string_view>
#include <utility>

/// The methods of the classes, each a function of the type that its message has.
namespace ane::standin_objc {

/// A class and its metaclass: a message to the class finds '+', one to an object '-'.
struct class_object : object {
    class_object(std::string of, char sign) : object(kind::type), name(std::move(of)), side(sign) { --books().live; }
    ~class_object() override { ++books().live; }
    std::string name;
    char side;
};

inline const std::string& selector_of(void* selector) { return *static_cast<const std::string*>(selector); }

/// Whether a message has to fail; counts it.
inline bool fails(void* selector) { return books().enter(selector_of(selector)); }

inline bool answer(void** error, const std::string& why) {
    if (why.empty()) {
        return true;
    }
    if (error != nullptr) {
        *error = autoreleased(new error_object(why));
    }
    return false;
}
inline constexpr const char* on_demand = "a failure on demand";

namespace methods {

inline void* described(void* selector, void* description, void* weights, void* options, bool mil) {
    auto* const text = as<data_object>(description, kind::data);
    auto* const files_of = as<dictionary_object>(weights, kind::dictionary);
    if (text == nullptr) {
        books().note("the description is no NSData");
    }
    if (files_of == nullptr || options != nullptr) {
        books().note("the weights are no NSDictionary, or the options are not nil");
    }
    if (fails(selector) || text == nullptr || files_of == nullptr) {
        return nullptr;
    }
    auto* const result = autoreleased(new descriptor_object(mil));
    result->document.assign(reinterpret_cast<const char*>(text->bytes.data()), text->bytes.size());
    for (const auto& [name, value] : files_of->members) {
        auto* const entry = as<dictionary_object>(value, kind::dictionary);
        auto* const bytes = entry == nullptr ? nullptr : as<data_object>(entry->find("data"), kind::data);
        auto* const offset = entry == nullptr ? nullptr : as<number_object>(entry->find("offset"), kind::number);
        if (bytes == nullptr || offset == nullptr || offset->value != 0) {
            books().note("weights are not {offset: 0, data: NSData}");
            return nullptr;
        }
        result->weights.emplace(name, bytes->bytes);
    }
    return result;
}

inline void* describe(void*, void* selector, void* description, void* weights, void* options) {
    return described(selector, description, weights, options, false);
}
inline void* describe_mil(void*, void* selector, void* description, void* weights, void* options) {
    return described(selector, description, weights, options, true);
}

inline void* in_memory(void*, void* selector, void* descriptor) {
    auto* const from = as<descriptor_object>(descriptor, kind::descriptor);
    return fails(selector) || from == nullptr ? nullptr : autoreleased(new model_object(from));
}

inline void* local_path(void* self, void* selector) {
    return fails(selector) ? nullptr : autoreleased(new string_object(static_cast<model_object*>(self)->directory()));
}

inline void* identifier(void* self, void* selector) {
    return fails(selector) ? nullptr : autoreleased(new string_object(static_cast<model_object*>(self)->identifier));
}

inline bool right_options(unsigned quality, void* options) {
    auto* const given = as<dictionary_object>(options, kind::dictionary);
    if (quality > 63 || given == nullptr) {
        books().note("a class of service above 63, or options that are no NSDictionary");
    }
    return given != nullptr;
}

inline bool compile(void* self, void* selector, unsigned quality, void* options, void** error) {
    auto& model = *static_cast<model_object*>(self);
    const bool right = right_options(quality, options);
    return answer(error, fails(selector) || !right ? on_demand : model.compile());
}

inline bool load(void* self, void* selector, unsigned quality, void* options, void** error) {
    auto& model = *static_cast<model_object*>(self);
    const bool right = right_options(quality, options);
    if (model.program == nullptr) {
        books().note("a model is loaded before it is compiled");
    }
    if (fails(selector) || !right || model.program == nullptr || model.dead() ||
        books().option("refuse_load", 0) != 0) {
        return answer(error, on_demand);
    }
    model.loaded = true;
    return true;
}

inline void* attributes(void* self, void* selector) {
    auto& model = *static_cast<model_object*>(self);
    return fails(selector) || !model.loaded ? nullptr : autoreleased(model.program->attributes());
}

inline void* wrap(void*, void* selector, void* surface) {
    auto* const from = as<surface_object>(surface, kind::surface);
    return fails(selector) || from == nullptr ? nullptr : autoreleased(new wrapper_object(from));
}

inline bool is_count(void* numbers, std::size_t count) {
    auto* const given = as<array_object>(numbers, kind::array);
    bool right = given != nullptr && given->elements.size() == count;
    for (std::size_t i = 0; right && i < count; ++i) {
        auto* const number = as<number_object>(given->elements[i], kind::number);
        right = number != nullptr && number->value == static_cast<std::int64_t>(i);
    }
    return right;
}

inline void* request(void* selector, void* inputs, void* input_indices, void* outputs, void* output_indices,
                     void* procedure) {
    auto* const from = as<array_object>(inputs, kind::array);
    auto* const to = as<array_object>(outputs, kind::array);
    auto* const which = as<number_object>(procedure, kind::number);
    bool right = from != nullptr && to != nullptr && which != nullptr && which->value == 0;
    right = right && is_count(input_indices, from->elements.size()) && is_count(output_indices, to->elements.size());
    for (array_object* list : {from, to}) {
        for (std::size_t i = 0; right && i < list->elements.size(); ++i) {
            right = list->elements[i]->is == kind::surface_object;
        }
    }
    if (!right) {
        books().note("a request is not made of surfaces, their indices and the procedure 0");
    }
    if (fails(selector) || !right) {
        return nullptr;
    }
    auto* const result = autoreleased(new request_object);
    result->inputs = static_cast<array_object*>(retain(from));
    result->outputs = static_cast<array_object*>(retain(to));
    return result;
}
inline void* request_plain(void*, void* selector, void* a, void* b, void* c, void* d, void* procedure) {
    return request(selector, a, b, c, d, procedure);
}
inline void* request_one(void*, void* selector, void* a, void* b, void* c, void* d, void* extra, void* procedure) {
    return extra != nullptr ? nullptr : request(selector, a, b, c, d, procedure);
}
inline void* request_two(void*, void* selector, void* a, void* b, void* c, void* d, void* extra, void* more,
                         void* procedure) {
    return extra != nullptr || more != nullptr ? nullptr : request(selector, a, b, c, d, procedure);
}

inline bool map(void* self, void* selector, void* given, bool cache, void** error) {
    auto& model = *static_cast<model_object*>(self);
    if (as<request_object>(given, kind::request) == nullptr || !cache || !model.loaded || model.mapped) {
        books().note("surfaces are mapped twice, before the load, or without caching");
    }
    if (fails(selector)) {
        return answer(error, on_demand);
    }
    model.mapped = true;
    return true;
}

inline bool evaluate(void* self, void* selector, unsigned, void* options, void* given, void** error) {
    auto& model = *static_cast<model_object*>(self);
    auto* const request = as<request_object>(given, kind::request);
    if (pools::instance().depth() == 0) {
        books().note("a run without an autorelease pool");
    }
    if (request == nullptr || as<dictionary_object>(options, kind::dictionary) == nullptr || !model.loaded) {
        books().note("a run of no request, without options, or of a model that is not loaded");
        return answer(error, on_demand);
    }
    return answer(error, fails(selector) ? on_demand : model.evaluate(*request));
}

inline void unmap(void* self, void* selector, void* given) {
    auto& model = *static_cast<model_object*>(self);
    static_cast<void>(fails(selector));
    if (as<request_object>(given, kind::request) == nullptr || !model.mapped) {
        books().note("surfaces are unmapped that are not mapped");
    }
    model.mapped = false;
}

inline bool unload(void* self, void* selector, unsigned, void** error) {
    auto& model = *static_cast<model_object*>(self);
    if (!model.loaded || model.mapped) {
        books().note("a model is unloaded that is not loaded, or whose surfaces are mapped");
    }
    model.loaded = false; // also where it fails: nobody tries again
    return answer(error, fails(selector) ? on_demand : "");
}

} // namespace methods

using method = void (*)();

struct method_row {
    char side;
    std::string_view type;
    std::string_view selector;
    method implementation;
};

template <class Function> method row(Function* f) { return reinterpret_cast<method>(f); }

inline const std::vector<method_row>& method_table() {
    static const std::vector<method_row> rows = {
        {'+', "_ANEInMemoryModelDescriptor",
         "modelWithNetworkDescription:weights:optionsPlist:", row(methods::describe)},
        {'+', "_ANEInMemoryModelDescriptor", "modelWithMILText:weights:optionsPlist:", row(methods::describe_mil)},
        {'+', "_ANEInMemoryModel", "inMemoryModelWithDescriptor:", row(methods::in_memory)},
        {'-', "_ANEInMemoryModel", "localModelPath", row(methods::local_path)},
        {'-', "_ANEInMemoryModel", "hexStringIdentifier", row(methods::identifier)},
        {'-', "_ANEInMemoryModel", "compileWithQoS:options:error:", row(methods::compile)},
        {'-', "_ANEInMemoryModel", "loadWithQoS:options:error:", row(methods::load)},
        {'-', "_ANEInMemoryModel", "modelAttributes", row(methods::attributes)},
        {'+', "_ANEIOSurfaceObject", "objectWithIOSurface:", row(methods::wrap)},
        {'+', "_ANERequest",
         "requestWithInputs:inputIndices:outputs:outputIndices:procedureIndex:", row(methods::request_plain)},
        {'+', "_ANERequest",
         "requestWithInputs:inputIndices:outputs:outputIndices:perfStats:procedureIndex:", row(methods::request_one)},
        {'+', "_ANERequest", "requestWithInputs:inputIndices:outputs:outputIndices:weightsBuffer:procedureIndex:",
         row(methods::request_one)},
        {'+', "_ANERequest",
         "requestWithInputs:inputIndices:outputs:outputIndices:weightsBuffer:perfStats:procedureIndex:",
         row(methods::request_two)},
        {'-', "_ANEInMemoryModel", "mapIOSurfacesWithRequest:cacheInference:error:", row(methods::map)},
        {'-', "_ANEInMemoryModel", "evaluateWithQoS:options:request:error:", row(methods::evaluate)},
        {'-', "_ANEInMemoryModel", "unmapIOSurfacesWithRequest:", row(methods::unmap)},
        {'-', "_ANEInMemoryModel", "unloadWithQoS:error:", row(methods::unload)}};
    return rows;
}

} // namespace ane::standin_objc
