// Operations that move elements to places which no data decide, against their definitions element by element.

#include "../both_backends.hpp"
#include <anemone/backend/cpu/cpu.hpp>
#include <anemone/backend/kernels/moves.hpp>
#include <anemone/backend/oracle/oracle.hpp>
#include <anemone/build.hpp>
#include <anemone/ops/ops.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <utility>
#include <vector>

using namespace both;

namespace {

constexpr unsigned rounds = 60;

/// Runs an operation on both backends and compares with the definition: source(place in the result) is the operand and
/// the place in it, or operand -1 for `filled`.
struct origin {
    int operand;
    place at;
};
template <class Source>
void check(op kind, const attributes& values, const std::vector<dense>& operands, const Source& source,
           half filled = half{}) {
    const dynamic_graph g = single(kind, values, operands);
    dense wanted(g.nodes.back().shape);
    wanted.each([&](const place& to) {
        const origin from = source(to);
        wanted(to) = from.operand < 0 ? filled : operands[static_cast<std::size_t>(from.operand)](from.at);
    });
    CAPTURE(name(kind));
    CAPTURE(print(g));
    CHECK(unequal_bits(run(g, ane::backend::cpu{}, operands)[0], wanted) == "");
    CHECK(unequal_bits(run(g, ane::backend::oracle{h16}, operands)[0], wanted) == "");
}

template <class Test> void repeat(const Test& test) {
    for (unsigned seed = 1; seed <= rounds; ++seed) {
        CAPTURE(seed);
        random_engine random(seed);
        test(random);
    }
}

/// A shape as a list per axis.
template <class Number> indices per_axis(const extents& shape, const Number& number) {
    indices r;
    for (int i = 0; i < shape.rank; ++i) {
        r.append(number(i));
    }
    return r;
}

/// Indices of an axis that is padded by mirroring, as NumPy's pad lists them: written down, not computed.
std::vector<std::int64_t> mirrored(std::int64_t extent, std::int64_t before, std::int64_t after, bool symmetric) {
    std::vector<std::int64_t> list;
    for (std::int64_t i = before; i > 0; --i) {
        list.push_back(symmetric ? i - 1 : i);
    }
    for (std::int64_t i = 0; i < extent; ++i) {
        list.push_back(i);
    }
    for (std::int64_t i = 0; i < after; ++i) {
        list.push_back(symmetric ? extent - 1 - i : extent - 2 - i);
    }
    return list;
}

std::size_t at(int i) { return static_cast<std::size_t>(i); }

} // namespace

TEST_CASE("movement: identity, transpose, reverse and tile of random shapes") {
    repeat([](random_engine& random) {
        const dense x = distinct(random_shape(random));
        check(op::identity, no_attributes{}, {x}, [](const place& to) { return origin{0, to}; });

        permutation order;
        order.order = per_axis(x.shape, [](int i) { return i; });
        for (int i = x.shape.rank - 1; i > 0; --i) {
            std::swap(order.order[i], order.order[below(random, i + 1)]);
        }
        check(op::transpose, order, {x}, [&](const place& to) {
            place from(to.size());
            for (std::size_t i = 0; i < to.size(); ++i) {
                from[at(static_cast<int>(order.order[static_cast<int>(i)]))] = to[i];
            }
            return origin{0, from};
        });

        axes turned;
        for (int i = 0; i < x.shape.rank; ++i) {
            if (below(random, 2) == 0 || (i == x.shape.rank - 1 && turned.list.rank == 0)) {
                turned.list.append(i);
            }
        }
        check(op::reverse, turned, {x}, [&](place to) {
            for (int i = 0; i < turned.list.rank; ++i) {
                const auto axis = static_cast<int>(turned.list[i]);
                to[at(axis)] = x.shape[axis] - 1 - to[at(axis)];
            }
            return origin{0, to};
        });

        repeats copies;
        copies.count = per_axis(x.shape, [&](int) { return 1 + below(random, 3); });
        check(op::tile, copies, {x}, [&](place to) {
            for (int i = 0; i < x.shape.rank; ++i) {
                to[at(i)] %= x.shape[i];
            }
            return origin{0, to};
        });
    });
}

