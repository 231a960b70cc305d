/// Which layer breaks in fp16: a normalisation by hand on activations with outliers. Plain fp16 and the engine agree about
/// it, and both are wrong; double precision tells where, how many samples are affected, and what helps. Writes a drawing
/// where a path is given.
#include <anemone/anemone.hpp>

#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

using namespace ane::literals;

/// A linear layer, its rows by their root mean square, and scores of them. Squares from 256 on leave fp16.
inline constexpr auto block = ane::graph([](auto& g) {
    using namespace ane;
    auto x = g.input("x"_s, f16<4, 64>);
    auto features = linear(x, g.weight("up.weight", f16<64, 64>));
    auto size = sqrt(reduce_mean<1>(square(features)));
    auto normal = features / size;
    g.output("shares"_s, softmax<axis{-1}>(linear(normal, g.weight("down.weight", f16<8, 64>))));
});

/// Smooth numbers, the same on every machine.
double wave(std::size_t i, double step) { return std::sin(step * static_cast<double>(i + 1)); }

int main(int argc, char** argv) {
    try {
        ane::weight_store weights;
        std::vector<float> up(64 * 64);
        std::vector<float> down(8 * 64);
        for (std::size_t i = 0; i < up.size(); ++i) {
            up[i] = static_cast<float>(0.4 * wave(i, 1.7));
        }
        for (std::size_t i = 0; i < down.size(); ++i) {
            down[i] = static_cast<float>(0.2 * wave(i, 2.3));
        }
        weights.add("up.weight", {64, 64}, std::span<const float>(up));
        weights.add("down.weight", {8, 64}, std::span<const float>(down));

        ane::model_samples samples; // the third has an outlier
        for (const double outlier : {1.0, 2.0, 900.0, 1.5}) {
            ane::ndarray<ane::shape<4, 64>> x;
            for (std::size_t i = 0; i < 4 * 64; ++i) {
                x.begin()[i] = ane::half(wave(i, 0.37) * (i % 64 == 7 ? outlier : 1));
            }
            samples.add(std::span<const ane::half>(x.elements()));
        }

        const ane::backend::oracle engine(ane::h13);
        const ane::backend::wide exact;
        const ane::wide_difference found = ane::diff(block, engine, exact, weights, samples);
        const ane::remedy_search helps =
            ane::find_remedies(block, engine, exact, weights, samples, found, {.chip = ane::h13});
        ane::wide_diff_report(block, found, helps).print();
        if (argc > 1) {
            ane::write_file(argv[1], ane::draw_wide_diff(block, found));
        }
        if (found.affected != 1 || helps.helpful.empty()) {
            return 1;
        }

        // The first of them is a model as any other.
        auto mended = ane::compile(helps.helpful.front().graph, engine, weights);
        std::vector<ane::half> shares(4 * 8);
        const std::span<std::byte> outputs[] = {std::as_writable_bytes(std::span(shares))};
        mended.run(samples.inputs(2), outputs);
        double total = 0;
        for (std::size_t i = 0; i < 8; ++i) {
            total += static_cast<double>(shares[i]);
        }
        fmt::print("the shares of a row of the third sample, mended, add up to {:.3f}\n", total);
        return std::fabs(total - 1) < 0.01 ? 0 : 1;
    } catch (const ane::error& e) {
        fmt::print(stderr, "{}\n", e.what());
        return 1;
    }
}
