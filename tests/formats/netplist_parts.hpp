#pragma once

#include "netplist_models.hpp"

#include <doctest/doctest.h>

#include <cstring>

namespace netplist_parts {

using namespace ane;
using formats::plist_array;
using formats::plist_dict;
using formats::plist_value;

/// A netplist taken apart.
struct parts {
    explicit parts(const netplist& program) : weights(program.weights) {
        const plist_dict& root = *program.document.get_if<plist_dict>();
        const std::string network = *(*root.find("Networks")->get_if<plist_array>())[0].get_if<std::string>();
        body = *root.find(network)->get_if<plist_dict>();
        procedure = *(*root.find("ProcedureList")->get_if<plist_array>())[0].get_if<plist_dict>();
        for (const formats::plist_value& u : *body.find("Units")->get_if<plist_array>()) {
            units.push_back(*body.find(*u.get_if<std::string>())->get_if<plist_dict>());
        }
    }
    template <class T> static T get(const plist_dict& d, std::string_view key) {
        REQUIRE(d.find(key) != nullptr);
        const T* const found = d.find(key)->get_if<T>();
        REQUIRE(found != nullptr);
        return *found;
    }
    std::string type(std::size_t unit) const { return get<std::string>(units.at(unit), "Type"); }
    std::string name(std::size_t unit) const { return get<std::string>(units.at(unit), "Name"); }
    plist_dict params(std::size_t unit) const { return get<plist_dict>(units.at(unit), "Params"); }
    std::vector<std::string> bottoms(std::size_t unit) const {
        std::vector<std::string> result;
        for (const formats::plist_value& b : get<plist_array>(units.at(unit), "Bottom")) {
            result.push_back(*b.get_if<std::string>());
        }
        return result;
    }
    std::vector<half> blob(std::int64_t index) const {
        const auto& bytes = weights.at(static_cast<std::size_t>(index)).bytes;
        std::vector<half> result(bytes.size() / 2);
        std::memcpy(result.data(), bytes.data(), bytes.size());
        return result;
    }

    std::vector<netplist_blob> weights;
    plist_dict body;
    plist_dict procedure;
    std::vector<plist_dict> units;
};

template <class Function> parts parts_of(const Function& describe) {
    return parts(netplist_models::emit(build_graph(describe)));
}

inline std::string text(const formats::plist_value& v) { return formats::to_xml(v); }

} // namespace netplist_parts
