#pragma once

#include "../../readers/unreadable.hpp"
#include "../published_numbers.hpp"
#include "../tensor_forms.hpp"
#include "../tensor_names.hpp"
#include "../vision/relative_positions.hpp"
#include "batch_norm_folding.hpp"
#include "found_tensors.hpp"
#include "network_checkpoint.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

/// Only bodies include this header.
namespace ane::models::inline ANEMONE_WAY {

/// Puts the tensors of a published network under the names and into the forms of its graph.
class network_tensors {
public:
    ANEMONE_INLINE network_tensors(read_model& made, const network& n, std::string place,
                                   const network_checkpoint_options& options)
        : made_(made), allows_missing_(options.allows_missing), counts_beyond_half_(options.counts_beyond_half),
          positions_(graph_name(positions_name_of(n))), epsilon_(norm_epsilon_of(n)),
          found_(std::move(place), source_of(n)) {
        for (const host_table& each : host_tables_of(n)) {
            if (!each.name.empty()) {
                tables_.emplace(graph_name(each.name), extents{each.rows, each.width});
            }
        }
        for (const network_part part : parts_of(n)) {
            if (part != options.form.part) { // what else is asked of the form may not be for the other part
                add_known_elsewhere(network_graph(n, {.layout = options.form.layout, .part = part}));
            }
        }
        if (const auto* const whisper = std::get_if<whisper_configuration>(&n)) {
            head_ = graph_name("decoder.embed_tokens.weight");
            for (std::int64_t part = 0; part <= head_parts_of(*whisper); ++part) {
                head_begins_.push_back(part_begin(*whisper, part));
            }
            head_width_ = whisper->width;
        }
    }

    /// Takes all of them; throws `unreadable` with these faults and its own.
    ANEMONE_INLINE void take(std::vector<stored_tensor> all, std::vector<read_fault> faults) {
        requires_all_ = !all.empty() && !allows_missing_;
        found_.take(std::move(all), std::move(faults));
        split_head();
        const graph_view g = made_.graph;
        fold_norms(found_, g, epsilon_, requires_all_);
        for (int i = 0; i < g.size(); ++i) {
            if (g[i].kind == op::weight) {
                add(std::string(g.name(i)), g[i].shape);
            }
        }
        require_tables();
        note_left_over();
        found_.throw_faults();
    }
    /// Takes the tables of the host instead of the graph's weights; throws `unreadable` with these faults and its own.
    ANEMONE_INLINE void take_tables(std::vector<stored_tensor> all, std::vector<read_fault> faults) {
        requires_all_ = true;
        found_.take(std::move(all), std::move(faults));
        for (const auto& [name, shape] : tables_) {
            add(name, shape);
        }
        found_.throw_faults();
    }

private:
    ANEMONE_INLINE void add_known_elsewhere(const dynamic_graph& other) {
        const graph_view g = other;
        for (int i = 0; i < g.size(); ++i) {
            if (g[i].kind == op::weight) {
                known_elsewhere_.emplace(g.name(i));
            }
        }
    }
    /// What a graph alone would not miss: without them no text can be given to it.
    ANEMONE_INLINE void require_tables() {
        for (const auto& [name, shape] : tables_) {
            found_tensor* const found = found_.find(name);
            if (found == nullptr) {
                if (requires_all_) {
                    found_.fault(name, "is a table of the model that its files do not have");
                }
                continue;
            }
            if (found->is_used) { // the graph has it, too
                continue;
            }
            found->is_used = true;
            if (found->tensor.shape != shape) {
                found_.fault(found->published, fault_of_shape(found->tensor.shape, shape));
            }
        }
    }

