#pragma once

#include "../formats/written_operations.hpp"
#include <anemone/backend/cpu/constants.hpp>
#include <anemone/graph/graph.hpp>

#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <string_view>

/// What each format has, what it cannot say of what it has, and what became of the random graphs in it.
namespace differential {

using namespace ane;

/// What each format has of what lowering leaves: floor_div becomes a quotient that is compared.
inline constexpr op_set in_mil = op_set::where(
    [](op kind) { return kind != op::floor_div && (both_formats.contains(kind) || mil_alone.contains(kind)); });
inline constexpr op_set in_netplist = op_set::where(
    [](op kind) { return kind != op::floor_div && (both_formats.contains(kind) || netplist_besides.contains(kind)); });

/// What a netplist cannot say of an operation that it has: parts of the sentences, as docs/formats.md lists them.
inline constexpr std::string_view netplist_limits[] = {
    "kernel that is computed on the device",
    "dilated deconvolution is not supported",
    "cropping has no form",
    "the limit is below the kernel",
    "takes Width, Height or Channel",
    "reduces 5 axes",
    "reads a constant of depth",
    "reshapes a tensor of depth",
    "the unit takes depth 1",
    "where it would become depth",
    "along another axis than height and width",
    "is read by no unit",
    "replaces every element",
    "raises to a power other than",
    "selects a constant that is not finite",
    "are written at most",
    "a netplist joins what is adjacent",
    "the units take 1, 2, 3, 4 and 8",
    "the unit takes all of at most 15",
    "the unit orders 1",
    "the unit refuses 3 and 4",
    "the unit is known at rate 0 only",
    "the unit takes 1",
    "samples by a method, a grid or a border",
    "the form takes a constant there",
    "the unit is known for 2 of 4",
    "no unit is known that turns one element type into another",
};

/// Graphs with an operation, by operation.
using counts_by_op = std::array<int, op_count>;

/// What became of one format.
struct format_tally {
    counts_by_op written{};   ///< the lowered graph has the operation, and was written
    counts_by_op read_back{}; ///< and the graph that was read from the file has it too
    int read = 0;             ///< files
    int same = 0;             ///< of these, those whose results are the same to the last bit
};

struct tally {
    counts_by_op made{};
    counts_by_op compared{};
    format_tally mil;
    format_tally netplist;
    int written_in_spite_of_a_fault = 0;
    bool faulty = false;

    void fault(unsigned seed, std::string_view what) {
        fmt::print("fault {} {}\n", seed, what);
        faulty = true;
    }
};

inline void count(counts_by_op& of, op_set all) {
    for (std::size_t i = 0; i < op_count; ++i) {
        of[i] += all.contains(static_cast<op>(i)) ? 1 : 0;
    }
}

/// The operations that are left to the device and that a format lacks.
inline bool lacks(const graph_view& lowered, const folded_constants& constants, op_set has) {
    for (int i = 0; i < lowered.size(); ++i) {
        if (!constants.known(i) && lowered[i].kind != op::input && !has.contains(lowered[i].kind)) {
            return true;
        }
    }
    return false;
}

/// What a MIL text cannot say of an operation that it has: parts of the sentences.
inline constexpr std::string_view mil_limits[] = {"with the padding counted",
                                                  "pads the first of five axes",
                                                  "pads by",
                                                  "the form takes a constant there",
                                                  "the form takes 2 and more",
                                                  "the form takes 4 and more",
                                                  "the engine takes 4",
                                                  "the form has one factor for both",
                                                  "in which order they follow each other",
                                                  "that no form has",
                                                  "moves integers or booleans"};

} // namespace differential
