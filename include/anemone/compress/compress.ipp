#pragma once

#include "../base/error.hpp"
#include "../base/formatted.hpp"
#include "../targets/table.hpp"
#include "compress.hpp"
#include "compression_search.hpp"
#include "form_text.hpp"
#include "stored_forms.hpp"

#include <cstddef>
#include <utility>

namespace ane::inline ANEMONE_WAY {

ANEMONE_BODY std::vector<compression> usual_forms() {
    return {affine_int8,      blockwise<32>, palette<8>, palette<6>,    palette<4>,
            blockwise<32, 4>, palette<3>,    palette<2>, palette<4, 2>, sparse};
}

ANEMONE_BODY compression_plan choose_compression(const graph_view& g, const weight_store& weights,
                                                 const target_description& t, const model_samples& samples,
                                                 const compression_options& options) {
    return compress::compression_search(g, weights, t, samples, options).run();
}

ANEMONE_BODY compression_plan choose_compression(const graph_view& g, const weight_store& weights, target t,
                                                 const model_samples& samples, const compression_options& options) {
    return choose_compression(g, weights, describe(t), samples, options);
}

ANEMONE_BODY compressed_model apply(const compression_plan& plan) {
    const graph_view g = plan.model;
    compress::forms_by_node forms(g.nodes.size());
    std::vector<std::pair<std::string, const std::vector<half>*>> values;
    for (const weight_choice& w : plan.weights) {
        if (w.chosen >= w.candidates.size()) {
            throw error(errc::argument, w.name,
                        formatted("candidate {} is chosen, there are {}", w.chosen, w.candidates.size()));
        }
        const stored_candidate& c = w.form();
        if (!c.refused.empty()) {
            throw error(errc::argument, w.name,
                        formatted("cannot be stored as {}: {}", compress::form_text(*c.form), c.refused));
        }
        const int node = g.find(op::weight, w.name);
        if (node < 0) {
            throw error(errc::argument, w.name, "is no weight of the plan's model");
        }
        if (c.form) {
            forms[static_cast<std::size_t>(node)] = c.form;
            values.emplace_back(w.name, &c.values);
        }
    }
    return {compress::with_forms(g, forms), compress::with_values(plan.store, values)};
}

} // namespace ane::inline ANEMONE_WAY
