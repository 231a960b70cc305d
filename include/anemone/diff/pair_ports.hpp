#pragma once

#include "../backend/backend.hpp"
#include "../backend/samples.hpp"
#include "../base/error.hpp"
#include "../base/formatted.hpp"
#include "../base/way.hpp"
#include "../graph/graph.hpp"
#include "../passes/print.hpp"
#include "../weights/formats/elements.hpp"
#include "model_pair.hpp"
#include "partners.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

/// The ports of two models that are to say the same, though formats write them with more extents of 1, in another type, or
/// a state as two ports. Only bodies include this header.
namespace ane::detail::inline ANEMONE_WAY {

/// Whether shapes are the same but for extents of 1: elements lie in memory in the same order.
constexpr bool same_elements(const extents& a, const extents& b) {
    int i = 0;
    int j = 0;
    while (i < a.rank || j < b.rank) {
        if (i < a.rank && a[i] == 1) {
            ++i;
        } else if (j < b.rank && b[j] == 1) {
            ++j;
        } else if (i == a.rank || j == b.rank || a[i++] != b[j++]) {
            return false;
        }
    }
    return true;
}

constexpr bool is_input(const graph_view& g, int index) { return g[index].kind == op::input; }

/// The inputs that callers give, rather than the run before.
class given_inputs {
public:
    ANEMONE_INLINE explicit given_inputs(const graph_view& g) : is_given_(bound_nodes(g)), places_(g.nodes.size(), 0) {
        std::size_t place = 0;
        for (std::size_t i = 0; i < places_.size(); ++i) {
            places_[i] = place;
            place += is_given_[i] != 0 ? 1 : 0;
        }
    }

