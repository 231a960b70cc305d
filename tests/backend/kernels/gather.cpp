// Moves that data decide: gathers and dynamic slices, against their definitions; what happens to an index that is none;
// and the gain of a width offset on A13 and A14.

#include "../both_backends.hpp"
#include <anemone/backend/cpu/cpu.hpp>
#include <anemone/backend/oracle/oracle.hpp>
#include <anemone/base/error.hpp>
#include <anemone/build.hpp>
#include <anemone/ops/indexing.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

using namespace both;

namespace {

const ane::backend::cpu cpu_backend;

/// Random indices below the limits that limit(element) gives; with `signs`, half of them counted from the end.
template <class Limit>
dense random_indices(const extents& shape, random_engine& random, bool signs, const Limit& limit) {
    dense index(shape);
    for (std::size_t i = 0; i < index.values.size(); ++i) {
        const int extent = static_cast<int>(limit(i));
        const int chosen = below(random, extent);
        index.values[i] = half(signs && below(random, 2) == 0 ? chosen - extent : chosen);
    }
    return index;
}

std::int64_t from_front(half index, std::int64_t extent) {
    const auto i = static_cast<std::int64_t>(static_cast<double>(index));
    return i < 0 ? i + extent : i;
}

/// Both backends for indices from the front; the CPU for others.
void check(op kind, const attributes& values, const dense& x, const dense& index, const dense& wanted, bool signs) {
    CAPTURE(name(kind));
    CAPTURE(print(x.shape));
    CAPTURE(print(index.shape));
    CHECK(unequal_bits(one(cpu_backend, kind, values, {x, index}), wanted) == "");
    if (!signs) {
        CHECK(unequal_bits(one(ane::backend::oracle{h16}, kind, values, {x, index}), wanted) == "");
    }
}

/// What a run throws.
template <class Run> std::string message(const Run& run) {
    try {
        run();
    } catch (const error& e) {
        CHECK(e.code() == errc::argument);
        return e.what();
    }
    return "nothing";
}

/// An operation that reads along the width at `index`, over [1, 1, 1, 4] with one value everywhere.
std::vector<half> over_width(target machine, op kind, double value, int index) {
    dense x({1, 1, 1, 4});
    std::fill(x.values.begin(), x.values.end(), half(value));
    composer c;
    const int source = c.input(x.shape);
    const window one_column{{0, 0, 0, index}, {1, 1, 1, 1}};
    switch (kind) {
    case op::slice: c.output(c.add(kind, one_column, {source})); break;
    case op::dynamic_slice:
        c.output(c.add(kind, window{{0, 0, 0, 0}, {1, 1, 1, 1}}, {source, c.constant(static_cast<float>(index))}));
        break;
    case op::gather: c.output(c.add(kind, axis{3}, {source, c.constant(static_cast<float>(index))})); break;
    case op::gather_along_axis:
        c.output(c.add(kind, axis{3}, {source, c.constant({1, 1, 1, 1}, {static_cast<float>(index)})}));
        break;
    default: c.output(c.add(kind, {source, c.constant({1, 4}, {0, 0, 0, static_cast<float>(index)})})); break;
    }
    return run(c.finish(), ane::backend::oracle{machine}, {x})[0].values;
}

} // namespace

