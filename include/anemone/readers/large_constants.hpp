#pragma once

#include "../base/formatted.hpp"
#include "../base/way.hpp"
#include "../folding/known_tensor.hpp"
#include "../graph/graph.hpp"
#include "../graph/op_facet.hpp"
#include "../values/half.hpp"
#include "../weights/convert.hpp"
#include "../weights/formats/element_scan.hpp"
#include "../weights/formats/elements.hpp"
#include "../weights/formats/packing.hpp"
#include "large_factors.hpp"
#include "read_model.hpp"
#include "unreadable.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

/// Constants that fp16 does not hold. Masks before a softmax become finite ones, and factors inside a logarithm smaller
/// ones, for all readers alike; whatever else is beyond fp16 is a fault of the file. Only bodies include this header.
namespace ane::readers::inline ANEMONE_WAY {

using folding::known_tensor;

/// What a mask is in fp16: its e^x is 0 after any score. A mask of -65504 would be -infinity with a score of -16 added,
/// and so would two that are added, and a row that is masked wholly would be NaN; this one leaves room for both.
inline constexpr double finite_mask = 30000;

/// A constant of the file with elements beyond fp16. Until all that reads it is known it is a weight of the graph.
struct large_constant {
    std::string weight;      ///< its name there
    bool is_literal = false; ///< whether the graph is to have its elements in the end
    read_fault fault;        ///< what is wrong with the file unless this is a mask
};

constexpr bool is_beyond_fp16(double value) { return weight_formats::beyond_fp16{}(value); }

/// The first element that is beyond fp16.
ANEMONE_INLINE std::optional<std::int64_t> first_beyond_fp16(const known_tensor& c) {
    return weight_formats::with_element(c.type, [&]<class Element>() -> std::optional<std::int64_t> {
        if constexpr (std::is_void_v<Element>) { // others have a few bits
            return std::nullopt;
        } else {
            return c.first_where<Element>(weight_formats::beyond_fp16{});
        }
    });
}

/// A constant as a weight of floats. Readers refuse a NaN, or take it for 0.
ANEMONE_INLINE stored_tensor as_large_weight(const known_tensor& c, std::string name) {
    std::vector<double> values;
    for (std::int64_t i = 0; i < c.count(); ++i) {
        const double value = c.at(i);
        values.push_back(std::isnan(value) ? 0 : value);
    }
    return {std::move(name), element_type::f32, c.shape,
            weight_formats::pack_elements(element_type::f32, std::span<const double>(values))};
}
ANEMONE_INLINE std::string why_too_large(const known_tensor& c, std::int64_t element) {
    return formatted(
        "element {} of a constant is {}; the graph holds finite fp16 values, up to {}, and what reads this "
        "constant does not make it a mask before a softmax: scale the layers around it until it fits",
        element, c.at(element), half_max);
}

/// How an operation passes masks on. Operands are bits.
struct mask_flow {
    unsigned masks = 0;  ///< which may be a mask alone
    unsigned scores = 0; ///< which may be scores with a mask
    bool joins = false;  ///< its result is scores with a mask, if one operand is a mask alone
    bool ends = false;   ///< its result does not tell how large a mask is
};

ANEMONE_INLINE mask_flow mask_flow_of(op kind) {
    constexpr unsigned first = 1;
    constexpr unsigned all = ~0U;
    constexpr mask_flow joining{all, all, true, false};
    constexpr mask_flow of_scores{0, first, false, false};
    constexpr mask_flow ending{0, first, false, true};
    static const op_facet<mask_flow> known{{op::add, joining},
                                           {op::sub, joining},
                                           {op::maximum, joining},
                                           {op::select, {all & ~first, all & ~first, true, false}},
                                           {op::mul, {all, all, false, false}},
                                           {op::div, of_scores},
                                           {op::reduce_max, of_scores},
                                           {op::softmax, ending},
                                           {op::exp, ending},
                                           {op::exp2, ending},
                                           {op::sigmoid, ending},
                                           {op::reduce_log_sum_exp, ending}};
    if (known.kinds().contains(kind)) {
        return known[kind];
    }
    const op_group group = signature(kind).group;
    if (group == op_group::movement) {
        return joining; // concat puts masked elements beside scores
    }
    if (group == op_group::attention) {
        constexpr unsigned mask = 1U << 3U;
        return {mask, mask, false, true};
    }
    // A masked element is not the largest, nor among those.
    return group == op_group::arg_reduction || group == op_group::rank ? ending : mask_flow{};
}

/// Which constants are masks: all that is computed from them ends in a softmax, or in what only asks which element is the
/// largest, and is added to scores, or chosen in place of them, on the way.
class mask_search {
public:
    ANEMONE_INLINE explicit mask_search(const graph_view& g)
        : g_(g), alone_(static_cast<std::size_t>(g.size()), unread), joined_(alone_), has_products_(alone_.size(), 0) {
        for (int i = 0; i < g.size(); ++i) {
            char& products = has_products_[static_cast<std::size_t>(i)];
            products = summed_products.contains(g[i].kind) ? 1 : 0;
            for (const int o : g.operands(i)) {
                products = products != 0 || has_products_[static_cast<std::size_t>(o)] != 0 ? 1 : 0;
            }
        }
        for (const output_port& out : g.outputs) {
            alone_[static_cast<std::size_t>(out.node)] = no;
            joined_[static_cast<std::size_t>(out.node)] = no;
        }
        for (int i = g.size() - 1; i >= 0; --i) { // what reads a node stands behind it
            const std::span<const int> operands = g.operands(i);
            for (std::size_t k = 0; k < operands.size(); ++k) {
                const auto o = static_cast<std::size_t>(operands[k]);
                also(alone_[o], serves_alone(i, k));
                also(joined_[o], serves_joined(i, k));
            }
        }
    }

