#pragma once

#include "../../base/way.hpp"
#include "../../graph/op_facet.hpp"
#include "../../passes/fused_layers.hpp"
#include "kernels/finishing.hpp"
#include "kernels/table.hpp"
#include "step.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace ane::cpu::inline ANEMONE_WAY {

/// What a function cuts off; `in_stage`: below the first of its numbers and above the second.
struct function_bounds {
    float low = -std::numeric_limits<float>::infinity();
    float high = std::numeric_limits<float>::infinity();
    bool in_stage = false;
};
/// The functions that do no more.
inline constexpr op_facet<function_bounds> bounding_functions{
    {op::relu, {.low = 0}}, {op::relu6, {.low = 0, .high = 6}}, {op::clamp, {.in_stage = true}}};

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
    std::int64_t row = 0; ///< elements in a row; 0: all are behind each other
    sequence<axis> axes;  ///< of the value before the transpose but the last, the last of them first

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
    ANEMONE_INLINE epilogue(sequence<fused_stage> stages, int result, row_places places)
        : stages_(std::move(stages)), result_(result), places_(std::move(places)), chains_(stages_.size()) {
        for (std::size_t i = 0; i < stages_.size(); ++i) {
            chains_[i] = chain_from(i);
        }
    }

    /// Finishes the sums of elements first <= i < first + count of the host's value, in the order of its memory.
    /// Overwrites the sums. The bits of an element do not depend on which are finished together.
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

    /// The same for a result of `count` elements as what tiles can do themselves, or without `out` if it is more: at
    /// most one operand of as many elements is added, then the value is bounded.
    ANEMONE_INLINE finishing direct(const operands& o, std::int64_t count) const {
        finishing f;
        const int added = put_in_tiles(count, f);
        if (added == more_than_tiles) {
            return {};
        }
        f.added = added >= 0 ? o.input(static_cast<std::size_t>(added)) : nullptr;
        f.out = o.output();
        return f;
    }

    /// Whether that is all there is for a result of `count` elements.
    ANEMONE_INLINE bool tiles_finish(std::int64_t count) const {
        finishing f;
        return put_in_tiles(count, f) != more_than_tiles;
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
        alignas(64) float others[chain_buffers][block];
        float singles[ane::detail::most_layer_stages];
        for (std::size_t i = 0; i < stages_.size();) {
            const fused_stage& s = stages_[i];
            if (chains_[i] > 0) {
                chain_link links[ane::detail::most_layer_stages];
                int length = 0;
                int buffers = 0;
                const float* carried = nullptr;
                for (; length < chains_[i] && buffers < chain_buffers; ++length) {
                    const fused_stage& next = stages_[i + static_cast<std::size_t>(length)];
                    chain_link& link = links[length];
                    link = {next.kind, false, next.first, next.second, nullptr, nullptr, 1};
                    link.other_first = other_first(next, length == 0 ? -1 : next_carried(i, length));
                    if (length == 0) {
                        const repeated x = read(link.other_first ? next.b : next.a, left);
                        carried = x.values;
                        if (x.stride == 0) {
                            std::fill_n(left, count, left[0]);
                        }
                    }
                    if (next.binary) {
                        const fused_stage::source& from = link.other_first ? next.a : next.b;
                        if (const half* const whole = neighbours(o, from, first, count)) {
                            link.halves = whole;
                            continue;
                        }
                        const repeated other = read(from, others[buffers]);
                        link.other = other.values;
                        link.stride = other.stride;
                        if (other.stride == 0) {
                            singles[length] = *other.values;
                            link.other = &singles[length];
                        } else if (from.value < 0) {
                            ++buffers;
                        }
                    }
                }
                i += static_cast<std::size_t>(length);
                const int to = stages_[i - 1].to;
                if (i == stages_.size() && to == result_ && places_.row == 0) {
                    table.chains.to_half(links, length, carried, o.output() + first, count);
                    return;
                }
                table.chains.to_float(links, length, carried, value(to), count);
                continue;
            }
            ++i;
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

    static constexpr int more_than_tiles = -2;

    /// Sets the bounds of what tiles can do; the operand that they add, -1 for none, or more_than_tiles.
    ANEMONE_INLINE int put_in_tiles(std::int64_t count, finishing& f) const {
        std::size_t next = 0;
        int value = 0;
        int added = -1;
        if (next < stages_.size() && stages_[next].kind == op::add) {
            const fused_stage& s = stages_[next++];
            const fused_stage::source& other = s.a.value == value ? s.b : s.a;
            if ((s.a.value == value) == (s.b.value == value) || other.operand < 0 || other.repeats.inner != 1 ||
                other.repeats.period != count) {
                return more_than_tiles;
            }
            added = other.operand;
            value = s.to;
        }
        if (next < stages_.size() && bounds_of(stages_[next], f) && stages_[next].a.value == value) {
            value = stages_[next++].to;
        }
        return next < stages_.size() || value != result_ || places_.row != 0 ? more_than_tiles : added;
    }

    /// Sets the bounds of a function that is no more than them.
    ANEMONE_INLINE static bool bounds_of(const fused_stage& s, finishing& f) {
        if (!bounding_functions.kinds().contains(s.kind)) {
            return false;
        }
        const function_bounds& own = bounding_functions[s.kind];
        f.low = own.in_stage ? s.first : own.low;
        f.high = own.in_stage ? s.second : own.high;
        return true;
    }

    /// How many stages from the i-th on are cheap functions, each of the value of the one before, which nothing else reads:
    /// they are computed in one pass. 0 where one pass is not faster.
    ANEMONE_INLINE int chain_from(std::size_t first) const {
        std::size_t end = first;
        while (end < stages_.size() && chain_functions.contains(stages_[end].kind) &&
               (end == first || continues(stages_[end], stages_[end - 1].to, end + 1))) {
            ++end;
        }
        const bool last = end == stages_.size() && end > first && stages_[end - 1].to == result_;
        return end - first > 1 || last ? static_cast<int>(end - first) : 0;
    }

    /// Whether a stage is the only reader of a value, once. `after` is the stage behind it.
    ANEMONE_INLINE bool continues(const fused_stage& s, int carried, std::size_t after) const {
        if ((s.a.value == carried) == (s.binary && s.b.value == carried)) {
            return false;
        }
        if (s.to == carried) {
            return true;
        }
        for (; after < stages_.size(); ++after) {
            const fused_stage& later = stages_[after];
            if (later.a.value == carried || (later.binary && later.b.value == carried)) {
                return false;
            }
            if (later.to == carried) {
                return true;
            }
        }
        return result_ != carried;
    }

    /// The value that a stage of a chain takes from the one before it.
    ANEMONE_INLINE int next_carried(std::size_t chain, int position) const {
        return stages_[chain + static_cast<std::size_t>(position) - 1].to;
    }

    /// Whether the second operand of a stage is the value that goes along the chain; at its start (-1) a value of the layer.
    ANEMONE_INLINE static bool other_first(const fused_stage& s, int carried) {
        return s.binary && (carried >= 0 ? s.b.value == carried : s.a.value < 0 && s.b.value >= 0);
    }

    /// Elements first <= i < first + count of an operand, if they are neighbours; else null.
    ANEMONE_INLINE static const half* neighbours(const operands& o, const fused_stage::source& from, std::int64_t first,
                                                 std::int64_t count) {
        if (from.value >= 0 || from.repeats.inner != 1 || from.repeats.period == 1) {
            return nullptr;
        }
        const std::int64_t at = first % from.repeats.period;
        return at + count <= from.repeats.period ? o.input(static_cast<std::size_t>(from.operand)) + at : nullptr;
    }

    /// So many operands of a chain may be unfolded at once.
    static constexpr int chain_buffers = 4;

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

    sequence<fused_stage> stages_;
    int result_ = 0;
    row_places places_;
    sequence<int> chains_; ///< by stage
};

/// The operations whose steps finish their sums by an epilogue.
inline constexpr op_set epilogue_hosts{op::conv2d, op::conv_transpose2d, op::linear, op::matmul, op::attention};

/// What a fused layer reads besides the operands of its host, in the order of the step's further operands.
struct layer_program {
    epilogue finish;
    sequence<int> reads; ///< nodes
};

/// The stages of the layer that ends in `end`, over elements in the order of its value's layout. `operands` is how many
/// its host has.
ANEMONE_API layer_program program_of_layer(const binding_context& c, int end, int operands);

ANEMONE_BODY epilogue binding_context::epilogue_of(int index) const {
    if (layers == nullptr) {
        return {};
    }
    return program_of_layer(*this, layers->end_of(index), graph[index].operands.count).finish;
}

} // namespace ane::cpu::inline ANEMONE_WAY

namespace ane::cpu::detail::inline ANEMONE_WAY {

/// A layer of functions of elements alone, over blocks of the result.
ANEMONE_INLINE bound_step bind_fused(const binding_context& c, int end) {
    const kernel_table& kernels = c.kernels;
    return [&kernels, finish = program_of_layer(c, end, 0).finish, count = c.shape(end).count()](const operands& o) {
        constexpr std::int64_t size = epilogue::block;
        o.workers.share((count + size - 1) / size, 16, [&](std::int64_t first, std::int64_t last, std::byte*) {
            finish.compute_all(kernels, o, first * size, std::min(count, last * size) - first * size);
        });
    };
}

} // namespace ane::cpu::detail::inline ANEMONE_WAY

#if !defined(ANEMONE_COMPILED)
#include "epilogue.ipp"
#endif
