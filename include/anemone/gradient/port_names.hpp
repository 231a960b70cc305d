#pragma once

#include "../graph/builder.hpp"

#include <string_view>

/// Names of ports that are made of names of weights.
namespace ane::detail {

/// A name whose letters, digits and underscores stay, with underscores for everything else: "layers.0.w" as "layers_0_w".
constexpr sequence<char> identifier_of(std::string_view name) {
    sequence<char> identifier;
    for (const char c : name) {
        const bool stays = is_identifier(std::string_view(&c, 1)) || (c >= '0' && c <= '9');
        identifier.push_back(stays ? c : '_');
    }
    if (identifier.empty()) {
        identifier.push_back('_');
    }
    if (identifier[0] >= '0' && identifier[0] <= '9') {
        identifier[0] = '_';
    }
    return identifier;
}

/// Whether an input or an output of a graph has the name.
constexpr bool is_port(const graph_view& g, std::string_view name) {
    return g.find(op::input, name) >= 0 || g.find_output(name) >= 0;
}

constexpr std::string_view text_of(const sequence<char>& characters) { return {characters.data(), characters.size()}; }

/// The names of the ports of a graph that grows, found in constant time: of which compilers count few steps.
class port_names {
public:
    constexpr explicit port_names(const graph_view& g) : heads_(128, -1) {
        for (int i = 0; i < g.size(); ++i) {
            if (g[i].kind == op::input) {
                take(g.name(i));
            }
        }
        for (const output_port& port : g.outputs) {
            take(g.name(port));
        }
    }

    constexpr bool has(std::string_view name) const { return find(name) >= 0; }
    constexpr void take(std::string_view name) {
        if (heads_.size() <= names_.size()) { // as many buckets as names, so that each has few
            heads_ = sequence<int>(4 * heads_.size(), -1);
            for (std::size_t i = 0; i < names_.size(); ++i) {
                enter(names_[i], static_cast<int>(i));
            }
        }
        names_.push_back({.text = {static_cast<int>(text_.size()), static_cast<int>(name.size())},
                          .hash = dynamic_graph::hash_of(name)});
        enter(names_[names_.size() - 1], static_cast<int>(names_.size()) - 1);
        text_.append(name);
    }

    /// Takes the identifier of a name for a port and, with `_out` behind it, for the value of a state after a run; with
    /// `_2`, `_3`, ... behind it where one of both is taken.
    constexpr sequence<char> fresh(std::string_view name) {
        const sequence<char> stem = identifier_of(name);
        const int known = find(text_of(stem));
        // No name becomes free again: those below the last number are taken.
        int number = known >= 0 ? names_[static_cast<std::size_t>(known)].number : 1;
        for (sequence<char> wanted = stem;; wanted = numbered(stem, ++number)) {
            sequence<char> after = wanted;
            after.append(std::string_view("_out"));
            if (!has(text_of(wanted)) && !has(text_of(after))) {
                take(text_of(wanted));
                take(text_of(after));
                if (known >= 0) {
                    names_[static_cast<std::size_t>(known)].number = number;
                }
                return wanted;
            }
        }
    }

private:
    struct entry {
        range_of text;
        int next = -1; ///< of the same bucket
        std::size_t hash = 0;
        int number = 1; ///< the last one that was put behind it
    };

    /// "stem_12"
    static constexpr sequence<char> numbered(const sequence<char>& stem, int number) {
        sequence<char> digits;
        for (int rest = number; rest > 0; rest /= 10) {
            digits.push_back(static_cast<char>('0' + rest % 10));
        }
        sequence<char> wanted = stem;
        wanted.push_back('_');
        for (std::size_t k = digits.size(); k > 0; --k) {
            wanted.push_back(digits[k - 1]);
        }
        return wanted;
    }

    constexpr int find(std::string_view name) const {
        const std::size_t hash = dynamic_graph::hash_of(name);
        for (int i = heads_[hash % heads_.size()]; i >= 0; i = names_[static_cast<std::size_t>(i)].next) {
            const entry& e = names_[static_cast<std::size_t>(i)];
            if (e.hash == hash &&
                std::string_view(text_.data() + e.text.first, static_cast<std::size_t>(e.text.count)) == name) {
                return i;
            }
        }
        return -1;
    }
    constexpr void enter(entry& e, int index) {
        int& head = heads_[e.hash % heads_.size()];
        e.next = head;
        head = index;
    }

    sequence<int> heads_;
    sequence<entry> names_;
    sequence<char> text_;
};

} // namespace ane::detail