TEST_CASE("movement: slices, strided slices and slice updates of random shapes") {
    repeat([](random_engine& random) {
        const dense x = distinct(random_shape(random));
        strided_window w;
        w.begin = per_axis(x.shape, [&](int i) { return below(random, static_cast<int>(x.shape[i])); });
        w.stride = per_axis(x.shape, [&](int) { return 1 + below(random, 3); });
        const extents size = per_axis(x.shape, [&](int i) {
            return 1 + below(random, static_cast<int>(1 + (x.shape[i] - 1 - w.begin[i]) / w.stride[i]));
        });
        const auto stepped = [&](place to) {
            for (int i = 0; i < x.shape.rank; ++i) {
                to[at(i)] = w.begin[i] + to[at(i)] * w.stride[i];
            }
            return to;
        };
        // The size of a strided slice is its node's shape, which the composer does not know.
        node n;
        n.kind = op::strided_slice;
        n.shape = size;
        n.attributes = w;
        dynamic_graph g;
        node source;
        source.shape = x.shape;
        source.attributes = contract{};
        const int operands[] = {g.append_named(source, "x", dynamic_graph::hash_of("x"))};
        g.add_output(g.append(n, operands), "y");
        dense wanted(size);
        wanted.each([&](const place& to) { wanted(to) = x(stepped(to)); });
        CHECK(unequal_bits(run(g, ane::backend::cpu{}, {x})[0], wanted) == "");
        CHECK(unequal_bits(run(g, ane::backend::oracle{h16}, {x})[0], wanted) == "");

        const dense update = distinct(size, 0x4000);
        dense updated = x;
        update.each([&](const place& from) { updated(stepped(from)) = update(from); });
        CHECK(unequal_bits(one(ane::backend::cpu{}, op::slice_update, w, {x, update}), updated) == "");
        CHECK(unequal_bits(one(ane::backend::oracle{h16}, op::slice_update, w, {x, update}), updated) == "");

        window piece{w.begin, per_axis(x.shape, [&](int i) {
                         return 1 + below(random, static_cast<int>(x.shape[i] - w.begin[i]));
                     })};
        check(op::slice, piece, {x}, [&](place to) {
            for (int i = 0; i < x.shape.rank; ++i) {
                to[at(i)] += w.begin[i];
            }
            return origin{0, to};
        });
    });
}

TEST_CASE("movement: pads of a value and of mirrors, as NumPy pads") {
    repeat([](random_engine& random) {
        const dense x = distinct(random_shape(random, 5, 4));
        const pads amounts{per_axis(x.shape, [&](int) { return below(random, 3); }),
                           per_axis(x.shape, [&](int) { return below(random, 3); })};
        check(
            op::pad, amounts, {x, tensor_of({}, {-7.5})},
            [&](place to) {
                for (int i = 0; i < x.shape.rank; ++i) {
                    to[at(i)] -= amounts.before[i];
                    if (to[at(i)] < 0 || to[at(i)] >= x.shape[i]) {
                        return origin{-1, {}};
                    }
                }
                return origin{0, to};
            },
            half(-7.5));
        for (const bool symmetric : {false, true}) {
            const auto amount = [&](int i) {
                return below(random, static_cast<int>(x.shape[i]) + (symmetric ? 1 : 0));
            };
            const pads mirror{per_axis(x.shape, amount), per_axis(x.shape, amount)};
            std::vector<std::vector<std::int64_t>> lists;
            for (int i = 0; i < x.shape.rank; ++i) {
                lists.push_back(mirrored(x.shape[i], mirror.before[i], mirror.after[i], symmetric));
            }
            check(symmetric ? op::symmetric_pad : op::reflect_pad, mirror, {x}, [&](place to) {
                for (std::size_t i = 0; i < to.size(); ++i) {
                    to[i] = lists[i][static_cast<std::size_t>(to[i])];
                }
                return origin{0, to};
            });
        }
    });
    CHECK(unequal_bits(one(ane::backend::cpu{}, op::replicate_pad, pads{{2, 0}, {1, 3}}, {tensor_of({2, 1}, {1, 2})}),
                       tensor_of({5, 4}, {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2})) == "");
    // The example of the docstrings: [a b c] padded by 2.
    const dense abc = tensor_of({3}, {1, 2, 3});
    const pads two{{2}, {2}};
    CHECK(unequal_bits(one(ane::backend::cpu{}, op::reflect_pad, pads{{2}, {2}}, {abc}),
                       tensor_of({7}, {3, 2, 1, 2, 3, 2, 1})) == "");
    CHECK(unequal_bits(one(ane::backend::cpu{}, op::symmetric_pad, two, {abc}),
                       tensor_of({7}, {2, 1, 1, 2, 3, 3, 2})) == "");
    CHECK(unequal_bits(one(ane::backend::cpu{}, op::replicate_pad, two, {abc}),
                       tensor_of({7}, {1, 1, 1, 2, 3, 3, 3})) == "");
}

