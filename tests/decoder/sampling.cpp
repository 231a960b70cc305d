// Choosing a token from logits: every filter against its closed form, and draws by their frequencies.

#include <anemone/base/error.hpp>
#include <anemone/decoder/sampling.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

using namespace ane;

namespace {

constexpr float gone = -std::numeric_limits<float>::infinity();

/// Logits with these probabilities.
std::vector<float> logits_for(const std::vector<double>& probabilities) {
    std::vector<float> logits;
    for (const double p : probabilities) {
        logits.push_back(static_cast<float>(std::log(p)));
    }
    return logits;
}
/// The tokens that are left.
std::vector<int> left_of(const std::vector<float>& logits) {
    std::vector<int> left;
    for (std::size_t i = 0; i < logits.size(); ++i) {
        if (logits[i] != gone) {
            left.push_back(static_cast<int>(i));
        }
    }
    return left;
}
std::string sampling_refusal(const sampling_options& how) {
    try {
        next_token(std::vector<float>{1, 2}, {}, how);
    } catch (const error& e) {
        return e.what();
    }
    return "done";
}

} // namespace

TEST_CASE("the most likely token is the first of equal ones, and bad logits are named") {
    CHECK(most_likely(std::vector<float>{1, 3, 3, 2}) == 1);
    CHECK(most_likely(std::vector<float>{gone, gone, -5}) == 2);
    constexpr float nan = std::numeric_limits<float>::quiet_NaN();
    CHECK_THROWS_WITH_AS(
        most_likely(std::vector<float>{1, nan}),
        "port: logits: that of token 1 is NaN: the model overflows fp16 with this input, which `diff --reference f64` locates",
        error);
    CHECK_THROWS_AS(most_likely(std::vector<float>{-gone, 1}), error);
    CHECK_THROWS_WITH_AS(most_likely(std::vector<float>{gone, gone}), "port: logits: none of 2 is a finite number",
                         error);
    CHECK_THROWS_AS(next_token(std::vector<float>{1, nan, 2}, {}, {.temperature = 1, .top_k = 1}), error);
}

TEST_CASE("the repetition penalty divides what is positive, multiplies what is not, and counts a token once") {
    std::vector<float> logits{4, -3, 2, 0};
    penalize_repetition(logits, std::vector<token_id>{0, 1, 0, 1, 3}, 2);
    CHECK(logits == std::vector<float>{2, -6, 2, 0});
    CHECK(next_token(std::vector<float>{4, 3, 1}, std::vector<token_id>{0}, {.repetition_penalty = 2}) == 1);
    CHECK(next_token(std::vector<float>{4, 3, 1}, std::vector<token_id>{0}, {}) == 0);
}

TEST_CASE("the temperature divides logits: probabilities become p^(1/t) / sum") {
    std::vector<float> logits = logits_for({0.5, 0.3, 0.2});
    divide_by_temperature(logits, 0.5);
    const std::vector<double> p = probabilities_of(logits);
    const double sum = 0.25 + 0.09 + 0.04;
    CHECK(p[0] == doctest::Approx(0.25 / sum));
    CHECK(p[1] == doctest::Approx(0.09 / sum));
    CHECK(p[2] == doctest::Approx(0.04 / sum));
}

TEST_CASE("top-k keeps k tokens and those equal to the last of them") {
    std::vector<float> logits{1, 5, 3, 3, 2};
    keep_top_k(logits, 2);
    CHECK(left_of(logits) == std::vector<int>{1, 2, 3});
    logits = {1, 5, 3, 4, 2};
    keep_top_k(logits, 3);
    CHECK(left_of(logits) == std::vector<int>{1, 2, 3});
    keep_top_k(logits, 0);
    keep_top_k(logits, 99);
    CHECK(left_of(logits) == std::vector<int>{1, 2, 3});
}

TEST_CASE("top-p keeps the fewest tokens that have the probability together, and one at least") {
    const std::vector<double> p{0.1, 0.4, 0.2, 0.3};
    const auto kept = [&](double most) {
        std::vector<float> logits = logits_for(p);
        keep_top_p(logits, most);
        return left_of(logits);
    };
    CHECK(kept(0) == std::vector<int>{1});
    CHECK(kept(0.39) == std::vector<int>{1});
    CHECK(kept(0.41) == std::vector<int>{1, 3});
    CHECK(kept(0.69) == std::vector<int>{1, 3});
    CHECK(kept(0.89) == std::vector<int>{1, 2, 3});
    CHECK(kept(0.91) == std::vector<int>{0, 1, 2, 3});
    CHECK(kept(1) == std::vector<int>{0, 1, 2, 3});
}

