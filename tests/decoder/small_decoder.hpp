#pragma once

#include <anemone/models/configuration.hpp>
#include <anemone/weights/convert.hpp>
#include <anemone/weights/store.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <vector>

/// A decoder of the Llama family that is small, written here from its formulas: in double precision, a whole text at once,
/// without caches, chunks or masks.
namespace small_decoder {

inline ane::models::decoder_configuration configuration(std::int64_t vocabulary = 61, std::int64_t window = 0) {
    ane::models::decoder_configuration c;
    c.kind = ane::models::family::llama;
    c.layers = 2;
    c.width = 32;
    c.heads = 4;
    c.kept_heads = 2;
    c.head_width = 8;
    c.inner = 48;
    c.vocabulary = vocabulary;
    c.positions = 128;
    c.norm_epsilon = 1e-5;
    c.rotary.kind = ane::models::rope_kind::plain;
    c.local_rotary = c.rotary;
    c.query_scale = 1 / std::sqrt(8.0);
    c.window = window;
    return c;
}

inline std::string layer_name(std::int64_t layer, const std::string& what) {
    return "model_layers_" + std::to_string(layer) + "_" + what + "_weight";
}

/// Random weights, as fp16.
inline ane::weight_store weights(const ane::models::decoder_configuration& c, unsigned seed) {
    std::mt19937 random(seed);
    ane::weight_store all;
    const auto add = [&](const std::string& name, std::int64_t rows, std::int64_t columns, double scale, double mean) {
        std::normal_distribution<double> drawn(mean, scale);
        std::vector<ane::half> values;
        for (std::int64_t i = 0; i < rows * columns; ++i) {
            values.emplace_back(drawn(random));
        }
        const ane::extents shape = rows == 1 ? ane::extents{columns} : ane::extents{rows, columns};
        all.add(name, shape, std::span<const ane::half>(values));
    };
    add("model_embed_tokens_weight", c.vocabulary, c.width, 1, 0);
    for (std::int64_t i = 0; i < c.layers; ++i) {
        add(layer_name(i, "input_layernorm"), 1, c.width, 0.1, 1);
        add(layer_name(i, "self_attn_q_proj"), c.heads * c.head_width, c.width, 0.4, 0);
        add(layer_name(i, "self_attn_k_proj"), c.kept_heads * c.head_width, c.width, 0.4, 0);
        add(layer_name(i, "self_attn_v_proj"), c.kept_heads * c.head_width, c.width, 0.3, 0);
        add(layer_name(i, "self_attn_o_proj"), c.width, c.heads * c.head_width, 0.3, 0);
        add(layer_name(i, "post_attention_layernorm"), 1, c.width, 0.1, 1);
        add(layer_name(i, "mlp_gate_proj"), c.inner, c.width, 0.2, 0);
        add(layer_name(i, "mlp_up_proj"), c.inner, c.width, 0.2, 0);
        add(layer_name(i, "mlp_down_proj"), c.width, c.inner, 0.2, 0);
    }
    add("model_norm_weight", 1, c.width, 0.1, 1);
    add("lm_head_weight", c.vocabulary, c.width, 0.6, 0);
    return all;
}

using row = std::vector<double>;

inline row times(const std::vector<double>& w, const row& x) {
    row y(w.size() / x.size(), 0);
    for (std::size_t i = 0; i < y.size(); ++i) {
        for (std::size_t k = 0; k < x.size(); ++k) {
            y[i] += w[i * x.size() + k] * x[k];
        }
    }
    return y;
}
inline row normed(const row& x, const std::vector<double>& w, double epsilon) {
    double sum = 0;
    for (const double each : x) {
        sum += each * each;
    }
    row y;
    for (std::size_t i = 0; i < x.size(); ++i) {
        y.push_back(x[i] * w[i] / std::sqrt(sum / static_cast<double>(x.size()) + epsilon));
    }
    return y;
}
/// Each head turned by the angles of a position.
inline void turn(row& x, std::size_t head_width, std::size_t position, double base) {
    const std::size_t half = head_width / 2;
    for (std::size_t head = 0; head < x.size(); head += head_width) {
        for (std::size_t k = 0; k < half; ++k) {
            const double angle =
                static_cast<double>(position) * std::pow(base, -static_cast<double>(k) / static_cast<double>(half));
            const double a = x[head + k];
            const double b = x[head + half + k];
            x[head + k] = a * std::cos(angle) - b * std::sin(angle);
            x[head + half + k] = b * std::cos(angle) + a * std::sin(angle);
        }
    }
}

/// The logits after each token of a text.
inline std::vector<row> reference(const ane::models::decoder_configuration& c, const ane::weight_store& w,
                                  std::span<const std::int32_t> text) {
    const auto all = [&](const std::string& name) { return ane::to_double(w.at(name)); };
    const auto width = static_cast<std::size_t>(c.width);
    const auto head_width = static_cast<std::size_t>(c.head_width);
    const auto group = static_cast<std::size_t>(c.heads / c.kept_heads);
    const std::vector<double> table = all("model_embed_tokens_weight");
    std::vector<row> x;
    for (const std::int32_t token : text) {
        const auto begin = table.begin() + static_cast<std::ptrdiff_t>(token) * c.width;
        x.emplace_back(begin, begin + c.width);
    }
    for (std::int64_t layer = 0; layer < c.layers; ++layer) {
        const auto of = [&](const std::string& what) { return all(layer_name(layer, what)); };
        std::vector<row> q;
        std::vector<row> k;
        std::vector<row> v;
        for (std::size_t p = 0; p < x.size(); ++p) {
            const row n = normed(x[p], of("input_layernorm"), c.norm_epsilon);
            q.push_back(times(of("self_attn_q_proj"), n));
            k.push_back(times(of("self_attn_k_proj"), n));
            v.push_back(times(of("self_attn_v_proj"), n));
            turn(q.back(), head_width, p, c.rotary.base);
            turn(k.back(), head_width, p, c.rotary.base);
        }
        for (std::size_t p = 0; p < x.size(); ++p) {
            row mixed(static_cast<std::size_t>(c.heads) * head_width, 0);
            const std::size_t first = c.window > 0 && p + 1 > static_cast<std::size_t>(c.window)
                                          ? p + 1 - static_cast<std::size_t>(c.window)
                                          : 0;
            for (std::size_t head = 0; head < static_cast<std::size_t>(c.heads); ++head) {
                const std::size_t kept = head / group * head_width;
                row scores;
                double sum = 0;
                for (std::size_t s = first; s <= p; ++s) {
                    double product = 0;
                    for (std::size_t i = 0; i < head_width; ++i) {
                        product += q[p][head * head_width + i] * k[s][kept + i];
                    }
                    scores.push_back(std::exp(product * c.query_scale));
                    sum += scores.back();
                }
                for (std::size_t s = first; s <= p; ++s) {
                    for (std::size_t i = 0; i < head_width; ++i) {
                        mixed[head * head_width + i] += scores[s - first] / sum * v[s][kept + i];
                    }
                }
            }
            const row added = times(of("self_attn_o_proj"), mixed);
            for (std::size_t i = 0; i < width; ++i) {
                x[p][i] += added[i];
            }
            const row n = normed(x[p], of("post_attention_layernorm"), c.norm_epsilon);
            row gate = times(of("mlp_gate_proj"), n);
            const row up = times(of("mlp_up_proj"), n);
            for (std::size_t i = 0; i < gate.size(); ++i) {
                gate[i] = gate[i] / (1 + std::exp(-gate[i])) * up[i];
            }
            const row down = times(of("mlp_down_proj"), gate);
            for (std::size_t i = 0; i < width; ++i) {
                x[p][i] += down[i];
            }
        }
    }
    std::vector<row> logits;
    for (const row& each : x) {
        logits.push_back(times(all("lm_head_weight"), normed(each, all("model_norm_weight"), c.norm_epsilon)));
    }
    return logits;
}

} // namespace small_decoder