TEST_CASE("gather: random shapes, axes and indices against nested loops") {
    for (unsigned seed = 1; seed <= 80; ++seed) {
        CAPTURE(seed);
        random_engine random(seed);
        const bool signs = seed % 3 == 0;
        const dense x = distinct(random_shape(random, 4, 5));
        const int along = below(random, x.shape.rank);
        const auto axis_at = static_cast<std::size_t>(along);

        // y[.., i.., ..] = x[.., index[i..], ..]
        extents index_shape = below(random, 4) == 0 ? extents{} : random_shape(random, 3, 3);
        const dense index = random_indices(index_shape, random, signs, [&](std::size_t) { return x.shape[along]; });
        extents result;
        for (int i = 0; i < x.shape.rank; ++i) {
            if (i != along) {
                result.append(x.shape[i]);
                continue;
            }
            for (int j = 0; j < index_shape.rank; ++j) {
                result.append(index_shape[j]);
            }
        }
        dense wanted(result);
        x.each([&](const place& from) {
            index.each([&](const place& i) {
                if (from_front(index(i), x.shape[along]) == from[axis_at]) {
                    place to(from.begin(), from.begin() + along);
                    to.insert(to.end(), i.begin(), i.end());
                    to.insert(to.end(), from.begin() + along + 1, from.end());
                    wanted(to) = x(from);
                }
            });
        });
        check(op::gather, axis{along}, x, index, wanted, signs);

        // y[.., i, ..] = x[.., index[.., i, ..], ..]
        extents each = x.shape;
        each[along] = 1 + below(random, 6);
        const dense places = random_indices(each, random, signs, [&](std::size_t) { return x.shape[along]; });
        dense picked(each);
        picked.each([&](const place& to) {
            place from = to;
            from[axis_at] = from_front(places(to), x.shape[along]);
            picked(to) = x(from);
        });
        check(op::gather_along_axis, axis{along}, x, places, picked, signs);

        // y[i.., ..] = x[index[i.., 0], index[i.., 1], .., ..]
        const int depth = 1 + below(random, x.shape.rank);
        extents rows = random_shape(random, 2, 4);
        rows.append(depth);
        const dense tuples = random_indices(rows, random, signs, [&](std::size_t i) {
            return x.shape[static_cast<int>(i % static_cast<std::size_t>(depth))];
        });
        extents shape;
        for (int i = 0; i + 1 < rows.rank; ++i) {
            shape.append(rows[i]);
        }
        for (int i = depth; i < x.shape.rank; ++i) {
            shape.append(x.shape[i]);
        }
        dense found(shape);
        found.each([&](const place& to) {
            const auto lead = to.begin() + (rows.rank - 1);
            place row(to.begin(), lead);
            row.push_back(0);
            place from;
            for (int k = 0; k < depth; ++k) {
                row.back() = k;
                from.push_back(from_front(tuples(row), x.shape[k]));
            }
            from.insert(from.end(), lead, to.end());
            found(to) = x(from);
        });
        check(op::gather_nd, no_attributes{}, x, tuples, found, signs);
    }
}

TEST_CASE("gather: with arg_sort's indices it sorts") {
    random_engine random(7);
    const dense x = distinct({3, 4, 5});
    composer c;
    const int in = c.input(x.shape);
    const selection whole{.k = 4, .axis = 1, .ascending = true};
    c.output(c.add(op::gather_along_axis, axis{1}, {in, c.add(op::arg_sort, whole, {in})}));
    c.output(c.add(op::sort, whole, {in}));
    const dynamic_graph g = c.finish();
    for (const auto& results : {run(g, cpu_backend, {x}), run(g, ane::backend::oracle{h16}, {x})}) {
        CHECK(unequal_bits(results[0], results[1]) == "");
    }
}

TEST_CASE("dynamic_slice: from any whole number, with zeros where the window leaves the tensor") {
    for (unsigned seed = 1; seed <= 60; ++seed) {
        CAPTURE(seed);
        random_engine random(seed);
        extents shape = random_shape(random);
        const int along = below(random, shape.rank);
        shape[along] += 1;
        const dense x = distinct(shape);
        const auto n = static_cast<int>(shape[along]);
        window w{{}, shape};
        w.begin.rank = shape.rank;
        w.size[along] = 1 + below(random, n - 1);
        for (const int start : {0, 1, n - 1, n, -1, -n, 60000, -60000, below(random, n)}) {
            CAPTURE(start);
            dense wanted(w.size);
            wanted.each([&](const place& to) {
                place from = to;
                from[static_cast<std::size_t>(along)] += start;
                const std::int64_t i = from[static_cast<std::size_t>(along)];
                wanted(to) = i >= 0 && i < n ? x(from) : half{};
            });
            const dense begin({1}, {half(start)});
            CHECK(unequal_bits(one(cpu_backend, op::dynamic_slice, w, {x, begin}), wanted) == "");
            CHECK(unequal_bits(one(ane::backend::oracle{h16}, op::dynamic_slice, w, {x, begin}), wanted) == "");
        }
    }
    const dense x = distinct({2, 3});
    const window whole{{0, 0}, {2, 3}};
    CHECK(unequal_bits(one(cpu_backend, op::dynamic_slice, whole, {x, tensor_of({1}, {0})}), x) == "");
    CHECK(message([&] {
              one(cpu_backend, op::dynamic_slice, whole, {x, tensor_of({1}, {1})});
          }) == "argument: dynamic_slice #2: index 0 is 1, but the window spans every axis: it starts at 0");
}

