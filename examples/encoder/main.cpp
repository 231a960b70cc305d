/// A transformer block with a causal mask at fp16, on the CPU and in the M1's arithmetic. The model is in block.hpp.
#include "block.hpp"

#include <fmt/format.h>

#include <cmath>
#include <random>
#include <vector>

using namespace ane::literals;

ane::weight_store random_weights() {
    std::mt19937 random(7);
    std::uniform_real_distribution<float> uniform(-0.07F, 0.07F);
    const ane::graph_view g = block;
    ane::weight_store store;
    for (int i = 0; i < g.size(); ++i) {
        if (g[i].kind == ane::op::weight) {
            std::vector<float> values(static_cast<std::size_t>(g[i].shape.count()), 1.0F); // gains of the norms
            if (g.name(i) != "norm1.weight" && g.name(i) != "norm2.weight") {
                for (float& v : values) {
                    v = uniform(random);
                }
            }
            store.add(std::string(g.name(i)), g[i].shape, values);
        }
    }
    return store;
}

int main() {
    ane::ndarray<ane::shape<length, width>> x;
    for (std::size_t i = 0; i < x.size; ++i) {
        x[i] = ane::half(std::sin(0.9 * static_cast<double>(i)));
    }
    ane::ndarray<ane::shape<1, 1, length, length>> mask; // zero where a token may look, -10000 at later tokens
    for (int query = 0; query < length; ++query) {
        for (int key = query + 1; key < length; ++key) {
            mask(0, 0, query, key) = ane::half(-1e4);
        }
    }
    const ane::weight_store weights = random_weights();
    auto cpu = ane::compile<block>(ane::backend::cpu{}, weights);
    auto oracle = ane::compile<block>(ane::backend::oracle{ane::h13}, weights);
    const auto y = cpu({"x"_s = x, "mask"_s = mask});
    const auto d = ane::compare(y["y"_s].elements(), oracle({"x"_s = x, "mask"_s = mask})["y"_s].elements());
    fmt::print("oracle h13 against cpu: max abs {:.4f}, cosine {:.6f}\n", d.max_abs, d.cosine);

    // The mask works: when the last token changes, the outputs of all earlier ones stay as they were, bit for bit.
    for (int i = 0; i < width; ++i) {
        x(length - 1, i) = -x(length - 1, i);
    }
    const auto changed = cpu({"x"_s = x, "mask"_s = mask});
    constexpr std::size_t earlier = (length - 1) * width;
    const auto before = ane::compare(y["y"_s].elements().first(earlier), changed["y"_s].elements().first(earlier));
    const auto last = ane::compare(y["y"_s].elements().last(width), changed["y"_s].elements().last(width));
    fmt::print("last token changed: earlier outputs move by {}, the last by {:.3f}\n", before.max_abs, last.max_abs);
    return before.identical() && last.max_abs > 0.1 && d.cosine > 0.999 ? 0 : 1;
}
