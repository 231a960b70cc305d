#pragma once

#include <anemone/backend/cpu/constants.hpp>
#include <anemone/formats/mil.hpp>
#include <anemone/passes/lowering.hpp>
#include <anemone/weights/store.hpp>

#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <span>
#include <sstream>
#include <string>
#include <vector>

/// Models as MIL text, with weights that follow from their names, and the texts that are kept in the repository.
namespace mil_files {

using namespace ane;

/// Multiples of 1/64 that depend on the position only, all positive where a variance is.
inline mil_program emitted(const graph_view& model, const op_set& whole = {}, const mil_options& options = {}) {
    weight_store weights;
    for (int i = 0; i < model.size(); ++i) {
        if (model[i].kind == op::weight) {
            std::vector<float> values(static_cast<std::size_t>(model[i].shape.count()));
            for (std::size_t k = 0; k < values.size(); ++k) {
                values[k] = static_cast<float>(1 + (k * 37 + static_cast<std::size_t>(i)) % 61) / 64.0F;
            }
            weights.add(std::string(model.name(i)), model[i].shape, std::span<const float>(values));
        }
    }
    const lowered_graph lowered = lower(model, whole);
    return emit_mil(lowered.graph, fold_constants(lowered.graph, weights), options);
}

inline std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) {
        lines.push_back(line);
    }
    return lines;
}

/// Compares a text with the kept one, or keeps it with ANEMONE_UPDATE_GOLDEN=1.
inline void check_golden(const std::string& name, const std::string& text) {
    const std::string path = std::string(ANEMONE_TEST_DATA) + "/formats/golden/" + name + ".mil";
    if (const char* const update = std::getenv("ANEMONE_UPDATE_GOLDEN"); update != nullptr && *update == '1') {
        std::ofstream(path) << text;
    }
    std::ifstream in(path);
    REQUIRE_MESSAGE(in, "no golden file; run with ANEMONE_UPDATE_GOLDEN=1 and read what it wrote");
    const std::string kept(std::istreambuf_iterator<char>(in), {});
    const auto now = lines_of(text);
    const auto before = lines_of(kept);
    for (std::size_t i = 0; i < now.size() && i < before.size(); ++i) {
        CAPTURE(i + 1);
        REQUIRE(now[i] == before[i]);
    }
    CHECK(text == kept);
}

} // namespace mil_files
