#pragma once

#include "../base/formatted.hpp"
#include "../passes/print.hpp"
#include "../readers/unreadable.hpp"
#include "../weights/convert.hpp"
#include "network_checkpoint.hpp"
#include "published_numbers.hpp"
#include "tensor_forms.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Only bodies include this header.
namespace ane::models::inline ANEMONE_WAY {

/// Puts the tensors of a published network under the names and into the forms of its graph.
class network_tensors {
public:
    ANEMONE_INLINE network_tensors(read_model& made, const network& n, std::string place,
                                   const network_checkpoint_options& options)
        : made_(made), place_(std::move(place)), allows_missing_(options.allows_missing),
          counts_beyond_half_(options.counts_beyond_half) {
        const graph_view g = made_.graph;
        for (int i = 0; i < g.size(); ++i) {
            if (g[i].kind == op::conv2d && g.operands(g[i]).size() == 3) {
                const node& kernel = g[g.operands(g[i])[1]];
                const node& offset = g[g.operands(g[i])[2]];
                if (kernel.kind == op::weight && offset.kind == op::weight) {
                    convolutions_.emplace(std::string(g.text(kernel.name)), std::string(g.text(offset.name)));
                }
            }
        }
        if (const auto* const vit = std::get_if<vision_transformer_configuration>(&n)) {
            positions_ = named(detail::names_of(*vit).positions);
        }
        if (const auto* const whisper = std::get_if<whisper_configuration>(&n)) {
            positions_ = named("encoder.embed_positions.weight");
            head_ = named("decoder.embed_tokens.weight");
            for (std::int64_t part = 0; part <= head_parts_of(*whisper); ++part) {
                head_begins_.push_back(part_begin(*whisper, part));
            }
            head_width_ = whisper->width;
        }
        note_other_readers(n, options.form.part);
        is_transformers_ = source_of(n) == publisher::transformers;
        epsilon_ = norm_epsilon_of(n);
    }

    /// Takes all of them; throws `unreadable` with these faults and its own.
    ANEMONE_INLINE void take(std::vector<stored_tensor> all, std::vector<read_fault> faults) {
        faults_ = std::move(faults);
        requires_all_ = !all.empty() && !allows_missing_;
        for (stored_tensor& t : all) {
            keep(std::move(t));
        }
        split_joined();
        split_head();
        fold_norms();
        const graph_view g = made_.graph;
        for (int i = 0; i < g.size(); ++i) {
            if (g[i].kind == op::weight) {
                add(std::string(g.name(i)), g[i].shape);
            }
        }
        note_left_over();
        if (!faults_.empty()) {
            throw unreadable(place_, std::move(faults_));
        }
    }

private:
    struct found_tensor {
        stored_tensor tensor;
        std::string published;
        bool is_used = false;
    };

    ANEMONE_INLINE void fault(const std::string& tensor, const std::string& why) {
        faults_.push_back({place_, 0, 0, tensor, why});
    }
    ANEMONE_INLINE static std::string named(std::string_view published) {
        const sequence<char> name = weight_name(published);
        return {name.data(), name.size()};
    }
    ANEMONE_INLINE found_tensor* find(const std::string& name) {
        const auto at = found_.find(name);
        return at == found_.end() ? nullptr : &at->second;
    }

    /// Under the name of the graph; transformers puts the name of the model before that of its body.
    ANEMONE_INLINE void keep(stored_tensor t) {
        if (t.name.ends_with(".num_batches_tracked")) { // counts the steps of a training
            return;
        }
        std::string_view bare = t.name;
        for (const std::string_view before : {"resnet.", "convnext.", "vit.", "model."}) {
            if (is_transformers_ && bare.starts_with(before)) {
                bare.remove_prefix(before.size());
                break;
            }
        }
        std::string name = named(bare);
        for (const std::string_view older : {"linear_1", "linear_2"}) { // torchvision's first names of an inner layer
            const std::size_t at = name.find("_mlp_" + std::string(older) + "_");
            if (at != std::string::npos) {
                name.replace(at + 5, older.size(), older == "linear_1" ? "0" : "3");
            }
        }
        if (const std::optional<std::string> wrong = fault_of_type(t)) {
            fault(t.name, *wrong);
            return;
        }
        const std::string published = std::exchange(t.name, name);
        if (!found_.try_emplace(std::move(name), found_tensor{std::move(t), published}).second) {
            fault(published, "stands there twice, with another prefix");
        }
    }

