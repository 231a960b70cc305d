#pragma once

#include <anemone/backend/cpu/cpu.hpp>
#include <anemone/backend/oracle/oracle.hpp>
#include <anemone/backend/wide/wide.hpp>
#include <anemone/build.hpp>
#include <anemone/diff/remedies.hpp>
#include <anemone/diff/wide_diff.hpp>
#include <anemone/dynamic_builder.hpp>
#include <anemone/ops/ops.hpp>

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

/// What the tests of comparisons with double precision share.
namespace wide_models {

using namespace ane;

inline const backend::cpu plain;
inline const backend::oracle oracle13(h13);
inline const backend::wide exact;

/// One sample of fp16 inputs, in the order of the model.
inline void add_sample(model_samples& samples, const std::vector<std::vector<double>>& inputs) {
    std::vector<std::vector<half>> memory;
    std::vector<std::span<const std::byte>> given;
    for (const std::vector<double>& each : inputs) {
        std::vector<half>& of = memory.emplace_back(each.size());
        std::transform(each.begin(), each.end(), of.begin(), [](double x) { return half(x); });
    }
    for (const auto& each : memory) {
        given.push_back(std::as_bytes(std::span<const half>(each)));
    }
    samples.add(given);
}
inline model_samples sample_of(const std::vector<std::vector<double>>& inputs) {
    model_samples samples;
    add_sample(samples, inputs);
    return samples;
}

/// The layer of the only node of a kind.
inline const layer_error& only(const graph_view& model, const wide_difference& d, op kind) {
    const auto found = std::find_if(d.layers.begin(), d.layers.end(),
                                    [&](const layer_error& layer) { return model[layer.node].kind == kind; });
    if (found == d.layers.end()) {
        throw error(errc::argument, std::string(name(kind)), "is not in the difference");
    }
    return *found;
}

/// The kind of the first layer beyond the bound.
inline op first_kind(const graph_view& model, const wide_difference& d) {
    return d.first < 0 ? op::input : model[d.layers[static_cast<std::size_t>(d.first)].node].kind;
}

/// sqrt(mean(x^2)) of a row, and x divided by it: the squares overflow from |x| = 256 on.
inline dynamic_graph root_mean_square() {
    return build_graph([](auto& g) {
        auto x = g.input("x"_s, f16<2, 4>);
        g.output("y"_s, x / sqrt(reduce_mean<1>(square(x))));
    });
}
inline const std::vector<double> large_row{300, 280, -310, 290, 20, 30, 10, -25};

} // namespace wide_models
