// The snippets of docs/road_of_a_tensor.md, and the listings that it shows.

#include "road_of_a_tensor.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>

namespace {

/// The page without indentation, as listings are compared.
std::string page() {
    std::ifstream file(ANEMONE_TEST_DATA "/../docs/road_of_a_tensor.md");
    std::string text;
    for (std::string line; std::getline(file, line);) {
        text += line.substr(std::min(line.find_first_not_of(' '), line.size())) + "\n";
    }
    return text;
}

} // namespace

TEST_CASE("the road of a tensor: what is printed is what the page shows") {
    const weight_store weights = random_weights(edges.view(), 1);
    CHECK(page().find(print(edges.view())) != std::string::npos);
    CHECK(page().find(print(lower(edges.view()).view())) != std::string::npos);
    // clang-format off
std::fputs(print(edges.view()).c_str(), stdout); // the graph value
const lowered_graph lowered = lower(edges.view());
std::fputs(print(lowered.view()).c_str(), stdout); // in the engine's operations
const folded_constants constants = fold_constants(lowered.view(), weights);
std::fputs(emit_mil(lowered.view(), constants).text.c_str(), stdout);
std::fputs(to_xml(emit_netplist(lowered.view(), constants, "edges").document).c_str(), stdout);
    // clang-format on
    std::istringstream mil(emit_mil(lowered.view(), constants).text);
    int statements = 0;
    for (std::string line; std::getline(mil, line);) {
        if (line.find(" t4 = ") != std::string::npos || line.find(" t5 = ") != std::string::npos ||
            line.find(" edges = ") != std::string::npos) {
            ++statements;
            CHECK_MESSAGE(page().find(line.substr(line.find_first_not_of(' ')) + "\n") != std::string::npos, line);
        }
    }
    CHECK(statements == 3);
}
