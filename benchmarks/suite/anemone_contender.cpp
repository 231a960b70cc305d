/// Anemone's CPU backend in the field. The only file here that knows its options.

#include "contender.hpp"
#include <anemone/backend/any.hpp>
#include <anemone/backend/cpu/cpu.hpp>
#include <anemone/backend/program.hpp>
#include <anemone/base/error.hpp>

#include <chrono>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <utility>

namespace suite {

namespace {

std::vector<ane::half> to_half(const std::vector<float>& values) {
    std::vector<ane::half> list;
    list.reserve(values.size());
    for (const float v : values) {
        list.emplace_back(v);
    }
    return list;
}

/// The bytes of a port: fp16, or a byte each.
std::vector<std::byte> to_bytes(const std::vector<float>& values, ane::dtype type) {
    std::vector<std::byte> list(values.size() * (type == ane::dtype::f16 ? 2 : 1));
    if (type == ane::dtype::f16) {
        const std::vector<ane::half> halves = to_half(values);
        std::memcpy(list.data(), halves.data(), list.size());
    } else {
        for (std::size_t i = 0; i < values.size(); ++i) {
            list[i] = static_cast<std::byte>(static_cast<unsigned char>(values[i]));
        }
    }
    return list;
}

class anemone_session final : public local_session {
public:
    anemone_session(const problem& p, const ane::backend::any& place) : program_(compiled(p, place)) {
        const ane::graph_view g = p.graph;
        for (int i = 0; i < g.size(); ++i) {
            if (g[i].kind != ane::op::input) {
                continue;
            }
            std::vector<std::byte> bytes = to_bytes(p.values[static_cast<std::size_t>(i)], g[i].type);
            if (g.next_of(i) >= 0) {
                const std::span<std::byte> state = program_.state(g.name(i));
                std::memcpy(state.data(), bytes.data(), state.size());
            } else {
                inputs_.push_back(std::move(bytes));
            }
        }
        for (const int node : p.output_nodes()) {
            outputs_.emplace_back(static_cast<std::size_t>(g[node].shape.count()) + line);
        }
        for (auto& memory : inputs_) {
            const std::size_t size = memory.size();
            memory.resize(size + line * sizeof(ane::half));
            const std::span<std::byte> there = aligned(memory.data(), size);
            std::memmove(there.data(), memory.data(), size);
            input_spans_.emplace_back(there);
        }
        for (auto& memory : outputs_) {
            output_spans_.push_back(aligned(memory.data(), (memory.size() - line) * sizeof(ane::half)));
        }
    }

    std::vector<std::vector<float>> outputs() override {
        std::vector<std::vector<float>> list;
        for (const auto& bytes : output_spans_) {
            const auto* const first = reinterpret_cast<const ane::half*>(bytes.data());
            list.emplace_back(first, first + bytes.size() / sizeof(ane::half));
        }
        return list;
    }

private:
    /// A cache line, in numbers: peers' memory begins with one.
    static constexpr std::size_t line = 64 / sizeof(ane::half);

    static std::span<std::byte> aligned(void* memory, std::size_t size) {
        std::size_t space = size + line * sizeof(ane::half);
        return {static_cast<std::byte*>(std::align(line * sizeof(ane::half), size, memory, space)), size};
    }
    ane::any_program compiled(const problem& p, const ane::backend::any& place) {
        const ane::weight_store weights = p.weights();
        const auto begin = std::chrono::steady_clock::now();
        ane::any_program program = ane::compile(p.graph, place, weights);
        prepare_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
        return program;
    }
    void once() override { program_.run(input_spans_, output_spans_); }

    ane::any_program program_;
    std::vector<std::vector<std::byte>> inputs_;
    std::vector<std::vector<ane::half>> outputs_;
    std::vector<std::span<const std::byte>> input_spans_;
    std::vector<std::span<std::byte>> output_spans_;
};

class anemone_contender : public contender {
public:
    anemone_contender(std::string name, ane::backend::any place) : name_(std::move(name)), place_(std::move(place)) {}
    std::string name() const override { return name_; }
    std::string description() const override { return place_.name() + ", fp16 in memory, fp32 sums"; }
    bool ours() const override { return true; }
    std::unique_ptr<session> prepare(const problem& p) override { return std::make_unique<anemone_session>(p, place_); }

private:
    std::string name_;
    ane::backend::any place_;
};

/// Whether a graph has a convolution that Winograd's algorithm could compute. Which of them it does is the library's
/// choice.
bool has_winograd_form(const ane::graph_view& g) {
    for (int i = 0; i < g.size(); ++i) {
        if (g[i].kind == ane::op::conv2d) {
            const ane::conv& c = g[i].get<ane::conv>();
            const ane::extents& w = g.operand(g[i], 1).shape;
            if (w[2] == 3 && w[3] == 3 && w[1] > 1 && c.stride.height == 1 && c.stride.width == 1 &&
                c.dilation.height == 1 && c.dilation.width == 1) {
                return true;
            }
        }
    }
    return false;
}

class winograd_contender final : public anemone_contender {
public:
    using anemone_contender::anemone_contender;
    std::string description() const override { return anemone_contender::description() + ", F(4x4, 3x3)"; }
    std::unique_ptr<session> prepare(const problem& p) override {
        if (!has_winograd_form(p.graph)) {
            throw ane::error(ane::errc::lowering, name(), "has no Winograd convolution here");
        }
        return anemone_contender::prepare(p);
    }
};

} // namespace

void add_anemone(field& f, const field_options& options) {
    const ane::backend::cpu place = ane::backend::cpu{}.threads(options.threads);
    f.present.push_back(std::make_unique<anemone_contender>(default_form, place));
    f.present.push_back(
        std::make_unique<anemone_contender>(unfused_form, place.rounding(ane::rounding::each_operation)));
    f.present.push_back(
        std::make_unique<winograd_contender>(winograd_form, place.winograd(ane::winograd_tiles::of_four)));
}

} // namespace suite
