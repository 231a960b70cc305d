#pragma once

#include "node_call.hpp"

#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>

/// Names of a model, and the values that they stand for. Only bodies include this header.
namespace ane::onnx::inline ANEMONE_WAY {

/// The names that nodes see: those of their graph, and for a branch those around it.
struct name_space {
    std::unordered_map<std::string, value*> values;
    const name_space* around = nullptr;

    ANEMONE_INLINE value* find(const std::string& name) const {
        for (const name_space* s = this; s != nullptr; s = s->around) {
            if (const auto found = s->values.find(name); found != s->values.end()) {
                return found->second;
            }
        }
        return nullptr;
    }
};

/// Where nodes stand: at the top, in a branch, or in a function that some node calls.
struct node_place {
    int opset = 0;
    attribute_map given = {}; ///< the attributes of the caller, which those of nodes may refer to
    std::string callers = {}; ///< their names, for messages
    std::string layer = {};   ///< the same as the name of what the node adds to the graph
    int number = 0;           ///< of the node at the top that all this belongs to; 0 at the top
    int depth = 0;
};

/// The values that nodes give, at places that stay.
class named_values {
public:
    explicit named_values(model_scope& scope) : scope_(scope) {}

    ANEMONE_INLINE value& fresh(std::string_view name) {
        value& v = pool_.emplace_back();
        v.name = name;
        return v;
    }
    ANEMONE_INLINE void define(name_space& names, const std::string& name, value& v, int number,
                               const std::string& what) {
        if (!names.values.emplace(name, &v).second) {
            scope_.blame(number, what, formatted("gives \"{}\", which has a value already", shown(name)));
        }
    }

private:
    model_scope& scope_;
    std::deque<value> pool_;
};

} // namespace ane::onnx::inline ANEMONE_WAY
