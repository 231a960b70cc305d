#pragma once

#include "network.hpp"
#include <anemone/graph/op.hpp>
#include <anemone/numerics/kernels.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// What each unit computes, from the unit records alone (facts: netplist-units): the arithmetic kernels of the oracle
/// with loops of its own.
namespace ane::standin_objc {

using operands = std::vector<const tensor*>;

inline half pattern(const plist& bits) {
    if (bits.number() < 0 || bits.number() > 0xFFFF) {
        throw refused(std::to_string(bits.number()) + " is no fp16 pattern");
    }
    return half::from_bits(static_cast<std::uint16_t>(bits.number()));
}

/// Calls `f(index of the element, place)` for each element of a shape, in order; `place` its five coordinates.
template <class Function> void for_each_place(const shape5& shape, const Function& f) {
    shape5 at{};
    for (std::int64_t i = 0; i < count_of(shape); ++i) {
        f(static_cast<std::size_t>(i), at);
        for (std::size_t a = 5; a-- > 0 && ++at[a] == shape[a];) {
            at[a] = 0;
        }
    }
}
inline std::size_t offset_of(const shape5& shape, const shape5& at) {
    const shape5 strides = strides_of(shape);
    std::int64_t result = 0;
    for (std::size_t a = 0; a < 5; ++a) {
        result += at[a] * strides[a];
    }
    return static_cast<std::size_t>(result);
}

/// A tensor whose elements come from places of another.
template <class Source> tensor moved(const tensor& x, const shape5& shape, const Source& source) {
    tensor y = made(shape);
    y.constant = x.constant;
    for_each_place(shape,
                   [&](std::size_t i, const shape5& at) { y.values[i] = x.values[offset_of(x.shape, source(at))]; });
    return y;
}

inline void require(bool holds, const char* what) {
    if (!holds) {
        throw refused(what);
    }
}

struct arithmetic {
    numerics::datapath path;

    half unary(op kind, half x, half p0 = {}, half p1 = {}) const {
        return numerics::unary(path, kind, x, static_cast<float>(p0), static_cast<float>(p1));
    }
    half binary(op kind, half a, half b) const { return numerics::binary(path, kind, a, b); }
    half reduce(op kind, const std::vector<half>& members) const {
        return numerics::reduce(path, kind, members.data(), static_cast<std::int64_t>(members.size()), 1);
    }

    tensor each(const tensor& x, const auto& f) const {
        tensor y = made(x.shape);
        std::transform(x.values.begin(), x.values.end(), y.values.begin(), f);
        return y;
    }
    tensor pairs(const tensor& a, const tensor& b, const auto& f) const {
        require(a.shape == b.shape, "operands of unequal shapes");
        tensor y = made(a.shape);
        std::transform(a.values.begin(), a.values.end(), b.values.begin(), y.values.begin(), f);
        return y;
    }

    tensor neuron(const plist& params, const tensor& x) const {
        const std::string& type = params.at("Type").string();
        const auto number = [&](const char* key) {
            return params.find(key) != nullptr ? pattern(params.at(key)) : half{};
        };
        const half epsilon = number("Epsilon");
        if (type == "ClampedReLU") {
            const half low = pattern(params.at("ReluMin"));
            const half high = pattern(params.at("ReluMax"));
            return each(x, [&](half v) { return unary(op::clamp, v, low, high); });
        }
        if (type == "ELU" || type == "LeakyReLU") {
            const half slope = pattern(params.at(type == "ELU" ? "EluAlpha" : "ReluSlope"));
            return each(x, [&](half v) { return unary(type == "ELU" ? op::elu : op::leaky_relu, v, slope); });
        }
        if (type == "Log2") {
            return each(x, [&](half v) {
                return unary(op::log2, params.find("Epsilon") != nullptr ? binary(op::add, v, epsilon) : v);
            });
        }
        constexpr std::pair<std::string_view, op> plain[] = {
            {"ReLU", op::relu},         {"SigmoidHighPrecision", op::sigmoid},
            {"Tanh", op::tanh},         {"GELU", op::gelu},
            {"Sqrt", op::sqrt},         {"Rsqrt", op::rsqrt},
            {"Inv", op::inverse},       {"Exp2", op::exp2},
            {"Erf", op::erf},           {"Sign", op::sign},
            {"Ceil", op::ceil},         {"Floor", op::floor},
            {"Sin", op::sin},           {"Cos", op::cos},
            {"RoundNearest", op::round}};
        for (const auto& [name, kind] : plain) {
            if (name == type) {
                return each(x, [&, k = kind](half v) { return unary(k, v, epsilon); });
            }
        }
        throw refused("Neuron " + type + " is not known");
    }

