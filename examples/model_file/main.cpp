/// A model from a file, as C++: CMake makes edges.hpp of edges.mil, `anemone_add_model(example_model_file edges.mil TARGETS
/// macs)`, so that the compiler knows its ports and checks it for every Mac. It computes what the file does when it is read
/// at run time, bit by bit.
#include "edges.hpp"
#include <anemone/anemone.hpp>

#include <cstddef>
#include <cstdio>
#include <cstring>
#include <exception>
#include <span>
#include <string>

int main() {
    using namespace ane::literals;
    try {
        ane::ndarray<ane::shape<1, 1, 8, 8>> image; // a bright square in the lower right
        for (std::size_t i = 0; i < image.size; ++i) {
            image[i] = ane::half(i / 8 > 3 && i % 8 > 3 ? 1.0 : 0.0);
        }

        const ane::weight_store weights = ane::load_safetensors(std::string(edges::weights_file));
        auto program = ane::compile<edges::model>(ane::backend::oracle{ane::h13}, weights);
        const auto result = program({"image"_s = image}); // a wrong name, shape or type does not compile
        const auto shares = result["shares"_s];
        for (std::size_t i = 0; i < shares.size; ++i) {
            std::printf("class %zu: %.4f\n", i, static_cast<double>(shares[i]));
        }

        const ane::read_model file = ane::read_mil_file(ANEMONE_EXAMPLE_DATA "/edges.mil");
        auto read = ane::compile(file.graph, ane::backend::oracle{ane::h13}, file.weights);
        ane::ndarray<ane::shape<1, 3>> again;
        const std::span<const std::byte> inputs[]{std::as_bytes(image.elements())};
        const std::span<std::byte> outputs[]{std::as_writable_bytes(again.elements())};
        read.run(inputs, outputs);
        const bool same = std::memcmp(again.elements().data(), shares.data(), outputs[0].size()) == 0;
        std::printf("read at run time: %s\n", same ? "the same bits" : "other bits");
        return same ? 0 : 1;
    } catch (const std::exception& reason) {
        std::printf("%s\n", reason.what());
        return 1;
    }
}
