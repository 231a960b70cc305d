/// Stores the weights of the digit reader in each compressed form and shows what that costs: bytes, the error of the
/// weights, and how far the network's answers move in the arithmetic of the M5.
///
///     example_compressed_weights [digits.safetensors]
#include <anemone/backend/oracle/oracle.hpp>
#include <anemone/backend/program.hpp>
#include <anemone/build.hpp>
#include <anemone/ops/ops.hpp>
#include <anemone/weights/convert.hpp>
#include <anemone/weights/encode.hpp>
#include <anemone/weights/safetensors.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

using namespace ane;

namespace {

/// The network of examples/digits; `Form` is how the weights of its layers are stored, `stored` whether they are at
/// all.
template <compression Form> dynamic_graph digits(bool stored) {
    return build_graph([stored](auto& g) {
        auto x = g.input("image"_s, f16<1, 1, 28, 28>, within(0, 1));
        auto w1 = g.weight("conv1.weight"_s, f16<16, 1, 3, 3>);
        auto w2 = g.weight("conv2.weight"_s, f16<32, 16, 3, 3>);
        auto w3 = g.weight("fc1.weight"_s, f16<64, 1568>);
        auto w4 = g.weight("fc2.weight"_s, f16<10, 64>);
        auto a = relu(conv2d<conv{.padding = same}>(x, w1, g.weight("conv1.bias"_s, f16<16>)));
        auto b = max_pool<pool{.kernel = 2, .stride = 2}>(a);
        auto c = relu(
            conv2d<conv{.padding = same}>(b, stored ? compressed<Form>(w2) : w2, g.weight("conv2.bias"_s, f16<32>)));
        auto d = flatten(max_pool<pool{.kernel = 2, .stride = 2}>(c));
        auto e = relu(linear(d, stored ? compressed<Form>(w3) : w3, g.weight("fc1.bias"_s, f16<64>)));
        auto f = linear(e, stored ? compressed<Form>(w4) : w4, g.weight("fc2.bias"_s, f16<10>));
        g.output("scores"_s, f);
    });
}

constexpr std::array<const char*, 3> stored_weights{"conv2.weight", "fc1.weight", "fc2.weight"};

using picture = std::vector<half>;

/// A digit of a pocket calculator: seven bars, at a place and with a thickness of its own.
picture draw(int digit, int across, int down, int thick) {
    // top, upper left, upper right, middle, lower left, lower right, bottom
    constexpr const char* bars[] = {"1110111", "0010010", "1011101", "1011011", "0111010",
                                    "1101011", "1101111", "1010010", "1111111", "1111011"};
    picture pixels(std::size_t{28} * 28);
    const auto fill = [&](int top, int left, int height, int width) {
        for (int i = top; i < top + height; ++i) {
            for (int j = left; j < left + width; ++j) {
                const int place = std::clamp(i + down, 0, 27) * 28 + std::clamp(j + across, 0, 27);
                pixels[static_cast<std::size_t>(place)] = half(1);
            }
        }
    };
    for (int bar = 0; bar < 7; ++bar) {
        if (bars[digit][bar] == '0') {
            continue;
        }
        if (bar % 3 == 0) {
            fill(4 + bar * 3, 8, thick, 10 + thick);
        } else {
            fill(bar < 3 ? 4 : 13, bar % 3 == 1 ? 8 : 18, 9 + thick, thick);
        }
    }
    return pixels;
}

/// The scores of each picture, as the M5 would give them.
std::vector<std::vector<double>> scores_of(const dynamic_graph& model, const weight_store& weights,
                                           const std::vector<picture>& pictures) {
    auto program = compile(model, backend::oracle{h17s}, weights);
    std::vector<std::vector<double>> all;
    for (const picture& p : pictures) {
        std::array<half, 10> scores{};
        const std::span<const std::byte> inputs[] = {std::as_bytes(std::span(p))};
        const std::span<std::byte> outputs[] = {std::as_writable_bytes(std::span(scores))};
        program.run(inputs, outputs);
        std::vector<double>& row = all.emplace_back();
        for (const half s : scores) {
            row.push_back(static_cast<double>(s));
        }
    }
    return all;
}

std::size_t answer(const std::vector<double>& scores) {
    return static_cast<std::size_t>(std::max_element(scores.begin(), scores.end()) - scores.begin());
}

/// The same weights with the smallest 60 % of each compressed one set to zero.
weight_store pruned(const weight_store& weights) {
    weight_store result;
    for (const stored_tensor& t : weights) {
        std::vector<half> values = to_half(t);
        if (std::find(stored_weights.begin(), stored_weights.end(), t.name) != stored_weights.end()) {
            std::vector<double> magnitudes;
            magnitudes.reserve(values.size());
            for (const half v : values) {
                magnitudes.push_back(std::fabs(static_cast<double>(v)));
            }
            std::sort(magnitudes.begin(), magnitudes.end());
            const double limit = magnitudes[magnitudes.size() * 6 / 10];
            for (half& v : values) {
                v = std::fabs(static_cast<double>(v)) < limit ? half{} : v;
            }
        }
        result.add(t.name, t.shape, std::span<const half>(values));
    }
    return result;
}

/// Prints one row and returns how many answers stayed.
template <compression Form>
int show(const char* label, const weight_store& weights, const std::vector<picture>& pictures) {
    std::size_t bytes = 0;
    std::size_t dense = 0;
    double error = 0;
    double squares = 0;
    for (const char* const name : stored_weights) {
        const stored_tensor& t = weights.at(name);
        const std::vector<half> values = to_half(t);
        const encoded_weight stored = encode_weight(values, t.shape, Form);
        const std::vector<half> decoded = decode_weight(stored);
        bytes += stored.bytes();
        dense += 2 * values.size();
        for (std::size_t i = 0; i < values.size(); ++i) {
            const double d = static_cast<double>(decoded[i]) - static_cast<double>(values[i]);
            error += d * d;
            squares += static_cast<double>(values[i]) * static_cast<double>(values[i]);
        }
    }
    const auto want = scores_of(digits<Form>(false), weights, pictures);
    const auto got = scores_of(digits<Form>(true), weights, pictures);
    int same = 0;
    double moved = 0;
    double size = 0;
    for (std::size_t i = 0; i < want.size(); ++i) {
        same += answer(want[i]) == answer(got[i]) ? 1 : 0;
        for (std::size_t k = 0; k < want[i].size(); ++k) {
            moved += (got[i][k] - want[i][k]) * (got[i][k] - want[i][k]);
            size += want[i][k] * want[i][k];
        }
    }
    fmt::print("  {:<24} {:>7}   {:4.2f}   {:8.2e}   {:8.2e}   {:>3} of {}\n", label, bytes,
               static_cast<double>(bytes) / static_cast<double>(dense), std::sqrt(error / squares),
               std::sqrt(moved / size), same, want.size());
    return same;
}

int run(const std::string& file) {
    const weight_store weights = load_safetensors(file);
    const weight_store sparser = pruned(weights);
    std::vector<picture> pictures;
    for (int digit = 0; digit < 10; ++digit) {
        pictures.push_back(draw(digit, 0, 0, 2));
        pictures.push_back(draw(digit, -1, 1, 3));
    }
    fmt::print("Three weights of the digit reader, {} pictures, oracle H17s\n", pictures.size());
    fmt::print("  form                       bytes  share   weights    scores     same answer\n");
    int int8 = 0;
    int8 += show<affine_int8>("int8, a scale a row", weights, pictures);
    int8 += show<blockwise<16>>("int8, a scale a block", weights, pictures);
    show<palette<8>>("palette of 256", weights, pictures);
    show<palette<4>>("palette of 16", weights, pictures);
    show<palette<4, 2>>("palette of 16 pairs", weights, pictures);
    show<palette<2>>("palette of 4", weights, pictures);
    fmt::print("  with the smallest 60 % of the weights set to zero:\n");
    const int lossless = show<sparse>("sparse", sparser, pictures);
    show<compression{.form = weight_form::sparse_blockwise, .bits = 8, .block = 16}>("sparse, int8 blocks", sparser,
                                                                                     pictures);
    const int count = static_cast<int>(pictures.size());
    return lossless == count && int8 >= 2 * count - 2 ? 0 : 1;
}

} // namespace

int main(int argc, char** argv) {
    try {
        return run(argc > 1 ? argv[1] : ANEMONE_EXAMPLE_DATA "/../digits/digits.safetensors");
    } catch (const error& e) {
        fmt::print(stderr, "{}\n", e.what());
        return 2;
    }
}