    /// Three weights in one, the rows of queries, keys and values: timm's attn.qkv, torchvision's self_attention.in_proj.
    ANEMONE_INLINE void split_joined() {
        struct joined {
            std::string_view of;
            std::array<std::string_view, 3> parts;
        };
        constexpr joined forms[] = {
            {"_attn_qkv_", {"_attn_q_", "_attn_k_", "_attn_v_"}},
            {"_self_attention_in_proj_",
             {"_self_attention_q_proj_", "_self_attention_k_proj_", "_self_attention_v_proj_"}}};
        std::vector<found_tensor> made;
        for (auto& [name, found] : found_) {
            for (const joined& form : forms) {
                const std::size_t at = name.find(form.of);
                const extents& whole = found.tensor.shape;
                if (at == std::string::npos || whole.rank < 1 || whole[0] % 3 != 0) {
                    continue;
                }
                found.is_used = true;
                const std::size_t size = found.tensor.bytes.size() / 3;
                for (std::size_t k = 0; k < 3; ++k) {
                    std::string of = name;
                    of.replace(at, form.of.size(), form.parts[k]);
                    extents part = whole;
                    part[0] = whole[0] / 3;
                    made.push_back(
                        {{of, found.tensor.type, part, found.tensor.bytes.part(k * size, size)}, found.published});
                }
            }
        }
        for (found_tensor& each : made) {
            std::string name = each.tensor.name;
            if (!found_.try_emplace(std::move(name), std::move(each)).second) {
                fault(each.published, "stands there joined and apart");
            }
        }
    }

    /// The rows of a head that has several parts, "decoder_embed_tokens_weight_0", ...
    ANEMONE_INLINE void split_head() {
        found_tensor* const whole = head_begins_.size() > 2 ? find(head_) : nullptr;
        if (whole == nullptr) {
            return;
        }
        const extents wanted{head_begins_.back(), head_width_};
        const stored_tensor& t = whole->tensor;
        if (!(t.shape == wanted)) {
            fault(whole->published, fault_of_shape(t.shape, wanted));
            return;
        }
        for (std::size_t part = 0; part + 1 < head_begins_.size(); ++part) {
            const std::int64_t begin = head_begins_[part];
            const extents shape{head_begins_[part + 1] - begin, head_width_};
            std::string name = head_ + "_" + std::to_string(part);
            found_.try_emplace(name,
                               found_tensor{{name, t.type, shape,
                                             t.bytes.part(static_cast<std::size_t>(bytes(t.type, begin * head_width_)),
                                                          static_cast<std::size_t>(bytes(t.type, shape.count())))},
                                            whole->published});
            other_readers_.insert(std::move(name));
        }
    }

