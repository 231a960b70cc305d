/// A small Llama as a constant of the program: its checks for every Mac, a prompt in one run, and the same tokens one by one,
/// with caches that the host keeps (docs/language_models.md). Weights are random; a folder's come from `models::read_checkpoint`.
#include <anemone/anemone.hpp>
#include <anemone/models/decoder_graph.hpp>
#include <anemone/models/decoder_inputs.hpp>
#include <anemone/weights/random.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

using namespace ane::literals;

constexpr std::int64_t length = 8;
constexpr std::int64_t capacity = 16;
constexpr std::int64_t width = 32;
constexpr std::int64_t vocabulary = 64;
constexpr ane::models::rope turning{.kind = ane::models::rope_kind::plain};
constexpr ane::models::decoder_configuration llama{.layers = 2,
                                                   .width = width,
                                                   .heads = 4,
                                                   .kept_heads = 2,
                                                   .head_width = 8,
                                                   .inner = 48,
                                                   .vocabulary = vocabulary,
                                                   .positions = 64,
                                                   .rotary = turning,
                                                   .local_rotary = turning,
                                                   .query_scale = 0.35355339};

constexpr ane::models::decoder_form one_token{.positions = 1, .capacity = capacity};
constexpr ane::models::decoder_form whole_prompt{.positions = length, .capacity = 0};
constexpr const auto& decoding = ane::models::decoder<llama, one_token>;
constexpr const auto& prompt = ane::models::decoder<llama, whole_prompt>;
static_assert(ane::conforms<decoding, ane::macs>);
static_assert(ane::conforms<prompt, ane::macs>);

template <std::int64_t... Extents> using array = ane::ndarray<ane::shape<Extents...>>;

/// What stands for a row of the embedding.
float embedded(std::int64_t position, std::int64_t column) {
    return std::sin(0.37F * static_cast<float>(position * position + 3 * column));
}

/// The host's part of a run: tables and mask of the next positions.
template <std::int64_t Positions> struct host_ports {
    static constexpr std::int64_t columns = Positions == 1 ? capacity + 1 : Positions;
    array<Positions, 8> cosines, sines;
    array<Positions, columns> mask;

    host_ports(const ane::models::decoder_form& form, std::int64_t kept) {
        std::array<float, Positions * 8> c{};
        std::array<float, Positions * 8> s{};
        std::array<float, Positions * columns> m{};
        ane::models::rotary_tables(llama.rotary, llama.head_width, kept, c, s);
        ane::models::causal_mask(form, kept, llama.window, m);
        std::transform(c.begin(), c.end(), cosines.elements().begin(), [](float x) { return ane::half(x); });
        std::transform(s.begin(), s.end(), sines.elements().begin(), [](float x) { return ane::half(x); });
        std::transform(m.begin(), m.end(), mask.elements().begin(), [](float x) { return ane::half(x); });
    }
};

/// Puts a new position into the caches of a layer.
template <class New>
void keep(array<2, 8, capacity>& keys, array<2, capacity, 8>& values, const New& new_keys, const New& new_values,
          int position) {
    for (int head = 0; head < 2; ++head) {
        for (int d = 0; d < 8; ++d) {
            keys(head, d, position) = new_keys(head, 0, d);
            values(head, position, d) = new_values(head, 0, d);
        }
    }
}

int main() {
    const ane::weight_store weights = ane::random_weights(decoding, 1);

    auto at_once = ane::compile<prompt>(ane::backend::cpu{}, weights);
    array<length, width> x;
    for (int p = 0; p < length; ++p) {
        for (int c = 0; c < width; ++c) {
            x(p, c) = ane::half(embedded(p, c));
        }
    }
    const host_ports<length> all(whole_prompt, 0);
    const auto expected =
        at_once({"x"_s = x, "cosines"_s = all.cosines, "sines"_s = all.sines, "mask"_s = all.mask})["logits"_s];

    auto one_by_one = ane::compile<decoding>(ane::backend::cpu{}, weights);
    array<2, 8, capacity> keys[2];
    array<2, capacity, 8> values[2];
    double largest = 0;
    double difference = 0;
    for (int p = 0; p < length; ++p) {
        array<1, width> row;
        for (int c = 0; c < width; ++c) {
            row(0, c) = x(p, c);
        }
        const host_ports<1> next(one_token, p);
        const auto y = one_by_one({"x"_s = row, "cosines"_s = next.cosines, "sines"_s = next.sines,
                                   "mask"_s = next.mask, "keys_0"_s = keys[0], "values_0"_s = values[0],
                                   "keys_1"_s = keys[1], "values_1"_s = values[1]});
        keep(keys[0], values[0], y["new_keys_0"_s], y["new_values_0"_s], p);
        keep(keys[1], values[1], y["new_keys_1"_s], y["new_values_1"_s], p);
        const auto logits = y["logits"_s];
        for (int word = 0; word < vocabulary; ++word) {
            const auto wanted = static_cast<double>(expected(p, word));
            largest = std::max(largest, std::abs(wanted));
            difference = std::max(difference, std::abs(wanted - static_cast<double>(logits(0, word))));
        }
    }
    fmt::print(
        "{} layers, {} operations a token; {} positions at once and one by one: logits up to {:.2f} differ by {:.4f}\n",
        llama.layers, decoding.nodes.size(), length, largest, difference);
    return difference < 0.01 * largest ? 0 : 1;
}
