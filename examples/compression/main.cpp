/// Compresses two networks as far as a bound on the loss allows: the digit reader, bound by the answers that it may get
/// wrong, and an encoder of two transformer blocks that sorts, bound by the error of its outputs. Shows the plan, what it
/// costs on data that it has not seen, and the files that come of it.
///
///     example_compression [folder for the drawings]

#include "digit_data.hpp"
#include "sorter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

using namespace ane;

namespace {

/// Runs of a model, and the right answers: for each row of its output the place of the largest.
struct labelled_samples {
    model_samples inputs;
    std::vector<std::size_t> answers;
};

labelled_samples labels_of(const std::vector<digit_data::labelled>& images) {
    labelled_samples all;
    for (const digit_data::labelled& image : images) {
        all.inputs.add(std::span<const half>(image.pixels));
        all.answers.push_back(image.digit);
    }
    return all;
}

labelled_samples sequences(std::uint32_t seed, std::size_t count) {
    labelled_samples all;
    for (sorting::sequence s : sorting::drawn(seed, count)) {
        all.inputs.add(std::span<const half>(sorting::one_hot(s)));
        std::sort(s.begin(), s.end());
        for (const int token : s) {
            all.answers.push_back(static_cast<std::size_t>(token));
        }
    }
    return all;
}

/// The share of the answers that are right.
double accuracy(const model_results& results, const std::vector<std::size_t>& answers) {
    std::size_t right = 0;
    std::size_t rows = 0;
    const std::size_t width = results[0][0].size() * results.size() / answers.size();
    for (const auto& run : results) {
        for (auto row = run[0].begin(); row != run[0].end(); row += static_cast<std::ptrdiff_t>(width)) {
            const auto largest = std::max_element(row, row + static_cast<std::ptrdiff_t>(width)) - row;
            right += static_cast<std::size_t>(largest) == answers[rows++] ? 1 : 0;
        }
    }
    return static_cast<double>(right) / static_cast<double>(rows);
}

std::size_t file_bytes(const graph_view& model, const weight_store& weights) {
    const lowered_graph lowered = lower(model);
    return emit_mil(lowered.graph, fold_constants(lowered.graph, weights)).weights.bytes().size();
}

/// What the plan costs on data that neither error feedback nor the gate has seen; whether it is three times smaller.
bool show(const compression_plan& plan, const labelled_samples& fresh, const std::filesystem::path& drawing) {
    std::fputs(compression_report(plan).c_str(), stdout);
    const compressed_model small = apply(plan);
    const backend::any cpu = backend::cpu{};
    const model_results want = run_samples(plan.model, plan.store, fresh.inputs, cpu);
    const model_results got = run_samples(small.graph, small.weights, fresh.inputs, cpu);
    const model_results engine =
        run_samples(small.graph, small.weights, fresh.inputs, backend::any(backend::oracle{h13}));
    fmt::print("  on fresh data: {:.2f} % of {} answers right, {:.2f} % compressed, {:.2f} % in the M1's arithmetic; "
               "outputs move by {:.1e}\n",
               100 * accuracy(want, fresh.answers), fresh.answers.size(), 100 * accuracy(got, fresh.answers),
               100 * accuracy(engine, fresh.answers), relative_error(want, got));
    fmt::print("  weights.bin of the MIL text: {} bytes, {} compressed\n\n", file_bytes(plan.model, plan.store),
               file_bytes(small.graph, small.weights));
    write_file(drawing.string(), draw_pareto(plan));
    return plan.ratio() >= 3 && plan.after.loss <= plan.most_loss;
}

bool compress_digits(const std::filesystem::path& data, const std::filesystem::path& folder) {
    const weight_store weights = load_safetensors((data / "../digits/digits.safetensors").string());
    const weight_store file = load_safetensors((data / "digit_images.safetensors").string());
    // Learns from the easy images; the hard ones are for the gate and for what comes after it, by turns.
    const labelled_samples calibration = labels_of(digit_data::shifted(file, {0}, 2));
    const labelled_samples gate = labels_of(digit_data::shifted(file, {1, 2}, 2, 0, 2));
    const labelled_samples fresh = labels_of(digit_data::shifted(file, {1, 2}, 2, 1, 2));
    compression_options options;
    options.calibration = &calibration.inputs;
    options.most_loss = 0.01; // one answer in a hundred
    options.loss = [&gate](const model_results& want, const model_results& got) {
        return accuracy(want, gate.answers) - accuracy(got, gate.answers);
    };
    return show(choose_compression(digit_data::network, weights, h13, gate.inputs, options), fresh,
                folder / "digits_pareto.svg");
}

bool compress_sorter(const std::filesystem::path& data, const std::filesystem::path& folder) {
    const weight_store weights = load_safetensors((data / "sorter.safetensors").string());
    const labelled_samples calibration = sequences(1, 100);
    const labelled_samples gate = sequences(777, 100);
    compression_options options;
    options.calibration = &calibration.inputs;
    const labelled_samples fresh = sequences(12345, 500);
    options.held_out = &fresh.inputs;
    options.most_loss = 0.1; // of the scores
    return show(choose_compression(sorting::sorter, weights, h13, gate.inputs, options), fresh,
                folder / "sorter_pareto.svg");
}

} // namespace

int main(int argc, char** argv) {
    try {
        const std::filesystem::path data = ANEMONE_EXAMPLE_DATA;
        const std::filesystem::path folder = argc > 1 ? argv[1] : "compression_files";
        std::filesystem::create_directories(folder);
        const bool digits_small = compress_digits(data, folder);
        const bool sorter_small = compress_sorter(data, folder);
        return digits_small && sorter_small ? 0 : 1;
    } catch (const error& e) {
        fmt::print(stderr, "{}\n", e.what());
        return 2;
    }
}