TEST_CASE("movement: concat of random pieces, and slices that take them back") {
    repeat([](random_engine& random) {
        extents shape = random_shape(random);
        const int along = below(random, shape.rank);
        std::vector<dense> pieces;
        std::vector<std::int64_t> begins;
        std::int64_t total = 0;
        for (int k = 2 + below(random, 3); k > 0; --k) {
            shape[along] = 1 + below(random, 4);
            begins.push_back(total);
            total += shape[along];
            pieces.push_back(distinct(shape, static_cast<std::uint16_t>(k * 0x1000)));
        }
        check(op::concat, axis{along}, pieces, [&](place to) {
            std::size_t k = pieces.size() - 1;
            while (begins[k] > to[at(along)]) {
                --k;
            }
            to[at(along)] -= begins[k];
            return origin{static_cast<int>(k), to};
        });
        const dense joined = one(ane::backend::cpu{}, op::concat, axis{along}, pieces);
        for (std::size_t k = 0; k < pieces.size(); ++k) {
            window w{per_axis(shape, [&](int i) { return i == along ? begins[k] : 0; }), pieces[k].shape};
            CHECK(unequal_bits(one(ane::backend::cpu{}, op::slice, w, {joined}), pieces[k]) == "");
        }
    });
}

TEST_CASE("movement: blocks of pixels to channels and batch, by their formulas, and back") {
    repeat([](random_engine& random) {
        const factors f(1 + below(random, 3), 1 + below(random, 3));
        const std::int64_t fy = f.by.height;
        const std::int64_t fx = f.by.width;
        const std::int64_t n = 1 + below(random, 2);
        const std::int64_t c = 1 + below(random, 3);
        const std::int64_t h = 1 + below(random, 3);
        const std::int64_t w = 1 + below(random, 3);
        const dense deep = distinct({n, c * fy * fx, h, w});
        const dense wide = distinct({n, c, h * fy, w * fx});
        const dense many = distinct({n * fy * fx, c, h, w});
        const auto image_at = [&](const place& packed, std::int64_t channel, std::int64_t i, std::int64_t j) {
            return origin{0, {packed[0], channel, packed[2] * fy + i, packed[3] * fx + j}};
        };
        // y[c, h fy + i, w fx + j] = x[c fy fx + i fx + j, h, w]
        check(op::pixel_shuffle, f, {deep}, [&](const place& to) {
            const std::int64_t channel = to[1] * fy * fx + to[2] % fy * fx + to[3] % fx;
            return origin{0, {to[0], channel, to[2] / fy, to[3] / fx}};
        });
        // y[c fy fx + i fx + j, h, w] = x[c, h fy + i, w fx + j]
        check(op::pixel_unshuffle, f, {wide},
              [&](const place& to) { return image_at(to, to[1] / (fy * fx), to[1] / fx % fy, to[1] % fx); });
        // y[c, h fy + i, w fx + j] = x[(i fx + j) C + c, h, w]
        check(op::depth_to_space, f, {deep}, [&](const place& to) {
            const std::int64_t channel = (to[2] % fy * fx + to[3] % fx) * c + to[1];
            return origin{0, {to[0], channel, to[2] / fy, to[3] / fx}};
        });
        // y[(i fx + j) C + c, h, w] = x[c, h fy + i, w fx + j]
        check(op::space_to_depth, f, {wide},
              [&](const place& to) { return image_at(to, to[1] % c, to[1] / c / fx, to[1] / c % fx); });
        // y[(n fy + i) fx + j, c, h, w] = x[n, c, h fy + i, w fx + j]
        check(op::space_to_batch, f, {wide}, [&](const place& to) {
            return origin{0, {to[0] / (fy * fx), to[1], to[2] * fy + to[0] / fx % fy, to[3] * fx + to[0] % fx}};
        });
        // y[n, c, h fy + i, w fx + j] = x[(n fy + i) fx + j, c, h, w]
        check(op::batch_to_space, f, {many}, [&](const place& to) {
            return origin{0, {(to[0] * fy + to[2] % fy) * fx + to[3] % fx, to[1], to[2] / fy, to[3] / fx}};
        });
        const std::pair<op, op> inverses[] = {{op::pixel_unshuffle, op::pixel_shuffle},
                                              {op::space_to_depth, op::depth_to_space},
                                              {op::space_to_batch, op::batch_to_space}};
        for (const auto& [there, back] : inverses) {
            CHECK(unequal_bits(one(ane::backend::cpu{}, back, f, {one(ane::backend::cpu{}, there, f, {wide})}), wide) ==
                  "");
        }
    });
}