    /// The rows of a head that has several parts, "decoder_embed_tokens_weight_0", ...
    ANEMONE_INLINE void split_head() {
        found_tensor* const whole = head_begins_.size() > 2 ? found_.find(head_) : nullptr;
        if (whole == nullptr) {
            return;
        }
        const extents wanted{head_begins_.back(), head_width_};
        if (whole->tensor.shape != wanted) {
            found_.fault(whole->published, fault_of_shape(whole->tensor.shape, wanted));
            return;
        }
        for (std::size_t part = 0; part + 1 < head_begins_.size(); ++part) {
            const std::int64_t begin = head_begins_[part];
            const std::string name = head_ + "_" + std::to_string(part);
            found_.add_rows(*whole, begin, head_begins_[part + 1] - begin, name);
            known_elsewhere_.insert(name);
        }
    }

    /// The shape without extents of 1.
    ANEMONE_INLINE static extents bare(const extents& shape) {
        extents result;
        for (int i = 0; i < shape.rank; ++i) {
            if (shape[i] != 1) {
                result.append(shape[i]);
            }
        }
        return result;
    }
    /// Whether the elements are those of the wanted shape in its order: [1000, 768] and [1000, 768, 1, 1]; a window's pixels as
    /// the channels of a product, [768, 3, 16, 16] and [768, 768, 1, 1].
    ANEMONE_INLINE static bool has_order_of(const extents& found, const extents& wanted) {
        const bool is_product = wanted.rank == 4 && wanted[2] == 1 && wanted[3] == 1;
        return bare(found) == bare(wanted) || (is_product && found.rank == 4 && found[0] == wanted[0] &&
                                               found[2] == found[3] && found.count() == wanted.count());
    }

    ANEMONE_INLINE void add(const std::string& name, const extents& shape) {
        found_tensor* const found = found_.find(name);
        if (found == nullptr || found->is_used) {
            made_.missing.push_back(name);
            if (requires_all_) {
                found_.fault(name, "is a weight of the model that its files do not have");
            }
            return;
        }
        found->is_used = true;
        stored_tensor t = std::move(found->tensor);
        if (name.ends_with("_relative_position_bias_table") && shape.rank == 3) {
            const std::int64_t window = window_of(shape);
            const extents wanted{(2 * window - 1) * (2 * window - 1), shape[0]};
            if (t.shape != wanted) {
                found_.fault(found->published, fault_of_shape(t.shape, wanted));
                return;
            }
            t = of_all_pairs(t, window, shape);
        }
        extents turned = bare(t.shape); // positions behind each other along the width
        if (turned.rank == 2) {
            std::swap(turned[0], turned[1]);
        }
        const bool turns = name == positions_ && shape.rank == 4;
        if (turns ? turned != bare(shape) : !has_order_of(t.shape, shape)) {
            found_.fault(found->published, fault_of_shape(t.shape, shape));
            return;
        }
        if (turns && turned.rank == 2) {
            t.shape = bare(t.shape);
            t = ane::models::turned(std::move(t));
        }
        t.name = name;
        t.shape = shape;
        if (const std::int64_t count = counts_beyond_half_ ? beyond_half(t) : 0; count > 0) {
            made_.notes.push_back(note_beyond_half(found->published, count, t.shape.count()));
        }
        made_.weights.add(std::move(t));
    }

    ANEMONE_INLINE void note_left_over() {
        std::vector<std::string> names;
        for (const auto& [name, found] : found_.all()) {
            if (!found.is_used && !known_elsewhere_.contains(name)) {
                names.push_back(found.published);
            }
        }
        if (!names.empty()) {
            made_.notes.push_back(note_of_left_over(names));
        }
    }

    read_model& made_;
    bool allows_missing_;
    bool counts_beyond_half_;
    bool requires_all_ = false;             ///< there are tensors, and none may be missing
    std::string positions_;                 ///< the weight whose rows are positions
    std::string head_;                      ///< the table whose rows are the parts of a head
    std::vector<std::int64_t> head_begins_; ///< and where they begin
    std::int64_t head_width_ = 0;
    std::map<std::string, extents> tables_;
    std::set<std::string, std::less<>> known_elsewhere_{
        "logit_scale"}; ///< by other parts, or by who compares embeddings
    double epsilon_;    ///< of batch norms
    found_tensors found_;
};

} // namespace ane::models::inline ANEMONE_WAY
