#include "advised_layer_parts.hpp"

#include <sstream>
#include <utility>

namespace advised_layers {

std::set<std::string>& not_known() {
    static std::set<std::string> all;
    return all;
}

// ---- convolutions ------------------------------------------------------------------------------------------------------

dynamic_graph convolution::built() const {
    dynamic_builder b;
    const auto stored = [this](dynamic_builder& to, const extents& shape) {
        const tensor w = to.weight("w", shape);
        return in_palette ? to.add(op::compressed, {w}, compression{.form = weight_form::palette, .bits = 4}) : w;
    };
    const std::int64_t of_group = channels / groups;
    if (as_frames) {
        const std::int64_t reach_h = (kernel_height - 1) * dilation + 1;
        const std::int64_t reach_w = (kernel_width - 1) * dilation + 1;
        const std::int64_t frames = ((height - reach_h) / stride.height + 1) * ((width - reach_w) / stride.width + 1);
        const std::int64_t terms = of_group * kernel_height * kernel_width;
        b.output("y", b.add(op::linear, {b.input("x", {frames, terms}), stored(b, {outputs / groups, terms})}));
        return b.finish();
    }
    const tensor x = b.input("x", {1, channels, height, width});
    const tensor w = stored(b, {outputs, of_group, kernel_height, kernel_width});
    b.output("y", b.add(op::conv2d, {x, w}, conv{.stride = stride, .dilation = dilation, .groups = groups}));
    return b.finish();
}

std::string convolution::text() const {
    std::ostringstream s;
    s << "conv2d of [1, " << channels << ", " << height << ", " << width << "] by [" << outputs << ", .., "
      << kernel_height << ", " << kernel_width << "], stride " << stride.height << " " << stride.width << ", dilation "
      << dilation << ", groups " << groups << (as_frames ? ", as frames" : "") << (in_palette ? ", a palette" : "");
    return s.str();
}

void convolution::tile(std::int64_t convolution::*image, std::int64_t kernel, int step, rule of, target t) {
    const std::int64_t reach = (kernel - 1) * dilation + 1;
    for (std::int64_t results = (this->*image - reach) / step + 1; results > 1 && breaks(built(), of, t);) {
        results = (results + 1) / 2;
        this->*image = reach + (results - 1) * step;
    }
}

std::optional<convolution> convolution::follow(const convolution& from, rule of, const std::string& s, target t) {
    convolution c = from;
    const auto& limits = describe(t).limits;
    if (begins(s, "cut the input into frames") || begins(s, "multiply the input by the kernel")) {
        c.as_frames = true;
    } else if (begins(s, "pad the kernel with zeros") ||
               begins(s, "swap the axes and pad")) { // and the input at its end
        const auto padded = [&](std::int64_t& kernel, std::int64_t& image) {
            const std::int64_t more = up_to_multiple(kernel, 8) - kernel;
            kernel += more;
            image += more * c.dilation;
        };
        padded(c.kernel_height, c.height);
        padded(c.kernel_width, c.width);
        if (begins(s, "swap the axes")) {
            std::swap(c.kernel_height, c.kernel_width);
            std::swap(c.height, c.width);
            std::swap(c.stride.height, c.stride.width);
        }
    } else if (begins(s, "swap the axes") || begins(s, "split the kernel's height")) {
        if (begins(s, "swap the axes")) {
            std::swap(c.kernel_height, c.kernel_width);
            std::swap(c.height, c.width);
            std::swap(c.stride.height, c.stride.width);
        }
        if (const std::size_t at = s.find("into a sum of "); at != std::string::npos) { // the first of the parts
            const std::int64_t parts = std::stoi(s.substr(at + 14));
            const std::int64_t part = (c.kernel_height + parts - 1) / parts;
            c.height -= (c.kernel_height - part) * c.dilation;
            c.kernel_height = part;
        }
    } else if (begins(s, "use a stride such as")) {
        for (int* const each : {&c.stride.height, &c.stride.width}) {
            if (*each == 5 || *each == 7 || *each == 10 || *each == 14 || *each > 32) {
                *each = static_cast<int>(nearest(*each, {4, 6, 8, 9, 12, 16, 24, 32}));
            }
        }
    } else if (begins(s, "use strides of")) {
        c.stride.height = static_cast<int>(nearest(c.stride.height, {1, 2, 3, 4, 8}));
        c.stride.width = static_cast<int>(nearest(c.stride.width, {1, 2, 3, 4, 8}));
    } else if (begins(s, "lower the dilation")) {
        c.dilation = 1;
    } else if (begins(s, "use a smaller kernel")) {
        c.kernel_height = std::min<std::int64_t>(c.kernel_height, limits.kernel_height_small);
        c.kernel_width = std::min<std::int64_t>(c.kernel_width, limits.kernel_width_fp16_small);
    } else if (begins(s, "one group for each channel")) {
        c.groups = static_cast<int>(c.channels);
        c.outputs = up_to_multiple(c.outputs, c.channels);
    } else if (begins(s, "use a group count")) {
        while (c.groups > 1 &&
               (describe(t).cores % c.groups != 0 || c.channels % c.groups != 0 || c.outputs % c.groups != 0)) {
            --c.groups;
        }
    } else if (c.as_frames && begins(s, "tile the last axis")) { // the frames' elements in parts
        while (c.kernel_width > 1 && breaks(c.built(), of, t)) {
            c.kernel_width = (c.kernel_width + 1) / 2;
        }
    } else if (begins(s, "tile the batch or the image") || begins(s, "keep it under")) {
        c.tile(&convolution::width, c.kernel_width, c.stride.width, of, t);
        c.tile(&convolution::height, c.kernel_height, c.stride.height, of, t);
        if (s.find("split the outputs") != std::string::npos) {
            return follow(c, of, s.substr(s.find("split the outputs")), t);
        }
    } else if (begins(s, "tile the last axis") || begins(s, "tile the width")) {
        c.width = (c.width + 1) / 2 + (c.kernel_width - 1) * c.dilation;
        for (int i = 0; i < 4 && breaks(c.built(), of, t); ++i) {
            c.width = (c.width + 1) / 2 + (c.kernel_width - 1) * c.dilation;
        }
    } else if (begins(s, "use at most 192")) {
        c.outputs = 192 / c.groups * c.groups;
    } else if (begins(s, "a multiple of 256")) {
        c.outputs = up_to_multiple(c.outputs, 256 * c.groups);
    } else if (begins(s, "use a channel count")) {
        std::int64_t power = 1;
        while (power < c.channels) {
            power *= 2;
        }
        c.channels = up_to_multiple(power, c.groups);
    } else if (begins(s, "use a smaller stride")) {
        c.stride = {1, 1};
    } else if (begins(s, "split the channels")) {
        c.channels = up_to_multiple((c.channels + 1) / 2, c.groups);
    } else if (begins(s, "use widths") || begins(s, "move a longer axis last") || begins(s, "a width that is an odd")) {
        c.width = up_to_multiple(c.width, 8);
    } else if (begins(s, "split the outputs into")) { // a layer has outputs of one group
        const std::int64_t parts = std::stoll(s.substr(23));
        c.channels /= c.groups;
        c.outputs = c.as_frames ? (c.outputs / c.groups + parts - 1) / parts // of one group already
                                : std::min((c.outputs + parts - 1) / parts, c.outputs / c.groups);
        c.groups = 1;
        if (const std::size_t at = s.find("into a sum of "); at != std::string::npos) {
            const std::int64_t sums = std::stoll(s.substr(at + 14));
            c.channels = std::max<std::int64_t>(c.channels / sums, 1);
        }
        c.in_palette = c.in_palette || s.find("palette of 4 bits") != std::string::npos;
    } else if (begins(s, "split it along its rows")) {
        while (c.outputs > c.groups && breaks(c.built(), of, t)) {
            c.outputs = up_to_multiple((c.outputs + 1) / 2, c.groups);
        }
    } else if (begins(s, "stream them as a palette")) {
        c.in_palette = true;
    } else {
        return unknown(of, s);
    }
    return c;
}

std::vector<convolution> convolution::some(bool all) {
    std::vector<convolution> layers;
    const std::int64_t kernels[] = {1, 3, 8, 12, 20, 40, 512};
    for (const std::int64_t kh : kernels) {
        for (const std::int64_t kw : kernels) {
            for (const int stride : {1, 3, 6, 7, 160}) {
                for (const int dilation : {1, 2}) {
                    for (const int groups : {1, 3, 12}) {
                        for (const std::int64_t width : {640, 16380, 20000}) {
                            for (const std::int64_t outputs : {12, 204}) {
                                const int turn = static_cast<int>(kh + 3 * kw + 7 * stride + 11 * groups + width / 128 +
                                                                  outputs / 12);
                                convolution c{12,
                                              kh > 40 ? 1152 : 64,
                                              width,
                                              outputs,
                                              kh,
                                              kw,
                                              {stride > 100 ? 1 : stride, stride},
                                              dilation,
                                              groups};
                                const bool fits =
                                    c.height >= (kh - 1) * dilation + 1 && width >= (kw - 1) * dilation + 1;
                                const bool is_large = kh * kw > 20000; // weights of megabytes
                                if (fits && !is_large && turn % (all ? 5 : 31) == 0) {
                                    layers.push_back(c);
                                }
                            }
                        }
                    }
                }
            }
        }
    }
    return layers;
}

// ---- windows -----------------------------------------------------------------------------------------------------------

dynamic_graph pooling::built() const {
    dynamic_builder b;
    const tensor x = b.input("x", {1, 4, height, width});
    if (reduces) {
        b.output("y", b.add(kind == op::max_pool ? op::reduce_max : op::reduce_mean, {x}, axes{2, 3}));
    } else {
        b.output("y", b.add(kind, {x}, pool{.kernel = kernel, .stride = stride}));
    }
    return b.finish();
}

std::string pooling::text() const {
    std::ostringstream s;
    s << name(kind) << " of " << height << " x " << width << ", windows " << kernel.height << " x " << kernel.width
      << ", stride " << stride.height << " x " << stride.width << (reduces ? ", by a reduction" : "");
    return s.str();
}

std::optional<pooling> pooling::follow(const pooling& from, rule of, const std::string& s, target t) {
    pooling p = from;
    if (begins(s, "pool twice")) { // the first of the two
        const bool overlaps = p.stride.height < p.kernel.height || p.stride.width < p.kernel.width;
        if (p.kind != op::max_pool && overlaps) {
            return std::nullopt;
        }
        const auto first = [&](int& kernel, int& steps) {
            if (steps == kernel && steps > 1) { // windows side by side: the first ones make up each
                for (int factor = 2; factor < kernel; ++factor) {
                    if (kernel % factor == 0 && kernel / factor <= 16) {
                        kernel = steps = factor;
                        return;
                    }
                }
            }
            kernel = kernel / 2 + 1; // windows of a and b at stride 1 make one of a + b - 1
            steps = 1;
        };
        for (int i = 0; i < 6 && breaks(p.built(), of, t); ++i) { // and each of two where they are too large still
            first(p.kernel.height, p.stride.height);
            first(p.kernel.width, p.stride.width);
        }
        return p;
    }
    if (begins(s, "reduce the axis")) {
        if (p.kernel.height != p.height || p.kernel.width != p.width) {
            return std::nullopt;
        }
        p.reduces = true;
        return p;
    }
    if (begins(s, "swap the axes")) {
        std::swap(p.kernel.height, p.kernel.width);
        std::swap(p.stride.height, p.stride.width);
        std::swap(p.height, p.width);
        return p;
    }
    if (begins(s, "use a stride of 2 or 4")) {
        p.stride.height = p.stride.height == 3 ? 2 : p.stride.height;
        p.stride.width = p.stride.width == 3 ? 2 : p.stride.width;
        return p;
    }
    if (begins(s, "pad or crop")) { // padded where the window would not fit otherwise
        const auto fitted = [](std::int64_t extent, int kernel, int step) {
            const std::int64_t cropped = extent / step * step;
            return cropped < kernel ? cropped + step : cropped;
        };
        p.height = fitted(p.height, p.kernel.height, p.stride.height);
        p.width = fitted(p.width, p.kernel.width, p.stride.width);
        return p;
    }
    if (begins(s, "use widths") || begins(s, "a width that is") || begins(s, "move a longer")) {
        p.width = up_to_multiple(p.width, 8);
        return p;
    }
    (void)t;
    return unknown(of, s);
}

std::vector<pooling> pooling::some(bool all) {
    std::vector<pooling> layers;
    for (const op kind : {op::max_pool, op::avg_pool, op::l2_pool}) {
        for (const int kh : {1, 3, 9, 20, 30, 60}) {
            for (const int kw : {1, 3, 9, 20, 30, 60}) {
                for (const int stride : {1, 2, 3, 7}) {
                    if ((kh == 60 || kw == 60) && stride == 7) {
                        continue; // of one window, which has no stride
                    }
                    for (const std::int64_t width : {60, 61, 64}) {
                        if (all || (kh + kw + stride + width) % 9 == 0) {
                            layers.push_back({kind, 60, width, {kh, kw}, {stride, stride}});
                        }
                    }
                }
                layers.push_back({kind, 60, 60, {kh, kw}, {kh, kw}});
            }
        }
    }
    return layers;
}

} // namespace advised_layers
