#include "session.hpp"

#include "../anemone/program_run.hpp"
#include "../anemone/run_memory.hpp"
#include "../anemone/tensor.hpp"
#include <anemone/base/error.hpp>
#include <anemone/values/half.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <list>
#include <utility>

namespace bindings {

namespace {

/// Held while a session is used.
class turn {
public:
    explicit turn(std::atomic<bool>& busy) : busy_(busy) {
        if (busy_.exchange(true)) {
            throw ane::error(ane::errc::argument, "program", "is in use by another thread");
        }
    }
    turn(const turn&) = delete;
    turn& operator=(const turn&) = delete;
    ~turn() { busy_ = false; }

private:
    std::atomic<bool>& busy_;
};

template <class Byte> const array<Byte>* given(const std::vector<array<Byte>>& arrays, const std::string& name) {
    const auto same = [&](const array<Byte>& each) { return each.name == name; };
    const auto found = std::find_if(arrays.begin(), arrays.end(), same);
    if (found != arrays.end() && std::find_if(found + 1, arrays.end(), same) != arrays.end()) {
        throw ane::error(ane::errc::port, name, "is given twice");
    }
    return found == arrays.end() ? nullptr : &*found;
}

/// That an array has the port's elements. Extents of 1 do not matter.
template <class Byte> void require_size(const array<Byte>& a, const port& p) {
    const std::size_t wanted = p.count * bytes_of(a.type);
    const auto shape_text = [](const std::vector<std::int64_t>& shape) { return command::text(shape); };
    if (a.shape) {
        const auto without_ones = [](std::vector<std::int64_t> shape) {
            shape.erase(std::remove(shape.begin(), shape.end(), 1), shape.end());
            return shape;
        };
        if (without_ones(*a.shape) != without_ones(p.shape)) {
            throw ane::error(ane::errc::port, p.name,
                             fmt::format("is {}, the array is {}", shape_text(p.shape), shape_text(*a.shape)));
        }
    }
    if (a.bytes.size() != wanted) {
        throw ane::error(ane::errc::port, p.name,
                         fmt::format("is {} of {}, which is {} bytes, the array has {}", shape_text(p.shape),
                                     name(a.type), wanted, a.bytes.size()));
    }
}

template <class Number> void narrow(const std::vector<double>& from, std::span<std::byte> to) {
    for (std::size_t i = 0; i < from.size(); ++i) {
        const Number value(static_cast<Number>(from[i]));
        std::memcpy(to.data() + i * sizeof value, &value, sizeof value);
    }
}

/// Elements of a port into the array of a caller, which is of the same type or of floats.
void give(const std::vector<std::byte>& bytes, const port& p, const ane::node& n, const output_array& to) {
    const command::tensor numbers = command::tensor_of(bytes, n, p.name);
    switch (to.type) {
    case element::float32: narrow<float>(numbers.values, to.bytes); return;
    case element::float64: narrow<double>(numbers.values, to.bytes); return;
    case element::float16:
        if (p.type != element::float16) { // 8 bits are exact
            narrow<ane::half>(numbers.values, to.bytes);
            return;
        }
        [[fallthrough]];
    default: std::memcpy(to.bytes.data(), bytes.data(), bytes.size());
    }
}

/// The elements of a caller's array as those of a port.
std::vector<std::byte> taken(const input_array& a, const port& p, const ane::node& n) {
    if (a.type == p.type) {
        return {a.bytes.begin(), a.bytes.end()};
    }
    return command::bytes_of({p.name, p.shape, numbers_of(a, p.count)}, n, p.name);
}

/// Whether a program can use the caller's memory itself.
bool direct(const port& p, element type, const std::byte* at) {
    return type == p.type && reinterpret_cast<std::uintptr_t>(at) % bytes_of(p.type) == 0;
}

void require_output(const output_array& to, const port& p) {
    require_size(to, p);
    const bool floats = to.type == element::float16 || to.type == element::float32 || to.type == element::float64;
    if (to.type != p.type && !floats) {
        throw ane::error(
            ane::errc::port, p.name,
            fmt::format("has elements of {}, an array of {} does not hold them", name(p.type), name(to.type)));
    }
}

bool overlap(std::span<const std::byte> a, std::span<const std::byte> b) {
    const std::less<const std::byte*> before;
    return !a.empty() && !b.empty() && before(a.data(), b.data() + b.size()) && before(b.data(), a.data() + a.size());
}

} // namespace

session::session(std::shared_ptr<const bindings::model> of, const std::string& backend)
    : model_(std::move(of)), program_([&] {
          model_->require_exact("run");
          command::require_run_memory(model_->file().graph,
                                      backend == "cpu" ? command::kept_values::live : command::kept_values::all,
                                      model_->memory());
          return command::compile_for(backend, model_->file().graph, model_->file().weights);
      }()) {}

void session::run(const std::vector<input_array>& inputs, const std::vector<output_array>& outputs) {
    const turn mine(busy_);
    const ane::graph_view g = model_->file().graph;
    for (const input_array& each : inputs) {
        named(model_->inputs(), each.name, "input");
    }
    for (const output_array& each : outputs) {
        require_output(each, named(model_->outputs(), each.name, "output"));
        for (const input_array& in : inputs) {
            if (overlap(each.bytes, in.bytes)) {
                throw ane::error(ane::errc::port, each.name, "shares memory with the input " + in.name);
            }
        }
        for (const output_array& other : outputs) {
            if (&other != &each && overlap(each.bytes, other.bytes)) {
                throw ane::error(ane::errc::port, each.name, "shares memory with the output " + other.name);
            }
        }
    }
    std::list<std::vector<std::byte>> owned; // what the caller's memory cannot be used for
    std::vector<std::span<const std::byte>> from;
    for (const port& p : model_->inputs()) {
        const input_array* const a = given(inputs, p.name);
        if (a == nullptr) {
            throw ane::error(ane::errc::port, p.name,
                             "no array for this input; the inputs are: " + names_of(model_->inputs()));
        }
        require_size(*a, p);
        if (direct(p, a->type, a->bytes.data())) {
            from.push_back(a->bytes);
        } else {
            from.emplace_back(owned.emplace_back(taken(*a, p, g[p.node])));
        }
    }
    std::vector<std::span<std::byte>> to;
    struct conversion {
        const port* from;
        const std::vector<std::byte>* bytes;
        const output_array* to;
    };
    std::vector<conversion> later;
    for (const port& p : model_->outputs()) {
        const output_array* const a = given(outputs, p.name);
        if (a != nullptr && direct(p, a->type, a->bytes.data())) {
            to.push_back(a->bytes);
            continue;
        }
        std::vector<std::byte>& own = owned.emplace_back(p.bytes());
        to.emplace_back(own);
        if (a != nullptr) {
            later.push_back({&p, &own, a});
        }
    }
    program_.run(from, to);
    for (const conversion& each : later) {
        give(*each.bytes, *each.from, g[each.from->node], *each.to);
    }
}

void session::read_state(const output_array& to) {
    const turn mine(busy_);
    const port& p = named(model_->states(), to.name, "state");
    require_output(to, p);
    const std::span<const std::byte> now = program_.state(p.name);
    give({now.begin(), now.end()}, p, ane::graph_view(model_->file().graph)[p.node], to);
}

void session::write_state(const input_array& from) {
    const turn mine(busy_);
    const port& p = named(model_->states(), from.name, "state");
    require_size(from, p);
    const std::span<std::byte> now = program_.state(p.name);
    const std::vector<std::byte> bytes = taken(from, p, ane::graph_view(model_->file().graph)[p.node]);
    std::copy(bytes.begin(), bytes.end(), now.begin());
}

void session::reset() {
    const turn mine(busy_);
    program_.reset();
}

} // namespace bindings
