#pragma once

#include "program.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ane::standin {

/// The shape rules: the shapes of an operation's results from its arguments. Each refuses what the operation cannot
/// take.
namespace shapes {

[[noreturn]] inline void bad(const node& n, const std::string& message) {
    refuse_at(n.line, std::string(n.rule->name) + ": " + message);
}

inline int rank(const dimensions& shape) { return static_cast<int>(shape.size()); }

inline std::size_t axis(const node& n, std::int64_t given, std::size_t rank) {
    const std::int64_t counted = given < 0 ? given + static_cast<std::int64_t>(rank) : given;
    if (counted < 0 || counted >= static_cast<std::int64_t>(rank)) {
        bad(n, "axis " + std::to_string(given) + " of a tensor of rank " + std::to_string(rank));
    }
    return static_cast<std::size_t>(counted);
}

/// The axes of a list, each once, ascending.
inline std::vector<std::size_t> axes(const node& n, const std::vector<std::int64_t>& given, std::size_t rank) {
    std::vector<std::size_t> result;
    result.reserve(given.size());
    for (const std::int64_t one : given) {
        result.push_back(axis(n, one, rank));
    }
    std::sort(result.begin(), result.end());
    if (result.empty() || std::adjacent_find(result.begin(), result.end()) != result.end()) {
        bad(n, "axes must be named, and each once");
    }
    return result;
}

inline dimensions broadcast(const node& n, const dimensions& a, const dimensions& b) {
    dimensions result(std::max(a.size(), b.size()), 1);
    for (std::size_t i = 0; i < result.size(); ++i) {
        const std::int64_t ea = i < a.size() ? a[a.size() - 1 - i] : 1;
        const std::int64_t eb = i < b.size() ? b[b.size() - 1 - i] : 1;
        if (ea != eb && ea != 1 && eb != 1) {
            bad(n, "extents " + std::to_string(ea) + " and " + std::to_string(eb) + " do not broadcast");
        }
        result[result.size() - 1 - i] = std::max(ea, eb);
    }
    return result;
}

inline void expect_integers(const program& p, const node& n, const char* what, std::size_t count, std::int64_t least) {
    const std::vector<std::int64_t>& list = p.integers(n, what);
    if (list.size() != count) {
        bad(n, std::string(what) + " has " + std::to_string(list.size()) + " entries, not " + std::to_string(count));
    }
    for (const std::int64_t entry : list) {
        if (entry < least || entry > 65536) {
            bad(n, std::string(what) + " contains " + std::to_string(entry));
        }
    }
}

/// Output extent of a window along one spatial axis (0 height, 1 width); 0 or less when the window does not fit.
inline std::int64_t window(const program& p, const node& n, std::int64_t in, std::int64_t kernel, std::size_t side,
                           std::int64_t dilation, bool round_up) {
    const auto& pad = p.integers(n, "pad");
    const std::int64_t stride = p.integers(n, "strides")[side];
    const std::int64_t room = in + pad[2 * side] + pad[2 * side + 1] - dilation * (kernel - 1) - 1;
    return room < 0 ? 0 : (room + (round_up ? stride - 1 : 0)) / stride + 1;
}

inline void window_arguments(const program& p, const node& n) {
    if (p.text(n, "pad_type") != "custom") {
        bad(n, "pad_type '" + p.text(n, "pad_type") + "' is not \"custom\"");
    }
    expect_integers(p, n, "strides", 2, 1);
    expect_integers(p, n, "pad", 4, 0);
}

/// Refuses what the machine's compiler does not take.
inline void hold(const program& p, const node& n, const std::string& what, std::int64_t value, std::int64_t limit) {
    if (value > limit) {
        refuse("ANECCompile() FAILED: line " + std::to_string(n.line) + ": " + what + " " + std::to_string(value) +
               " exceeds " + std::to_string(limit) + " of " + std::string(p.built_for.name));
    }
}

inline dimensions convolution(const program& p, const node& n) {
    const dimensions& x = p.shape(p.id(n, "x"));
    const dimensions& w = p.shape(p.id(n, "weight"));
    window_arguments(p, n);
    expect_integers(p, n, "dilations", 2, 1);
    if (x.size() != 4 || w.size() != 4) {
        bad(n, "x and weight must have rank 4");
    }
    const std::int64_t groups = p.integer(n, "groups");
    const bool transposed = n.rule->act == action::transposed_convolution;
    const std::int64_t in_channels = transposed ? w[0] : w[1] * groups;
    const std::int64_t out_channels = transposed ? w[1] * groups : w[0];
    if (groups < 1 || in_channels != x[1] || x[1] % groups != 0 || out_channels % groups != 0) {
        bad(n, std::to_string(x[1]) + " channels, " + std::to_string(groups) + " groups and a weight of " +
                   std::to_string(w[0]) + " by " + std::to_string(w[1]) + " do not fit");
    }
    hold(p, n, "kernel width", w[3], p.built_for.max_kernel_width);
    hold(p, n, "kernel height", w[2], p.built_for.max_kernel_height);
    if (p.at(p.id(n, "weight")).live && x[0] >= 2) {
        refuse("lost helper application: line " + std::to_string(n.line) + ": runtime weight with batch " +
               std::to_string(x[0]));
    }
    dimensions result = {x[0], out_channels, 0, 0};
    for (std::size_t side = 0; side < 2; ++side) {
        const std::int64_t dilation = p.integers(n, "dilations")[side];
        const auto& pad = p.integers(n, "pad");
        result[2 + side] = transposed ? (x[2 + side] - 1) * p.integers(n, "strides")[side] - pad[2 * side] -
                                            pad[2 * side + 1] + dilation * (w[2 + side] - 1) + 1
                                      : window(p, n, x[2 + side], w[2 + side], side, dilation, false);
    }
    return result;
}

inline dimensions pool(const program& p, const node& n) {
    const dimensions& x = p.shape(p.id(n, "x"));
    window_arguments(p, n);
    expect_integers(p, n, "kernel_sizes", 2, 1);
    if (x.size() != 4) {
        bad(n, "x must have rank 4");
    }
    if (n.rule->kind == op::max_pool) {
        hold(p, n, "width of a maximum", p.integers(n, "kernel_sizes")[1], p.built_for.max_maximum_width);
    }
    dimensions result = x;
    for (std::size_t side = 0; side < 2; ++side) {
        const std::int64_t kernel = p.integers(n, "kernel_sizes")[side];
        if (p.integers(n, "pad")[2 * side] >= kernel || p.integers(n, "pad")[2 * side + 1] >= kernel) {
            bad(n, "padding is not smaller than the window");
        }
        result[2 + side] = window(p, n, x[2 + side], kernel, side, 1, p.flag(n, "ceil_mode"));
    }
    return result;
}

inline dimensions matmul(const program& p, const node& n) {
    const dimensions& x = p.shape(p.id(n, "x"));
    const dimensions& y = p.shape(p.id(n, "y"));
    if (x.size() < 2 || y.size() < 2) {
        bad(n, "operands must have rank 2 or more");
    }
    for (const char* const side : {"x", "y"}) {
        const int producer = p.at(p.id(n, side)).producer;
        if (producer >= 0 && p.shape(p.id(n, side)).size() == 5 &&
            p.nodes[static_cast<std::size_t>(producer)].rule->act == action::transpose) {
            refuse("ANECCompile() FAILED: line " + std::to_string(n.line) + ": transpose and matmul at rank 5");
        }
    }
    const bool tx = p.flag(n, "transpose_x");
    const bool ty = p.flag(n, "transpose_y");
    const std::int64_t m = x[x.size() - (tx ? 1 : 2)];
    const std::int64_t kx = x[x.size() - (tx ? 2 : 1)];
    const std::int64_t ky = y[y.size() - (ty ? 1 : 2)];
    if (kx != ky) {
        bad(n, "contraction of " + std::to_string(kx) + " with " + std::to_string(ky));
    }
    hold(p, n, "contraction of", kx, p.built_for.max_contraction);
    dimensions result = broadcast(n, dimensions(x.begin(), x.end() - 2), dimensions(y.begin(), y.end() - 2));
    result.push_back(m);
    result.push_back(y[y.size() - (ty ? 2 : 1)]);
    return result;
}

inline dimensions reduce(const program& p, const node& n) {
    const dimensions& x = p.shape(p.id(n, "x"));
    const std::vector<std::size_t> reduced = axes(n, p.integers(n, "axes"), x.size());
    dimensions result;
    for (std::size_t i = 0; i < x.size(); ++i) {
        const bool gone = std::find(reduced.begin(), reduced.end(), i) != reduced.end();
        if (!gone || p.flag(n, "keep_dims")) {
            result.push_back(gone ? 1 : x[i]);
        }
    }
    return result;
}

inline dimensions reshape(const program& p, const node& n) {
    const value& x = p.at(p.id(n, "x"));
    if (x.expanded) {
        refuse(
            "Not implemented: reshape of a constexpr result. Some ops are not supported on any of the specified backends");
    }
    if (n.rule->name == "reshape") {
        dimensions result = p.integers(n, "shape");
        if (element_count(result) != element_count(x.type.shape)) {
            bad(n, to_string(x.type) + " does not have the elements of the new shape");
        }
        return result;
    }
    dimensions result;
    if (n.rule->name == "squeeze") {
        const auto gone = axes(n, p.integers(n, "axes"), x.type.shape.size());
        for (std::size_t i = 0; i < x.type.shape.size(); ++i) {
            if (std::find(gone.begin(), gone.end(), i) == gone.end()) {
                result.push_back(x.type.shape[i]);
            } else if (x.type.shape[i] != 1) {
                bad(n, "axis " + std::to_string(i) + " has extent " + std::to_string(x.type.shape[i]));
            }
        }
        return result;
    }
    const auto& given = p.integers(n, "axes");
    const auto added = axes(n, given, x.type.shape.size() + given.size());
    auto next = x.type.shape.begin();
    for (std::size_t i = 0; i < x.type.shape.size() + added.size(); ++i) {
        const bool here = std::find(added.begin(), added.end(), i) != added.end();
        result.push_back(here ? 1 : *next++);
    }
    return result;
}

inline dimensions transpose(const program& p, const node& n) {
    const dimensions& x = p.shape(p.id(n, "x"));
    const auto& order = p.integers(n, "perm");
    if (order.size() != x.size() || axes(n, order, x.size()).size() != x.size()) {
        bad(n, "perm has " + std::to_string(order.size()) + " axes for a tensor of rank " + std::to_string(x.size()));
    }
    dimensions result;
    for (const std::int64_t from : order) {
        result.push_back(x[axis(n, from, x.size())]);
        if (result.back() > p.built_for.max_transpose) {
            refuse("ANECCompile() FAILED: line " + std::to_string(n.line) + ": transpose extent");
        }
    }
    return result;
}

inline dimensions concat(const program& p, const node& n) {
    const std::vector<int>& members = p.ids(n, "values");
    dimensions result = p.shape(members.front());
    const std::size_t along = axis(n, p.integer(n, "axis"), result.size());
    if (p.flag(n, "interleave")) {
        bad(n, "interleave must be false");
    }
    for (std::size_t i = 1; i < members.size(); ++i) {
        dimensions other = p.shape(members[i]);
        if (other.size() != result.size()) {
            bad(n, "operands of different rank");
        }
        const std::int64_t extent = other[along];
        other[along] = result[along];
        if (other != result) {
            bad(n, "operands differ on another axis than " + std::to_string(along));
        }
        result[along] += extent;
    }
    return result;
}

inline std::vector<dimensions> split(const program& p, const node& n) {
    dimensions part = p.shape(p.id(n, "x"));
    const std::size_t along = axis(n, p.integer(n, "axis"), part.size());
    const std::int64_t parts = p.integer(n, "num_splits");
    if (parts < 1 || parts > 65536 || part[along] % parts != 0) {
        bad(n, "extent " + std::to_string(part[along]) + " into " + std::to_string(parts) + " equal parts");
    }
    part[along] /= parts;
    return std::vector<dimensions>(static_cast<std::size_t>(parts), part);
}

inline dimensions slice(const program& p, const node& n) {
    const dimensions& x = p.shape(p.id(n, "x"));
    const auto& begin = p.integers(n, "begin");
    const auto& size = p.integers(n, "size");
    if (begin.size() != x.size() || size.size() != x.size()) {
        bad(n, "begin and size must have one entry per axis");
    }
    for (std::size_t i = 0; i < x.size(); ++i) {
        if (begin[i] < 0 || size[i] < 1 || begin[i] > x[i] || size[i] > x[i] - begin[i]) {
            bad(n, "begin " + std::to_string(begin[i]) + " and size " + std::to_string(size[i]) + " on axis " +
                       std::to_string(i) + " of extent " + std::to_string(x[i]));
        }
    }
    return size;
}

inline dimensions pad(const program& p, const node& n) {
    dimensions result = p.shape(p.id(n, "x"));
    const bool mirrors = p.text(n, "mode") == "reflect";
    const bool replicates = p.text(n, "mode") == "replicate";
    if (p.text(n, "mode") != "constant" && !mirrors && !replicates) {
        bad(n, "mode '" + p.text(n, "mode") + "' is not modelled");
    }
    expect_integers(p, n, "pad", p.integers(n, "pad").size(), 0);
    // As in the public definition: pairs (before, after), for the last axes when there are fewer pairs than axes.
    const auto& amount = p.integers(n, "pad");
    if (amount.size() % 2 != 0 || amount.size() / 2 > result.size()) {
        bad(n, "pad must be pairs, at most one per axis");
    }
    const std::size_t first = result.size() - amount.size() / 2;
    if (replicates && amount.size() != 4) {
        bad(n, "replicates height and width");
    }
    for (std::size_t i = 0; i < amount.size() / 2; ++i) {
        if (mirrors && (amount.size() != 4 || std::max(amount[2 * i], amount[2 * i + 1]) >= result[first + i])) {
            bad(n, "reflects height and width, by less than the extent");
        }
        result[first + i] += amount[2 * i] + amount[2 * i + 1];
    }
    return result;
}

inline dimensions batch_norm(const program& p, const node& n) {
    const dimensions& x = p.shape(p.id(n, "x"));
    if (x.size() < 3) {
        bad(n, "x must have rank 3 or more");
    }
    for (const char* const vector : {"mean", "variance", "gamma", "beta"}) {
        if (p.shape(p.id(n, vector)).front() != x[1]) {
            bad(n, std::string(vector) + " does not have one entry per channel");
        }
    }
    return x;
}

} // namespace shapes

} // namespace ane::standin