TEST_CASE("gather: an index that is none is an error, in a run and for constants when the graph is compiled") {
    const dense x = distinct({2, 3, 4});
    const auto gathers = [&](const auto& where, double second) {
        return message([&] { one(where, op::gather, axis{1}, {x, tensor_of({3}, {0, second, 2})}); });
    };
    CHECK(gathers(cpu_backend, 3) == "argument: gather #2: index 1 is 3, outside -3 to 2");
    CHECK(gathers(cpu_backend, -4) == "argument: gather #2: index 1 is -4, outside -3 to 2");
    CHECK(gathers(cpu_backend, 1.5) == "argument: gather #2: index 1 is 1.5, not a whole number");
    CHECK(gathers(cpu_backend, 65504) == "argument: gather #2: index 1 is 65504, outside -3 to 2");
    CHECK(gathers(cpu_backend, std::numeric_limits<double>::infinity()) ==
          "argument: gather #2: index 1 is inf, not a whole number");
    CHECK(gathers(cpu_backend, std::numeric_limits<double>::quiet_NaN()) ==
          "argument: gather #2: index 1 is nan, not a whole number");
    CHECK(gathers(cpu_backend, -3) == "nothing");
    CHECK(gathers(cpu_backend, -0.0) == "nothing");
    CHECK(gathers(ane::backend::oracle{h16}, 3) == "argument: gather #2: index 1 is 3, outside 0 to 2");
    CHECK(gathers(ane::backend::oracle{h16}, -1) == "argument: gather #2: index 1 is -1, outside 0 to 2");
    CHECK(gathers(ane::backend::oracle{h16}, 0.5) == "argument: gather #2: index 1 is 0.5, not a whole number");
    CHECK(gathers(ane::backend::oracle{h16}, -0.0) == "nothing");
    CHECK(message([&] {
              one(cpu_backend, op::gather_nd, no_attributes{}, {x, tensor_of({1, 3}, {1, 2, 4})});
          }) == "argument: gather_nd #2: index 2 is 4, outside -4 to 3");
    CHECK(message([&] {
              one(cpu_backend, op::gather_along_axis, axis{0}, {distinct({1, 2}), tensor_of({1, 2}, {0, 1})});
          }) == "argument: gather_along_axis #2: index 1 is 1, outside -1 to 0");
    CHECK(
        message([&] {
            one(ane::backend::oracle{h16}, op::dynamic_slice, window{{0, 0, 0}, {2, 3, 1}}, {x, tensor_of({}, {0.25})});
        }) == "argument: dynamic_slice #2: index 0 is 0.25, not a whole number");

    // A constant index: before any run.
    const auto compiles = [&](op kind, const attributes& values, const extents& shape, const std::vector<float>& index,
                              bool on_oracle) {
        composer c;
        const int source = c.input(x.shape);
        c.output(c.add(kind, values, {source, c.constant(shape, index)}));
        const dynamic_graph g = c.finish();
        return message([&] {
            if (on_oracle) {
                compile(g, ane::backend::oracle{h13});
            } else {
                compile(g, cpu_backend);
            }
        });
    };
    CHECK(compiles(op::gather, axis{2}, {2}, {0, 4}, false) == "argument: gather #2: index 1 is 4, outside -4 to 3");
    CHECK(compiles(op::gather, axis{2}, {2}, {0, 4}, true) == "argument: gather #2: index 1 is 4, outside 0 to 3");
    CHECK(compiles(op::gather, axis{2}, {2}, {0, -4}, false) == "nothing");
    CHECK(compiles(op::gather, axis{2}, {2}, {0, -4}, true) == "argument: gather #2: index 1 is -4, outside 0 to 3");
    CHECK(compiles(op::dynamic_slice, window{{0, 0, 0}, {2, 3, 1}}, {1}, {0.5F}, false) ==
          "argument: dynamic_slice #2: index 0 is 0.5, not a whole number");
    CHECK(compiles(op::dynamic_slice, window{{0, 0, 0}, {2, 3, 1}}, {1}, {0.5F}, true) ==
          "argument: dynamic_slice #2: index 0 is 0.5, not a whole number");
}