    bool contains(int index) const { return is_given_[static_cast<std::size_t>(index)] != 0; }
    /// Where the memory of one stands among those that a caller gives.
    std::size_t place_of(int index) const { return places_[static_cast<std::size_t>(index)]; }

private:
    sequence<char> is_given_;
    sequence<std::size_t> places_;
};

/// The numbers of a value in elements of another type. Throws `error` (errc::port) for one that is none of them.
ANEMONE_INLINE std::vector<std::byte> retyped(std::span<const std::byte> memory, dtype from, dtype to,
                                              std::string_view name) {
    const auto count = static_cast<std::int64_t>(memory.size()) / bytes(from, 1);
    std::vector<double> numbers(static_cast<std::size_t>(count));
    for (std::int64_t i = 0; i < count; ++i) {
        const auto number = weight_formats::element_as<double>(memory, element_of(from), i);
        const int width = to == dtype::f16 ? 0 : bits(to);
        const bool has_sign = facts_of(element_of(to)).kind == number_kind::with_sign;
        const double least = has_sign ? -std::ldexp(1.0, width - 1) : 0.0;
        const double most = std::ldexp(1.0, has_sign ? width - 1 : width) - 1;
        const bool holds = width == 0 ? static_cast<double>(half(number)) == number || std::isnan(number)
                                      : number >= least && number <= most && number == std::floor(number);
        if (!holds) {
            throw error(errc::port, std::string(name),
                        formatted("is {} in one model and {} in the other, which holds no {} (element {})",
                                  facts_of(element_of(from)).array, facts_of(element_of(to)).array, number, i));
        }
        numbers[static_cast<std::size_t>(i)] = number;
    }
    return weight_formats::pack_elements(element_of(to), std::span<const double>(numbers));
}

/// The inputs that the second model is given, in its order, where the first has these. Throws as `diff` of two models.
ANEMONE_INLINE std::vector<std::vector<std::byte>> inputs_of_second(const graph_view& first, const graph_view& second,
                                                                    const partner_search& partners,
                                                                    input_buffers inputs) {
    const given_inputs given_to_first(first);
    const given_inputs given_to_second(second);
    std::vector<std::vector<std::byte>> all;
    for (int j = 0; j < second.size(); ++j) {
        if (!is_input(second, j)) {
            continue;
        }
        const int i = partners.of_second()[static_cast<std::size_t>(j)];
        if (i < 0) {
            if (!given_to_second.contains(j)) {
                continue;
            }
            throw error(errc::port, std::string(second.called(second.name(j))),
                        "is an input of the second model alone");
        }
        const node& mine = first[i];
        const std::string name(first.called(first.name(i)));
        if (!same_elements(mine.shape, second[j].shape)) {
            throw error(errc::port, name,
                        formatted("is {} in the first model and {} in the second", print(mine.type, mine.shape),
                                  print(second[j].type, second[j].shape)));
        }
        const std::size_t place = given_to_first.place_of(i);
        if (given_to_first.contains(i) && place >= inputs.size()) {
            continue; // too few: running the first model says so
        }
        const std::vector<std::byte> zeros(static_cast<std::size_t>(bytes(mine.type, mine.shape.count())));
        const std::span<const std::byte> memory = given_to_first.contains(i) ? inputs[place] : std::span(zeros);
        if (!given_to_second.contains(j)) {
            if (!std::equal(memory.begin(), memory.end(), zeros.begin(), zeros.end())) {
                throw error(errc::port, name,
                            "is an input of the first model and a state of the second, which is zeros before the first "
                            "run: only zeros compare them");
            }
            continue;
        }
        all.push_back(mine.type == second[j].type ? std::vector<std::byte>(memory.begin(), memory.end())
                                                  : retyped(memory, mine.type, second[j].type, name));
    }
    for (int i = 0; i < first.size(); ++i) {
        if (given_to_first.contains(i) && partners.of_first()[static_cast<std::size_t>(i)] < 0) {
            throw error(errc::port, std::string(first.called(first.name(i))), "is an input of the first model alone");
        }
    }
    return all;
}

/// Random inputs of the first model that the second can take: in the narrower type where theirs differ, zeros for a port
/// that is a state of the second.
ANEMONE_INLINE std::vector<std::vector<std::byte>> drawn_for_both(const graph_view& first, const graph_view& second,
                                                                  const partner_search& partners, std::uint64_t seed) {
    const model_samples mine = random_samples(first, 1, seed);
    const model_samples theirs = random_samples(second, 1, seed);
    const auto drawn = mine.inputs(0);
    const auto others = theirs.inputs(0);
    const given_inputs given_to_first(first);
    const given_inputs given_to_second(second);
    std::vector<std::vector<std::byte>> all;
    for (int i = 0; i < first.size(); ++i) {
        if (!given_to_first.contains(i)) {
            continue;
        }
        const std::span<const std::byte> own = drawn[all.size()];
        std::vector<std::byte>& memory = all.emplace_back(own.begin(), own.end());
        const int j = partners.of_first()[static_cast<std::size_t>(i)];
        if (j < 0 || !same_elements(first[i].shape, second[j].shape)) {
            continue;
        }
        if (!given_to_second.contains(j)) {
            std::fill(memory.begin(), memory.end(), std::byte{});
        } else if (bits(second[j].type) < bits(first[i].type)) {
            memory = retyped(others[given_to_second.place_of(j)], second[j].type, first[i].type, first.name(i));
        }
    }
    return all;
}

/// The ports that the models write in other ways: with other extents of 1, another type, or one of them as a state.
ANEMONE_INLINE std::vector<port_pair> changed_ports(const graph_view& first, const graph_view& second,
                                                    const partner_search& partners) {
    std::vector<port_pair> all;
    const auto add = [&](port_pair pair) {
        const node& a = first[pair.first];
        const node& b = second[pair.second];
        if (a.type != b.type || a.shape != b.shape || pair.state_of_first || pair.state_of_second) {
            all.push_back(pair);
        }
    };
    const given_inputs given_to_first(first);
    const given_inputs given_to_second(second);
    for (int i = 0; i < first.size(); ++i) {
        const int j = partners.of_first()[static_cast<std::size_t>(i)];
        if (is_input(first, i) && j >= 0) {
            const bool mine = !given_to_first.contains(i);
            const bool theirs = !given_to_second.contains(j);
            add({.first = i, .second = j, .state_of_first = mine && !theirs, .state_of_second = theirs && !mine});
        }
    }
    for (std::size_t k = 0; k < first.outputs.size(); ++k) {
        const int other = partners.output_of_first()[k];
        if (other < 0) {
            continue;
        }
        const output_port& mine = first.outputs[k];
        const output_port& theirs = second.outputs[static_cast<std::size_t>(other)];
        if (!mine.is_state() && !theirs.is_state()) {
            add({.first = mine.node, .second = theirs.node, .output = static_cast<int>(k)});
        }
    }
    return all;
}

} // namespace ane::detail::inline ANEMONE_WAY
