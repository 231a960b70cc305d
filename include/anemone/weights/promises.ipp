#pragma once

#include "../base/way.hpp"
ANEMONE_INCLUDED(anemone_weights_promises_hpp);

#include "../base/error.hpp"
#include "../base/formatted.hpp"
#include "convert.hpp"
#include "half_elements.hpp"
#include "promises.hpp"
#include "statistics_sum.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <utility>

namespace ane::detail::inline ANEMONE_WAY {

/// What a weight's values keep, and what rounding took of them: of types that are wider than fp16 and come in files.
ANEMONE_INLINE contract kept_by(const stored_tensor& tensor, lost_digits& lost) {
    statistics_sum sum(tensor.shape);
    std::int64_t zeros = 0;
    each_half(tensor, [&](std::span<const half> elements, std::int64_t zeros_of_file) {
        sum.add(elements);
        zeros += zeros_of_file;
    });
    lost.subnormal = sum.subnormal();
    lost.vanished = tensor.type == element_type::f64 ? 0 : sum.zeros() - zeros;
    return bounded_by(sum.result());
}

} // namespace ane::detail::inline ANEMONE_WAY

namespace ane::inline ANEMONE_WAY {

ANEMONE_BODY_OF std::vector<lost_digits> promise_statistics(dynamic_graph& g, const weight_store& store) {
    std::vector<lost_digits> told;
    std::unordered_map<std::string, contract> known; // several nodes may read one weight
    for (std::size_t i = 0; i < g.nodes.size(); ++i) {
        node& n = g.nodes[i];
        if (n.kind != op::weight) {
            continue;
        }
        const std::string name(g.view().name(static_cast<int>(i)));
        const stored_tensor* const tensor = store.find(name);
        if (tensor == nullptr || tensor->shape != n.shape || tensor->shape.count() == 0) {
            continue; // verify_weights says so
        }
        const auto [place, is_new] = known.try_emplace(name);
        if (is_new) {
            lost_digits lost{.weight = name, .elements = n.shape.count()};
            try {
                place->second = detail::kept_by(*tensor, lost);
            } catch (const error& unfit) {
                if (unfit.code() == errc::file) { // which is no fault of the weight
                    throw;
                }
                lost.fault = unfit.what();
            }
            if (lost.vanished > 0 || lost.subnormal > 0 || !lost.fault.empty()) {
                told.push_back(std::move(lost));
            }
        }
        n.attributes = n.get<contract>() & place->second;
    }
    return told;
}

ANEMONE_BODY_OF void hold_norm_parameters(dynamic_graph& g, const weight_store& store) {
    std::vector<char> elsewhere(g.nodes.size(), 0);
    std::vector<int> parameters;
    const graph_view view = g;
    for (int i = 0; i < view.size(); ++i) {
        const std::span<const int> operands = view.operands(i);
        for (std::size_t k = 0; k < operands.size(); ++k) {
            const int read = operands[k];
            if (view[i].kind != op::batch_norm || k == 0) {
                elsewhere[static_cast<std::size_t>(read)] = 1;
            } else if (view[read].kind == op::weight) {
                parameters.push_back(read);
            }
        }
    }
    for (const output_port& port : view.outputs) {
        elsewhere[static_cast<std::size_t>(port.node)] = 1;
    }
    for (const int i : parameters) {
        node& n = g.nodes[static_cast<std::size_t>(i)];
        const stored_tensor* const tensor = store.find(std::string(g.view().name(i)));
        if (n.kind != op::weight || elsewhere[static_cast<std::size_t>(i)] != 0 || tensor == nullptr ||
            tensor->shape != n.shape || tensor->shape.count() == 0) {
            continue;
        }
        try {
            const std::vector<half> values = to_half(*tensor); // finite ones
            n.attributes = g.keep(std::vector<float>(values.begin(), values.end()));
            n.kind = op::constant;
        } catch (const error& unfit) {
            if (unfit.code() == errc::file) {
                throw;
            }
        }
    }
}

ANEMONE_BODY_OF void promise_input(dynamic_graph& g, std::string_view input, const contract& promise) {
    const int at = g.view().find(op::input, input);
    if (at < 0) {
        throw error(errc::port, std::string(input), "is no input of the model");
    }
    promise_input(g, at, promise);
}

ANEMONE_BODY_OF void promise_input(dynamic_graph& g, int index, const contract& promise) {
    const graph_view view = g;
    if (index < 0 || index >= view.size() || view[index].kind != op::input) {
        throw error(errc::port, formatted("node {}", index), "is no input of the model");
    }
    node& n = g.nodes[static_cast<std::size_t>(index)];
    if (n.type == dtype::f16) {
        g.require_fp16(promise, view.name(index), n.where);
    }
    n.attributes = n.get<contract>() & promise;
}

} // namespace ane::inline ANEMONE_WAY