TEST_CASE("movement: every bit pattern passes, signed zeros too; a NaN enters the engine as infinity (N080)") {
    dense all({256, 256});
    for (std::size_t i = 0; i < all.values.size(); ++i) {
        all.values[i] = half::from_bits(static_cast<std::uint16_t>(i));
    }
    const dense moved = one(ane::backend::cpu{}, op::transpose, permutation(1, 0), {all});
    const dense in_oracle = one(ane::backend::oracle{h16}, op::transpose, permutation(1, 0), {all});
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < all.values.size(); ++i) {
        const std::size_t to = i % 256 * 256 + i / 256;
        const std::size_t entered = is_nan(all.values[i]) ? 0x7C00 : i;
        wrong += moved.values[to].bits != i || in_oracle.values[to].bits != entered ? 1 : 0;
    }
    CHECK(wrong == 0);
}

TEST_CASE("movement: bytes and booleans are reshaped and cast, value for value") {
    const dynamic_graph g = build_graph([](auto& b) {
        auto image = b.input("image"_s, u8<1, 1, 2, 128>);
        b.output("flat"_s, to_f16(reshape<256>(image)));
        b.output("same"_s, to_f16(image));
    });
    std::vector<std::byte> bytes;
    for (int i = 0; i < 256; ++i) {
        bytes.push_back(static_cast<std::byte>(i));
    }
    const std::vector<std::span<const std::byte>> in{bytes};
    for (const bool on_oracle : {false, true}) {
        CAPTURE(on_oracle);
        std::vector<half> flat(256);
        std::vector<half> whole(256);
        const std::vector<std::span<std::byte>> out{std::as_writable_bytes(std::span(flat)),
                                                    std::as_writable_bytes(std::span(whole))};
        if (on_oracle) {
            compile(g, ane::backend::oracle{h13}).run(in, out);
        } else {
            compile(g, ane::backend::cpu{}).run(in, out);
        }
        std::size_t wrong = 0;
        for (int i = 0; i < 256; ++i) {
            wrong += static_cast<double>(flat[at(i)]) != i || static_cast<double>(whole[at(i)]) != i ? 1 : 0;
        }
        CHECK(wrong == 0);
    }
    for (int i = 0; i < 256; ++i) {
        const int wrapped = i < 128 ? i : i - 256;
        REQUIRE(static_cast<double>(kernels::byte_values(dtype::uint8)[at(i)]) == i);
        REQUIRE(static_cast<double>(kernels::byte_values(dtype::int8)[at(i)]) == wrapped);
        REQUIRE(static_cast<double>(kernels::byte_values(dtype::boolean)[at(i)]) == (i == 0 ? 0 : 1));
    }
}

