#pragma once

#include "../../graph/graph.hpp"
#include "../../graph/refusal.hpp"
#include "../../graph/sequence.hpp"
#include "../network_maker.hpp"
#include "../publisher.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

namespace ane::models {

/// YOLOv8 (Jocher et al. 2023), a detector without anchor boxes: a backbone of partial residual stages (C2f), a neck that mixes
/// three resolutions, and a head that gives each place a distribution over the distances to the edges of a box and a score for
/// each class.
struct yolo_configuration {
    static constexpr pixel_statistics pixels = from_0_to_1;
    static constexpr double norm_epsilon = 1e-3; ///< of the batch norms

    publisher source = publisher::ultralytics;
    std::array<std::int64_t, 5> widths{16, 32, 64, 128, 256}; ///< channels at strides 2, 4, 8, 16 and 32
    std::array<std::int64_t, 4> depths{1, 2, 2, 1}; ///< residual blocks at strides 4 to 32; the neck has the first
    std::int64_t size = 640;                        ///< of the image, both ways
    std::int64_t classes = 80;
    friend constexpr bool operator==(const yolo_configuration&, const yolo_configuration&) = default;
};
inline constexpr yolo_configuration yolov8n{};
inline constexpr yolo_configuration yolov8s{.widths = {32, 64, 128, 256, 512}};
inline constexpr yolo_configuration yolov8m{.widths = {48, 96, 192, 384, 576}, .depths = {2, 4, 4, 2}};
inline constexpr yolo_configuration yolov8l{.widths = {64, 128, 256, 512, 512}, .depths = {3, 6, 6, 3}};
inline constexpr yolo_configuration yolov8x{.widths = {80, 160, 320, 640, 640}, .depths = {3, 6, 6, 3}};

/// The sentence that says why there is no such network, empty where there is one.
constexpr std::string_view fault_of(const yolo_configuration& c) noexcept {
    for (const std::int64_t width : c.widths) {
        if (width < 2 || width > 8192 || width % 2 != 0) {
            return "a stage has an even number of channels from 2 to 8192";
        }
    }
    for (const std::int64_t depth : c.depths) {
        if (depth < 1 || depth > 64) {
            return "a stage has from 1 to 64 residual blocks";
        }
    }
    return c.classes < 1 || c.classes > 65536 ? "the classes are from 1 to 65536"
           : c.size < 32 || c.size > 4096 || c.size % 32 != 0
               ? "the image must be from 32 to 4096 pixels wide, in steps of 32"
               : "";
}

namespace detail {

class yolo_maker {
public:
    constexpr yolo_maker(const yolo_configuration& c, const network_form& f) : c_(c), f_(f) {}

    constexpr dynamic_graph graph() && {
        const auto& w = c_.widths;
        const std::int64_t n = c_.depths[0];
        int x = m_.image(f_, 3, c_.size, within(0, 1));
        x = layer(layer(x, 0, w[0]), 1, w[1]);
        x = layer(stage(x, 2, w[1], c_.depths[0], true), 3, w[2]);
        const int fine = stage(x, 4, w[2], c_.depths[1], true);
        const int middle = stage(layer(fine, 5, w[3]), 6, w[3], c_.depths[2], true);
        const int coarse = pyramid(stage(layer(middle, 7, w[4]), 8, w[4], c_.depths[3], true));
        const int up = stage(joined(10, doubled(10, coarse), middle), 12, w[3], n, false);
        const int first = stage(joined(13, doubled(13, up), fine), 15, w[2], n, false);
        const int second = stage(joined(17, layer(first, 16, w[2]), up), 18, w[3], n, false);
        const int third = stage(joined(20, layer(second, 19, w[3]), coarse), 21, w[4], n, false);
        detect({first, second, third});
        return std::move(m_).taken();
    }

private:
    /// A convolution, its batch norm and SiLU, at a place: "model.#.m.*.cv1.".
    constexpr int convolution(int x, std::string_view place, std::int64_t number, std::int64_t index, std::int64_t to,
                              int size, int stride = 1) {
        m_.enter(place, number, index);
        return m_.function(op::silu,
                           m_.convolution(x, "conv", "bn", to, {.size = size, .stride = stride, .border = size / 2}));
    }
    /// Halves height and width.
    constexpr int layer(int x, std::int64_t number, std::int64_t to) {
        return convolution(x, "model.#.", number, 0, to, 3, 2);
    }
    constexpr int doubled(std::int64_t number, int x) {
        m_.enter("model.#.", number);
        return m_.doubled(x);
    }
    constexpr int joined(std::int64_t number, int a, int b) {
        m_.enter("model.#.", number);
        return m_.concatenated(std::array{a, b}, 1);
    }
    /// C2f: half of the channels go through the residual blocks, and all that is between them into the last convolution.
    constexpr int stage(int x, std::int64_t number, std::int64_t to, std::int64_t depth, bool adds) {
        x = convolution(x, "model.#.cv1.", number, 0, to, 1);
        const std::int64_t half = to / 2;
        int last = m_.slice(x, 1, half, half);
        sequence<int> parts;
        parts.push_back(m_.slice(x, 1, 0, half));
        parts.push_back(last);
        for (std::int64_t i = 0; i < depth; ++i) {
            int y = convolution(last, "model.#.m.*.cv1.", number, i, half, 3);
            y = convolution(y, "model.#.m.*.cv2.", number, i, half, 3);
            last = adds ? m_.add(last, y) : y;
            parts.push_back(last);
        }
        x = m_.concatenated({parts.data(), parts.size()}, 1);
        return convolution(x, "model.#.cv2.", number, 0, to, 1);
    }
    /// SPPF: the largest of windows of 5, 9 and 13 pixels beside the pixel itself.
    constexpr int pyramid(int x) {
        const std::int64_t width = m_.shape(x)[1];
        pool largest;
        largest.kernel = 5;
        largest.stride = 1;
        largest.padding = 2;
        std::array<int, 4> parts{convolution(x, "model.9.cv1.", 0, 0, width / 2, 1)};
        for (std::size_t i = 1; i < parts.size(); ++i) {
            parts[i] = m_.emit(op::max_pool, largest, {parts[i - 1]});
        }
        return convolution(m_.concatenated(parts, 1), "model.9.cv2.", 0, 0, width, 1);
    }

