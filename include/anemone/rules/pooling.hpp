#pragma once

#include "record.hpp"

#include <array>

namespace ane::rules {

namespace detail {
inline constexpr op_set pools{op::max_pool, op::avg_pool, op::l2_pool};
} // namespace detail

inline constexpr std::array pooling{
    rule_record{.id = rule::pool_window_exceeds_input,
                .fact = "R060",
                .level = severity::reject,
                .ops = detail::pools,
                .sentence = "window extent {got} exceeds the input's {limit}",
                .reject = "Pooling mode \"%s\" is not available on this ANE architecture.",
                .advice = "use a smaller window; padding does not count",
                .source = "guide appendix B",
                .evidence = mark::measured,
                .silicon = "M1",
                .check = [](const subject& s) -> finding {
                    const size2 window = s.n.get<pool>().kernel;
                    const extents& x = s.operand(0).shape;
                    return both(at_most(window.height, x.height()), at_most(window.width, x.width()));
                }},
    // Only the width counts: a window 9 high and 1 wide compiles, 1 high and 9 wide does not. Averages of 14 compile.
    rule_record{.id = rule::max_pool_width_exceeds,
                .fact = "L001",
                .level = severity::reject,
                .ops = {op::max_pool},
                .sentence = "a maximum over windows {got} wide, above {limit} is refused",
                .reject = "",
                .advice =
                    "pool twice (at stride 1 windows of 5 and 5 make 9), or swap the axes (windows may be higher)",
                .source = "study M4, M6",
                .evidence = mark::measured,
                .figure = &target_marks::compiled_limits,
                .silicon = "M4, M6",
                .check = [](const subject& s) -> finding {
                    return at_most(s.n.get<pool>().kernel.width, s.t.limits.max_pool_width);
                }},
    rule_record{.id = rule::pool_stride_is_three,
                .fact = "R184",
                .level = severity::reject,
                .ops = {op::max_pool},
                .sentence = "a stride of {got} works for averages only",
                .reject = "Pool with strides of 3 is only supported with Avg mode",
                .advice = "use a stride of 2 or 4",
                .source = "string catalogue of the compiler",
                .evidence = mark::decompiled,
                .check = [](const subject& s) -> finding {
                    const size2 stride = s.n.get<pool>().stride;
                    return holds_if(stride.height != 3 && stride.width != 3, 3, 2);
                }},
    // A text of the compiler says refused; published networks with such windows run, and the measured sweep of windows
    // says nothing of it (docs/conflicts.md).
    rule_record{.id = rule::pool_extent_is_not_a_multiple_of_its_stride,
                .fact = "R185",
                .level = severity::warn,
                .ops = detail::pools,
                .sentence = "the input extent {got} is not a multiple of the stride {limit}",
                .reject = "Pool input tensor width (%zd) must be a multiple of stride (%d)",
                .advice = "pad or crop the input at its end, where no window reads",
                .source = "string catalogue of the compiler",
                .evidence = mark::decompiled,
                .check = [](const subject& s) -> finding {
                    const size2 stride = s.n.get<pool>().stride;
                    const extents& x = s.operand(0).shape;
                    if (stride.height > 0 && x.height() % stride.height != 0) {
                        return {true, x.height(), stride.height};
                    }
                    return holds_if(stride.width < 1 || x.width() % stride.width == 0, x.width(), stride.width);
                }},
    rule_record{.id = rule::excluded_padding_reaches_the_window,
                .fact = "R186",
                .level = severity::reject,
                .ops = {op::avg_pool},
                .sentence = "padding of {got} that the average leaves out reaches the window's {limit}",
                .reject = "Cannot support avg pool with exclude padding size equal to or larger than kernel size",
                .advice = "pad less",
                .source = "string catalogue of the compiler",
                .evidence = mark::decompiled,
                .check = [](const subject& s) -> finding {
                    const pool& a = s.n.get<pool>();
                    const int rows = a.padding.top > a.padding.bottom ? a.padding.top : a.padding.bottom;
                    const int columns = a.padding.left > a.padding.right ? a.padding.left : a.padding.right;
                    if (!a.exclude_padding) {
                        return {};
                    }
                    return rows >= a.kernel.height ? finding{true, rows, a.kernel.height}
                                                   : holds_if(columns < a.kernel.width, columns, a.kernel.width);
                }},
    // Windows past the native size were measured to compile, but for some odd ones near powers of two.
    rule_record{.id = rule::pool_window_is_not_native,
                .fact = "R060",
                .level = severity::warn,
                .ops = detail::pools,
                .sentence = "window extent {got} exceeds the native {limit}: tiled, and some odd extents are rejected",
                .reject = "Pooling mode \"%s\" is not available on this ANE architecture.",
                .advice = "pool twice (an average only where its windows do not overlap), or reduce the axis",
                .source = "guide chapter 17, appendix A",
                .evidence = mark::measured,
                .silicon = "M1",
                .check = [](const subject& s) -> finding {
                    const size2 window = s.n.get<pool>().kernel;
                    return at_most(window.height > window.width ? window.height : window.width, s.t.limits.pool_window);
                }},
};

} // namespace ane::rules
