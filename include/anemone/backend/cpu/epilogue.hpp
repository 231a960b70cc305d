#pragma once

#include "../../base/way.hpp"
#include "../../passes/fused_layers.hpp"
#include "kernels/table.hpp"
#include "step.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace ane::cpu::inline ANEMONE_WAY {

/// One function of a fused layer, over blocks of fp32. Values are numbered: 0 are the sums of the host.
struct fused_stage {
    struct source {
        int value = -1;     ///< a value of the layer, or
        int operand = -1;   ///< an operand of the step, which repeats over the result
        repetition repeats; ///< as this says
    };
    op kind = op::add;
    bool binary = false;
    float first = 0; ///< the numbers of a function of one operand
    float second = 0;
    source a;
    source b;
    int to = 0;
};

/// Where the rows of a layer are stored: behind each other, or as the transpose at its end says.
struct row_places {
    struct axis {
        std::int64_t extent;
        std::int64_t stride; ///< in the result
    };
    std::int64_t row = 0;   ///< elements in a row; 0: all are behind each other
    std::vector<axis> axes; ///< of the value before the transpose but the last, the last of them first

    ANEMONE_INLINE std::int64_t of(std::int64_t number) const {
        std::int64_t place = 0;
        for (const axis& a : axes) {
            place += number % a.extent * a.stride;
            number /= a.extent;
        }
        return place;
    }
};

/// What follows the fp32 sums of a layer: the stages that are fused into it, then one rounding into the result.
class epilogue {
public:
    epilogue() = default;
    ANEMONE_INLINE epilogue(std::vector<fused_stage> stages, int result, row_places places)
        : stages_(std::move(stages)), result_(result), places_(std::move(places)) {}

    /// Finishes the sums of elements first <= i < first + count of the host's value, row-major. Overwrites the sums. The
    /// bits of an element do not depend on which are finished together.
    ANEMONE_INLINE void store(const kernel_table& table, const operands& o, float* sums, std::int64_t first,
                              std::int64_t count) const {
        if (stages_.empty()) {
            round(table, o, sums, first, count);
            return;
        }
        for (std::int64_t i = 0; i < count; i += block) {
            compute(table, o, sums + i, first + i, std::min(block, count - i));
        }
    }

    /// The same for a layer without sums: its stages read operands alone.
    ANEMONE_INLINE void compute_all(const kernel_table& table, const operands& o, std::int64_t first,
                                    std::int64_t count) const {
        float value[block];
        for (std::int64_t i = 0; i < count; i += block) {
            compute(table, o, value, first + i, std::min(block, count - i));
        }
    }

    /// So many elements pass through all stages before the next: what is between stages stays in the nearest cache.
    static constexpr std::int64_t block = 512;

private:
    struct repeated {
        const float* values;
        std::int64_t stride; ///< 0: one value for the whole block
    };

    ANEMONE_INLINE void compute(const kernel_table& table, const operands& o, float* sums, std::int64_t first,
                                std::int64_t count) const {
        alignas(64) float memory[ane::detail::most_layer_values - 1][block];
        alignas(64) float left[block];
        alignas(64) float right[block];
        const auto value = [&](int i) { return i == 0 ? sums : memory[i - 1]; };
        const auto read = [&](const fused_stage::source& from, float* space) -> repeated {
            return from.value >= 0 ? repeated{value(from.value), 1}
                                   : load(table, o.input(static_cast<std::size_t>(from.operand)), from.repeats, first,
                                          count, space);
        };
        for (const fused_stage& s : stages_) {
            const repeated a = read(s.a, left);
            float* const to = value(s.to);
            if (s.binary) {
                const repeated b = read(s.b, right);
                table.binary(s.kind, a.values, a.stride, b.values, b.stride, to, count);
            } else if (a.stride == 0) {
                table.unary(s.kind, a.values, left, 1, s.first, s.second);
                std::fill_n(to, count, left[0]);
            } else {
                table.unary(s.kind, a.values, to, count, s.first, s.second);
            }
        }
        round(table, o, value(result_), first, count);
    }

    ANEMONE_INLINE void round(const kernel_table& table, const operands& o, const float* values, std::int64_t first,
                              std::int64_t count) const {
        if (places_.row == 0) {
            table.to_half(values, o.output() + first, count);
            return;
        }
        for (std::int64_t i = 0; i < count;) {
            const std::int64_t column = (first + i) % places_.row;
            const std::int64_t run = std::min(count - i, places_.row - column);
            table.to_half(values + i, o.output() + places_.of((first + i) / places_.row) + column, run);
            i += run;
        }
    }

    /// Elements first <= i < first + count of a value that repeats, in fp32.
    ANEMONE_INLINE static repeated load(const kernel_table& table, const half* x, const repetition& repeats,
                                        std::int64_t first, std::int64_t count, float* space) {
        const std::int64_t inner = repeats.inner;
        for (std::int64_t i = 0; i < count;) {
            const std::int64_t at = (first + i) / inner % repeats.period;
            if (inner == 1) {
                const std::int64_t run = std::min(count - i, repeats.period - at);
                table.to_float(x + at, space + i, run);
                i += run;
            } else {
                const std::int64_t run = std::min(count - i, inner - (first + i) % inner);
                const auto value = static_cast<float>(x[at]);
                if (run == count) {
                    space[0] = value;
                    return {space, 0};
                }
                std::fill_n(space + i, run, value);
                i += run;
            }
        }
        return {space, 1};
    }

    std::vector<fused_stage> stages_;
    int result_ = 0;
    row_places places_;
};

/// The operations whose steps finish their sums by an epilogue.
inline constexpr op_set epilogue_hosts{op::conv2d, op::linear, op::matmul, op::attention};

/// What a fused layer reads besides the operands of its host, in the order of the step's further operands.
struct layer_program {
    epilogue finish;
    std::vector<int> reads; ///< nodes
};

/// The stages of the layer that ends in `end`. `operands` is how many its host has.
ANEMONE_API layer_program program_of_layer(const graph_view& g, const fused_layers& layers, int end, int operands);

ANEMONE_BODY epilogue binding_context::epilogue_of(int index) const {
    if (layers == nullptr) {
        return {};
    }
    return program_of_layer(graph, *layers, layers->end_of(index), graph[index].operands.count).finish;
}

} // namespace ane::cpu::inline ANEMONE_WAY

namespace ane::cpu::detail::inline ANEMONE_WAY {

/// A layer of functions of elements alone, over blocks of the result.
ANEMONE_INLINE bound_step bind_fused(const binding_context& c, int end) {
    const kernel_table& kernels = c.kernels;
    return [&kernels, finish = program_of_layer(c.graph, *c.layers, end, 0).finish,
            count = c.shape(end).count()](const operands& o) {
        constexpr std::int64_t size = epilogue::block;
        o.crew.share((count + size - 1) / size, 16, [&](std::int64_t first, std::int64_t last, std::byte*) {
            finish.compute_all(kernels, o, first * size, std::min(count, last * size) - first * size);
        });
    };
}

} // namespace ane::cpu::detail::inline ANEMONE_WAY

#if !defined(ANEMONE_COMPILED)
#include "epilogue.ipp"
#endif
