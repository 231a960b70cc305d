#pragma once

#include "../analysis/kernel_memory.hpp"
#include "../base/formatted.hpp"
#include "../formats/mil_compressed.hpp"
#include "../ops/fault.hpp"
#include "../ops/quantization.hpp"
#include "../passes/lowering.hpp"
#include "../passes/print.hpp"
#include "../rules/evaluate.hpp"
#include "../rules/phrases.hpp"
#include "compress.hpp"
#include "form_text.hpp"
#include "stored_forms.hpp"

#include <algorithm>
#include <cstddef>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ane::compress::inline ANEMONE_WAY {

/// Which forms of a weight a target takes and a file writes.
class form_holder {
public:
    /// For a valid graph. What the model breaks as it is, is no reason against a form.
    ANEMONE_INLINE form_holder(const graph_view& g, const target_description& t, weight_file file)
        : graph_(g), target_(t), file_(file) {
        for (const violation& v : violations(g, t)) {
            broken_.emplace(v.rule, v.node);
        }
    }

    /// Why the target or the file cannot hold a weight in a form; empty where both can.
    ANEMONE_INLINE std::string refusal(int weight, const compression& form) const {
        const extents& shape = graph_[weight].shape;
        if (const inferred r = shape_rule(form, shape); !r.ok()) {
            return formatted("{} (got {}, limit {})", sentence(r.broken), r.got, r.want);
        }
        if (form.block == 1) {
            return formatted("blocks of 1 element: no larger size divides rows of {}", shape.count() / shape[0]);
        }
        forms_by_node forms(graph_.nodes.size());
        forms[static_cast<std::size_t>(weight)] = form;
        std::vector<int> renamed;
        const dynamic_graph trial = with_forms(graph_, forms, &renamed);
        for (const violation& v : violations(trial, target_)) {
            const auto old = std::find(renamed.begin(), renamed.end(), v.node);
            const bool known =
                old != renamed.end() && broken_.contains({v.rule, static_cast<int>(old - renamed.begin())});
            if (v.is_error && !known) {
                return formatted("{} on {} [{}]", ane::detail::sentence_of(v), ane::detail::target_phrase(target_),
                                 record_of(v.rule).fact);
            }
        }
        if (file_ == weight_file::netplist) {
            return formatted("a netplist holds weights of 16 bits alone, not of {}", form.bits);
        }
        if (file_ == weight_file::any) {
            return {};
        }
        const bool every = file_ == weight_file::mil_every_form;
        const lowered_graph lowered = lower(trial);
        const graph_view lowered_view = lowered.graph;
        const std::vector<formats::stored_place> places = formats::stored_in_mil(lowered_view, every);
        for (int i = 0; i < lowered_view.size(); ++i) {
            if (lowered_view[i].kind != op::compressed ||
                lowered_view.name(lowered_view.operands(i)[0]) != graph_.name(weight)) {
                continue;
            }
            if (places[static_cast<std::size_t>(i)] != formats::stored_place::nowhere) {
                return {};
            }
            if (every) {
                return formatted("MIL has no form for {} of {}", form_text(form), print(shape));
            }
            return was_run_as_a_weight(form)
                       ? std::string(
                             "MIL text holds it as fp16: it is not read by convolutions and as the right operand "
                             "of products alone, where a source has run stored forms")
                       : std::string("MIL text holds it as fp16: no source has run it (an ML package holds the form)");
        }
        return "the weight is folded into others before it is written";
    }

    /// Whether a form's bytes cross the memory as stored, where this weight is read.
    ANEMONE_INLINE bool streams(int weight, const compression& form) const {
        forms_by_node forms(graph_.nodes.size());
        forms[static_cast<std::size_t>(weight)] = form;
        const lowered_graph lowered = lower(with_forms(graph_, forms));
        const graph_view g = lowered.graph;
        for (int i = 0; i < g.size(); ++i) {
            const kernel_use use = kernel_use_of(g, i, target_, held_in(file_));
            if (use.any() && use.streamed && g.operand(g[i], 1).kind == op::compressed &&
                g.name(g.operands(g.operands(g[i])[1])[0]) == graph_.name(weight)) {
                return true;
            }
        }
        return false;
    }

private:
    const graph_view graph_;
    const target_description& target_;
    weight_file file_;
    std::set<std::pair<rule, int>> broken_; ///< by the model as it is
};

} // namespace ane::compress::inline ANEMONE_WAY
