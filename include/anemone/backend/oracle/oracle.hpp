#pragma once

#include "../../base/hidden.hpp"
#include "../../base/way.hpp"
#include "../../numerics/datapath.hpp"
#include "../../passes/layer_forms.hpp"
#include "../../targets/target.hpp"
#include "../../values/half.hpp"
#include "../backend.hpp"

#include <span>
#include <string>

namespace ane {
struct lowered_graph;
} // namespace ane

namespace ane::oracle::inline ANEMONE_WAY {
class evaluation;
struct repertoire;
} // namespace ane::oracle::inline ANEMONE_WAY

namespace ane::backend::inline ANEMONE_WAY {

/// A model compiled for the oracle. Keeps the value of every lowered node of the last run. Move-only; a moved-from
/// program throws `error` (errc::argument) on use.
class oracle_program {
public:
    ANEMONE_API oracle_program(lowered_graph model, const weight_store& weights, const numerics::datapath& arithmetic,
                               int threads, const ane::oracle::repertoire& evaluators,
                               layer_forms layers = layer_forms::safe);

    /// Throws `error`: port for buffers that do not match the ports in number and size, argument while another thread
    /// is running the program.
    ANEMONE_API void run(input_buffers inputs, output_buffers outputs);

    /// The value of a state of the model: what the last run left, zeros before the first one. What is written there, the
    /// next run reads. Throws `error` (errc::port) if no state has this name. The memory stays until the next run.
    ANEMONE_API std::span<std::byte> state(std::string_view name);
    /// Sets every state to zeros.
    ANEMONE_API void reset();

    /// The lowered graph that runs (passes/lowering.hpp), and the values of its nodes in the last run
    /// (backend/oracle/step.hpp).
    ANEMONE_API const lowered_graph& lowered() const;
    ANEMONE_API const ane::oracle::evaluation& values() const;
    /// The value of one lowered node; throws `error` (errc::argument) where it is not fp16.
    ANEMONE_API std::span<const half> value(int lowered_node) const;

private:
    struct members;
    hidden<members> state_; // its members refer to each other, so they keep their address
};

/// The engine's arithmetic on a CPU, bit for bit as far as the facts define it (numerics): what a program returns on
/// the generation of the given target. Where sources conflict, the datapath's named parameters say which side is taken;
/// a user's own parameters can be given instead.
class oracle {
public:
    ANEMONE_API explicit oracle(target generation);
    ANEMONE_API explicit oracle(const numerics::datapath& arithmetic, std::string label = "custom");

    ANEMONE_API std::string name() const;
    /// Every operation has its arithmetic: backend/oracle/step_table.hpp does not compile otherwise.
    static constexpr bool supports(op) { return true; }
    static constexpr bool verifies_weights = true;

    const numerics::datapath& arithmetic() const { return arithmetic_; }

    /// The same oracle with its large contractions in up to `count` threads: the same bits. Throws `error`
    /// (errc::argument) for less than one.
    ANEMONE_API oracle threads(int count) const;

    /// The same oracle with these layers: of a file of others, whose own layers are to be shown, `layer_forms::own`. A
    /// model that is compiled as a constant has the safe forms alone: `compile_model` throws `error` (errc::argument).
    ANEMONE_API oracle layers(layer_forms forms) const;
    layer_forms layers() const { return layers_; }

    ANEMONE_API oracle_program compile(const graph_view& model, const weight_store& weights) const;

#if !defined(ANEMONE_COMPILED)
    /// The same, instantiating only the arithmetic of the lowered model's operations.
    template <const auto& Model> oracle_program compile_model(const weight_store& weights) const;
#endif

private:
    numerics::datapath arithmetic_;
    std::string label_;
    int threads_ = 1;
    layer_forms layers_ = layer_forms::safe;
};

} // namespace ane::backend::inline ANEMONE_WAY

#if !defined(ANEMONE_COMPILED)
#include "oracle.ipp"
#endif
