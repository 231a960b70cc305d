#include "apart.hpp"

#include <memory>

namespace apart {

namespace {

/// A program behind a function, which is copied, as programs are not.
template <class Program> program behind_function(Program made) {
    const auto held = std::make_shared<Program>(std::move(made));
    return program([held](ane::input_buffers inputs, ane::output_buffers outputs) { held->run(inputs, outputs); });
}

} // namespace

std::string cpu::name() { return ane::backend::cpu{}.name(); }
bool cpu::supports(ane::op kind) { return ane::backend::cpu::supports(kind); }
program cpu::compile(const ane::graph_view& model, const ane::weight_store& weights) const {
    return behind_function(ane::backend::cpu{}.compile(model, weights));
}

program oracle::compile(const ane::graph_view& model, const ane::weight_store& weights) const {
    return behind_function(wrapped_.compile(model, weights));
}

} // namespace apart
