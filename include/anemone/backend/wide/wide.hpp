#ifndef ANEMONE_BACKEND_WIDE_WIDE_HPP
#define ANEMONE_BACKEND_WIDE_WIDE_HPP

#include "../../base/hidden.hpp"
#include "../../base/way.hpp"
#include "../backend.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace ane::wide_reference::inline ANEMONE_WAY {
struct repertoire;
} // namespace ane::wide_reference::inline ANEMONE_WAY

namespace ane::backend::inline ANEMONE_WAY {

/// A model compiled for the reference. Keeps the value of every node of the last run. Move-only; a moved-from program
/// throws `error` (errc::argument) on use.
class wide_program {
public:
    ANEMONE_API_OF(anemone_backend_wide_wide_hpp)
    wide_program(const graph_view& model, const weight_store& weights, int threads,
                 const ane::wide_reference::repertoire& evaluators);

    /// Outputs are rounded once, to the type of their port. Throws `error`: port for buffers that do not match the ports
    /// in number and size, argument while another thread is running the program, and for indices outside their axes.
    ANEMONE_API void run(input_buffers inputs, output_buffers outputs);

    /// The value of a state of the model, rounded to its type: what the last run left, zeros before the first one. The
    /// next run reads what it was before rounding, but for elements that were written here. Throws `error` (errc::port)
    /// if no state has this name. The memory stays until the next run.
    ANEMONE_API std::span<std::byte> state(std::string_view name);
    /// Sets every state to zeros.
    ANEMONE_API void reset();

    /// What the last run computed for an fp16 node of the model, before any rounding; throws `error` (errc::argument)
    /// for other types and before the first run.
    ANEMONE_API std::span<const double> value(int node) const;

private:
    struct members;
    hidden<members> state_;
};

/// A model as it is meant, in double precision: every operation as the catalogue defines it, without a rounding between
/// two of them, and without anything of the engine's arithmetic or the CPU backend's. What is compared with it shows what
/// fp16 costs (diff/wide_diff.hpp). Weights have the digits of the store, fp16 or more; sums are compensated or made of
/// blocks. Slow and simple: memory for all values at eight bytes an element.
class wide {
public:
    std::string name() const { return "f64"; }
    /// Every operation has its arithmetic: backend/wide/step_table.hpp does not compile otherwise.
    static constexpr bool supports(op) { return true; }
    static constexpr bool verifies_weights = true;

    /// The same reference with its contractions in up to `count` threads: the same bits. Throws `error`
    /// (errc::argument) for less than one.
    ANEMONE_API_OF(anemone_backend_wide_wide_hpp) wide threads(int count) const;
    int threads() const { return threads_; }

    ANEMONE_API_OF(anemone_backend_wide_wide_hpp)
    wide_program compile(const graph_view& model, const weight_store& weights) const;

#if !defined(ANEMONE_COMPILED)
    /// The same, instantiating only the arithmetic of the model's operations.
    template <const auto& Model, class Header = ::ane::include::anemone_backend_wide_wide_hpp,
              std::size_t = sizeof(Header)>
    wide_program compile_model(const weight_store& weights) const;
#endif

private:
    int threads_ = 1;
};

} // namespace ane::backend::inline ANEMONE_WAY

#endif
#if ANEMONE_BODIES
#include "wide.ipp"
#endif
