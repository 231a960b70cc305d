/// One model, four places to run it: the CPU in plain fp16 semantics, the arithmetic of the M1 and of the M5 on the
/// CPU, and the engine itself, or the stand-in of this repository that has the same interface.
#include <anemone/anemone.hpp>

#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <vector>

using namespace ane::literals;

constexpr auto model = ane::graph([](auto& g) {
    auto x = g.input("x"_s, ane::f16<8, 256>, ane::within(-1, 1));
    auto h = gelu(linear(x, g.weight("up"_s, ane::f16<512, 256>, ane::bounded(0.15))));
    g.output("y"_s, softmax(linear(h, g.weight("down"_s, ane::f16<32, 512>, ane::bounded(0.15)))));
});
static_assert(ane::conforms<model, ane::macs>);

using output = std::vector<ane::half>;

/// Any backend: it is an ordinary argument.
template <ane::runnable_backend Backend> output run(const Backend& backend, const ane::weight_store& weights) {
    ane::ndarray<ane::shape<8, 256>> x;
    for (std::size_t i = 0; i < x.size; ++i) {
        x[i] = ane::half(std::sin(0.37 * static_cast<double>(i)));
    }
    auto program = ane::compile<model>(backend, weights);
    const auto result = program({"x"_s = x});
    const auto y = result["y"_s].elements();
    return {y.begin(), y.end()};
}

ane::weight_store make_weights() {
    const auto wave = [](std::size_t count, double frequency) {
        std::vector<float> values(count);
        for (std::size_t i = 0; i < count; ++i) {
            values[i] = static_cast<float>(0.15 * std::sin(frequency * static_cast<double>(i * i % 1009)));
        }
        return values;
    };
    ane::weight_store store;
    store.add("up", {512, 256}, wave(512 * 256, 1.3));
    store.add("down", {32, 512}, wave(32 * 512, 0.7));
    return store;
}

/// The engine, where there is one. Without Apple's library or the stand-in (ANEMONE_E5RT) it is left out.
std::optional<output> run_on_engine(const ane::weight_store& weights) {
    try {
        return run(ane::backend::engine{ane::h13}, weights);
    } catch (const ane::error& e) {
        if (e.code() != ane::errc::library) {
            throw;
        }
        fmt::print("no engine here, it is left out\n  ({})\n", e.what());
        return std::nullopt;
    }
}

int main() {
    const ane::weight_store weights = make_weights();
    const output reference = run(ane::backend::cpu{}, weights);
    bool good = true;
    fmt::print("{:<14} {:>12} {:>10} {:>14}\n", "against cpu", "max abs", "max ulp", "1 - cosine");
    const auto row = [&](const std::string& name, const output& y) {
        const ane::difference d = ane::compare(reference, y);
        fmt::print("{:<14} {:>12.3g} {:>10} {:>14.3g}\n", name, d.max_abs, d.max_ulp, 1 - d.cosine);
        good = good && d.cosine > 0.999;
    };
    row("cpu", reference);
    row("oracle h13", run(ane::backend::oracle{ane::h13}, weights));
    row("oracle h17s", run(ane::backend::oracle{ane::h17s}, weights));
    if (const auto y = run_on_engine(weights)) {
        row("engine h13", *y);
    }
    return good ? 0 : 1;
}
