#pragma once

#include "../analysis/kernel_memory.hpp"
#include "../base/formatted.hpp"
#include "../formats/mil_compressed.hpp"
#include "../graph/uses.hpp"
#include "../ops/fault.hpp"
#include "../ops/quantization.hpp"
#include "../passes/lowering.hpp"
#include "../passes/print.hpp"
#include "../rules/evaluate.hpp"
#include "../rules/phrases.hpp"
#include "compress.hpp"
#include "form_text.hpp"
#include "stored_forms.hpp"

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ane::compress::inline ANEMONE_WAY {

/// A form for a weight of a graph, by its node.
struct form_question {
    int weight;
    compression form;
};
/// Why the target or the file cannot hold it, empty where both can; and whether its bytes cross the memory as stored where
/// the weight is read.
struct form_answer {
    std::string refused = {};
    bool streams = false;
};

/// Which forms of weights a target takes and a file writes.
class form_holder {
public:
    /// For a valid graph. What the model breaks as it is, is no reason against a form.
    ANEMONE_INLINE form_holder(const graph_view& g, const target_description& t, weight_file file)
        : graph_(g), target_(t), file_(file) {
        for (const violation& v : violations(g, t)) {
            broken_.emplace(v.rule, v.node);
        }
    }

    /// Of different weights, in the order of the questions. All are judged in one graph: what is wrong with a weight or its
    /// reader is that weight's fault. Where something else is wrong that no weight is at, each is judged in a graph of its
    /// own.
    ANEMONE_INLINE std::vector<form_answer> answers(const std::vector<form_question>& asked) const {
        std::vector<form_answer> all(asked.size());
        std::vector<std::size_t> open;
        for (std::size_t k = 0; k < asked.size(); ++k) {
            all[k].refused = shape_refusal(asked[k]);
            if (all[k].refused.empty()) {
                open.push_back(k);
            }
        }
        if (open.empty()) {
            return all;
        }
        if (!refuse_by_rules(asked, open, all)) {
            for (const std::size_t k : open) {
                refuse_by_rules(asked, {k}, all);
            }
        }
        std::erase_if(open, [&](std::size_t k) { return !all[k].refused.empty(); });
        ask_file(asked, open, all);
        return all;
    }

private:
    ANEMONE_INLINE std::string shape_refusal(const form_question& q) const {
        const extents& shape = graph_[q.weight].shape;
        if (const inferred r = shape_rule(q.form, shape); !r.ok()) {
            return formatted("{} (got {}, limit {})", sentence(r.broken), r.got, r.want);
        }
        if (q.form.block == 1) {
            return formatted("blocks of 1 element: no larger size divides rows of {}", shape.count() / shape[0]);
        }
        return {};
    }

    ANEMONE_INLINE dynamic_graph graph_with(const std::vector<form_question>& asked,
                                            const std::vector<std::size_t>& some,
                                            std::vector<int>* renamed = nullptr) const {
        forms_by_node forms(graph_.nodes.size());
        for (const std::size_t k : some) {
            forms[static_cast<std::size_t>(asked[k].weight)] = asked[k].form;
        }
        return with_forms(graph_, forms, renamed);
    }

    /// False where a rule is broken at a node that none of several weights has to do with.
    ANEMONE_INLINE bool refuse_by_rules(const std::vector<form_question>& asked, const std::vector<std::size_t>& some,
                                        std::vector<form_answer>& all) const {
        std::vector<int> renamed;
        const dynamic_graph trial = graph_with(asked, some, &renamed);
        const graph_view g = trial;
        std::vector<int> old(g.nodes.size(), -1);
        for (std::size_t i = 0; i < renamed.size(); ++i) {
            old[static_cast<std::size_t>(renamed[i])] = static_cast<int>(i);
        }
        constexpr std::size_t nobody = static_cast<std::size_t>(-1);
        std::vector<std::size_t> of(g.nodes.size(), nobody); // the question that a node belongs to
        for (const std::size_t k : some) {
            const auto at = static_cast<std::size_t>(renamed[static_cast<std::size_t>(asked[k].weight)]);
            of[at] = of[at + 1] = k; // the weight, and its form behind it
        }
        for (int i = 0; i < g.size(); ++i) {
            const auto operands = g.operands(i);
            if (operands.size() > 1 && g[operands[1]].kind == op::compressed) {
                of[static_cast<std::size_t>(i)] = of[static_cast<std::size_t>(operands[1])];
            }
        }
        for (const violation& v : violations(trial, target_)) {
            const auto at = static_cast<std::size_t>(v.node);
            if (!v.is_error || (old[at] >= 0 && broken_.contains({v.rule, old[at]}))) {
                continue;
            }
            if (of[at] == nobody && some.size() > 1) {
                return false;
            }
            std::string& refused = all[of[at] == nobody ? some[0] : of[at]].refused;
            if (refused.empty()) {
                refused = formatted("{} on {} [{}]", ane::detail::sentence_of(v), ane::detail::target_phrase(target_),
                                    record_of(v.rule).fact);
            }
        }
        return true;
    }

    /// What becomes of weights in a file, and whether they stream.
    ANEMONE_INLINE void ask_file(const std::vector<form_question>& asked, const std::vector<std::size_t>& some,
                                 std::vector<form_answer>& all) const {
        const lowered_graph lowered = lower(graph_with(asked, some));
        const graph_view g = lowered.graph;
        const bool every = file_ == weight_file::mil_every_form;
        const bool is_mil = file_ != weight_file::netplist && file_ != weight_file::any;
        const std::vector<formats::stored_place> places =
            is_mil ? formats::stored_in_mil(g, every) : std::vector<formats::stored_place>{};
        const sequence<int> read = uses(g);
        struct found {
            bool is_there = false;
            bool is_stored = false;
            bool streams = false;
        };
        std::map<std::string_view, found> by_name;
        for (int i = 0; i < g.size(); ++i) {
            if (g[i].kind == op::compressed) {
                found& here = by_name[g.name(g.operands(i)[0])];
                here.is_stored = here.is_there
                                     ? here.is_stored
                                     : is_mil && places[static_cast<std::size_t>(i)] != formats::stored_place::nowhere;
                here.is_there = true;
                continue;
            }
            const kernel_use use = kernel_use_of(g, i, target_, held_in(file_), read);
            if (use.any() && use.streamed && g.operand(g[i], 1).kind == op::compressed) {
                by_name[g.name(g.operands(g.operands(i)[1])[0])].streams = true;
            }
        }
        for (const std::size_t k : some) {
            const found here = by_name[graph_.name(asked[k].weight)];
            all[k].refused = file_ == weight_file::netplist
                                 ? formatted("a netplist holds weights of 16 bits alone, not of {}", asked[k].form.bits)
                             : !is_mil || here.is_stored ? std::string()
                             : !here.is_there            ? "the weight is folded into others before it is written"
                                                         : mil_refusal(asked[k]);
            all[k].streams = all[k].refused.empty() && here.streams;
        }
    }
    ANEMONE_INLINE std::string mil_refusal(const form_question& q) const {
        if (file_ == weight_file::mil_every_form) {
            return formatted("MIL has no form for {} of {}", form_text(q.form), print(graph_[q.weight].shape));
        }
        return was_run_as_a_weight(q.form)
                   ? "MIL text holds it as fp16: it is not read by convolutions and as the right operand of products "
                     "alone, where a source has run stored forms"
                   : "MIL text holds it as fp16: no source has run it (an ML package holds the form)";
    }

    const graph_view graph_;
    const target_description& target_;
    weight_file file_;
    std::set<std::pair<rule, int>> broken_; ///< by the model as it is
};

} // namespace ane::compress::inline ANEMONE_WAY
