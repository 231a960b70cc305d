/// Reads thirty images of digits with three backends, compares them, and shows what the library knows of the model
/// without running it: the verdict of every Mac generation, its cost, its drawing, and the files the engine would get.
///
///     example_digits [folder for the files it writes]

#include "image.hpp"
#include "model.hpp"
#include "terminal.hpp"

#include <fmt/color.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

using namespace ane;

namespace {

struct labelled_image {
    std::filesystem::path path;
    std::size_t digit;
};

/// The rows of labels.csv: file, label, font.
std::vector<labelled_image> read_labels(const std::filesystem::path& folder) {
    std::ifstream file(folder / "labels.csv");
    if (!file) {
        throw error(errc::file, (folder / "labels.csv").string(), "cannot be opened");
    }
    std::vector<labelled_image> images;
    std::string line;
    std::getline(file, line); // the heading
    while (std::getline(file, line)) {
        const std::size_t first = line.find(',');
        images.push_back({folder / line.substr(0, first), static_cast<std::size_t>(line.at(first + 1) - '0')});
    }
    return images;
}

/// The largest difference seen over all images.
void widen(difference& worst, const difference& d) {
    worst.max_abs = std::max(worst.max_abs, d.max_abs);
    worst.max_ulp = std::max(worst.max_ulp, d.max_ulp);
    worst.cosine = std::min(worst.cosine, d.cosine);
    worst.same_bits = worst.same_bits && d.same_bits;
}

/// Runs every image on the three backends; returns whether all of them name the right digit everywhere and the engine's
/// library returns the oracle's bits.
bool recognise(const std::filesystem::path& data, const weight_store& weights, const std::filesystem::path& folder) {
    auto cpu = compile<digits>(backend::cpu{}, weights);
    auto oracle = compile<digits>(backend::oracle{h13}, weights);
    auto engine = compile<digits>(backend::engine{h13, {.directory = folder, .library = {}, .session = {}}}, weights);

    const std::vector<labelled_image> images = read_labels(data / "images");
    difference cpu_oracle;
    difference oracle_engine;
    std::size_t right = 0;
    std::string table;
    progress_bar progress("recognising", images.size());
    for (const labelled_image& image : images) {
        const auto pixels = read_image(image.path);
        const auto on_cpu = cpu({"image"_s = pixels});
        const auto on_oracle = oracle({"image"_s = pixels});
        const auto on_engine = engine({"image"_s = pixels});
        const auto p = on_cpu["probabilities"_s];
        const auto q = on_oracle["probabilities"_s];
        const auto r = on_engine["probabilities"_s];
        const difference d = compare(p.elements(), q.elements());
        const difference e = compare(q.elements(), r.elements());
        widen(cpu_oracle, d);
        widen(oracle_engine, e);
        const bool agree = p.argmax() == image.digit && q.argmax() == image.digit && r.argmax() == image.digit;
        right += agree ? 1 : 0;
        table += fmt::format("  {:<18} {}   {} {:.4f}   {} {:.4f}   {} {:.4f}   {:9.2e} {:5}   {}{}\n",
                             image.path.filename().string(), image.digit, p.argmax(), static_cast<float>(p[p.argmax()]),
                             q.argmax(), static_cast<float>(q[q.argmax()]), r.argmax(),
                             static_cast<float>(r[r.argmax()]), d.max_abs, d.max_ulp,
                             e.same_bits ? "same bits" : fmt::format("{} ulp", e.max_ulp), agree ? "" : "  <-- wrong");
        progress.advance();
    }
    progress.finish();

    heading("thirty images, three backends");
    fmt::print("  {:<18} {:<3} {:<10} {:<10} {:<10} {:>9} {:>5}   {}\n", "image", "is", "cpu", "oracle h13",
               "engine h13", "max abs", "ulp", "oracle : engine");
    fmt::print("{}", table);
    fmt::print("  {} of {} right on all three backends\n", right, images.size());
    fmt::print("  cpu : oracle      max abs {:.2e}, max ulp {}, least cosine {:.9f}\n", cpu_oracle.max_abs,
               cpu_oracle.max_ulp, cpu_oracle.cosine);
    fmt::print("  oracle : engine   max abs {:.2e}, max ulp {}, least cosine {:.9f}, {} bits\n", oracle_engine.max_abs,
               oracle_engine.max_ulp, oracle_engine.cosine, oracle_engine.same_bits ? "same" : "other");
    return right == images.size() && oracle_engine.same_bits;
}

void show_verdicts() {
    heading("design rules, every Mac generation");
    for (const target t : macs) {
        const rule_report verdict = report(digits, t);
        fmt::print("  {:<5} {:<24} {}   {} errors, {} warnings\n", name(t), describe(t).product,
                   paint(verdict.ok() ? fmt::color::green : fmt::color::red, verdict.ok() ? "conforms" : "refused "),
                   verdict.errors(), verdict.warnings());
    }
    fmt::print("\n  on the M1:\n");
    report(digits, h13).print();
}

void show_cost() {
    heading("cost, before the program exists");
    const lowered_graph lowered = lower(digits);
    for (const target t : {h13, h14, h15, h16, h17s}) {
        fmt::print("  {}\n", cost_line(estimate(lowered.graph, describe(t))));
    }
}

void write_files(const weight_store& weights, const std::filesystem::path& folder) {
    const lowered_graph lowered = lower(digits);
    const netplist plist = emit_netplist(lowered.graph, fold_constants(lowered.graph, weights), "digits");
    const std::filesystem::path netplist_path = write_netplist(plist, folder / "netplist");
    write_file(folder / "digits.svg", draw_svg(digits));
    heading("files");
    fmt::print("  MIL text   {}\n  weights    {}\n  netplist   {}\n  drawing    {}\n", (folder / "model.mil").string(),
               (folder / "weights.bin").string(), netplist_path.string(), (folder / "digits.svg").string());
}

} // namespace

int main(int argc, char** argv) {
    try {
        const std::filesystem::path data = ANEMONE_EXAMPLE_DATA;
        const std::filesystem::path folder = argc > 1 ? argv[1] : "digits_files";
        const weight_store weights = load_safetensors(data / "digits.safetensors");
        const bool good = recognise(data, weights, folder);
        show_verdicts();
        show_cost();
        write_files(weights, folder);
        if (!good) {
            fmt::print(stderr, "\nthe backends disagree: see the table\n");
        }
        return good ? 0 : 1;
    } catch (const error& e) {
        fmt::print(stderr, "{}\n", e.what());
        return 2;
    }
}
