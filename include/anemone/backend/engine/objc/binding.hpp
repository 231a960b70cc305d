#pragma once

#include "../../../base/formatted.hpp"
#include "../../../base/way.hpp"
#include "calls.hpp"
#include "layout.hpp"
#include "port.hpp"
#include "surface.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// From what a loaded program says of its ports to the request that runs it.
namespace ane::objc::detail::inline ANEMONE_WAY {

/// What the runtime says of the port of this name. Its place in the list is its index in a request.
ANEMONE_INLINE port_layout layout_of(const foundation_value& live, const port_spec& port) {
    constexpr const char* extents[] = {"Batches", "Depth", "Channels", "Height", "Width"};
    constexpr const char* strides[] = {"BatchStride", "DepthStride", "PlaneStride", "RowStride"};
    const std::string about = "port '" + port.name + "'";
    port_layout layout;
    const foundation_value type = live["Type"];
    layout.element = type.exists() ? element_bytes(type.text()) : 2;
    if (layout.element != port.element) {
        throw error(errc::engine, type.road(),
                    formatted("is {} for {}, whose elements have {} bytes", type.exists() ? type.text() : "Float16",
                              about, port.element));
    }
    for (std::size_t a = 0; a < 5; ++a) {
        const foundation_value given = live[extents[a]];
        layout.extent[a] = given.exists() ? given.number() : 1;
        if (layout.extent[a] != port.shape.extent[a]) {
            throw error(errc::engine, given.road(),
                        formatted("is {} for {}, the model has {}", layout.extent[a], about, port.shape.extent[a]));
        }
    }
    for (std::size_t a = 0; a < 4; ++a) {
        const foundation_value given = live[strides[a]];
        layout.stride[a] = given.exists() ? given.number() : 0;
    }
    return completed(layout, about);
}

/// The ports in the order of the live list, which is that of the indices of a request.
ANEMONE_INLINE std::vector<bound_port> bound(const foundation_value& live, const std::vector<port_spec>& ports) {
    const std::size_t count = live.size();
    if (count != ports.size()) {
        throw error(errc::engine, live.road(), formatted("has {} ports, the model has {}", count, ports.size()));
    }
    std::vector<bound_port> result;
    for (std::size_t i = 0; i < count; ++i) {
        const std::string symbol = live[i]["Symbol"].text();
        const auto found =
            std::find_if(ports.begin(), ports.end(), [&](const port_spec& each) { return each.name == symbol; });
        if (found == ports.end()) {
            throw error(errc::engine, live[i].road() + ".Symbol",
                        "is '" + symbol + "', which is not a port of the model");
        }
        result.push_back({symbol, layout_of(live[i], *found), {}, {}, -1});
    }
    return result;
}

/// The place of a port by name; throws `error` (errc::port) where there is none.
ANEMONE_INLINE std::size_t index_of(const std::vector<bound_port>& ports, std::string_view name,
                                    const char* direction) {
    for (std::size_t i = 0; i < ports.size(); ++i) {
        if (ports[i].name == name) {
            return i;
        }
    }
    throw error(errc::port, std::string(name), std::string("no ") + direction + " has this name");
}

ANEMONE_INLINE owned objects_of(const api& table, const std::vector<bound_port>& ports,
                                const std::vector<bound_port>& shared) {
    std::vector<owned> objects;
    for (const bound_port& each : ports) {
        const bound_port& real = each.shares < 0 ? each : shared[static_cast<std::size_t>(each.shares)];
        objects.push_back(owned::kept(table, real.object.get()));
    }
    return make_array(table, objects);
}
ANEMONE_INLINE owned positions_of(const api& table, std::size_t count) {
    std::vector<owned> numbers;
    for (std::size_t i = 0; i < count; ++i) {
        numbers.push_back(make_number(table, static_cast<std::int64_t>(i)));
    }
    return make_array(table, numbers);
}

/// By the first of the factory's forms that this macOS has.
ANEMONE_INLINE owned make_request(const api& table, const std::vector<bound_port>& inputs,
                                  const std::vector<bound_port>& outputs) {
    void* const type = class_named(table, messages::request);
    const owned from = objects_of(table, inputs, inputs);
    const owned at = positions_of(table, inputs.size());
    const owned to = objects_of(table, outputs, inputs);
    const owned into = positions_of(table, outputs.size());
    const owned procedure = make_number(table, 0);
    void* none = nullptr;
    if (find(table, type, messages::request_plain)) {
        return object_of(table, type, messages::request_plain, from.get(), at.get(), to.get(), into.get(),
                         procedure.get());
    }
    for (const auto& form : messages::request_one) {
        if (find(table, type, form)) {
            return object_of(table, type, form, from.get(), at.get(), to.get(), into.get(), none, procedure.get());
        }
    }
    return object_of(table, type, messages::request_two, from.get(), at.get(), to.get(), into.get(), none, none,
                     procedure.get());
}

} // namespace ane::objc::detail::inline ANEMONE_WAY
