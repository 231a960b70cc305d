#pragma once

#include "node_call.hpp"

#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <utility>

/// Only bodies include this header.
namespace ane::onnx::inline ANEMONE_WAY {

/// A domain of operators; "ai.onnx" is that of the empty name.
ANEMONE_INLINE std::string_view domain_of(const std::string& domain) {
    return domain == "ai.onnx" ? std::string_view() : std::string_view(domain);
}

/// The functions that a model has for its nodes to call.
class model_functions {
public:
    ANEMONE_INLINE explicit model_functions(const ::onnx::ModelProto& model) {
        for (const ::onnx::FunctionProto& f : model.functions()) {
            functions_[{std::string(domain_of(f.domain())), f.name()}] = &f;
        }
    }

    /// Null: there is none of this name.
    ANEMONE_INLINE const ::onnx::FunctionProto* find(const std::string& domain, const std::string& name) const {
        const auto found = functions_.find({domain, name});
        return found == functions_.end() ? nullptr : found->second;
    }

    /// The default attributes of a function (IR version 9), a field that older ONNX libraries know by its number only.
    ANEMONE_INLINE const std::deque<attribute_proto>& defaults_of(const ::onnx::FunctionProto& f) {
        const auto [place, is_new] = defaults_.try_emplace(&f);
        std::deque<attribute_proto>& found = place->second;
        if (!is_new) {
            return found;
        }
        [&](const auto& function) {
            if constexpr (requires { function.attribute_proto(); }) {
                for (const auto& each : function.attribute_proto()) {
                    found.push_back(each);
                }
            }
        }(f);
        for (int i = 0; i < f.unknown_fields().field_count(); ++i) {
            const auto& field = f.unknown_fields().field(i);
            if (field.number() == 11 && field.type() == field.TYPE_LENGTH_DELIMITED &&
                !found.emplace_back().ParseFromString(field.length_delimited())) {
                throw refused_node{"calls a function with a default attribute that cannot be read"};
            }
        }
        return found;
    }

private:
    std::map<std::pair<std::string, std::string>, const ::onnx::FunctionProto*> functions_;
    std::map<const ::onnx::FunctionProto*, std::deque<attribute_proto>> defaults_;
};

} // namespace ane::onnx::inline ANEMONE_WAY
