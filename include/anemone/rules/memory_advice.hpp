#pragma once

#include "../analysis/convolution_geometry.hpp"
#include "../analysis/kernel_memory.hpp"
#include "../analysis/working_set.hpp"
#include "../base/formatted.hpp"
#include "../base/way.hpp"
#include "evaluate.hpp"

#include <cstdint>
#include <string>

/// What to do about weights that are too large for a memory, by their size: tiles of an image leave a weight as large as it
/// is, and a palette may be too large in turn.
namespace ane::detail::inline ANEMONE_WAY {

/// How many layers the outputs of a weight are split into, of which each takes `limit` bytes at most; their outputs are
/// multiples of 8 where that many fit, which rows are padded to. 0 where one output takes more.
constexpr std::int64_t layers_of_outputs(std::int64_t outputs, std::int64_t bytes_of_all, std::int64_t limit) {
    const std::int64_t fitting = limit / ((bytes_of_all + outputs - 1) / outputs);
    const std::int64_t each = fitting >= 8 ? fitting / 8 * 8 : fitting;
    return each == 0 ? 0 : (outputs + each - 1) / each;
}

/// Advice for a layer whose weights exceed the kernel memory; empty where streaming them is enough.
ANEMONE_INLINE std::string kernel_memory_advice(const graph_view& g, int index, const target_description& t) {
    const node& w = g.operand(g[index], 1);
    const std::int64_t outputs = w.shape[0];
    const std::int64_t count = w.shape.count();
    const bool streams = !is_convolution(g[index].kind) ||
                         (geometry_of(g, g[index]).unit_stride() && !geometry_of(g, g[index]).dilated());
    if (streams) {
        const std::int64_t streamed = compressed_bytes({.form = weight_form::palette, .bits = 4}, count, outputs);
        return streamed <= t.memory.kernel_streamed
                   ? std::string()
                   : formatted(
                         "split the outputs into {} layers, and stream the weights of each as a palette of 4 bits",
                         layers_of_outputs(outputs, streamed, t.memory.kernel_streamed));
    }
    const std::int64_t dense = bytes(w.type, count);
    const std::int64_t layers = layers_of_outputs(outputs, dense, t.memory.kernel_dense);
    return layers > 0
               ? formatted("split the outputs into {} layers: weights stream where stride and dilation are 1 only",
                           layers)
               : formatted("split the outputs into {} layers, and the channels that each reads into a sum of {}: "
                           "weights stream where stride and dilation are 1 only",
                           outputs, (dense / outputs + t.memory.kernel_dense - 1) / t.memory.kernel_dense);
}

/// Advice for a layer with an operand of more than `most` bytes; empty where its weight is none.
ANEMONE_INLINE std::string large_weight_advice(const graph_view& g, int index, std::int64_t most) {
    const node& n = g[index];
    if (!is_contraction(n.kind) || !is_stored_weight(g.operand(n, 1).kind)) {
        return {};
    }
    const auto size = [](const node& of) { return bytes(of.type, of.shape.count()); };
    const node& w = g.operand(n, 1);
    const std::int64_t layers = size(w) > most ? layers_of_outputs(w.shape[0], size(w), most) : 0;
    if (layers == 0) {
        return {};
    }
    const bool tiles = size(g.operand(n, 0)) > most || size(n) / layers > most;
    return formatted("{}split the outputs into {} layers: the weight is large{}",
                     tiles ? "tile the batch or the image, and " : "", layers, tiles ? " too" : "");
}

} // namespace ane::detail::inline ANEMONE_WAY