    tensor element_wise(const plist& params, const operands& xs) const {
        const std::string& type = params.at("Type").string();
        if (type == "Abs") {
            return each(*xs.at(0), [&](half v) { return unary(op::abs, v); });
        }
        constexpr std::pair<std::string_view, op> computed[] = {
            {"Add", op::add}, {"Sub", op::sub}, {"Mult", op::mul}, {"Min", op::minimum}, {"Max", op::maximum}};
        constexpr std::pair<std::string_view, op> compared[] = {
            {"Equal", op::equal}, {"NotEqual", op::not_equal}, {"GreaterThan", op::greater}, {"LessThan", op::less}};
        for (const auto& [name, kind] : computed) {
            if (name == type) {
                return pairs(*xs.at(0), *xs.at(1), [&, k = kind](half a, half b) { return binary(k, a, b); });
            }
        }
        for (const auto& [name, kind] : compared) {
            if (name == type) {
                return pairs(*xs.at(0), *xs.at(1), [&, k = kind](half a, half b) {
                    return half(numerics::compare(path, k, a, b) ? 1.0 : 0.0);
                });
            }
        }
        throw refused("ElementWise " + type + " is not known");
    }

    tensor scaled_element_wise(const plist& params, const operands& xs) const {
        const half scale = pattern(params.at("Scale"));
        const bool product = params.at("Type").string() == "Mult"; // which ignores the scale
        require(params.at("Type").string() != "Sub", "ScaledElementWise has no Sub");
        tensor y = element_wise(params, xs);
        return product || scale == half(1.0) ? y : each(y, [&](half v) { return binary(op::mul, v, scale); });
    }

    /// Scale or Bias of a GOC, one for each channel; empty without one.
    static std::vector<half> gain(const plist& params, const files& weights, const std::string& part,
                                  std::int64_t channels) {
        if (const plist* const one = params.find(part + "Scalar")) {
            return std::vector<half>(static_cast<std::size_t>(channels), pattern(*one));
        }
        const plist* const group = params.find("BiasScaleGroupData");
        if (group == nullptr || group->find(part + "Count") == nullptr) {
            return {};
        }
        require(group->at(part + "Count").number() == channels,
                "a GOC has another number of channels than its operand");
        return blob(weights, group->at(part + "Index").number(), group->at(part + "Offset").number(), channels);
    }

    tensor by_channel(const tensor& x, const auto& f) const {
        tensor y = made(x.shape);
        for_each_place(x.shape, [&](std::size_t i, const shape5& at) {
            y.values[i] = f(x.values[i], static_cast<std::size_t>(at[C]));
        });
        return y;
    }

    /// scale (x + bias).
    tensor gain_offset(const unit& u, const files& weights, const tensor& x) const {
        const std::vector<half> scale = gain(u.params, weights, "Scale", x.shape[C]);
        const std::vector<half> bias = gain(u.params, weights, "Bias", x.shape[C]);
        require(!scale.empty() || !bias.empty(), "a GOC has neither a scale nor a bias");
        return by_channel(x, [&](half v, std::size_t c) {
            v = bias.empty() ? v : binary(op::add, v, bias[c]);
            return scale.empty() ? v : binary(op::mul, v, scale[c]);
        });
    }

