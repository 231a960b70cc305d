#pragma once

#include "../error.hpp"
#include "../graph/graph.hpp"
#include "../print.hpp"
#include "store.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

namespace ane {

/// The values of one weight of a model, as fp16, after all that the model says of it was checked: it is in the store, it
/// has the declared shape, every element is finite in fp16 (R006), and none breaks the declared bound.
/// Throws `error` (errc::weights) that names the tensor, the element, the value and the limit.
inline std::vector<half> verified_weight(const graph_view& g, int index, const weight_store& store) {
    const node& n = g[index];
    const std::string name(g.name(index));
    const stored_tensor* const found = store.find(name);
    if (found == nullptr) {
        throw error(errc::weights, name,
                    fmt::format("is missing: the model ({}:{}) wants {}", n.where.file, n.where.line, print(n.shape)));
    }
    if (found->shape != n.shape) {
        throw error(errc::weights, name,
                    fmt::format("has shape {}, the model ({}:{}) wants {}", print(found->shape), n.where.file,
                                n.where.line, print(n.shape)));
    }
    std::vector<half> values = to_half(*found);
    const contract& promise = n.get<contract>();
    if (promise.declared) {
        for (std::size_t i = 0; i < values.size(); ++i) {
            const auto value = static_cast<double>(values[i]);
            // A bound such as 0.9 is meant for the stored fp16 values: its own rounding to fp16 is inside.
            const double low = std::min(promise.low, static_cast<double>(half(promise.low)));
            const double high = std::max(promise.high, static_cast<double>(half(promise.high)));
            if (value < low || value > high) {
                throw error(errc::weights, name,
                            fmt::format("element {} is {}, outside the declared bound [{}, {}]", i, value, promise.low,
                                        promise.high));
            }
        }
    }
    return values;
}

/// Checks that a store holds the weights of a model and nothing else. Throws for the first that is missing, misshapen,
/// not finite, out of its bound, or unknown to the model.
inline void verify_weights(const graph_view& g, const weight_store& store) {
    for (int i = 0; i < g.size(); ++i) {
        if (g[i].kind == op::weight) {
            verified_weight(g, i, store);
        }
    }
    for (const stored_tensor& tensor : store) {
        if (g.find(op::weight, tensor.name) < 0) {
            throw error(errc::weights, tensor.name,
                        fmt::format("is extra: the model has no weight of this name (the file's has shape {})",
                                    print(tensor.shape)));
        }
    }
}

} // namespace ane
