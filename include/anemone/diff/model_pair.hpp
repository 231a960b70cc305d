#ifndef ANEMONE_DIFF_MODEL_PAIR_HPP
#define ANEMONE_DIFF_MODEL_PAIR_HPP

#include "../backend/backend.hpp"
#include "../base/way.hpp"
#include "../values/compare.hpp"
#include "forward.hpp"
#include "histogram.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

/// Two models beside each other on the same inputs: a file and what a converter made of it, before and after a change.
namespace ane::inline ANEMONE_WAY {

/// Why a node has other values than its partner in the other model.
enum class pair_cause : std::uint8_t {
    none,       ///< they are equal
    inherited,  ///< the same operation on values that differ
    data,       ///< a weight or a constant with other elements
    operation,  ///< another operation
    attributes, ///< the same operation with other attributes
    operands,   ///< the same operation on values that are no partners
    shape       ///< results of another shape or type, which are not compared
};

constexpr std::string_view name(pair_cause cause) noexcept {
    constexpr std::string_view names[] = {"same",       "inherited", "other data", "another operation",
                                          "attributes", "operands",  "shape"};
    return names[static_cast<std::size_t>(cause)];
}

/// A node of the first model and its partner in the second.
struct node_pair {
    int first = 0;
    int second = 0;
    difference values{};
    ulp_histogram histogram{};
    pair_cause cause = pair_cause::none;
};

/// A port that the models do not write in the same way: with other extents of 1, in another type, or one of them as a
/// state, which another program's caller gives and takes.
struct port_pair {
    int first = 0;   ///< the node of the input, or that an output returns
    int second = 0;  ///< the same in the second model
    int output = -1; ///< the position among the outputs of the first, -1 for an input
    bool state_of_first = false;
    bool state_of_second = false;
};

struct pair_difference {
    /// In the order of the first model: weights, constants that are read, and what is computed, if it is fp16 or has
    /// another type or shape in the second model.
    std::vector<node_pair> nodes{};
    std::vector<int> only_first{};  ///< operations without a partner
    std::vector<int> only_second{}; ///< the same of the second model
    int first_divergent = -1;       ///< in `nodes`: the first whose difference is not inherited, -1 where there is none
    std::vector<port_pair> ports{}; ///< that are the same and written in other ways
    bool same_outputs = true;    ///< as many, of the same shapes but for extents of 1, with equal values (+0 equals -0)
    bool same_on_engine = false; ///< on the CPU they differ, by roundings alone: the oracle of h13 has the same
};

/// Runs two models once on the same backend and inputs, those of the first in its order, and compares nodes that belong
/// together: ports by name (or by position), layers and weights by name (but for punctuation), and equal operations on
/// what belongs together. Ports are the same where their elements are: [4] and [1, 1, 1, 4], bytes and fp16 of the same
/// numbers, a state and an input of zeros. Outputs are those of the models as they run; on the CPU the nodes within a layer
/// are those of a run that rounds each of them, and left out where the layer's results are the same. Throws `error`
/// (errc::port) where the inputs are not the same in number and elements, for a number that the type of the second does not
/// hold, and for a state of the second where the first is given other than zeros; as `compile` and `run` do.
ANEMONE_API_OF(anemone_diff_model_pair_hpp)
pair_difference diff(const graph_view& first, const weight_store& first_weights, const graph_view& second,
                     const weight_store& second_weights, const backend::cpu& place, input_buffers inputs);
ANEMONE_API_OF(anemone_diff_model_pair_hpp)
pair_difference diff(const graph_view& first, const weight_store& first_weights, const graph_view& second,
                     const weight_store& second_weights, const backend::oracle& place, input_buffers inputs);

/// Random inputs of the first model, in its order, that `diff` can give to both.
ANEMONE_API_OF(anemone_diff_model_pair_hpp)
std::vector<std::vector<std::byte>> random_inputs(const graph_view& first, const graph_view& second,
                                                  std::uint64_t seed = 1);

} // namespace ane::inline ANEMONE_WAY

#endif
#if ANEMONE_BODIES
#include "model_pair.ipp"
#endif