TEST_CASE("movement: reshapes of what a comparison and a quantisation give") {
    const dynamic_graph g = build_graph([](auto& b) {
        auto x = b.input("x"_s, f16<3, 4>);
        b.output("above"_s, to_f16(reshape<2, 6>(greater(x, 0.0))));
        b.output("chosen"_s, select(reshape<12>(greater(x, 0.0)), reshape<12>(x), -9.0));
        auto scale = b.constant(f16<>, 0.5);
        b.output("signed"_s, dequantize(reshape<6, 2>(quantize<quantization{.type = dtype::int8}>(x, scale)), scale));
        b.output("unsigned"_s, dequantize(flatten(quantize<quantization{.type = dtype::uint8}>(x, scale)), scale));
    });
    dense x({3, 4});
    dense above({2, 6});
    dense chosen({12});
    dense rounded({6, 2});
    dense positive({3, 4});
    for (std::size_t i = 0; i < 12; ++i) {
        const double value = static_cast<double>(i) * 2.5 - 13; // multiples of a half: exact in steps of 0.5
        x.values[i] = rounded.values[i] = half(value);
        above.values[i] = half(value > 0 ? 1 : 0);
        chosen.values[i] = half(value > 0 ? value : -9);
        positive.values[i] = half(value > 0 ? value : 0);
    }
    for (const auto& got : {run(g, ane::backend::cpu{}, {x}), run(g, ane::backend::oracle{h16}, {x})}) {
        CHECK(unequal_bits(got[0], above) == "");
        CHECK(unequal_bits(got[1], chosen) == "");
        CHECK(unequal_bits(got[2], rounded) == "");
        CHECK(unequal_bits(got[3], positive) == "");
    }
}

TEST_CASE("movement: wide tensors of rank 5 tiled on every axis, long axes, extents of one") {
    const dense x = distinct({2, 3, 2, 3, 2});
    check(op::tile, repeats(2, 3, 4, 2, 3), {x}, [&](place to) {
        for (int i = 0; i < 5; ++i) {
            to[at(i)] %= x.shape[i];
        }
        return origin{0, to};
    });
    const dense line = distinct({20000});
    check(op::reverse, axes{0}, {line}, [](place to) { return origin{0, {19999 - to[0]}}; });
    check(op::tile, repeats(2), {line}, [](place to) { return origin{0, {to[0] % 20000}}; });
    const dense point = distinct({1, 1, 1});
    check(op::tile, repeats(1, 500, 2), {point}, [](const place&) { return origin{0, {0, 0, 0}}; });
    check(op::symmetric_pad, pads{{1, 0, 1}, {0, 1, 1}}, {point}, [](const place&) { return origin{0, {0, 0, 0}}; });
}

TEST_CASE("movement: one element at every rank from 0 to 5 comes through, and fills what is made of it") {
    for (int rank = 0; rank <= 5; ++rank) {
        CAPTURE(rank);
        const auto all = [rank](std::int64_t value) {
            indices list;
            for (int i = 0; i < rank; ++i) {
                list.append(value);
            }
            return list;
        };
        permutation order;
        axes turned;
        for (int i = 0; i < rank; ++i) {
            order.order.append(i);
            turned.list.append(i);
        }
        const dense x(all(1), {half(3)});
        const auto itself = [&](const place&) { return origin{0, place(at(rank), 0)}; };
        check(op::identity, no_attributes{}, {x}, itself);
        check(op::transpose, order, {x}, itself);
        check(op::reverse, turned, {x}, itself);
        check(op::slice, window{all(0), x.shape}, {x}, itself);
        check(op::dynamic_slice, window{all(0), x.shape}, {x, tensor_of({}, {0})}, itself);
        check(op::slice_update, strided_window{all(0), all(1)}, {dense(x.shape), x}, [&](const place&) {
            return origin{1, place(at(rank), 0)};
        });
        check(op::pad, pads{all(0), all(0)}, {x, tensor_of({}, {-1})}, itself);
        check(op::reflect_pad, pads{all(0), all(0)}, {x}, itself);
        check(op::symmetric_pad, pads{all(1), all(1)}, {x}, itself);
        repeats copies;
        copies.count = all(3);
        check(op::tile, copies, {x}, itself);
    }
}