    bool is_mask(int node) const { return alone_[static_cast<std::size_t>(node)] == yes; }

private:
    enum verdict : char { unread, yes, no };

    static void also(verdict& so_far, bool one_more) { so_far = so_far == no || !one_more ? no : yes; }

    /// Whether a constant serves as a mask that operand k of a node reads, not yet with scores.
    ANEMONE_INLINE bool serves_alone(int node, std::size_t k) const {
        const mask_flow flow = mask_flow_of(g_[node].kind);
        const auto i = static_cast<std::size_t>(node);
        // Times what says where to mask it is one; scores times a number are none.
        const bool is_factor =
            g_[node].kind == op::mul && has_products_[static_cast<std::size_t>(g_.operands(node)[1 - k])] != 0;
        return k < 32 && (flow.masks >> k & 1U) != 0 && !is_factor &&
               (flow.ends || alone_[i] == yes || (flow.joins && joined_[i] == yes));
    }

    /// The same of scores with a mask.
    ANEMONE_INLINE bool serves_joined(int node, std::size_t k) const {
        const mask_flow flow = mask_flow_of(g_[node].kind);
        return k < 32 && (flow.scores >> k & 1U) != 0 && (flow.ends || joined_[static_cast<std::size_t>(node)] == yes);
    }

    const graph_view g_;
    std::vector<verdict> alone_;  ///< whether all that reads a node takes it for a mask
    std::vector<verdict> joined_; ///< the same of a node that has been added to scores
    std::vector<char> has_products_;
};

/// A weight with each element that is beyond fp16 as a number of that sign and of this size.
ANEMONE_INLINE stored_tensor limited(const stored_tensor& from, double size) {
    std::vector<half> values;
    for (const double value : to_double(from)) {
        values.emplace_back(is_beyond_fp16(value) ? std::copysign(size, value) : value);
    }
    return {from.name, element_type::f16, from.shape, weight_formats::pack_halves(values)};
}

/// A weight times 2^power, as fp16.
ANEMONE_INLINE stored_tensor times_power(const stored_tensor& from, int power) {
    std::vector<half> values;
    for (const double value : to_double(from)) {
        values.emplace_back(std::ldexp(value, power));
    }
    return {from.name, element_type::f16, from.shape, weight_formats::pack_halves(values)};
}

/// What became of masks, in a sentence; `largest` is one of their elements.
ANEMONE_INLINE std::string note_of_masks(double largest) {
    return formatted(
        "masks before a softmax that are beyond fp16, such as {:.6g}, are {} here{}", largest,
        std::copysign(finite_mask, largest),
        std::isinf(largest) ? ": a softmax over nothing but masked elements is uniform, in the file it is NaN" : "");
}

/// The element of a stored tensor that is furthest beyond fp16; 0 where none is.
ANEMONE_INLINE double largest_beyond_fp16(const stored_tensor& t) {
    double largest = 0;
    const std::span<const std::byte> bytes = t.bytes;
    for (std::int64_t i = 0; is_floating(t.type) && i < t.shape.count(); ++i) {
        const double value = weight_formats::element_as<double>(bytes, t.type, i);
        largest = is_beyond_fp16(value) && std::fabs(value) > std::fabs(largest) ? value : largest;
    }
    return largest;
}

/// Makes the weight of this name a constant of the graph, with the values that the store has, which stay there.
ANEMONE_INLINE void make_literal(read_model& model, int node, const std::string& name) {
    ane::node& n = model.graph.nodes[static_cast<std::size_t>(node)];
    n.kind = op::constant;
    n.name = {};
    n.attributes = model.graph.keep(to_float(model.weights.at(name)));
}

/// The weights of a graph that are masks, by name, and all weights with their nodes.
struct found_masks {
    std::map<std::string, int, std::less<>> weights{};
    std::set<std::string, std::less<>> masks{};

