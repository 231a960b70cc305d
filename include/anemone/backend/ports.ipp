#pragma once

#include "../base/error.hpp"
#include "../values/half.hpp"
#include "ports.hpp"

#include <cstdint>
#include <utility>

namespace ane::detail::inline ANEMONE_WAY {

ANEMONE_BODY port_table::port_table(const graph_view& g) {
    const auto port_of = [](std::string name, const node& n) {
        return port{std::move(name), static_cast<std::size_t>(bytes(n.type, n.shape.count())),
                    n.type == dtype::f16 ? alignof(half) : 1};
    };
    for (int i = 0; i < g.size(); ++i) {
        if (g[i].kind == op::input) {
            inputs_.push_back(port_of(std::string(g.name(i)), g[i]));
        }
    }
    for (const output_port& each : g.outputs) {
        outputs_.push_back(port_of(std::string(g.name(each)), g[each.node]));
    }
}

ANEMONE_BODY void port_table::check(input_buffers inputs, output_buffers outputs) const {
    const auto check = [](const auto& given, const std::vector<port>& ports, const char* direction) {
        if (given.size() != ports.size()) {
            throw error(errc::port, direction,
                        std::to_string(given.size()) + " buffers are given, the program has " +
                            std::to_string(ports.size()) + " " + direction);
        }
        for (std::size_t i = 0; i < ports.size(); ++i) {
            if (given[i].size() != ports[i].bytes) {
                throw error(errc::port, ports[i].name,
                            "has " + std::to_string(given[i].size()) + " bytes, the port takes " +
                                std::to_string(ports[i].bytes));
            }
            if (reinterpret_cast<std::uintptr_t>(given[i].data()) % ports[i].alignment != 0) {
                throw error(errc::port, ports[i].name,
                            "begins at an odd address, its elements are aligned to " +
                                std::to_string(ports[i].alignment) + " bytes");
            }
        }
    };
    check(inputs, inputs_, "inputs");
    check(outputs, outputs_, "outputs");
}

} // namespace ane::detail::inline ANEMONE_WAY
