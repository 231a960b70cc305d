#pragma once

#include "../../base/executor.hpp"
#include "../../base/hidden.hpp"
#include "../../base/isa.hpp"
#include "../../base/way.hpp"
#include "../../passes/layouts.hpp"
#include "../backend.hpp"
#include "kernels/winograd_option.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ane::cpu::inline ANEMONE_WAY {
struct repertoire;
} // namespace ane::cpu::inline ANEMONE_WAY

namespace ane::inline ANEMONE_WAY {

/// Where the CPU backend rounds to fp16.
enum class rounding : std::uint8_t {
    each_layer,    ///< what is stored: between operations that are computed together, values stay fp32
    each_operation ///< every operation's result: ONNX's and PyTorch's rule
};

} // namespace ane::inline ANEMONE_WAY

namespace ane::backend::inline ANEMONE_WAY {

/// How a program runs on the CPU.
struct cpu_options {
    ane::rounding rounding = ane::rounding::each_layer;
    int threads = 0;               ///< of a run at most; 0: as many as the executor has
    ane::executor* pool = nullptr; ///< null: the process's own threads (base/thread_pool.hpp)
    ane::winograd_tiles winograd = ane::winograd_tiles::never;
    std::optional<isa_level> level; ///< none: the best of this machine
};

/// One step of a program: what is computed together, and where.
struct cpu_step {
    std::vector<int> nodes;          ///< of the model, in their order; the last has a value in memory
    layout order = layout::nchw;     ///< of that value
    bool reorders = false;           ///< its operand has the other layout
    std::int64_t offset = 0;         ///< of that value in the arena
    std::int64_t bytes = 0;          ///< of that value
    std::int64_t shared_scratch = 0; ///< bytes that the step needs for itself
    std::int64_t own_scratch = 0;    ///< and for each thread
};

/// A model compiled for the CPU: the steps in order, their operands' places, one arena for all intermediate values.
/// Move-only; a moved-from program throws `error` (errc::argument) on use.
class cpu_program {
public:
    ANEMONE_API cpu_program(const graph_view& model, const weight_store& weights, const ane::cpu::repertoire& kernels,
                            const cpu_options& options);

    /// Throws `error`: port for buffers that do not match the ports in number and size, argument while another thread
    /// is running the program.
    ANEMONE_API void run(input_buffers inputs, output_buffers outputs);

    /// The value of a state of the model: what the last run left, zeros before the first one. What is written there, the
    /// next run reads. Throws `error` (errc::port) if no state has this name. The memory stays until the next run.
    ANEMONE_API std::span<std::byte> state(std::string_view name);
    /// Sets every state to zeros.
    ANEMONE_API void reset();

    /// Bytes of the arena that holds every intermediate value and what steps need for themselves.
    ANEMONE_API std::size_t arena_bytes() const;
    /// Bytes of weights and other constants that runs read, packed or as they are. Equal packed weights of several programs
    /// are in memory once.
    ANEMONE_API std::size_t weight_bytes() const;
    /// What a run does, in order (backend/cpu/plan_report.hpp prints it).
    ANEMONE_API std::vector<cpu_step> steps() const;
    /// How many threads a run has at most. Its bits do not depend on it.
    ANEMONE_API int threads() const;

private:
    struct members;
    hidden<members> state_;
};

/// Any CPU, fast: fp16 storage, fp32 accumulation, plain ONNX and PyTorch semantics. Operations that are computed together
/// round once, at the end (passes/fused_layers.hpp says which are). The instruction set is chosen at run time.
class cpu {
public:
    /// "cpu" and the instruction set.
    ANEMONE_API std::string name() const;
    /// Every operation has a kernel: step_table.hpp does not compile otherwise.
    static constexpr bool supports(op) { return true; }
    static constexpr bool verifies_weights = true;

    /// The same backend with another rule of rounding. `rounding::each_operation` rounds every operation's result to fp16,
    /// computed together with others or not: for comparisons with what does the same.
    ANEMONE_API cpu rounding(ane::rounding rule) const;
    /// The same backend with runs in up to `count` threads, the calling one among them: the same bits. Without it, as
    /// many as the executor has. Throws `error` (errc::argument) for less than one.
    ANEMONE_API cpu threads(int count) const;
    /// The same backend with the parts of its steps run by `pool`, which must outlive the programs, in place of the
    /// process's own threads.
    ANEMONE_API cpu executor(ane::executor& pool) const;

    /// The same backend with another algorithm for 3x3 convolutions, where that is faster: two to three times, with
    /// other roundings. Images with values far beyond the others, infinities or NaN take the usual one.
    ANEMONE_API cpu winograd(ane::winograd_tiles form) const;
    /// The same backend with the kernels of another instruction set, to compare. Sums of products differ by the roundings
    /// that multiply-adds save; everything else has the same bits. Throws `error` (errc::argument) where this machine
    /// lacks it.
    ANEMONE_API cpu level(isa_level set) const;

    ANEMONE_API cpu_program compile(const graph_view& model, const weight_store& weights) const;

#if !defined(ANEMONE_COMPILED)
    /// The same, instantiating only the kernels of the model's operations.
    template <const auto& Model> cpu_program compile_model(const weight_store& weights) const;
#endif

private:
    cpu_options options_;
};

} // namespace ane::backend::inline ANEMONE_WAY

#if !defined(ANEMONE_COMPILED)
#include "cpu.ipp"
#endif
