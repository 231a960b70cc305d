#pragma once

#include "../base/error.hpp"
#include "../values/half.hpp"
#include "ports.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace ane::detail::inline ANEMONE_WAY {

ANEMONE_BODY port_table::port_table(const graph_view& g) {
    const auto port_of = [](std::string name, const node& n) {
        return port{std::move(name), static_cast<std::size_t>(bytes(n.type, n.shape.count())),
                    n.type == dtype::f16 ? alignof(half) : 1};
    };
    const sequence<char> bound = bound_nodes(g);
    for (int i = 0; i < g.size(); ++i) {
        if (bound[static_cast<std::size_t>(i)] != 0) {
            inputs_.push_back(port_of(std::string(g.name(i)), g[i]));
        }
    }
    for (const output_port& each : g.outputs) {
        if (!each.is_state()) {
            outputs_.push_back(port_of(std::string(g.name(each)), g[each.node]));
        }
    }
}

template <class Buffers>
void port_table::check_ports(const Buffers& given, const sequence<port>& ports, const char* direction) {
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
                        "begins at an odd address, its elements are aligned to " + std::to_string(ports[i].alignment) +
                            " bytes");
        }
    }
}

ANEMONE_BODY void port_table::check_inputs(input_buffers inputs) const { check_ports(inputs, inputs_, "inputs"); }

ANEMONE_BODY void port_table::check(input_buffers inputs, output_buffers outputs) const {
    check_inputs(inputs);
    check_ports(outputs, outputs_, "outputs");
}

ANEMONE_BODY bound_ports::bound_ports(const graph_view& g) : table_(g), outputs_(g.outputs.size()) {
    const sequence<node_port> ports = node_ports(g);
    for (int i = 0; i < g.size(); ++i) {
        if (g[i].kind != op::input) {
            continue;
        }
        const std::size_t position = inputs_.size();
        inputs_.push_back({});
        const int next = ports[static_cast<std::size_t>(i)].next;
        if (next < 0) {
            given_.push_back(position);
            continue;
        }
        const auto size = static_cast<std::size_t>(bytes(g[i].type, g[i].shape.count()));
        states_.push_back({std::string(g.name(i)), position, static_cast<std::size_t>(next),
                           std::vector<std::byte>(size), std::vector<std::byte>(size)});
        by_name_.push_back(states_.size() - 1);
    }
    std::sort(by_name_.begin(), by_name_.end(),
              [this](std::size_t a, std::size_t b) { return states_[a].name < states_[b].name; });
    for (std::size_t i = 0; i < g.outputs.size(); ++i) {
        if (!g.outputs[i].is_state()) {
            returned_.push_back(i);
        }
    }
}

ANEMONE_BODY void bound_ports::bind(input_buffers inputs, output_buffers outputs) {
    table_.check(inputs, outputs);
    for (std::size_t i = 0; i < given_.size(); ++i) {
        inputs_[given_[i]] = inputs[i];
    }
    for (std::size_t i = 0; i < returned_.size(); ++i) {
        outputs_[returned_[i]] = outputs[i];
    }
    for (kept& each : states_) {
        inputs_[each.input] = each.now;
        outputs_[each.output] = each.next;
    }
}

ANEMONE_BODY void bound_ports::keep() {
    for (kept& each : states_) {
        each.now.swap(each.next);
    }
}

ANEMONE_BODY std::span<std::byte> bound_ports::state(std::string_view name) {
    const std::size_t* const found =
        std::lower_bound(by_name_.begin(), by_name_.end(), name, [this](std::size_t each, std::string_view wanted) {
            return states_[each].name.compare(wanted) < 0;
        });
    if (found != by_name_.end() && states_[*found].name == name) {
        return states_[*found].now;
    }
    std::string known;
    for (const kept& each : states_) {
        known += (known.empty() ? "" : ", ") + each.name;
    }
    throw error(errc::port, std::string(name),
                known.empty() ? "the program has no states" : "is not a state of the program, which has " + known);
}

ANEMONE_BODY void bound_ports::reset() {
    for (kept& each : states_) {
        std::fill(each.now.begin(), each.now.end(), std::byte{0});
    }
}

} // namespace ane::detail::inline ANEMONE_WAY
