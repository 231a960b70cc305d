// One model at several lengths: a padded run gives what a model of just that length gives.

#include "standin_control.hpp"
#include <anemone/backend/bucketed.hpp>
#include <anemone/backend/cpu/cpu.hpp>
#include <anemone/backend/oracle/oracle.hpp>
#include <anemone/backend/program.hpp>
#include <anemone/model.hpp>
#include <anemone/values/compare.hpp>
#include <anemone/weights/random.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

using namespace ane;
using namespace ane::literals;

namespace {

constexpr int width = 8;

/// Causal or not, as the caller's mask says.
constexpr auto attending = [](auto& g, auto length) {
    auto x = g.input("x"_s, f16<1, length, width>, within(-1, 1));
    auto seen = g.input("seen"_s, u8<length, length>);
    auto k = linear(x, g.weight("k", f16<width, width>, row_l1(1)));
    auto heads = transpose<permutation{0, 2, 1, 3}>(reshape<1, length, 2, width / 2>(k));
    auto scores = matmul(heads, transpose<permutation{0, 1, 3, 2}>(heads)) * 0.5;
    auto mixed = matmul(softmax<axis{-1}>(select(not_equal(to_f16(seen), 0), scores, -10000)), heads);
    g.output("y"_s, x + reshape<1, length, width>(transpose<permutation{0, 2, 1, 3}>(mixed)));
};

/// A sum over the length, of elements that a port of bytes keeps; elements that 0 would break; a value for each element.
constexpr auto summed = [](auto& g, auto length) {
    auto x = g.input("x"_s, f16<length, width>, within(0.5, 2));
    auto here = g.input("here"_s, u8<length, 1>);
    auto y = log(x);
    g.output("total"_s, reduce_sum<axes{0}>(select(to_f16(here) > 0, y, 0)));
    g.output("each"_s, cumsum<cumulation{.axis = 0}>(y));
};

/// Every element of a batch for itself, words by number.
constexpr auto words = [](auto& g, auto length) {
    auto table = g.weight("table", f16<6, width>, bounded(1));
    auto rows = gather<axis{0}>(table, g.input("word"_s, f16<length>, within(0, 5)));
    auto normal = layer_norm(rows, g.weight("gamma", f16<width>, bounded(1)), g.weight("beta", f16<width>, bounded(1)));
    g.output("y"_s, concat<axis{-1}>(normal, relu(rows)));
};

std::vector<half> waves(std::int64_t count, double low, double high) {
    std::vector<half> values;
    for (std::int64_t i = 0; i < count; ++i) {
        values.emplace_back(low + (high - low) * (0.5 + 0.5 * std::sin(0.7 * static_cast<double>(i * i % 101))));
    }
    return values;
}

template <int Length, class Backend> void attends(const Backend& place, bucketed<attending, 4, 9, 32>& buckets) {
    const weight_store weights = random_weights(sized<attending, Length>, 3);
    const auto x = waves(Length * width, -1, 1);
    for (const bool causal : {false, true}) {
        ndarray<shape<Length, Length>, std::uint8_t> seen;
        for (int query = 0; query < Length; ++query) {
            for (int key = 0; key < Length; ++key) {
                seen(query, key) = !causal || key <= query ? 7 : 0;
            }
        }
        auto alone = compile<sized<attending, Length>>(place, weights);
        const auto want = alone({"x"_s = ndarray<shape<1, Length, width>>(x), "seen"_s = seen})["y"_s];
        const bucket_results got = buckets(Length, "x"_s = x, "seen"_s = seen);
        CHECK(compare(want.elements(), got["y"_s]).max_ulp <= 1);
        if (!causal) { // the default of a port of bytes
            const bucket_results by_default = buckets(Length, "x"_s = x);
            CHECK(compare(got["y"_s], by_default["y"_s]).same_bits);
        }
    }
}

template <class Backend> void attends_at_any_length(const Backend& place) {
    bucketed<attending, 4, 9, 32> buckets(place, random_weights(sized<attending, 4>, 3));
    CHECK(buckets.loaded().empty());
    attends<1>(place, buckets);
    attends<4>(place, buckets);
    attends<5>(place, buckets);
    attends<9>(place, buckets);
    attends<10>(place, buckets);
    attends<32>(place, buckets);
    CHECK(buckets.loaded() == std::vector<int>{4, 9, 32});
}

} // namespace

TEST_CASE("buckets: a padded sequence gives what a model of its length gives, on every backend") {
    attends_at_any_length(backend::cpu{});
    attends_at_any_length(backend::oracle{h13});
    attends_at_any_length(backend::oracle{h16});
    const standin::host here(h13);
    attends_at_any_length(standin::engine(h13));
}

