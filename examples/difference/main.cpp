/// What the engine's arithmetic costs a model, node by node: the CPU backend beside the M1 and the M5. Writes a drawing
/// where a path is given.
#include <anemone/anemone.hpp>

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <string>

using namespace ane::literals;

/// A feed-forward block with four troubles: one row is an outlier, whose squares leave fp16 in the norm; activations
/// near zero meet small weights; a table stands in for gelu; the second half of the up projection is cut off by a width
/// slice.
inline constexpr auto block = ane::graph([](auto& g) {
    using namespace ane;
    auto x = g.input("x"_s, f16<8, 256>);
    auto normal = layer_norm(x, g.weight("norm.gain", f16<256>), g.weight("norm.offset", f16<256>));
    auto quiet = linear(normal * 0.001, g.weight("quiet.weight", f16<64, 256>));
    auto up = linear(x, g.weight("up.weight", f16<512, 256>));
    auto active = gelu(linear(normal, g.weight("gate.weight", f16<512, 256>)));
    auto half_of_up = slice<window{{0, 256}, {8, 256}}>(up);
    g.output("quiet_features"_s, quiet);
    g.output("upper_half"_s, half_of_up);
    g.output("gated"_s, softmax(linear(active, g.weight("down.weight", f16<256, 512>))));
});

/// Uniform numbers in [-1, 1], the same on every machine.
class uniform {
public:
    double operator()() {
        state_ = state_ * 6364136223846793005ULL + 1442695040888963407ULL;
        return static_cast<double>(static_cast<std::int64_t>(state_) >> 11) * 0x1p-52;
    }

private:
    std::uint64_t state_ = 1;
};

ane::weight_store random_weights() {
    uniform random;
    const ane::graph_view g = block;
    ane::weight_store store;
    for (int i = 0; i < g.size(); ++i) {
        if (g[i].kind == ane::op::weight) {
            std::vector<float> values(static_cast<std::size_t>(g[i].shape.count()));
            for (float& v : values) {
                v = static_cast<float>(g[i].shape.rank == 1 ? 1 + 0.1 * random() : 0.1 * random());
            }
            store.add(std::string(g.name(i)), g[i].shape, values);
        }
    }
    return store;
}

int main(int argc, char** argv) {
    try {
        uniform random;
        ane::ndarray<ane::shape<8, 256>> x;
        for (std::size_t i = 0; i < x.size; ++i) {
            const bool outlier_row = i / 256 == 5;
            x[i] = ane::half((outlier_row ? 12000 : 2) * random());
        }
        const ane::weight_store weights = random_weights();
        const ane::backend::cpu cpu;
        const auto m1 = ane::diff<block>(cpu, ane::backend::oracle(ane::h13), weights, {"x"_s = x});
        fmt::print("the M1 beside plain fp16\n");
        ane::diff_report(block, m1).print();
        fmt::print("\nthe M5 beside plain fp16\n");
        const auto m5 = ane::diff<block>(cpu, ane::backend::oracle(ane::h17s), weights, {"x"_s = x});
        ane::diff_report(block, m5).print();
        fmt::print("\nthe M5 beside the M1\n");
        const auto both =
            ane::diff<block>(ane::backend::oracle(ane::h13), ane::backend::oracle(ane::h17s), weights, {"x"_s = x});
        ane::diff_report(block, both).print();
        if (argc > 1) {
            ane::write_file(argv[1], ane::draw_diff(block, m1, {.title = "The M1 beside plain fp16"}));
        }
        return m1.identical() || m5.identical() ? 1 : 0;
    } catch (const ane::error& e) {
        fmt::print(stderr, "{}\n", e.what());
        return 2;
    }
}
