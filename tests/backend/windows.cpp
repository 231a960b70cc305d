// Convolutions, transposed convolutions and pools on the backends that compute here, against their definitions in
// double: every kernel, stride, dilation and padding of an axis up to 3, over extents from 1 on.

#include "../from_environment.hpp"
#include "both_backends.hpp"
#include "cpu/naive.hpp"
#include <anemone/backend/wide/wide.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <tuple>
#include <vector>

using namespace both;

namespace {

/// What a window does along one axis.
struct along {
    int kernel = 1;
    int stride = 1;
    int dilation = 1;
    int before = 0;
    int behind = 0;
    std::int64_t extent = 1;

    auto key() const { return std::tuple(kernel, stride, dilation, before, behind, extent); }
    std::string shown() const {
        return fmt::format("kernel {} stride {} dilation {} padding {} {} over {}", kernel, stride, dilation, before,
                           behind, extent);
    }
};

/// An operation with its windows over rows and columns.
struct windowed {
    op kind;
    along rows;
    along columns;
    int groups = 1;
    bool ceil_mode = false;
    bool exclude_padding = false;

    padding2 padding() const { return {rows.before, rows.behind, columns.before, columns.behind}; }
    extents x(std::int64_t channels) const { return {1, channels * groups, rows.extent, columns.extent}; }
    extents w(std::int64_t channels) const {
        return {kind == op::conv2d ? 2 * groups : channels * groups, kind == op::conv2d ? channels : 2, rows.kernel,
                columns.kernel};
    }
    attributes values() const {
        const size2 stride{rows.stride, columns.stride};
        const size2 dilation{rows.dilation, columns.dilation};
        if (kind == op::conv2d) {
            return conv{stride, dilation, padding(), groups};
        }
        if (kind == op::conv_transpose2d) {
            return conv_transpose{stride, dilation, padding(), groups};
        }
        return pool{.kernel = {rows.kernel, columns.kernel},
                    .stride = stride,
                    .padding = padding(),
                    .ceil_mode = ceil_mode,
                    .exclude_padding = exclude_padding};
    }
    bool is_possible() const {
        return values().visit<bool>([&](const auto& a) {
            if constexpr (requires { shape_rule(a, x(2), w(2)); }) {
                return shape_rule(a, x(2), w(2)).ok();
            } else if constexpr (requires { shape_rule(a, x(2)); }) {
                return shape_rule(a, x(2)).ok();
            } else {
                return false;
            }
        });
    }
};

/// All kinds of an axis that the operation has, over an input of one to three elements.
std::vector<along> possible_axes(op kind) {
    std::vector<along> possible;
    const auto counts = [&](const along& a) {
        return (is_convolution(kind) || a.dilation == 1) &&
               windowed{.kind = kind, .rows = a, .columns = a}.is_possible();
    };
    along a;
    for (a.kernel = 1; a.kernel <= 3; ++a.kernel)
        for (a.stride = 1; a.stride <= 3; ++a.stride)
            for (a.dilation = 1; a.dilation <= 3; ++a.dilation)
                for (a.before = 0; a.before <= 3; ++a.before)
                    for (a.behind = 0; a.behind <= 3; ++a.behind)
                        for (a.extent = 1; a.extent <= 3; ++a.extent)
                            if (counts(a))
                                possible.push_back(a);
    return possible;
}

/// Whole numbers, whose sums no order changes.
std::vector<half> whole_numbers(random_engine& random, std::int64_t count) {
    std::vector<half> values(static_cast<std::size_t>(count));
    for (half& h : values) {
        h = half(static_cast<float>(below(random, 9) - 4));
    }
    return values;
}

/// Where a backend first leaves the definition by more than fp16 and the engine's roots and means do, or nothing.
std::string mistake(const windowed& what, random_engine& random) {
    composer c;
    const extents x = what.x(2);
    std::vector<int> operands{c.input(x)};
    weight_store weights;
    if (is_convolution(what.kind)) {
        const extents w = what.w(2);
        operands.push_back(c.weight(w));
        weights.add("weight.1", w, whole_numbers(random, w.count()));
    }
    c.output(c.add(what.kind, what.values(), operands));
    const dynamic_graph g = c.finish();
    const std::vector<dense> inputs{{x, whole_numbers(random, x.count())}};
    const std::span<const std::byte> bytes[] = {std::as_bytes(std::span(inputs[0].values))};
    const std::vector<double> wanted = naive::run(g, weights, bytes, false)[0].values;
    const auto differs = [&](const char* name, const auto& backend) -> std::string {
        const dense got = run(g, backend, inputs, weights)[0];
        for (std::size_t i = 0; i < wanted.size(); ++i) {
            const double bound = is_convolution(what.kind) ? 0 : 2e-3 * std::fabs(wanted[i]) + 1e-6;
            if (!(std::fabs(wide(got.values[i]) - wanted[i]) <= bound)) {
                return fmt::format("{}: element {} is {}, by the definition {}; rows: {}, columns: {}, {} groups\n{}",
                                   name, i, wide(got.values[i]), wanted[i], what.rows.shown(), what.columns.shown(),
                                   what.groups, print(g));
            }
        }
        return {};
    };
    std::string found = differs("cpu", plain);
    found = found.empty() ? differs("oracle", m1) : found;
    return found.empty() ? differs("wide", ane::backend::wide{}) : found;
}

/// Each kind of rows and each kind of columns, beside a random one and beside the plainest.
void check_all_kinds(op kind) {
    random_engine random(from_environment::seed());
    std::vector<along> rows = possible_axes(kind);
    std::vector<along> columns = rows;
    const auto shuffle = [&](std::vector<along>& list) {
        for (std::size_t i = list.size(); i > 1; --i) {
            std::swap(list[i - 1], list[random() % i]);
        }
    };
    const auto one_tap = [&] { return along{.extent = 1 + below(random, 3)}; };
    std::set<std::tuple<decltype(along().key()), decltype(along().key())>> drawn;
    std::set<int> groups;
    int impossible = 0;
    const auto check = [&](const along& row, const along& column) {
        windowed what{.kind = kind, .rows = row, .columns = column};
        what.groups = is_convolution(kind) ? 1 + below(random, 3) : 1;
        if (is_pool(kind)) {
            what.ceil_mode = below(random, 2) == 0;
            what.exclude_padding = kind == op::avg_pool && below(random, 2) == 0;
        }
        if (!what.is_possible()) {
            ++impossible;
            return;
        }
        drawn.emplace(row.key(), column.key());
        groups.insert(what.groups);
        const std::string found = mistake(what, random);
        REQUIRE_MESSAGE(found.empty(), found);
    };
    for (int round = is_pool(kind) ? 8 : 2; round > 0; --round) {
        shuffle(rows);
        shuffle(columns);
        for (std::size_t i = 0; i < rows.size(); ++i) {
            check(rows[i], columns[i]);
            check(rows[i], one_tap());
            check(one_tap(), columns[i]);
        }
    }
    MESSAGE(name(kind), ": ", rows.size(), " kinds of rows and of columns, ", drawn.size(), " pairs of them, ",
            groups.size(), " numbers of groups");
    CHECK(impossible == 0); // the axes know nothing of each other
    CHECK(rows.size() > (is_convolution(kind) ? 800U : 100U));
    CHECK(groups.size() == (is_convolution(kind) ? 3U : 1U));
}

} // namespace

TEST_CASE("convolutions by their definition: every kind of rows and of columns") { check_all_kinds(op::conv2d); }
TEST_CASE("transposed convolutions by their definition: every kind of rows and of columns") {
    check_all_kinds(op::conv_transpose2d);
}
TEST_CASE("pools by their definition: every kind of rows and of columns") {
    check_all_kinds(op::max_pool);
    check_all_kinds(op::avg_pool);
    check_all_kinds(op::l2_pool);
}

TEST_CASE("a transposed convolution whose result is one column has its rows beside each other, whatever the stride") {
    const dense x = tensor_of({1, 1, 3, 1}, {1, 2, 3});
    const dense w = tensor_of({1, 1, 1, 1}, {1});
    const attributes strided = conv_transpose{.stride = {1, 2}};
    CHECK(unequal_bits(one(plain, op::conv_transpose2d, strided, {x, w}), x).empty());
    CHECK(unequal_bits(one(m1, op::conv_transpose2d, strided, {x, w}), x).empty());
}
