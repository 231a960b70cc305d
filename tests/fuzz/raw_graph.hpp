#pragma once

#include "seed_graphs.hpp"
#include <anemone/anemone.hpp>
#include <anemone/backend/engine/engine.hpp>
#include <anemone/report/optimize_drawing.hpp>
#include <anemone/report/optimize_report.hpp>
#include <anemone/report/roofline_drawing.hpp>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

/// Raw graphs made of any bytes: a graph of a builder, mutated in every field. Each is refused by `validate` (errc::graph),
/// and then by every entry point too; or it is valid, and then everything that takes a graph runs on it or refuses it
/// with an error.
namespace raw_graph {

using namespace ane;

/// Reads the bytes that steer; zeros behind their end.
class steering {
public:
    explicit steering(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}

    bool empty() const { return bytes_.empty(); }
    std::uint8_t byte() {
        if (bytes_.empty()) {
            return 0;
        }
        const std::uint8_t first = bytes_.front();
        bytes_ = bytes_.subspan(1);
        return first;
    }
    std::size_t below(std::size_t count) { return count == 0 ? 0 : (byte() | std::size_t{byte()} << 8U) % count; }
    std::int64_t number() {
        static constexpr std::int64_t chosen[] = {0,
                                                  1,
                                                  2,
                                                  3,
                                                  -1,
                                                  255,
                                                  65504,
                                                  1 << 24,
                                                  1 << 30,
                                                  std::numeric_limits<int>::max(),
                                                  std::numeric_limits<int>::min(),
                                                  std::int64_t{1} << 48,
                                                  std::numeric_limits<std::int64_t>::max(),
                                                  std::numeric_limits<std::int64_t>::min()};
        const std::uint8_t pick = byte();
        return pick < std::size(chosen) ? chosen[pick] : static_cast<std::int8_t>(byte());
    }
    float real() {
        static constexpr float chosen[] = {0,
                                           -0.0F,
                                           1,
                                           -1,
                                           65504,
                                           65536,
                                           1e-8F,
                                           std::numeric_limits<float>::infinity(),
                                           -std::numeric_limits<float>::infinity(),
                                           std::numeric_limits<float>::quiet_NaN(),
                                           std::numeric_limits<float>::max(),
                                           std::numeric_limits<float>::denorm_min()};
        const std::uint8_t pick = byte();
        return pick < std::size(chosen) ? chosen[pick] : static_cast<float>(static_cast<std::int8_t>(byte())) / 16;
    }

private:
    std::span<const std::uint8_t> bytes_;
};

static_assert(std::is_trivially_copyable_v<node>); // any bytes make one

/// Writes a value of another type into the middle of an object.
template <class Object, class Value> void write_into(Object& object, std::size_t offset, const Value& value) {
    if (offset + sizeof value <= sizeof object) {
        std::memcpy(reinterpret_cast<char*>(&object) + offset, &value, sizeof value);
    }
}

inline void mutate(dynamic_graph& g, steering& from) {
    const auto pick = [&](auto& pool) -> auto& { return pool[from.below(pool.size())]; };
    switch (from.byte() % 16) {
    case 0: write_into(pick(g.nodes), from.below(sizeof(node)), from.byte()); break;
    case 1: write_into(pick(g.nodes), from.below(sizeof(node) / 4) * 4, static_cast<int>(from.number())); break;
    case 2: write_into(pick(g.nodes), from.below(sizeof(node) / 8) * 8, from.number()); break;
    case 3: write_into(pick(g.nodes), from.below(sizeof(node) / 4) * 4, from.real()); break;
    case 4: write_into(pick(g.nodes), from.below(sizeof(node) / 8) * 8, static_cast<double>(from.real())); break;
    case 5: pick(g.nodes).kind = static_cast<op>(from.byte()); break;
    case 6: pick(g.nodes).type = static_cast<dtype>(from.byte() % 16); break;
    case 7: {
        extents& shape = pick(g.nodes).shape;
        write_into(shape, sizeof(std::int64_t) * from.below(9), from.number());
        break;
    }
    case 8:
        write_into(pick(g.nodes).attributes, from.below(sizeof(attributes) / 4) * 4, static_cast<int>(from.number()));
        break;
    case 9: write_into(pick(g.nodes).attributes, from.below(sizeof(attributes)), from.byte()); break;
    case 10: pick(g.nodes).attributes = node(pick(g.nodes)).attributes; break;
    case 11: pick(g.operand_pool) = static_cast<int>(from.number()); break;
    case 12: pick(g.text_pool) = static_cast<char>(from.byte()); break;
    case 13: pick(g.payload) = from.real(); break;
    case 14: write_into(pick(g.outputs), from.below(3) * 4, static_cast<int>(from.number())); break;
    default:
        switch (from.byte() % 6) {
        case 0: g.outputs.push_back(output_port(pick(g.outputs))); break;
        case 1: g.nodes.pop_back(); break;
        case 2: g.outputs.pop_back(); break;
        case 3: pick(g.nodes) = node(pick(g.nodes)); break;
        case 4: g.nodes.push_back(node(pick(g.nodes))); break;
        default: pick(g.nodes).where.file = nullptr; break;
        }
    }
}

/// A graph of a builder and what the bytes make of it. A pointer to text stays one, or is null: that is all that can be
/// asked of who makes nodes by hand.
inline dynamic_graph graph_of(steering& from) {
    dynamic_graph g = seeds::all()[from.below(seeds::all().size())];
    if (g.payload.empty()) {
        g.payload.push_back(1);
    }
    for (int left = 1 + from.byte() % 8; left > 0 && !from.empty(); --left) {
        if (g.nodes.empty() || g.outputs.empty()) {
            break;
        }
        mutate(g, from);
        for (node& n : g.nodes) {
            n.where.file = n.where.file == nullptr ? nullptr : "raw_graph";
        }
    }
    return g;
}

[[noreturn]] inline void fail(const char* what, const std::string& detail = {}) {
    std::fprintf(stderr, "%s %s\n", what, detail.c_str());
    std::abort();
}

/// What `validate` says of a graph; empty where it is one.
inline std::string fault_of(const graph_view& g) {
    try {
        validate(g);
        return {};
    } catch (const error& e) {
        if (e.code() != errc::graph) {
            fail("validate says", e.what());
        }
        return e.what();
    }
}

/// What is done with a graph; an error is an answer.
template <class Action> bool attempt(const Action& action) {
    try {
        action();
        return true;
    } catch (const error&) {
        return false;
    }
}

/// Whether its tensors are so few and small that it is quick to run.
inline bool is_small(const graph_view& g) {
    std::int64_t elements = 0;
    for (const node& n : g.nodes) {
        elements += n.shape.count();
        if (elements > 20'000) {
            return false;
        }
    }
    return true;
}

template <class Backend> void run(const graph_view& g, const Backend& place, const weight_store& weights) {
    auto program = compile(g, place, weights);
    const auto memory = [](const node& n) {
        return std::vector<half>(static_cast<std::size_t>(bytes(n.type, n.shape.count()) + 1) / 2, half(0.25));
    };
    std::vector<std::vector<half>> values;
    std::vector<std::size_t> sizes;
    for (const node& n : g.nodes) {
        if (n.kind == op::input) {
            values.push_back(memory(n));
            sizes.push_back(static_cast<std::size_t>(bytes(n.type, n.shape.count())));
        }
    }
    const std::size_t inputs = values.size();
    for (const output_port& port : g.outputs) {
        values.push_back(memory(g[port.node]));
        sizes.push_back(static_cast<std::size_t>(bytes(g[port.node].type, g[port.node].shape.count())));
    }
    std::vector<std::span<const std::byte>> in;
    std::vector<std::span<std::byte>> out;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const auto all = std::as_writable_bytes(std::span(values[i])).first(sizes[i]);
        i < inputs ? in.emplace_back(all) : out.emplace_back(all);
    }
    program.run(in, out);
}

