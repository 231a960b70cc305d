// The snippets of docs/getting_started.md, line by line, which tests/python/pages.py compares.

// classifier.cpp: the only file with the model, its weights and a backend
#include "classifier.hpp"

#include "classifier_model.hpp" // inline constexpr auto classifier = ane::graph(...)
#include <anemone/anemone.hpp>

std::vector<float> classify(const std::vector<float>& pixels) {
    using namespace ane::literals;
    static const ane::weight_store weights = ane::load_safetensors("classifier.safetensors");
    static auto program = ane::compile<classifier>(ane::backend::cpu{}, weights);
    return program({"image"_s = ane::ndarray<ane::shape<1, 1, 28, 28>>(pixels)})["probabilities"_s].floats();
}
