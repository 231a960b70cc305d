/// A detector as a constant of the program: its check for every Mac, its boxes for an image, of which the best are kept, and a
/// drawing of them (docs/image_networks.md). Weights are random; `example_detector yolov8n.safetensors` takes published ones.
#include <anemone/anemone.hpp>
#include <anemone/models/networks/network.hpp>
#include <anemone/models/networks/network_checkpoint.hpp>
#include <anemone/models/vision/boxes.hpp>
#include <anemone/weights/random.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <span>
#include <string>
#include <vector>

using namespace ane::literals;
using namespace ane::models;

static_assert(ane::conforms<image_network<yolov8n>, ane::macs>); // 640 x 640

constexpr int side = 128;
constexpr yolo_configuration small{.size = side};
constexpr const auto& detector = image_network<small>;

/// The outlines of boxes in letters, a row for eight pixels and a column for four.
std::string drawn(const std::vector<detection>& boxes) {
    std::vector<std::string> lines(side / 8, std::string(side / 4, '.'));
    for (std::size_t i = boxes.size(); i-- > 0;) { // the best one on top
        const detection& b = boxes[i];
        const auto within = [](float edge, float step) {
            return static_cast<int>(std::clamp(edge, 0.0F, side - 1.0F) / step);
        };
        const int left = within(b.x - b.width / 2, 4);
        const int right = within(b.x + b.width / 2, 4);
        const int top = within(b.y - b.height / 2, 8);
        const int bottom = within(b.y + b.height / 2, 8);
        for (int y = top; y <= bottom; ++y) {
            for (int x = left; x <= right; ++x) {
                if (y == top || y == bottom || x == left || x == right) {
                    lines[static_cast<std::size_t>(y)][static_cast<std::size_t>(x)] = static_cast<char>('A' + i);
                }
            }
        }
    }
    std::string all;
    for (const std::string& line : lines) {
        all += "    " + line + "\n";
    }
    return all;
}

/// Random, but for the distances that the distributions of the head are over, which nobody trains, and its offsets: a place looks for
/// what is about two places wide.
ane::weight_store drawn_weights() {
    ane::weight_store weights = ane::random_weights(detector, 7);
    const auto set = [&](const std::string& name, const ane::extents& shape, const std::vector<float>& values) {
        weights.remove(name);
        weights.add(name, shape, std::span<const float>(values));
    };
    std::vector<float> distances(16);
    std::iota(distances.begin(), distances.end(), 0.0F);
    set("model_22_dfl_conv_weight", {1, 16, 1, 1}, distances);
    std::vector<float> offsets(64);
    for (std::size_t i = 0; i < offsets.size(); ++i) {
        offsets[i] = -4 * std::abs(distances[i % 16] - 1);
    }
    for (const char* const level : {"0", "1", "2"}) {
        set(std::string("model_22_cv2_") + level + "_2_bias", {64}, offsets);
    }
    return weights;
}

int main(int count, char** arguments) {
    const ane::weight_store weights =
        count > 1 ? network_model(small, ane::load_safetensors(arguments[1]), arguments[1]).weights : drawn_weights();
    ane::ndarray<ane::shape<1, 3, side, side>> image; // a bright square on grey
    for (int c = 0; c < 3; ++c) {
        for (int y = 0; y < side; ++y) {
            for (int x = 0; x < side; ++x) {
                const bool is_square = x >= 40 && x < 90 && y >= 30 && y < 80;
                image(0, c, y, x) = ane::half(is_square ? 0.9F - 0.2F * static_cast<float>(c) : 0.4F);
            }
        }
    }
    auto program = ane::compile<detector>(ane::backend::cpu{}, weights);
    const auto found = program({"image"_s = image})["detections"_s];
    std::vector<float> values(found.size);
    for (std::size_t i = 0; i < found.size; ++i) {
        values[i] = static_cast<float>(found[i]);
    }
    const std::vector<detection> boxes =
        non_maximum_suppression(values, small.classes, {.score = 0.25F, .overlap = 0.3F, .most = 4});
    fmt::print("{} places, {} boxes:\n", found.size / static_cast<std::size_t>(4 + small.classes), boxes.size());
    for (std::size_t i = 0; i < boxes.size(); ++i) {
        const detection& b = boxes[i];
        fmt::print("{}: class {}, score {:.2f}, {:.0f} x {:.0f} pixels at {:.0f}, {:.0f}\n", static_cast<char>('A' + i),
                   b.label, b.score, b.width, b.height, b.x, b.y);
    }
    fmt::print("{}", drawn(boxes));
    const auto is_apart = [&](const detection& a) {
        return std::all_of(boxes.begin(), boxes.end(), [&](const detection& b) {
            return &a == &b || a.label != b.label || overlap_of(a, b) <= 0.3F;
        });
    };
    return std::all_of(boxes.begin(), boxes.end(), is_apart) ? 0 : 1;
}