inline backend::engine engine_of(target t) {
    backend::engine_options options{.preflight = false};
    // Never closed: what the stand-in keeps would count as leaked.
    [[maybe_unused]] static const auto* const runtime =
        new std::shared_ptr(e5rt::library::open(e5rt::default_library_path()));
    options.session.compile_backoff = {};
    return backend::engine(t, options);
}

/// A chip with so little memory that small graphs leave it.
inline target_description small_chip(target t) {
    return derive(describe(t), [](auto& d) {
        d.memory.working_set_nominal = 256;
        d.memory.working_set_measured = 512;
    });
}

inline constexpr int consumer_count = 20;
inline constexpr int last_of_any_size = 12;

/// One of those who take a graph. Those of the first half run whatever its size, the others hold its values in memory.
inline void consume(const graph_view& g, int consumer, target t) {
    switch (consumer) {
    case 0: print(g); break;
    case 1: draw_svg(g); break;
    case 2: report(g, t).str(); break;
    case 3: cost_report(g, t); break;
    case 4: report_errors(g, t).str(); break;
    case 5: residency_report(g, t).str(); break;
    case 6: differences(g, t, h13).str(); break;
    case 7: sarif(g, t); break;
    case 8: draw_roofline(g, t); break;
    case 9: verdicts(g, target_set{t}).str(); break;
    case 10: print_weights(g); break;
    case 11: placement_report(g, t); break;
    case 12: {
        const optimized found =
            optimize(g, t, {.values = g.size() % 2 == 0, .errors = g.size() % 3 == 0, .beam = 2, .steps = 3});
        validate(found.graph);
        for (const rewrite_record& r : rewrite_table) {
            if (const rewritten made = r.apply(g, small_chip(t)); made.places > 0) {
                validate(made.graph);
            }
        }
        optimize_text(found, t);
        draw_optimized(g, found);
        break;
    }
    default: break;
    }
    if (consumer <= last_of_any_size || !is_small(g)) {
        return;
    }
    const weight_store weights = random_weights(g, 1);
    switch (consumer) {
    case 13: run(g, backend::cpu{}, weights); break;
    case 14: run(g, backend::oracle(t), weights); break;
    case 15: run(g, engine_of(t), weights); break;
    case 16: {
        prove(g, optimize(g, t, {.beam = 1, .steps = 2}), weights, t, {.runs = 1});
        const model_samples samples = random_samples(g, 1);
        const backend::any chip{backend::oracle{t}};
        for (const rewrite_record& r : rewrite_table) {
            if (const rewritten made = r.apply(g, small_chip(t)); made.places > 0) {
                const output_difference d = difference_between(g, made.graph, weights, samples, chip);
                if (r.kept == rewrite_exactness::bits && d.differing > 0) {
                    fail("a rewrite that keeps bits does not:", r.id);
                }
            }
        }
        break;
    }
    case 17: {
        const compression_plan plan = choose_compression(g, weights, t, random_samples(g, 2), {.most_loss = 0.1});
        compression_report(plan);
        apply(plan);
        break;
    }
    case 18: {
        const lowered_graph lowered = lower(g);
        emit_mil(lowered.graph, fold_constants(lowered.graph, weights));
        break;
    }
    default: {
        const lowered_graph lowered = lower(g);
        emit_netplist(lowered.graph, fold_constants(lowered.graph, weights));
        break;
    }
    }
}

inline void check(std::span<const std::uint8_t> bytes) {
    steering from(bytes);
    const int consumer = from.byte() % consumer_count;
    const auto t = static_cast<target>(from.byte() % target_count);
    const dynamic_graph g = graph_of(from);
    if (!fault_of(g).empty()) {
        attempt([&] { print(g); }); // it also takes graphs that are not finished
        if (consumer >= 1 && consumer <= last_of_any_size && attempt([&] { consume(g, consumer, t); })) {
            fail("a graph that is none was taken");
        }
        if (attempt([&] { random_samples(g, 1); })) {
            fail("a graph that is none was drawn for");
        }
        if (attempt([&] { backend::cpu{}.compile(g, {}); }) || attempt([&] { backend::oracle(h13).compile(g, {}); })) {
            fail("a graph that is none was compiled");
        }
        return;
    }
    if (const std::string fault = fault_of(prune(g)); !fault.empty()) {
        fail("pruning made a graph that is none:", fault);
    }
    attempt([&] {
        const lowered_graph lowered = lower(g);
        if (const std::string fault = fault_of(lowered.graph); !fault.empty()) {
            fail("lowering made a graph that is none:", fault);
        }
    });
    attempt([&] { consume(g, consumer, t); });
}

} // namespace raw_graph
