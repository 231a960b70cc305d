#pragma once

#include "../base/way.hpp"
#include "../models/decoder_graph.hpp"
#include "../models/decoder_inputs.hpp"
#include "../models/token_rows.hpp"
#include "precision.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

/// What a decoder computes of whole texts: its graph, what the host gives, how its logits are judged. Only bodies include
/// this header.
namespace ane::detail::inline ANEMONE_WAY {

/// The graph of a text of so many positions, without caches, and of its outputs only the logits.
ANEMONE_INLINE dynamic_graph graph_of_text(const models::decoder_configuration& c, std::int64_t positions) {
    dynamic_graph g = models::decoder_graph(c, {.positions = positions, .capacity = 0});
    const graph_view view = g;
    sequence<output_port> kept;
    for (const output_port& port : g.outputs) {
        if (view.name(port) == "logits") {
            kept.push_back(port);
        }
    }
    g.outputs = kept;
    return g;
}

/// What the host gives to the inputs of such a graph, by node, before it is rounded.
class text_inputs {
public:
    ANEMONE_INLINE text_inputs(const models::decoder_configuration& c, const weight_store& weights)
        : c_(c), rows_(weights, models::names_of(c.kind).embedding, c.vocabulary, c.width) {
        if (const std::string_view positions = models::names_of(c.kind).position_embedding; !positions.empty()) {
            position_rows_ = token_rows(weights, positions, c.positions, c.width);
        }
    }

    using numbers = std::shared_ptr<const std::vector<double>>;
    ANEMONE_INLINE std::vector<numbers> of(const graph_view& g, std::span<const token_id> text) const {
        std::vector<numbers> all(g.nodes.size());
        for (int i = 0; i < g.size(); ++i) {
            if (g[i].kind == op::input) {
                all[static_cast<std::size_t>(i)] =
                    std::make_shared<std::vector<double>>(named(g.name(i), g[i].shape.count(), text));
            }
        }
        return all;
    }

private:
    ANEMONE_INLINE std::vector<double> named(std::string_view port, std::int64_t count,
                                             std::span<const token_id> text) const {
        if (port == "x") {
            return embedded(text);
        }
        std::vector<float> one(static_cast<std::size_t>(count));
        if (port == "mask" || port == "local_mask") {
            const models::decoder_form form{.positions = static_cast<std::int64_t>(text.size()), .capacity = 0};
            models::causal_mask(form, 0, port == "mask" ? 0 : c_.window, one);
            return {one.begin(), one.end()};
        }
        std::vector<float> other(one.size());
        const bool is_local = port.starts_with("local_");
        models::rotary_tables(is_local ? c_.local_rotary : c_.rotary, c_.head_width, 0, one, other,
                              static_cast<std::int64_t>(text.size()));
        const std::vector<float>& wanted = port.ends_with("cosines") ? one : other;
        return {wanted.begin(), wanted.end()};
    }
    ANEMONE_INLINE std::vector<double> embedded(std::span<const token_id> text) const {
        std::vector<double> x;
        std::vector<float> row;
        std::vector<float> position;
        for (std::size_t i = 0; i < text.size(); ++i) {
            rows_.read(text[i], row);
            if (!position_rows_.empty()) {
                position_rows_.read(static_cast<std::int64_t>(i), position);
            }
            for (std::size_t k = 0; k < row.size(); ++k) {
                const double scaled = static_cast<double>(row[k]) * c_.embedding_scale;
                x.push_back(position.empty() ? scaled : scaled + static_cast<double>(position[k]));
            }
        }
        return x;
    }

    models::decoder_configuration c_;
    token_rows rows_;
    token_rows position_rows_{};
};

/// log(sum(exp(x)))
ANEMONE_INLINE double log_sum(std::span<const double> x) {
    const double most = *std::max_element(x.begin(), x.end());
    double sum = 0;
    for (const double each : x) {
        sum += std::exp(each - most);
    }
    return most + std::log(sum);
}

/// Adds the logits of a text, a row of the vocabulary for each position.
ANEMONE_INLINE void compare_logits(std::span<const double> exact, std::span<const double> got, std::size_t vocabulary,
                                   logit_error& to) {
    for (std::size_t begin = 0; begin + vocabulary <= exact.size(); begin += vocabulary) {
        const std::span<const double> p = exact.subspan(begin, vocabulary);
        const std::span<const double> q = got.subspan(begin, vocabulary);
        ++to.positions;
        if (!std::all_of(q.begin(), q.end(), [](double each) { return std::isfinite(each); })) {
            ++to.not_finite;
            ++to.flips;
            continue;
        }
        to.flips += std::max_element(p.begin(), p.end()) - p.begin() == std::max_element(q.begin(), q.end()) - q.begin()
                        ? 0
                        : 1;
        const double of_p = log_sum(p);
        const double of_q = log_sum(q);
        double kl = 0;
        double product = 0;
        double squares_p = 0;
        double squares_q = 0;
        for (std::size_t i = 0; i < vocabulary; ++i) {
            kl += std::exp(p[i] - of_p) * ((p[i] - of_p) - (q[i] - of_q));
            product += p[i] * q[i];
            squares_p += p[i] * p[i];
            squares_q += q[i] * q[i];
        }
        kl = std::max(kl, 0.0); // which it is, but for rounding
        const double sizes = std::sqrt(squares_p) * std::sqrt(squares_q);
        const auto finite = static_cast<double>(to.positions - to.not_finite);
        to.mean_kl += (kl - to.mean_kl) / finite;
        to.worst_kl = std::max(to.worst_kl, kl);
        to.least_cosine = std::min(to.least_cosine, sizes > 0 ? product / sizes : 1.0);
    }
}

} // namespace ane::detail::inline ANEMONE_WAY
