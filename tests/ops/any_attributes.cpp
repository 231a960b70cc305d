#include <anemone/catalogue/catalogue.hpp>
#include <anemone/graph/graph.hpp>
#include <anemone/passes/print.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <random>
#include <string>

using namespace ane;

namespace {

/// Operand shapes and attributes without regard to what an operation takes.
struct arbitrary {
    std::mt19937 random;

    explicit arbitrary(unsigned seed) : random(seed) {}

    int number(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); }
    extents shape(int least, int most) {
        extents e;
        for (int rank = number(least, most); rank > 0; --rank) {
            e.append(number(1, 4) == 1 ? 1 : number(1, 12));
        }
        return e;
    }
    /// Mostly four axes, as images have; else up to five.
    extents operand() { return number(0, 2) > 0 ? shape(4, 4) : shape(0, 5); }
    indices list(int rank, int low, int high) {
        indices r;
        for (int i = number(0, 9) > 0 ? rank : number(0, 8); i > 0; --i) {
            r.append(number(low, high));
        }
        return r;
    }
    size2 pair(int low, int high) { return {number(low, high), number(low, high)}; }
    attributes of(op kind, const extents& x) {
        switch (signature(kind).attributes) {
        case attribute_kind::axis: return axis{number(-6, 5)};
        case attribute_kind::axes: {
            axes a;
            a.list = list(number(0, 3), -5, 4);
            return a;
        }
        case attribute_kind::window: {
            window w{list(x.rank, -1, 3), x};
            if (x.rank > 0) {
                w.size[number(0, x.rank - 1)] = number(0, 6);
            }
            return w;
        }
        case attribute_kind::strided_window: return strided_window{list(x.rank, -1, 4), list(x.rank, 0, 3)};
        case attribute_kind::pads: return pads{list(x.rank, 0, 4), list(x.rank, 0, 4)};
        case attribute_kind::permutation: {
            permutation p;
            p.order = list(x.rank, -1, 4);
            return p;
        }
        case attribute_kind::repeats: {
            repeats r;
            r.count = list(x.rank, 0, 3);
            return r;
        }
        case attribute_kind::factors: {
            factors f;
            f.by = pair(0, 3);
            return f;
        }
        case attribute_kind::sampling: return sampling{.extent = pair(0, 5)};
        case attribute_kind::quantization:
            return quantization{.type = static_cast<dtype>(number(0, 3)), .axis = number(-5, 4)};
        case attribute_kind::compression:
            return compression{.form = static_cast<weight_form>(number(0, 5)),
                               .bits = number(0, 9),
                               .vector = number(0, 6),
                               .block = number(-2, 12),
                               .zeros = static_cast<float>(number(-1, 3)) / 2};
        case attribute_kind::selection: return selection{.k = number(0, 8), .axis = number(-6, 5)};
        case attribute_kind::item_count: return item_count{number(-1, 6)};
        case attribute_kind::scaling:
            return scaling{.function = static_cast<scaled_function>(number(0, 3)),
                           .scale = static_cast<float>(number(0, 2))};
        case attribute_kind::drop_ratio: return drop_ratio{static_cast<float>(number(-2, 3)) / 4};
        case attribute_kind::uniform_range:
            return uniform_range{static_cast<float>(number(-2, 3)) / 4, static_cast<float>(number(-2, 3)) / 4};
        case attribute_kind::search_radius: return search_radius{static_cast<float>(number(-2, 3)) / 4};
        default: return no_attributes{};
        }
    }
};

constexpr std::array rearrangements{op::reverse,        op::identity,       op::pixel_shuffle,     op::pixel_unshuffle,
                                    op::depth_to_space, op::space_to_depth, op::space_to_batch,    op::batch_to_space,
                                    op::sort,           op::arg_sort,       op::dropout,           op::quantize,
                                    op::dequantize,     op::compressed,     op::scaled_elementwise};

constexpr std::array groups{op_group::movement, op_group::texture, op_group::quantization, op_group::rank,
                            op_group::native};

} // namespace

TEST_CASE("whatever the attributes and operands, a shape rule names a fault or gives a shape of positive extents") {
    std::array<int, op_count> fine{};
    std::array<int, op_count> broken{};
    for (unsigned seed = 1; seed <= 120; ++seed) {
        CAPTURE(seed);
        arbitrary make(seed);
        for (std::size_t k = 0; k < op_count; ++k) {
            const op kind = static_cast<op>(k);
            const op_signature& takes = signature(kind);
            bool tried = false;
            for (const op_group group : groups) {
                tried = tried || takes.group == group;
            }
            for (int turn = 0; tried && turn < 60; ++turn) {
                CAPTURE(std::string(name(kind)));
                dynamic_graph g;
                const extents x = make.operand();
                const int count = takes.most_operands > 3 ? 2 : make.number(takes.least_operands, takes.most_operands);
                std::array<int, 3> operands{};
                for (int i = 0; i < count; ++i) {
                    node n;
                    n.kind = op::weight;
                    // Operands that fit, often enough: equal ones, short ones, single numbers.
                    const int pick = make.number(0, 4);
                    n.shape = i == 0      ? x
                              : pick == 0 ? make.operand()
                              : pick == 1 ? make.shape(0, 1)
                              : pick == 2 ? make.shape(2, 2)
                                          : x;
                    if (i > 0 && (kind == op::resample || kind == op::gather_hw) && n.shape.rank == 4) {
                        n.shape[1] = make.number(1, 3);
                    }
                    operands[static_cast<std::size_t>(i)] = g.append(n, {});
                }
                node n;
                n.kind = kind;
                n.shape = make.number(0, 1) == 0 ? x : make.operand();
                n.attributes = make.of(kind, x);
                const int at = g.append(n, {operands.data(), static_cast<std::size_t>(count)});
                const inferred r = infer(g, g.nodes[static_cast<std::size_t>(at)]);
                (r.ok() ? fine : broken)[k] += 1;
                if (!r.ok()) {
                    continue;
                }
                REQUIRE(r.shape.rank <= extents::capacity);
                std::int64_t smallest = 1;
                for (int i = 0; i < r.shape.rank; ++i) {
                    smallest = std::min(smallest, r.shape[i]);
                }
                REQUIRE(smallest >= 1);
                for (const op one : rearrangements) {
                    if (one == kind) {
                        REQUIRE(r.shape.count() == x.count());
                    }
                }
            }
        }
    }
    // The test is about both sides of the rules: every operation has seen either, but for those that take any operand.
    for (std::size_t k = 0; k < op_count; ++k) {
        const op kind = static_cast<op>(k);
        CAPTURE(std::string(name(kind)));
        if (fine[k] + broken[k] > 0) {
            CHECK(fine[k] > 0);
            CHECK((broken[k] > 0 || kind == op::cast || kind == op::identity));
        }
    }
}
