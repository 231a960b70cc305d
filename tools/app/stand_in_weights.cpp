#include "stand_in_weights.hpp"

#include <anemone/base/error.hpp>
#include <anemone/passes/print.hpp>
#include <anemone/weights/gguf.hpp>
#include <anemone/weights/random.hpp>
#include <anemone/weights/safetensors.hpp>

#include <cstddef>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace app {

bool has_weights_file(const reading_options& how) {
    return !how.weights.empty() && how.weights != "zeros" && how.weights != "random";
}

void fill_missing(ane::read_model& read, const reading_options& how, ane::opened_files& parts) {
    if (how.weights.empty() || read.missing.empty()) {
        return;
    }
    const ane::graph_view g = read.graph;
    ane::weight_store others;
    if (has_weights_file(how)) {
        parts.add(how.weights);
    }
    if (how.weights != "zeros") {
        others = how.weights == "random"                                     ? ane::random_weights(g, 0)
                 : std::filesystem::path(how.weights).extension() == ".gguf" ? ane::load_gguf(how.weights)
                                                                             : ane::load_safetensors(how.weights);
    }
    for (const std::string& name : read.missing) {
        const int node = g.find(ane::op::weight, name);
        if (node < 0) {
            continue;
        }
        if (how.weights == "zeros") {
            ane::stored_tensor t;
            t.name = name;
            t.type = ane::element_type::f16;
            t.shape = g[node].shape;
            t.bytes = std::vector<std::byte>(static_cast<std::size_t>(t.shape.count()) * 2);
            read.weights.add(std::move(t));
            continue;
        }
        const ane::stored_tensor* const found = others.find(name);
        if (found == nullptr) {
            throw ane::error(ane::errc::weights, name,
                             "is a weight whose values are not beside the model, and not in " + how.weights);
        }
        if (found->shape != g[node].shape) {
            throw ane::error(ane::errc::weights, name,
                             "is " + ane::print(found->shape) + " in " + how.weights + ", the model has " +
                                 ane::print(g[node].shape));
        }
        read.weights.add(*found);
    }
    const std::string weights =
        std::to_string(read.missing.size()) + (read.missing.size() == 1 ? " weight" : " weights");
    read.changes.push_back("the values of " + weights + " are not beside the model: " +
                           (how.weights == "zeros"    ? "zeros stand for them"
                            : how.weights == "random" ? "random numbers stand for them"
                                                      : "they are those of " + how.weights));
    read.notes.push_back(read.changes.back());
    read.missing.clear();
}

} // namespace app