    tensor convolution(const unit& u, const files& weights, const tensor& x, const std::vector<half>& bias) const {
        const plist& p = u.params;
        const std::string& type = p.at("Type").string();
        require(x.shape[D] == 1, "a convolution with depth");
        const bool stuffed = type.find("DeConv") != std::string::npos;
        numerics::convolution_shape s{};
        s.kernel_height = p.at("KernelHeight").number();
        s.kernel_width = p.at("KernelWidth").number();
        const std::int64_t step_x = p.at("Step").items.at(0).number();
        const std::int64_t step_y = p.at("Step").items.at(1).number();
        if (p.at("KernelMode").string() == "Unity") {
            require(type == "ChannelWiseDeConv" && step_x == 2 && step_y == 2, "a Unity kernel that is no doubling");
            return moved(x, {x.shape[N], 1, x.shape[C], 2 * x.shape[H], 2 * x.shape[W]}, [](shape5 at) {
                at[H] /= 2;
                at[W] /= 2;
                return at;
            });
        }
        tensor from = x;
        if (stuffed) { // zeros behind every element
            from = made({x.shape[N], 1, x.shape[C], x.shape[H] * step_y, x.shape[W] * step_x});
            for_each_place(x.shape, [&](std::size_t i, shape5 at) {
                at[H] *= step_y;
                at[W] *= step_x;
                from.values[offset_of(from.shape, at)] = x.values[i];
            });
        }
        const auto dilation = [&](const char* key) { return p.find(key) != nullptr ? p.at(key).number() : 1; };
        s.batch = x.shape[N];
        s.in_channels = x.shape[C];
        s.in_height = from.shape[H];
        s.in_width = from.shape[W];
        s.out_channels = u.channels;
        s.stride_height = stuffed ? 1 : step_y;
        s.stride_width = stuffed ? 1 : step_x;
        s.dilation_height = dilation("KernelDilationY");
        s.dilation_width = dilation("KernelDilationX");
        s.pad_top = p.at("PadTop").number();
        s.pad_left = p.at("PadLeft").number();
        s.groups = u.groups;
        require(s.groups > 0 && s.in_channels % s.groups == 0 && s.out_channels % s.groups == 0,
                "groups do not divide");
        const auto results = [](std::int64_t extent, std::int64_t reach, std::int64_t stride) {
            return extent < reach ? 0 : (extent - reach) / stride + 1;
        };
        s.out_height = results(s.in_height + s.pad_top + p.at("PadBot").number(),
                               (s.kernel_height - 1) * s.dilation_height + 1, s.stride_height);
        s.out_width = results(s.in_width + s.pad_left + p.at("PadRight").number(),
                              (s.kernel_width - 1) * s.dilation_width + 1, s.stride_width);
        const std::vector<half> kernel =
            blob(weights, p.at("KernelIndex").number(), p.at("KernelOffset").number(),
                 s.out_channels * (s.in_channels / s.groups) * s.kernel_height * s.kernel_width);
        tensor y = made({s.batch, 1, s.out_channels, s.out_height, s.out_width});
        numerics::convolution(path, s, from.data(), kernel.data(), bias.empty() ? nullptr : bias.data(),
                              y.values.data());
        return y;
    }

    /// Depth counts as batch.
    tensor pooling(const plist& p, const tensor& x) const {
        const bool average = p.at("Type").string() == "Avg";
        require(average || p.at("Type").string() == "Max", "a Pooling that is neither Avg nor Max");
        require(p.at("PaddingMode").string() == (average ? "Zero" : "Negative"), "a Pooling with a wrong PaddingMode");
        numerics::pool_shape s{};
        s.batch = x.shape[N] * x.shape[D];
        s.channels = x.shape[C];
        s.in_height = x.shape[H];
        s.in_width = x.shape[W];
        s.kernel_height = p.at("KernelHeight").number();
        s.kernel_width = p.at("KernelWidth").number();
        s.stride_width = p.at("Step").items.at(0).number();
        s.stride_height = p.at("Step").items.at(1).number();
        s.pad_top = p.at("PadTop").number();
        s.pad_left = p.at("PadLeft").number();
        s.exclude_padding = average && p.at("AverageCountExcludePadding").flag();
        s.out_height = (s.in_height + s.pad_top + p.at("PadBot").number() - s.kernel_height) / s.stride_height + 1;
        s.out_width = (s.in_width + s.pad_left + p.at("PadRight").number() - s.kernel_width) / s.stride_width + 1;
        tensor y = made({x.shape[N], x.shape[D], s.channels, s.out_height, s.out_width});
        numerics::pool(path, average ? op::avg_pool : op::max_pool, s, x.data(), y.values.data());
        return y;
    }