TEST_CASE("min-p keeps tokens by the probability of the most likely one") {
    const auto kept = [](double part) {
        std::vector<float> logits = logits_for({0.1, 0.4, 0.2, 0.3});
        keep_min_p(logits, part);
        return left_of(logits);
    };
    CHECK(kept(0) == std::vector<int>{0, 1, 2, 3});
    CHECK(kept(0.24) == std::vector<int>{0, 1, 2, 3});
    CHECK(kept(0.26) == std::vector<int>{1, 2, 3});
    CHECK(kept(0.51) == std::vector<int>{1, 3});
    CHECK(kept(1) == std::vector<int>{1});
}

TEST_CASE("a draw takes the token whose interval holds the number, and never one that was removed") {
    const std::vector<double> p{0.25, 0, 0.5, 0.25};
    CHECK(drawn_token(p, 0) == 0);
    CHECK(drawn_token(p, 0.2499) == 0);
    CHECK(drawn_token(p, 0.25) == 2);
    CHECK(drawn_token(p, 0.7499) == 2);
    CHECK(drawn_token(p, 0.75) == 3);
    CHECK(drawn_token(p, 0.9999999) == 3);
    CHECK(drawn_token(std::vector<double>{0.5, 0.49, 0}, 0.999) == 1);
}

TEST_CASE("draws are those of the seed and the position, and as frequent as their probabilities") {
    const std::vector<float> logits = logits_for({0.5, 0.3, 0.15, 0.05});
    std::vector<token_id> before;
    std::vector<int> count(4, 0);
    std::vector<int> same(2, 0);
    constexpr int draws = 4000;
    for (int i = 0; i < draws; ++i) {
        const token_id token = next_token(logits, before, {.temperature = 1, .seed = 7});
        ++count[static_cast<std::size_t>(token)];
        CHECK(next_token(logits, before, {.temperature = 1, .seed = 7}) == token);
        ++same[next_token(logits, before, {.temperature = 1, .seed = 8}) == token ? 1 : 0];
        before.push_back(0);
    }
    const double p[] = {0.5, 0.3, 0.15, 0.05};
    for (std::size_t i = 0; i < 4; ++i) { // within five standard deviations; the seed is fixed
        CHECK(std::abs(count[i] - draws * p[i]) < 5 * std::sqrt(draws * p[i] * (1 - p[i])));
    }
    CHECK(same[0] > draws / 3); // another seed draws otherwise: 1 - sum of p^2 = 0.635
    for (int i = 0; i < 1000; ++i) {
        const double u = drawn_number(3, i);
        CHECK(u >= 0);
        CHECK(u < 1);
    }
}

TEST_CASE("filters follow each other in the order of transformers") {
    // After the temperature of 2, p^(1/2): top-p of 0.6 keeps two tokens, of the probabilities as they were it would keep one.
    const std::vector<float> logits = logits_for({0.64, 0.16, 0.16, 0.04});
    int others = 0;
    for (int i = 0; i < 200; ++i) {
        const token_id token =
            next_token(logits, std::vector<token_id>(static_cast<std::size_t>(i), 3), {.temperature = 2, .top_p = 0.6});
        CHECK(token <= 1);
        others += token == 1 ? 1 : 0;
    }
    CHECK(others > 20);
    // top-k of 1 leaves one token, whatever the others allow.
    CHECK(next_token(logits, {}, {.temperature = 5, .top_k = 1, .top_p = 1, .min_p = 0.01, .seed = 9}) == 0);
}

TEST_CASE("impossible options of sampling are refused by name") {
    CHECK(sampling_refusal({.temperature = -1}) == "argument: temperature: is -1, must be 0 (greedy) or above");
    CHECK(sampling_refusal({.top_k = -2}) == "argument: top_k: is -2, must be 0 (all tokens) or above");
    CHECK(sampling_refusal({.top_p = 1.5}) == "argument: top_p: is 1.5, must be from 0 to 1");
    CHECK(sampling_refusal({.min_p = -0.5}) == "argument: min_p: is -0.5, must be from 0 to 1");
    CHECK(sampling_refusal({.repetition_penalty = 0}) == "argument: repetition_penalty: is 0, must be above 0");
    CHECK(sampling_refusal({.temperature = std::nan("")}) ==
          "argument: temperature: is nan, must be 0 (greedy) or above");
}