    /// What the distances and the scores come from, at each resolution, and as one output for all places if they are decoded.
    constexpr void detect(const std::array<int, 3>& levels) {
        const std::int64_t inner = std::max({std::int64_t{16}, c_.widths[2] / 4, 4 * bins});
        const std::int64_t scored = std::max(c_.widths[2], std::min<std::int64_t>(c_.classes, 100));
        m_.enter("model.22.");
        const int distances = f_.decodes_boxes ? m_.weight("dfl.conv", ".weight", {1, bins, 1, 1}) : -1;
        std::array<int, 3> found{};
        for (std::size_t i = 0; i < levels.size(); ++i) {
            const auto at = static_cast<std::int64_t>(i);
            int edges = convolution(levels[i], "model.22.cv2.*.0.", 0, at, inner, 3);
            edges = convolution(edges, "model.22.cv2.*.1.", 0, at, inner, 3);
            m_.enter("model.22.cv2.*.", 0, at);
            edges = m_.convolution(edges, "2", "2", 4 * bins, {});
            int scores = convolution(levels[i], "model.22.cv3.*.0.", 0, at, scored, 3);
            scores = convolution(scores, "model.22.cv3.*.1.", 0, at, scored, 3);
            m_.enter("model.22.cv3.*.", 0, at);
            scores = m_.convolution(scores, "2", "2", c_.classes, {});
            m_.enter("model.22.");
            if (f_.decodes_boxes) {
                found[i] = decoded(edges, scores, distances);
            } else {
                constexpr std::string_view names[] = {"stride_8", "stride_16", "stride_32"};
                m_.output(m_.concatenated(std::array{edges, scores}, 1), names[i]);
            }
        }
        if (f_.decodes_boxes) {
            m_.output(m_.concatenated(found, 2), "detections");
        }
    }
    /// [1, 4 + classes, places]: the expected distances to the left, upper, right and lower edge, in pixels of this resolution and
    /// from the centre of each, as the centre, width and height of a box in pixels of the image; then the scores. Boxes stay
    /// small until the last product, for fp16 has steps of half a pixel from 512 on.
    constexpr int decoded(int edges, int scores, int distances) {
        const std::int64_t extent = m_.shape(edges)[2];
        int x = m_.emit(op::softmax, axis{1}, {m_.reshape(edges, {4, bins, extent, extent})});
        x = m_.emit(op::conv2d, conv{}, {x, distances});
        x = m_.reshape(x, {1, 4, extent, extent});
        const int before = m_.slice(x, 1, 0, 2);
        const int behind = m_.slice(x, 1, 2, 2);
        const int from_centre = m_.scaled(m_.emit(op::sub, no_attributes{}, {behind, before}), 0.5);
        sequence<float> places;
        for (std::int64_t i = 0; i < extent; ++i) {
            places.push_back(static_cast<float>(i) + 0.5F);
        }
        const std::span<const float> centres(places.data(), places.size());
        const int across = m_.add(m_.slice(from_centre, 1, 0, 1), m_.constant({1, 1, 1, extent}, centres));
        const int down = m_.add(m_.slice(from_centre, 1, 1, 1), m_.constant({1, 1, extent, 1}, centres));
        int box = m_.concatenated(std::array{across, down, m_.add(before, behind)}, 1);
        box = m_.scaled(box, static_cast<double>(c_.size) / static_cast<double>(extent));
        const int all = m_.concatenated(std::array{box, m_.function(op::sigmoid, scores)}, 1);
        return m_.reshape(all, {1, 4 + c_.classes, extent * extent});
    }

    static constexpr std::int64_t bins = 16; ///< of a distance

    yolo_configuration c_;
    network_form f_;
    network_maker m_;
};

} // namespace detail

/// The graph of a detector: `image` [1, 3, size, size], as the form has it, normalized from 0 to 1, to `detections`
/// [1, 4 + classes, places]: centre, width and height of a box in pixels, and a score from 0 to 1 for each class, at the places of
/// strides 8, 16 and 32, row by row; of overlapping ones the host keeps the best (`non_maximum_suppression`, boxes.hpp). Or,
/// undecoded, `stride_8`, `stride_16` and `stride_32` [1, 64 + classes, rows, columns]. Throws `ane::error` (errc::graph) for a
/// network that cannot be.
constexpr dynamic_graph network_graph(const yolo_configuration& c, const network_form& f = {}) {
    if (const std::string_view wrong = fault_of(c); !wrong.empty()) {
        ane::detail::refuse_graph("yolo", wrong.data());
    }
    return detail::yolo_maker(c, f).graph();
}

} // namespace ane::models