    /// Rows on Channel, columns on Width; Height is the batch.
    tensor product(const tensor& a, const tensor& b) const {
        require(a.shape[N] == 1 && b.shape[N] == 1 && a.shape[D] == 1 && b.shape[D] == 1, "a product with batches");
        require(a.shape[W] == b.shape[C] && a.shape[H] == b.shape[H], "matrices that do not fit");
        const std::int64_t batch = a.shape[H];
        const numerics::matmul_shape s{.batch = 1, .m = a.shape[C], .n = b.shape[W], .k = a.shape[W]};
        const auto matrix = [batch](const tensor& t, std::int64_t h) {
            std::vector<half> result;
            for (std::int64_t row = 0; row < t.shape[C]; ++row) {
                const auto begin = t.values.begin() + (row * batch + h) * t.shape[W];
                result.insert(result.end(), begin, begin + t.shape[W]);
            }
            return result;
        };
        const auto ones = [](const tensor& t) {
            return t.constant && std::all_of(t.values.begin(), t.values.end(), [](half v) { return v == half(1.0); });
        };
        const bool left_ones = ones(a);
        const bool sums = path.products_with_ones == numerics::ones_rule::reduction && left_ones != ones(b);
        tensor y = made({1, 1, s.m, batch, s.n});
        for (std::int64_t h = 0; h < batch; ++h) {
            const std::vector<half> left = matrix(a, h);
            const std::vector<half> right = matrix(b, h);
            std::vector<half> out(static_cast<std::size_t>(s.m * s.n));
            if (sums) {
                numerics::matmul_with_ones(path, s, left_ones, left_ones ? right.data() : left.data(), nullptr,
                                           out.data());
            } else {
                numerics::matmul(path, s, left.data(), right.data(), nullptr, out.data());
            }
            for (std::int64_t row = 0; row < s.m; ++row) {
                std::copy_n(out.begin() + row * s.n, s.n, y.values.begin() + (row * batch + h) * s.n);
            }
        }
        return y;
    }

    /// Calls `f(begin, stride)` for each line along an axis.
    static void for_each_line(const shape5& shape, std::size_t axis, const auto& f) {
        shape5 kept = shape;
        kept[axis] = 1;
        const std::int64_t stride = strides_of(shape)[axis];
        for_each_place(kept, [&](std::size_t i, const shape5& at) { f(i, offset_of(shape, at), stride); });
    }

    tensor softmax(const plist& p, const tensor& x) const {
        const std::size_t axis = axis_named(p.at("Dimension"));
        tensor y = made(x.shape);
        for_each_line(x.shape, axis, [&](std::size_t, std::size_t begin, std::int64_t stride) {
            numerics::softmax(path, x.data() + begin, y.values.data() + begin, x.shape[axis], stride);
        });
        return y;
    }

    tensor reduction(const plist& p, const tensor& x) const {
        const std::string& type = p.at("Type").string();
        const op kind = type == "Sum"   ? op::reduce_sum
                        : type == "Avg" ? op::reduce_mean
                        : type == "Max" ? op::reduce_max
                                        : op::reduce_min;
        require(kind != op::reduce_min || type == "Min", "a Reduction of another type");
        shape5 kept = x.shape;
        shape5 folded{1, 1, 1, 1, 1};
        for (const plist& name : p.at("Dimension").items) {
            const std::size_t axis = axis_named(name);
            folded[axis] = x.shape[axis];
            kept[axis] = 1;
        }
        tensor y = made(kept);
        for_each_place(kept, [&](std::size_t i, const shape5& at) {
            std::vector<half> members;
            for_each_place(folded, [&](std::size_t, shape5 inner) {
                for (std::size_t a = 0; a < 5; ++a) {
                    inner[a] += at[a];
                }
                members.push_back(x.values[offset_of(x.shape, inner)]);
            });
            y.values[i] = reduce(kind, members);
        });
        return y;
    }

    tensor arg(bool largest, std::size_t axis, const tensor& x) const {
        shape5 shape = x.shape;
        shape[axis] = 1;
        tensor y = made(shape);
        for_each_line(x.shape, axis, [&](std::size_t i, std::size_t begin, std::int64_t stride) {
            y.values[i] = half(static_cast<double>(numerics::arg_reduce(path, largest ? op::arg_max : op::arg_min,
                                                                        x.data() + begin, x.shape[axis], stride)));
        });
        return y;
    }
    tensor arg_min_max(const plist& p, const tensor& x) const {
        const std::string& mode = p.at("Mode").string();
        require(p.at("KernelWidth").number() == x.shape[W] && p.at("KernelHeight").number() == x.shape[H],
                "an ArgMinMax whose window is not the image");
        const bool largest = mode.ends_with("Max");
        if (mode.starts_with("Channel")) {
            return arg(largest, C, x);
        }
        tensor flat = x;
        flat.shape = {x.shape[N], x.shape[D], x.shape[C], 1, x.shape[H] * x.shape[W]};
        return arg(largest, W, flat);
    }
};

} // namespace ane::standin_objc