    ANEMONE_INLINE explicit found_masks(const graph_view& g) {
        const mask_search search(g);
        for (int i = 0; i < g.size(); ++i) {
            if (g[i].kind == op::weight) {
                weights.emplace(g.name(i), i);
                if (search.is_mask(i)) {
                    masks.emplace(g.name(i));
                }
            }
        }
    }
};

/// The faults of large constants that are no masks, of a file with other faults: as far as its graph goes.
ANEMONE_INLINE std::vector<read_fault> faults_of_large_constants(const graph_view& unfinished,
                                                                 std::span<const large_constant> found) {
    std::vector<read_fault> faults;
    const found_masks all(unfinished);
    for (const large_constant& each : found) {
        if (!all.masks.contains(each.weight)) {
            faults.push_back(each.fault);
        }
    }
    return faults;
}

/// Makes masks finite, and factors inside a logarithm smaller, with a note. Other constants beyond fp16 become +-65504
/// where `saturates`, with a note, and are told among the model's numbers that are not held; else the faults of those
/// among `found` are returned.
ANEMONE_INLINE std::vector<read_fault> settle_large_constants(read_model& model, std::span<const large_constant> found,
                                                              bool saturates) {
    const found_masks all(model.graph);
    const auto note = [&](const std::string& sentence) {
        if (std::find(model.notes.begin(), model.notes.end(), sentence) == model.notes.end()) {
            model.notes.push_back(sentence);
            model.changes.push_back(sentence);
        }
    };
    double largest = 0;
    for (const std::string& name : all.masks) {
        const stored_tensor* const mask = model.weights.find(name);
        const double value = mask == nullptr ? 0 : largest_beyond_fp16(*mask);
        if (value != 0) {
            model.weights.replace(limited(*mask, finite_mask));
            largest = std::fabs(value) > std::fabs(largest) ? value : largest;
        }
    }
    if (largest != 0) {
        note(note_of_masks(largest));
    }
    std::vector<read_fault> faults;
    std::vector<factor_in_logarithm> factors;
    std::set<std::string_view> literals; // weights that are constants of the graph now
    const factor_search search(model.graph, model.weights);
    for (const large_constant& each : found) {
        const auto at = all.weights.find(each.weight);
        const bool is_mask = all.masks.contains(each.weight);
        if (at == all.weights.end()) {
            continue; // no output depends on it
        }
        if (const auto factor = is_mask ? std::nullopt : search.find(at->second)) {
            note("factors beyond fp16 inside a logarithm are a power of two smaller here, and the logarithm of that is "
                 "added after it");
            model.weights.replace(times_power(model.weights.at(each.weight), -factor->power));
            if (each.is_literal) {
                make_literal(model, at->second, each.weight);
                literals.insert(each.weight);
            }
            factors.push_back(*factor);
            continue;
        }
        if (!is_mask && !saturates) {
            faults.push_back(each.fault);
            continue;
        }
        if (!is_mask) {
            note("constants beyond fp16 are read as the largest finite number, 65504");
            model.unheld.push_back(each.fault);
            model.weights.replace(limited(model.weights.at(each.weight), half_max));
        }
        if (each.is_literal) {
            make_literal(model, at->second, each.weight);
            literals.insert(each.weight);
        }
    }
    if (!literals.empty()) { // all at once: taken out one by one, each would move all that follow
        model.weights = std::move(model.weights).renamed([&](std::string_view name) {
            return literals.contains(name) ? std::string() : std::string(name);
        });
    }
    if (!factors.empty()) {
        model.graph = with_scaled_logarithms(model.graph, factors);
    }
    return faults;
}

} // namespace ane::readers::inline ANEMONE_WAY