TEST_CASE("N060-N072: what reads at an offset of the width has a gain of 16 on A13 and A14, and nowhere else") {
    const double infinity = std::numeric_limits<double>::infinity();
    for (const op kind : {op::slice, op::dynamic_slice, op::gather, op::gather_along_axis, op::gather_nd}) {
        CAPTURE(name(kind));
        for (const target machine : {h13, h14}) { // N060-N064, N067, N070, N071
            CHECK(static_cast<double>(over_width(machine, kind, 4094, 2)[0]) == 4094);
            CHECK(static_cast<double>(over_width(machine, kind, -4094, 1)[0]) == -4094);
            CHECK(static_cast<double>(over_width(machine, kind, 4095, 2)[0]) == infinity); // is 4096 in fp16
            CHECK(static_cast<double>(over_width(machine, kind, 4096, 2)[0]) == infinity);
            CHECK(static_cast<double>(over_width(machine, kind, 4100, 3)[0]) == infinity);
            CHECK(static_cast<double>(over_width(machine, kind, -4096, 1)[0]) == -infinity);
            CHECK(static_cast<double>(over_width(machine, kind, 60000, 0)[0]) == 60000); // N065
        }
        for (const target machine : {h15, h16, h17s, h18}) { // N068, N069, N072
            CHECK(static_cast<double>(over_width(machine, kind, 60000, 2)[0]) == 60000);
        }
    }
    // N066: only the width axis. A whole tensor of 60000 through offsets of the other axes.
    dense x({3, 3, 3, 3});
    std::fill(x.values.begin(), x.values.end(), half(60000));
    for (int along = 0; along < 4; ++along) {
        CAPTURE(along);
        window w{{0, 0, 0, 0}, x.shape};
        w.begin[along] = 1;
        w.size[along] = 2;
        window moving{{0, 0, 0, 0}, w.size};
        const half expected = along == 3 ? half(infinity) : half(60000);
        const auto all_are_expected = [&](const dense& d) {
            return std::all_of(d.values.begin(), d.values.end(), [&](half h) { return h.bits == expected.bits; });
        };
        CHECK(all_are_expected(one(ane::backend::oracle{h13}, op::slice, w, {x})));
        CHECK(all_are_expected(one(ane::backend::oracle{h13}, op::dynamic_slice, moving, {x, tensor_of({1}, {1})})));
        CHECK(all_are_expected(one(ane::backend::oracle{h13}, op::gather, axis{along}, {x, tensor_of({2}, {2, 1})})));
        CHECK(all_are_expected(one(ane::backend::cpu{}, op::slice, w, {x})) == (along < 3)); // the CPU has no such gain
    }
    // The strided form.
    const dynamic_graph strided = build_graph([](auto& g) {
        auto in = g.input("x"_s, f16<2, 5>);
        g.output("odd"_s, strided_slice<index_range{{0, 1}, {to_end, to_end}, {1, 2}}>(in));
        g.output("even"_s, strided_slice<index_range{{1, 0}, {to_end, to_end}, {1, 2}}>(in));
    });
    const dense line = tensor_of({2, 5}, {1, 5000, 3, -6000, 7, 8, 9, 4094, 11, 65504});
    const auto parts = run(strided, ane::backend::oracle{h13}, {line});
    CHECK(unequal_bits(parts[0], tensor_of({2, 2}, {infinity, -infinity, 9, 11})) == "");
    CHECK(unequal_bits(parts[1], tensor_of({1, 3}, {8, 4094, 65504})) == "");
}