    /// Of each convolution whose offset is a batch norm's. One that lacks a part would be another network.
    ANEMONE_INLINE void fold_norms() {
        constexpr std::string_view end = "_bias";
        for (const auto& [kernel, offset] : convolutions_) {
            const std::string norm = offset.substr(0, offset.size() - end.size());
            if (!offset.ends_with(end) || kernel == norm + "_weight") { // the convolution's own
                continue;
            }
            found_tensor* const w = find(kernel);
            found_tensor* const beta = find(offset);
            if (w == nullptr || beta == nullptr) {
                continue; // what is missing is told as such
            }
            std::array<found_tensor*, 3> others{};
            bool has_all = true;
            for (std::size_t i = 0; i < others.size(); ++i) {
                constexpr std::string_view parts[] = {"_weight", "_running_mean", "_running_var"};
                const std::string name = norm + std::string(parts[i]);
                others[i] = find(name);
                if (others[i] == nullptr) {
                    has_all = false;
                    if (requires_all_) {
                        fault(name, "is a part of a batch norm that the files do not have");
                    }
                }
            }
            if (!has_all) {
                found_.erase(kernel);
                found_.erase(offset);
                continue;
            }
            const auto [gamma, mean, variance] = others;
            const std::int64_t channels = w->tensor.shape.rank > 0 ? w->tensor.shape[0] : 0;
            bool fits = channels > 0;
            for (const found_tensor* each : {beta, gamma, mean, variance}) {
                if (each->tensor.shape != extents{channels}) {
                    fault(each->published, formatted("is {}, the convolution before it has {} channels",
                                                     ane::print(each->tensor.shape), channels));
                    fits = false;
                }
            }
            if (fits) {
                fold(*w, *beta, *gamma, *mean, *variance);
            }
        }
    }
    ANEMONE_INLINE void fold(found_tensor& w, found_tensor& beta, found_tensor& gamma, found_tensor& mean,
                             found_tensor& variance) {
        std::vector<float> kernel = to_float(w.tensor);
        std::vector<float> offset = to_float(beta.tensor);
        const std::vector<float> g = to_float(gamma.tensor);
        const std::vector<float> m = to_float(mean.tensor);
        const std::vector<float> v = to_float(variance.tensor);
        const std::size_t each = kernel.size() / offset.size();
        for (std::size_t i = 0; i < offset.size(); ++i) {
            const double scale = static_cast<double>(g[i]) / std::sqrt(static_cast<double>(v[i]) + epsilon_);
            if (!(v[i] >= 0) || !std::isfinite(v[i])) {
                fault(variance.published, formatted("has {} at {}: a variance must be a number from 0 on", v[i], i));
                return;
            }
            if (!std::isfinite(scale)) {
                fault(gamma.published,
                      formatted("has {} at {}, with the variance {}: the scale of a batch norm must be "
                                "a number",
                                g[i], i, v[i]));
                return;
            }
            for (std::size_t k = 0; k < each; ++k) {
                float& value = kernel[i * each + k];
                value = static_cast<float>(static_cast<double>(value) * scale);
            }
            offset[i] = static_cast<float>(static_cast<double>(offset[i]) - static_cast<double>(m[i]) * scale);
        }
        gamma.is_used = mean.is_used = variance.is_used = true;
        w.tensor = with_values(w.tensor, kernel);
        beta.tensor = with_values(beta.tensor, offset);
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
        found_tensor* const found = find(name);
        if (found == nullptr || found->is_used) {
            made_.missing.push_back(name);
            if (requires_all_) {
                fault(name, "is a weight of the model that its files do not have");
            }
            return;
        }
        found->is_used = true;
        stored_tensor t = std::move(found->tensor);
        extents turned = bare(t.shape); // positions behind each other along the width
        if (turned.rank == 2) {
            std::swap(turned[0], turned[1]);
        }
        const bool turns = name == positions_ && shape.rank == 4;
        if (turns ? turned != bare(shape) : !has_order_of(t.shape, shape)) {
            fault(found->published, fault_of_shape(t.shape, shape));
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

    /// What the host and the other parts of the network read is not left over.
    ANEMONE_INLINE void note_other_readers(const network& n, network_part own) {
        for (const std::string_view published : host_tensors_of(n)) {
            other_readers_.insert(named(published));
        }
        for (const network_part part : parts_of(n)) {
            if (part == own) {
                continue;
            }
            const dynamic_graph made = network_graph(n, {.part = part});
            const graph_view g = made;
            for (int i = 0; i < g.size(); ++i) {
                if (g[i].kind == op::weight) {
                    other_readers_.emplace(g.name(i));
                }
            }
        }
    }
    ANEMONE_INLINE void note_left_over() {
        std::vector<std::string> names;
        for (const auto& [name, found] : found_) {
            if (!found.is_used && !other_readers_.contains(name)) {
                names.push_back(found.published);
            }
        }
        if (!names.empty()) {
            made_.notes.push_back(note_of_left_over(names));
        }
    }

    read_model& made_;
    std::string place_;
    bool allows_missing_;
    bool counts_beyond_half_;
    bool requires_all_ = false;                       ///< there are tensors, and none may be missing
    std::map<std::string, std::string> convolutions_; ///< kernels and their offsets
    std::string positions_;
    std::string head_;                      ///< the table whose rows are the parts of a head
    std::vector<std::int64_t> head_begins_; ///< and where they begin
    std::int64_t head_width_ = 0;
    std::set<std::string> other_readers_; ///< weights of other parts, and what the host reads
    bool is_transformers_ = false;
    double epsilon_ = 0; ///< of batch norms
    std::map<std::string, found_tensor> found_;
    std::vector<read_fault> faults_;
};

} // namespace ane::models::inline ANEMONE_WAY
