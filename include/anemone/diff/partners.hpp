#pragma once

#include "../base/way.hpp"
#include "../graph/graph.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

/// Which nodes of two models belong together. Only bodies include this header.
namespace ane::detail::inline ANEMONE_WAY {

/// Pairs ports by name, then by name but for punctuation, then those that are left in their order; then what has the same name but for punctuation; then
/// operands of pairs; and last, from the inputs on, equal operations on pairs. A node has one partner or none, and no
/// pair joins an operation to an input, a weight or a constant.
class partner_search {
public:
    ANEMONE_INLINE partner_search(const graph_view& first, const graph_view& second)
        : first_(first), second_(second), of_first_(first.nodes.size(), -1), of_second_(second.nodes.size(), -1) {
        ports();
        names();
        for (int i = first_.size() - 1; i >= 0; --i) {
            operands_of(i);
        }
        readers_.resize(second.nodes.size());
        for (int j = 0; j < second_.size(); ++j) {
            for (const int operand : second_.operands(j)) {
                readers_[static_cast<std::size_t>(operand)].push_back(j);
            }
        }
        for (int i = 0; i < first_.size(); ++i) {
            forward(i);
        }
    }

    /// For each node of the first model the one of the second, or -1.
    const std::vector<int>& of_first() const noexcept { return of_first_; }
    const std::vector<int>& of_second() const noexcept { return of_second_; }
    /// For each output of the first model its position among those of the second, or -1.
    const std::vector<int>& output_of_first() const noexcept { return outputs_; }

private:
    bool free(int i, int j) const {
        return of_first_[static_cast<std::size_t>(i)] < 0 && of_second_[static_cast<std::size_t>(j)] < 0;
    }
    ANEMONE_INLINE void pair(int i, int j) {
        const bool fits =
            first_[i].kind == second_[j].kind || (!is_source(first_[i].kind) && !is_source(second_[j].kind));
        if (fits && free(i, j)) {
            of_first_[static_cast<std::size_t>(i)] = j;
            of_second_[static_cast<std::size_t>(j)] = i;
        }
    }

    ANEMONE_INLINE static std::vector<int> inputs_of(const graph_view& g) {
        std::vector<int> all;
        for (int i = 0; i < g.size(); ++i) {
            if (g[i].kind == op::input) {
                all.push_back(i);
            }
        }
        return all;
    }

    ANEMONE_INLINE void ports() {
        const std::vector<int> here = inputs_of(first_);
        const std::vector<int> there = inputs_of(second_);
        const std::vector<int> input = matched(
            here.size(), there.size(), [&](std::size_t k) { return first_.name(here[k]); },
            [&](std::size_t k) { return second_.name(there[k]); });
        for (std::size_t k = 0; k < here.size(); ++k) {
            if (input[k] >= 0) {
                pair(here[k], there[static_cast<std::size_t>(input[k])]);
            }
        }
        outputs_ = matched(
            first_.outputs.size(), second_.outputs.size(),
            [&](std::size_t k) { return first_.name(first_.outputs[k]); },
            [&](std::size_t k) { return second_.name(second_.outputs[k]); });
        for (std::size_t k = 0; k < outputs_.size(); ++k) {
            if (outputs_[k] >= 0) {
                pair(first_.outputs[k].node, second_.outputs[static_cast<std::size_t>(outputs_[k])].node);
            }
        }
    }

