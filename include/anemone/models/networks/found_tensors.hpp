#pragma once

#include "../../base/way.hpp"
#include "../../readers/unreadable.hpp"
#include "../../weights/store.hpp"
#include "../tensor_forms.hpp"
#include "../tensor_names.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Only bodies include this header.
namespace ane::models::inline ANEMONE_WAY {

struct found_tensor {
    stored_tensor tensor;
    std::string published;
    bool is_used = false;
};

/// The tensors of a published network under the names of its graph, and what is wrong with them.
class found_tensors {
public:
    ANEMONE_INLINE found_tensors(std::string place, publisher source) : place_(std::move(place)), source_(source) {}

    /// Keeps them; several weights in one are put apart.
    ANEMONE_INLINE void take(std::vector<stored_tensor> all, std::vector<read_fault> faults) {
        faults_ = std::move(faults);
        for (stored_tensor& t : all) {
            keep(std::move(t));
        }
        split_joined();
    }

    ANEMONE_INLINE found_tensor* find(const std::string& name) {
        const auto at = all_.find(name);
        return at == all_.end() ? nullptr : &at->second;
    }
    ANEMONE_INLINE void forget(const std::string& name) { all_.erase(name); }
    const std::map<std::string, found_tensor>& all() const { return all_; }

    /// Some rows of a table under a name of their own.
    ANEMONE_INLINE void add_rows(const found_tensor& table, std::int64_t begin, std::int64_t rows, std::string name) {
        const stored_tensor& t = table.tensor;
        const auto row = t.bytes.size() / static_cast<std::size_t>(t.shape[0]);
        extents shape = t.shape;
        shape[0] = rows;
        found_tensor part{{name, t.type, shape,
                           t.bytes.part(static_cast<std::size_t>(begin) * row, static_cast<std::size_t>(rows) * row)},
                          table.published};
        all_.try_emplace(std::move(name), std::move(part));
    }

    ANEMONE_INLINE void fault(const std::string& tensor, const std::string& why) {
        faults_.push_back({place_, 0, 0, tensor, why});
    }
    ANEMONE_INLINE void throw_faults() {
        if (!faults_.empty()) {
            throw unreadable(place_, std::move(faults_));
        }
    }

private:
    ANEMONE_INLINE void keep(stored_tensor t) {
        if (follows_from_the_rest(t.name)) {
            return;
        }
        if (const std::optional<std::string> wrong = fault_of_type(t)) {
            fault(t.name, *wrong);
            return;
        }
        std::string name = name_in_graph(t.name, source_);
        const std::string published = std::exchange(t.name, name);
        if (!all_.try_emplace(std::move(name), found_tensor{std::move(t), published}).second) {
            fault(published, "stands there twice, with another prefix");
        }
    }

    /// Several weights in one, behind each other: of queries, keys and values timm's attn.qkv and torchvision's
    /// self_attention.in_proj, of GEGLU diffusers' ff.net.0.proj.
    ANEMONE_INLINE void split_joined() {
        struct joined {
            std::string_view of;
            std::array<std::string_view, 3> parts;
            std::int64_t count = 3;
        };
        constexpr joined forms[] = {{"_attn_qkv_", {"_attn_q_", "_attn_k_", "_attn_v_"}},
                                    {"_self_attention_in_proj_",
                                     {"_self_attention_q_proj_", "_self_attention_k_proj_", "_self_attention_v_proj_"}},
                                    {"_ff_net_0_proj_", {"_ff_net_0_value_", "_ff_net_0_gate_"}, 2}};
        std::vector<found_tensor> made;
        for (auto& [name, found] : all_) {
            for (const joined& form : forms) {
                const std::size_t at = name.find(form.of);
                const extents& whole = found.tensor.shape;
                if (at == std::string::npos || whole.rank < 1 || whole[0] % form.count != 0) {
                    continue;
                }
                found.is_used = true;
                const auto count = static_cast<std::size_t>(form.count);
                const std::size_t size = found.tensor.bytes.size() / count;
                for (std::size_t k = 0; k < count; ++k) {
                    std::string of = name;
                    of.replace(at, form.of.size(), form.parts[k]);
                    extents part = whole;
                    part[0] = whole[0] / form.count;
                    made.push_back(
                        {{of, found.tensor.type, part, found.tensor.bytes.part(k * size, size)}, found.published});
                }
            }
        }
        for (found_tensor& each : made) {
            std::string name = each.tensor.name;
            if (!all_.try_emplace(std::move(name), std::move(each)).second) {
                fault(each.published, "stands there joined and apart");
            }
        }
    }

    std::string place_;
    publisher source_;
    std::map<std::string, found_tensor> all_;
    std::vector<read_fault> faults_;
};

} // namespace ane::models::inline ANEMONE_WAY
