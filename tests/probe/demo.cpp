// The demo's network on its thirty images.

#include "../../examples/digits/image.hpp"
#include "../../examples/digits/model.hpp"
#include "as_written.hpp"
#include "bits.hpp"
#include "stopwatch.hpp"
#include "tasks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>

using namespace ane;

namespace kit {
namespace {

verdict thirty_images(open_door& door) {
    const std::string data = ANEMONE_SOURCE_DIR "/examples/digits/";
    const weight_store weights = load_safetensors(data + "digits.safetensors");
    auto engine = door.compile(digits, {}, weights);
    auto oracle = backend::oracle(door.chip()).compile(digits, weights);
    oracle_of_the_file file(digits, weights, numerics::datapath_of(door.chip()));
    const bool netplist = door.door() == engine_runtime::netplist; // a bias is a layer of its own there
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
        const std::string name = row.substr(0, row.find(','));
        const int digit = row.at(row.find(',') + 1) - '0';
        const auto pixels = read_image(data + "images/" + name);
        std::copy(pixels.begin(), pixels.end(), image.begin());
        engine.run(in, out);
        oracle.run(in, wanted);
        if (netplist) {
            const std::vector<half> of_the_file = file.run(in);
            std::copy(of_the_file.begin(), of_the_file.end(), z.begin());
        }
        const std::string difference = differences(y, z);
        const auto best = std::max_element(
            y.begin(), y.end(), [](half a, half b) { return static_cast<float>(a) < static_cast<float>(b); });
        ++images;
        right += best - y.begin() == digit ? 1 : 0;
        same += difference.empty() ? 1 : 0;
        tell(fmt::format("{}: engine {}; {}", name, patterns(y),
                         difference.empty() ? "same bits" : "oracle " + patterns(z) + "; DIFFERENT: " + difference));
    }
    tell(fmt::format("{} images: {} right, {} with the bits of the oracle{}", images, right, same,
                     netplist ? " for the steps of the netplist" : ""));
    tell(time_against_cost([&] { engine.run(in, out); }, digits, door.chip()));
    return images == 30 && right == images && same == images ? verdict::agrees : verdict::differs;
}

} // namespace

std::vector<task> demo_tasks() { return {{"demo", "thirty images of digits, ./run demo", thirty_images}}; }

} // namespace kit
