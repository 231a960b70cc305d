#include "../../examples/compression/digit_data.hpp"
#include "../../examples/compression/sorter.hpp"
#include <anemone/compress/compress.hpp>
#include <anemone/compress/compression_report.hpp>
#include <anemone/weights/safetensors.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

using namespace ane;

namespace {

const std::string example_data = ANEMONE_TEST_DATA "/../examples/";

std::size_t right_answers(const model_results& results, const std::vector<std::size_t>& answers, std::size_t width) {
    std::size_t right = 0;
    std::size_t row = 0;
    for (const auto& run : results) {
        for (std::size_t at = 0; at < run[0].size(); at += width) {
            const auto first = run[0].begin() + static_cast<std::ptrdiff_t>(at);
            const auto largest = std::max_element(first, first + static_cast<std::ptrdiff_t>(width)) - first;
            right += static_cast<std::size_t>(largest) == answers[row++] ? 1 : 0;
        }
    }
    return right;
}

} // namespace

TEST_CASE("networks: the digit reader becomes three times smaller and loses at most one answer in a hundred") {
    const weight_store weights = load_safetensors(example_data + "digits/digits.safetensors");
    const weight_store file = load_safetensors(example_data + "compression/digit_images.safetensors");
    // Without error feedback for the layer of 1568 columns, whose factor takes seconds where nothing is optimised.
    std::vector<std::size_t> answers;
    model_samples gate;
    for (const digit_data::labelled& image : digit_data::shifted(file, {1, 2}, 2, 0, 2)) {
        gate.add(std::span<const half>(image.pixels));
        answers.push_back(image.digit);
    }
    model_samples calibration;
    for (const digit_data::labelled& image : digit_data::shifted(file, {0}, 1)) {
        calibration.add(std::span<const half>(image.pixels));
    }
    compression_options options{.most_loss = 0.01, .calibration = &calibration, .most_feedback_columns = 200};
    options.loss = [&](const model_results& want, const model_results& got) {
        const auto lost = static_cast<double>(right_answers(want, answers, 10)) -
                          static_cast<double>(right_answers(got, answers, 10));
        return lost / static_cast<double>(answers.size());
    };
    const compression_plan plan = choose_compression(digit_data::network, weights, h13, gate, options);
    MESSAGE(compression_report(plan));
    CHECK(plan.ratio() >= 3);
    CHECK(plan.after.loss <= 0.01);

    std::vector<std::size_t> fresh_answers;
    model_samples fresh;
    for (const digit_data::labelled& image : digit_data::shifted(file, {1, 2}, 2, 1, 2)) {
        fresh.add(std::span<const half>(image.pixels));
        fresh_answers.push_back(image.digit);
    }
    const compressed_model small = apply(plan);
    const backend::any cpu = backend::cpu{};
    const auto before = right_answers(run_samples(digit_data::network, weights, fresh, cpu), fresh_answers, 10);
    const auto after = right_answers(run_samples(small.graph, small.weights, fresh, cpu), fresh_answers, 10);
    CHECK(before > 225); // of 250
    CHECK(after + 5 >= before);
}

TEST_CASE("networks: the sorting encoder becomes three times smaller and its scores move by at most a tenth") {
    const weight_store weights = load_safetensors(example_data + "compression/sorter.safetensors");
    model_samples samples;
    for (const sorting::sequence& s : sorting::drawn(777, 64)) {
        samples.add(std::span<const half>(sorting::one_hot(s)));
    }
    const compression_plan plan = choose_compression(sorting::sorter, weights, h13, samples, {.most_loss = 0.1});
    MESSAGE(compression_report(plan));
    CHECK(plan.ratio() >= 3);
    CHECK(plan.after.loss <= 0.1);

    std::vector<std::size_t> sorted;
    model_samples fresh;
    for (sorting::sequence s : sorting::drawn(12345, 250)) {
        fresh.add(std::span<const half>(sorting::one_hot(s)));
        std::sort(s.begin(), s.end());
        sorted.insert(sorted.end(), s.begin(), s.end());
    }
    const compressed_model small = apply(plan);
    const backend::any cpu = backend::cpu{};
    const model_results want = run_samples(sorting::sorter, weights, fresh, cpu);
    const model_results got = run_samples(small.graph, small.weights, fresh, cpu);
    CHECK(right_answers(want, sorted, 16) >= 3990); // of 4000: train.py says 99.99 %
    CHECK(right_answers(got, sorted, 16) >= 3980);
    CHECK(relative_error(want, got) <= 0.12);
}
