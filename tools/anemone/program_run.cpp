#include "program_run.hpp"

#include "progress.hpp"
#include "target_names.hpp"
#include <anemone/backend/cpu/cpu.hpp>
#include <anemone/backend/engine/engine.hpp>
#include <anemone/backend/oracle/oracle.hpp>
#include <anemone/backend/ports.hpp>
#include <anemone/backend/samples.hpp>
#include <anemone/base/error.hpp>

#include <fmt/format.h>

#include <set>

namespace command {

ane::backend::any backend_named(const std::string& backend, int threads) {
    const std::size_t colon = backend.find(':');
    const std::string name = backend.substr(0, colon);
    if (backend == "cpu" || backend == "cpu:unfused") {
        const ane::backend::cpu place = threads > 0 ? ane::backend::cpu{}.threads(threads) : ane::backend::cpu{};
        return backend == "cpu" ? place : place.rounding(ane::rounding::each_operation);
    }
    const ane::target machine = target_named(colon == std::string::npos ? "h13" : backend.substr(colon + 1));
    if (name == "oracle") {
        return ane::backend::oracle(machine);
    }
    if (name == "engine") {
        return ane::backend::engine(machine);
    }
    throw ane::error(ane::errc::argument, "backend '" + backend + "'",
                     "is none of cpu, cpu:unfused, oracle:TARGET, engine:TARGET, such as oracle:h13");
}

ane::any_program compile_for(const std::string& backend, const ane::graph_view& model,
                             const ane::weight_store& weights) {
    const progress shown("compiling for " + backend);
    return backend_named(backend).compile(model, weights);
}

port_buffers::port_buffers(const ane::graph_view& model) {
    for (int i = 0; i < model.size(); ++i) {
        const ane::node& n = model[i];
        if (n.kind == ane::op::input && model.next_of(i) < 0) {
            inputs_.push_back({std::string(model.name(i)), &n,
                               std::vector<std::byte>(static_cast<std::size_t>(ane::bytes(n.type, n.shape.count())))});
        }
    }
    for (const ane::output_port& out : model.outputs) {
        if (!out.is_state()) {
            const ane::node& n = model[out.node];
            outputs_.push_back({std::string(model.name(out)), &n,
                                std::vector<std::byte>(static_cast<std::size_t>(ane::bytes(n.type, n.shape.count())))});
        }
    }
}

namespace {

template <class List> std::string names(const List& all) {
    std::string text;
    for (const auto& each : all) {
        text.append(text.empty() ? "" : ", ").append(each.name);
    }
    return text;
}

} // namespace

const ane::node& port_buffers::input(const std::string& name) const {
    for (const port& each : inputs_) {
        if (each.name == name || (name.empty() && inputs_.size() == 1)) {
            return *each.node;
        }
    }
    throw ane::error(ane::errc::port, name.empty() ? "an image" : name,
                     (name.empty() ? "needs the name of an input, NAME=FILE; there are: "
                                   : "is no input of the model; there are: ") +
                         names(inputs_));
}

void port_buffers::fill(std::span<const tensor> arrays) {
    std::set<std::string> used;
    for (port& each : inputs_) {
        const tensor* found = nullptr;
        for (const tensor& array : arrays) {
            found = array.name == each.name ? &array : found;
        }
        if (found == nullptr && inputs_.size() == 1 && arrays.size() == 1) {
            found = &arrays.front(); // there is no other
        }
        if (found == nullptr) {
            throw ane::error(ane::errc::port, each.name, "no array for this input; there are: " + names(arrays));
        }
        each.bytes = bytes_of(*found, *each.node, each.name);
        used.insert(found->name);
    }
    for (const tensor& array : arrays) {
        if (used.count(array.name) == 0) {
            throw ane::error(ane::errc::port, array.name, "is no input of the model; there are: " + names(inputs_));
        }
    }
}

void port_buffers::fill_randomly(const ane::graph_view& model, std::uint64_t seed) {
    const ane::model_samples drawn = ane::random_samples(model, 1, seed);
    const std::vector<std::span<const std::byte>> memory = drawn.inputs(0);
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
        inputs_[i].bytes.assign(memory[i].begin(), memory[i].end());
    }
}

std::vector<std::span<const std::byte>> port_buffers::inputs() const {
    std::vector<std::span<const std::byte>> spans;
    for (const port& each : inputs_) {
        spans.emplace_back(each.bytes);
    }
    return spans;
}

void port_buffers::run(ane::any_program& program) {
    const std::vector<std::span<const std::byte>> from = inputs();
    std::vector<std::span<std::byte>> to;
    for (port& each : outputs_) {
        to.emplace_back(each.bytes);
    }
    program.run(from, to);
}

std::vector<tensor> port_buffers::outputs() const {
    std::vector<tensor> all;
    for (const port& each : outputs_) {
        all.push_back(tensor_of(each.bytes, *each.node, each.name));
    }
    return all;
}

} // namespace command
