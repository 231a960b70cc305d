// The demo's network on its thirty images.

#include "../../examples/digits/image.hpp"
#include "../../examples/digits/model.hpp"
#include "bits.hpp"
#include "stopwatch.hpp"
#include "tasks.hpp"

#include <fmt/format.h>

#include <fstream>

using namespace ane;

namespace kit {
namespace {

verdict thirty_images(open_door& door) {
    const std::string data = ANEMONE_SOURCE_DIR "/examples/digits/";
    const weight_store weights = load_safetensors(data + "digits.safetensors");
    auto engine = door.compile(digits, {}, weights);
    auto oracle = backend::oracle(door.chip()).compile(digits, weights);
    std::ifstream labels(data + "images/labels.csv");
    std::string row;
    std::getline(labels, row); // the heading
    int images = 0, right = 0, same = 0;
    ndarray<shape<1, 1, 28, 28>> image;
    std::vector<half> y(10), z(10);
    const std::span<const std::byte> in[] = {std::as_bytes(image.elements())};
    const std::span<std::byte> out[] = {std::as_writable_bytes(std::span(y))};
    const std::span<std::byte> wanted[] = {std::as_writable_bytes(std::span(z))};
    while (std::getline(labels, row)) {
        const std::string file = row.substr(0, row.find(','));
        const int digit = row.at(row.find(',') + 1) - '0';
        image = read_image(data + "images/" + file);
        engine.run(in, out);
        oracle.run(in, wanted);
        const std::string difference = differences(y, z);
        const auto best = std::max_element(
            y.begin(), y.end(), [](half a, half b) { return static_cast<float>(a) < static_cast<float>(b); });
        ++images;
        right += best - y.begin() == digit ? 1 : 0;
        same += difference.empty() ? 1 : 0;
        tell(fmt::format("{}: engine {}; {}", file, patterns(y),
                         difference.empty() ? "same bits" : "oracle " + patterns(z) + "; DIFFERENT: " + difference));
    }
    tell(fmt::format("{} images: {} right, {} with the oracle's bits", images, right, same));
    tell(time_against_cost([&] { engine.run(in, out); }, digits, door.chip()));
    return images == 30 && right == images && same == images ? verdict::agrees : verdict::differs;
}

} // namespace

std::vector<task> demo_tasks() { return {{"demo", "thirty images of digits, ./run demo", thirty_images}}; }

} // namespace kit