    /// For each port of the first the one of the second: of the same name; of the same but for punctuation; and those that
    /// are left in their order. -1: there is none.
    template <class Mine, class Theirs>
    static std::vector<int> matched(std::size_t count, std::size_t others, const Mine& mine, const Theirs& theirs) {
        std::vector<int> of_first(count, -1);
        std::vector<char> taken(others, 0);
        const auto match = [&](const auto& name) {
            std::map<std::string, std::size_t> known;
            for (std::size_t k = others; k-- > 0;) {
                if (taken[k] == 0) {
                    known.insert_or_assign(name(theirs(k)), k);
                }
            }
            for (std::size_t k = 0; k < count; ++k) {
                const auto found = of_first[k] < 0 ? known.find(name(mine(k))) : known.end();
                if (found != known.end() && taken[found->second] == 0) {
                    of_first[k] = static_cast<int>(found->second);
                    taken[found->second] = 1;
                }
            }
        };
        match([](std::string_view name) { return std::string(name); });
        match([](std::string_view name) { return plain(name); });
        std::size_t next = 0;
        for (int& other : of_first) {
            while (next < others && taken[next] != 0) {
                ++next;
            }
            if (other < 0 && next < others) {
                other = static_cast<int>(next);
                taken[next] = 1;
            }
        }
        return of_first;
    }

    /// A name as every format can write it: "/0/Conv" is "_0_Conv" in MIL text.
    ANEMONE_INLINE static std::string plain(std::string_view name) {
        std::string text(name);
        for (char& c : text) {
            const bool stays = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
            c = stays ? c : '_';
        }
        return text;
    }
    /// The last node of each name: the parts of a layer have one name, and the last computes its value.
    ANEMONE_INLINE static std::map<std::string, int> named(const graph_view& g) {
        std::map<std::string, int> last;
        for (int i = 0; i < g.size(); ++i) {
            if (!g.name(i).empty()) {
                last.insert_or_assign(plain(g.name(i)), i);
            }
        }
        return last;
    }
    ANEMONE_INLINE void names() {
        const std::map<std::string, int> there = named(second_);
        for (const auto& [name, i] : named(first_)) {
            if (const auto found = there.find(name); found != there.end()) {
                pair(i, found->second);
            }
        }
    }

    ANEMONE_INLINE void operands_of(int i) {
        const int j = of_first_[static_cast<std::size_t>(i)];
        if (j < 0 || first_[i].kind != second_[j].kind || first_.operands(i).size() != second_.operands(j).size()) {
            return;
        }
        for (std::size_t k = 0; k < first_.operands(i).size(); ++k) {
            if (alike(first_.operands(i)[k], second_.operands(j)[k])) {
                pair(first_.operands(i)[k], second_.operands(j)[k]);
            }
        }
    }

    bool alike(int i, int j) const {
        return first_[i].kind == second_[j].kind && first_[i].type == second_[j].type &&
               first_[i].shape == second_[j].shape;
    }

    /// The same operation on partners; unpaired constants in the same place become partners with it.
    ANEMONE_INLINE void forward(int i) {
        const auto mine = first_.operands(i);
        if (of_first_[static_cast<std::size_t>(i)] >= 0 || mine.empty()) {
            return;
        }
        const auto known = std::find_if(mine.begin(), mine.end(),
                                        [&](int operand) { return of_first_[static_cast<std::size_t>(operand)] >= 0; });
        if (known == mine.end()) {
            return;
        }
        for (const int j : readers_[static_cast<std::size_t>(of_first_[static_cast<std::size_t>(*known)])]) {
            const auto theirs = second_.operands(j);
            if (of_second_[static_cast<std::size_t>(j)] >= 0 || !alike(i, j) || theirs.size() != mine.size()) {
                continue;
            }
            bool same = true;
            for (std::size_t k = 0; k < mine.size() && same; ++k) {
                same = of_first_[static_cast<std::size_t>(mine[k])] == theirs[k] ||
                       (is_source(first_[mine[k]].kind) && alike(mine[k], theirs[k]) && free(mine[k], theirs[k]));
            }
            if (same) {
                pair(i, j);
                operands_of(i);
                return;
            }
        }
    }

    graph_view first_;
    graph_view second_;
    std::vector<int> of_first_;
    std::vector<int> of_second_;
    std::vector<int> outputs_;
    std::vector<std::vector<int>> readers_; ///< of each node of the second model
};

} // namespace ane::detail::inline ANEMONE_WAY
