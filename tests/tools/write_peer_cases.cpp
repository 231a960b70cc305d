// Writes weights, inputs and outputs of models on the CPU as raw fp16 for tests/python/peer.py, which computes the same in
// NumPy, into the folder that is the argument. The script has put the images of the digits there.

#include "../backend/composer.hpp"
#include "../backend/cpu/whole_models.hpp"
#include "into_folder.hpp"
#include <anemone/backend/cpu/cpu.hpp>
#include <anemone/backend/program.hpp>
#include <anemone/base/error.hpp>
#include <anemone/io/file.hpp>
#include <anemone/weights/convert.hpp>
#include <anemone/weights/safetensors.hpp>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <utility>
#include <vector>

using namespace composing;
using namespace whole_models;

namespace {

void write_all(const std::filesystem::path& directory) {
    const auto write = [&](const std::string& name, std::span<const half> data) {
        write_file(directory / name, std::as_bytes(data));
    };
    const std::pair<const char*, graph_view> models[] = {
        {"residual", residual}, {"encoder", encoder}, {"values", values}};
    for (const auto& [name, g] : models) {
        random_engine random(17);
        const weight_store weights = random_weights(g, random);
        port_memory inputs = random_inputs(g, random, false);
        port_memory outputs = memory_of_outputs(g);
        compile(g, backend::cpu{}.rounding(rounding::each_operation), weights).run(inputs.inputs(), outputs.outputs());
        const std::string stem = std::string(name) + ".";
        for (const stored_tensor& t : weights) {
            write(stem + t.name + ".raw", to_half(t));
        }
        for (int i = 0, port = 0; i < g.size(); ++i) {
            if (g[i].kind == op::input) {
                write(stem + std::string(g.name(i)) + ".raw", inputs.halves(static_cast<std::size_t>(port++)));
            }
        }
        for (std::size_t i = 0; i < g.outputs.size(); ++i) {
            write(stem + "output." + std::string(g.name(g.outputs[i])) + ".raw", outputs.halves(i));
        }
    }
    // The digits network on the images that the script has decoded.
    std::ifstream in(directory / "digits.images.raw", std::ios::binary);
    const std::string pixels(std::istreambuf_iterator<char>(in), {});
    if (pixels.empty() || pixels.size() % (784 * sizeof(half)) != 0) {
        throw error(errc::file, "digits.images.raw",
                    "has " + std::to_string(pixels.size()) + " bytes: no images of 784");
    }
    const weight_store trained =
        load_safetensors(std::string(ANEMONE_SOURCE_DIR) + "/examples/digits/digits.safetensors");
    auto program = compile<digits>(backend::cpu{}.rounding(rounding::each_operation), trained);
    std::vector<half> probabilities;
    for (std::size_t at = 0; at < pixels.size(); at += 784 * sizeof(half)) {
        ndarray<shape<1, 1, 28, 28>> image;
        std::memcpy(image.data(), pixels.data() + at, 784 * sizeof(half));
        const auto r = program({"image"_s = image});
        probabilities.insert(probabilities.end(), r["probabilities"_s].begin(), r["probabilities"_s].end());
    }
    write("digits.probabilities.raw", probabilities);
}

} // namespace

int main(int count, char** arguments) { return into_folder(count, arguments, write_all); }
