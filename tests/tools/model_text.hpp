#pragma once

#include <anemone/backend/cpu/cpu.hpp>
#include <anemone/backend/oracle/oracle.hpp>
#include <anemone/backend/program.hpp>
#include <anemone/graph/reflection.hpp>
#include <anemone/passes/print.hpp>
#include <anemone/report/verdicts.hpp>
#include <anemone/targets/sets.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

/// All that two graphs have to agree in to be one model, as text: nodes, attributes, values, findings, and the bits of
/// what they compute. Not where their operations were written.
namespace model_texts {

inline void add(std::string& text, const char* format, double value) {
    char line[64];
    std::snprintf(line, sizeof line, format, value);
    text += line;
}

/// The members of an attribute struct, and of theirs.
struct members {
    std::string& text;

    void operator()(std::string_view member, double value) const { add(text += member, "=%.17g ", value); }
    void operator()(std::string_view member, ane::size2 s) const {
        (*this)(member, s.height);
        (*this)(member, s.width);
    }
    void operator()(std::string_view member, const ane::padding2& p) const {
        for (const int amount : {p.top, p.bottom, p.left, p.right}) {
            (*this)(member, amount);
        }
    }
    void operator()(std::string_view member, const ane::extents& list) const {
        text.append(member).append("=").append(ane::print(list)).append(" ");
    }
    template <class Enum>
        requires std::is_enum_v<Enum>
    void operator()(std::string_view member, Enum value) const { (*this)(member, static_cast<double>(value)); }
};

/// These have an epsilon alone: the axis beside it means nothing.
inline bool has_axis(ane::op kind) {
    using enum ane::op;
    return kind != batch_norm && kind != instance_norm && kind != log && kind != rsqrt && kind != inverse;
}

inline std::string nodes_of(const ane::graph_view& g) {
    std::string text = ane::print(g);
    for (int i = 0; i < g.size(); ++i) {
        const ane::node& n = g[i];
        text += "#" + std::to_string(i) + ": ";
        if (n.kind == ane::op::constant) {
            for (const float value : g.values(n)) {
                add(text, "%.9g ", static_cast<double>(value));
            }
        } else {
            n.attributes.visit([&](const auto& a) {
                ane::for_each_member(a, [&](std::string_view member, const auto& value) {
                    if (member != "axis" || has_axis(n.kind)) {
                        members{text}(member, value);
                    }
                });
            });
        }
        text += "\n";
    }
    return text;
}

inline std::string findings_of(const ane::graph_view& g) {
    std::string text;
    const ane::verdict_table verdicts(g, ane::macs);
    for (const ane::target_verdict& row : verdicts.rows()) {
        text += std::string(ane::describe(row.target).name) + (row.accepted() ? " accepts\n" : " refuses\n");
        for (const ane::violation& v : row.found) {
            text += "  " + std::to_string(static_cast<int>(v.rule)) + " at #" + std::to_string(v.node) + " " +
                    std::to_string(v.got) + " " + std::to_string(v.limit) + (v.is_error ? " error\n" : "\n");
        }
    }
    return text;
}

/// Small numbers in every port, the same for every model of this signature: multiples of 1/16 from -2 on, or bytes.
inline void fill(std::vector<std::byte>& bytes, ane::dtype type, unsigned& state) {
    for (std::size_t i = 0; i < bytes.size(); i += type == ane::dtype::f16 ? 2 : 1) {
        state = state * 1664525U + 1013904223U;
        const unsigned drawn = state >> 26U;
        if (type == ane::dtype::f16) {
            const std::uint16_t bits = ane::half((static_cast<double>(drawn) - 32) / 16).bits;
            bytes[i] = static_cast<std::byte>(bits & 0xFFU);
            bytes[i + 1] = static_cast<std::byte>(bits >> 8U);
        } else {
            bytes[i] = static_cast<std::byte>(drawn);
        }
    }
}

template <class Backend>
std::string bits_of(const ane::graph_view& g, const ane::weight_store& weights, const Backend& backend) {
    std::string text;
    try {
        auto program = ane::compile(g, backend, weights);
        unsigned state = 1;
        for (int run = 0; run < 2; ++run) { // what states hold shows in the second
            std::vector<std::vector<std::byte>> in;
            std::vector<std::vector<std::byte>> out;
            for (int i = 0; i < g.size(); ++i) {
                if (g[i].kind == ane::op::input && g.next_of(i) < 0) {
                    in.emplace_back(static_cast<std::size_t>(ane::bytes(g[i].type, g[i].shape.count())));
                    fill(in.back(), g[i].type, state);
                }
            }
            for (const ane::output_port& port : g.outputs) {
                if (!port.is_state()) {
                    out.emplace_back(
                        static_cast<std::size_t>(ane::bytes(g[port.node].type, g[port.node].shape.count())));
                }
            }
            const std::vector<std::span<const std::byte>> inputs(in.begin(), in.end());
            const std::vector<std::span<std::byte>> outputs(out.begin(), out.end());
            program.run(inputs, outputs);
            for (const std::vector<std::byte>& each : out) {
                for (const std::byte b : each) {
                    text += "0123456789abcdef"[static_cast<unsigned>(b) >> 4U];
                    text += "0123456789abcdef"[static_cast<unsigned>(b) & 15U];
                }
                text += "\n";
            }
        }
    } catch (const std::exception& e) {
        const std::string what = e.what(); // without the place at its end
        text += "stopped: " + what.substr(0, what.rfind(" (")) + "\n";
    }
    return text;
}

inline std::string text_of(const ane::graph_view& g, const ane::weight_store& weights) {
    return nodes_of(g) + findings_of(g) + "cpu\n" +
           bits_of(g, weights, ane::backend::cpu{}.rounding(ane::rounding::each_operation)) + "oracle\n" +
           bits_of(g, weights, ane::backend::oracle(ane::h13));
}

} // namespace model_texts
