#pragma once

#include "../base/way.hpp"
ANEMONE_INCLUDED(anemone_compress_compress_hpp);

#include "../backend/samples.hpp"
#include "../base/error.hpp"
#include "../base/formatted.hpp"
#include "../targets/table.hpp"
#include "compress.hpp"
#include "compression_search.hpp"
#include "form_text.hpp"
#include "form_trials.hpp"

#include <vector>

namespace ane::inline ANEMONE_WAY {

ANEMONE_BODY_OF double output_loss::operator()(const model_results& want, const model_results& got) const {
    return own_ != nullptr ? own_->of(want, got) : relative_error(want, got);
}

ANEMONE_BODY_OF std::vector<compression> usual_forms() {
    return {affine_int8,      blockwise<32>, palette<8>, palette<6>,    palette<4>,
            blockwise<32, 4>, palette<3>,    palette<2>, palette<4, 2>, sparse};
}

ANEMONE_BODY_OF compression_plan choose_compression(const graph_view& g, const weight_store& weights,
                                                    const target_description& t, const model_samples& samples,
                                                    const compression_options& options) {
    return compress::compression_search(g, weights, t, samples, options).run();
}

ANEMONE_BODY_OF compression_plan choose_compression(const graph_view& g, const weight_store& weights, target t,
                                                    const model_samples& samples, const compression_options& options) {
    return choose_compression(g, weights, describe(t), samples, options);
}

ANEMONE_BODY_OF compressed_model apply(const compression_plan& plan) {
    compress::chosen_forms chosen;
    for (const weight_choice& w : plan.weights) {
        if (w.chosen >= w.candidates.size()) {
            throw error(errc::argument, w.name,
                        formatted("candidate {} is chosen, there are {}", w.chosen, w.candidates.size()));
        }
        if (const stored_candidate& c = w.form(); !c.refused.empty()) {
            throw error(errc::argument, w.name,
                        formatted("cannot be stored as {}: {}", compress::form_text(*c.form), c.refused));
        }
        chosen.push_back(w.chosen);
    }
    return {compress::graph_in_forms(plan.model, plan.weights, chosen),
            compress::store_in_forms(plan.store, plan.weights, chosen)};
}

} // namespace ane::inline ANEMONE_WAY