TEST_CASE("buckets: sums of what is kept, promises without zero, running sums") {
    bucketed<summed, 3, 8> buckets(backend::cpu{});
    for (const std::int64_t length : {1, 2, 3, 5, 8}) {
        const auto x = waves(length * width, 0.5, 2);
        const bucket_results got = buckets(length, "x"_s = x);
        CHECK(got.bucket() == (length <= 3 ? 3 : 8));
        REQUIRE(got["total"_s].size() == width);
        REQUIRE(got["each"_s].size() == x.size());
        for (std::size_t k = 0; k < width; ++k) {
            double sum = 0;
            for (std::size_t i = 0; i < static_cast<std::size_t>(length); ++i) {
                sum += std::log(static_cast<double>(x[i * width + k]));
                CHECK(static_cast<double>(got["each"_s][i * width + k]) == doctest::Approx(sum).epsilon(0.01));
            }
            CHECK(static_cast<double>(got["total"_s][k]) == doctest::Approx(sum).epsilon(0.01));
        }
    }
}

TEST_CASE("buckets: rows of a table") {
    const weight_store weights = random_weights(sized<words, 2>, 5);
    bucketed<words, 2, 6> buckets(backend::cpu{}, weights);
    const std::vector<half> five{half(5.0), half(0.0), half(3.0), half(3.0), half(1.0)};
    const bucket_results y = buckets(5, "word"_s = five);
    const bucket_results last = buckets(1, "word"_s = std::vector<half>{half(1.0)});
    CHECK(last.bucket() == 2);
    REQUIRE(y["y"_s].size() == 5U * 2 * width);
    CHECK(std::equal(last["y"_s].begin(), last["y"_s].end(), y["y"_s].end() - 2 * width));
}

TEST_CASE("buckets: the least recently used program goes, and comes back when it is asked for") {
    bucketed<summed, 1, 2, 3> buckets(backend::oracle{h14}, {}, {.most_loaded = 2});
    const auto run = [&](std::int64_t length) { buckets(length, "x"_s = waves(length * width, 1, 2)); };
    run(1);
    run(2);
    CHECK(buckets.loaded() == std::vector<int>{1, 2});
    run(1);
    CHECK(buckets.loaded() == std::vector<int>{2, 1});
    run(3);
    CHECK(buckets.loaded() == std::vector<int>{1, 3});
    run(2);
    CHECK(buckets.loaded() == std::vector<int>{3, 2});
}

TEST_CASE("buckets: the engine's programs are released, so that any number of lengths fits") {
    const standin::host here(h13);
    const std::uint64_t before = standin::control::instance().live_handles();
    {
        bucketed<summed, 1, 2, 3> buckets(standin::engine(h13), {}, {.most_loaded = 1});
        for (const std::int64_t length : {1, 2, 3, 1}) {
            buckets(length, "x"_s = waves(length * width, 1, 2));
            CHECK(e5rt::loaded_programs() == 1);
        }
    }
    CHECK(standin::control::instance().live_handles() == before);
}

TEST_CASE("buckets: what is refused, and that the next run works") {
    using doctest::Contains;
    bucketed<attending, 4, 9> buckets(backend::cpu{}, random_weights(sized<attending, 4>, 3));
    const auto x = waves(4 * width, -1, 1);
    for (const std::int64_t wrong : {std::int64_t{0}, std::int64_t{-1}, std::int64_t{10}, std::int64_t{1} << 60}) {
        CHECK_THROWS_WITH_AS(buckets(wrong, "x"_s = x), Contains("it takes 1 to 9"), error);
    }
    CHECK_THROWS_WITH_AS(buckets(5, "x"_s = x), Contains("has 32 elements, a sequence of 5 has 40"), error);
    CHECK_THROWS_WITH_AS(buckets(4), Contains("the input is left out"), error);
    CHECK_THROWS_WITH_AS(buckets(4, "x"_s = x, "x"_s = x), Contains("bound twice"), error);
    std::vector<std::uint8_t> seen(16, 1);
    std::fill_n(seen.begin() + 8, 4, std::uint8_t{0});
    CHECK_THROWS_WITH_AS(buckets(4, "x"_s = x, "seen"_s = seen), Contains("row 2 of the mask hides all 4"), error);
    CHECK_THROWS_WITH_AS(buckets(4, "x"_s = x)["z"], Contains("no output"), error);
    CHECK(buckets(4, "x"_s = x)["y"_s].size() == x.size());
    CHECK_THROWS_WITH_AS((bucketed<attending, 4, 9>(backend::cpu{}, {}, {.most_loaded = 0})), Contains("at least one"),
                         error);
    CHECK_THROWS_AS((bucketed<attending, 4, 9>(backend::cpu{})), error); // no weights
    auto moved = std::move(buckets);
    CHECK_THROWS_AS(buckets(4, "x"_s = x), error); // NOLINT(bugprone-use-after-move): that it is an error
    CHECK(moved(4, "x"_s = x)["y"_s].size() == x.size());
}
