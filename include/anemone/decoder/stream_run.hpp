#pragma once

#include "../base/way.hpp"
#include "decoder_state.hpp"

#include <limits>

/// One run of a stream through the programs of a decoder. Only bodies include this header.
namespace ane::detail::inline ANEMONE_WAY {

/// Positions that follow those of a stream: `tokens`, at most as many as the programs have.
class stream_run {
public:
    ANEMONE_INLINE stream_run(stream_state& stream, std::span<const token_id> tokens, program_chain& chain)
        : by_(*stream.by), stream_(stream), tokens_(tokens), chain_(chain),
          first_(static_cast<std::int64_t>(stream.tokens.size())) {}

    /// Computes, and changes nothing of the stream but states behind its positions.
    ANEMONE_INLINE void compute() {
        by_.hold(stream_, chain_);
        embed();
        chain_.memory.place(first_, count());
        const std::vector<half>* between = &chain_.memory.x;
        for (layer_program& each : chain_.programs) {
            stop_if_cancelled();
            bind(each, chain_.memory, *between);
            each.run();
            between = each.output("y");
        }
    }

    /// The logits of the tokens from `row` on, behind each other.
    ANEMONE_INLINE void logits_from(std::int64_t row, std::span<float> into) {
        const auto vocabulary = static_cast<std::size_t>(by_.configuration.vocabulary);
        if (chain_.has_head) {
            copy_logits(chain_.programs.back(), row, count() - row, into);
        } else {
            program_chain& head = by_.chain(0);
            const std::vector<half>& y = *chain_.programs.back().output("y");
            const std::int64_t width = by_.configuration.width;
            for (std::int64_t next = row; next < count(); next += by_.how.rows) {
                const std::int64_t taken = std::min(by_.how.rows, count() - next);
                std::fill(head.memory.x.begin(), head.memory.x.end(), half(0.0F));
                std::copy_n(y.begin() + next * width, taken * width, head.memory.x.begin());
                layer_program& program = head.programs.front();
                bind(program, head.memory, head.memory.x);
                program.run();
                copy_logits(program, 0, taken, into.subspan(static_cast<std::size_t>(next - row) * vocabulary));
            }
        }
        require_finite_logits(row, into);
    }

    /// Makes the positions the stream's. Throws, and keeps it as it was, where a key or a value is not finite.
    ANEMONE_INLINE void keep() {
        if (!by_.with_states()) {
            each_new([&](const layer_program::port& port, std::span<const half> from) { require_finite(port, from); });
            stream_.tokens.reserve(stream_.tokens.size() + tokens_.size());
            each_new([&](const layer_program::port& port, std::span<const half> from) { append(port.is, from); });
        }
        stream_.tokens.insert(stream_.tokens.end(), tokens_.begin(), tokens_.end());
    }

private:
    std::int64_t count() const { return static_cast<std::int64_t>(tokens_.size()); }

    ANEMONE_INLINE void embed() {
        std::vector<half>& x = chain_.memory.x;
        const auto width = static_cast<std::size_t>(by_.configuration.width);
        std::fill(x.begin(), x.end(), half(0.0F));
        std::vector<float> row;
        std::vector<float> position;
        for (std::size_t i = 0; i < tokens_.size(); ++i) {
            by_.embedding.read(tokens_[i], row);
            if (!by_.position_rows.empty()) {
                by_.position_rows.read(first_ + static_cast<std::int64_t>(i), position);
            }
            for (std::size_t k = 0; k < width; ++k) {
                const double scaled = static_cast<double>(row[k]) * by_.configuration.embedding_scale;
                x[i * width + k] = half(position.empty() ? scaled : scaled + static_cast<double>(position[k]));
            }
        }
    }

    ANEMONE_INLINE void bind(layer_program& program, const position_memory& memory, std::span<const half> x) {
        for (std::size_t i = 0; i < program.inputs().size(); ++i) {
            const numbered_name& port = program.inputs()[i].is;
            const std::span<const half> cache = decoder_state::cache_of(stream_, port);
            program.bind(i, port.name == "x" ? x : !cache.empty() ? cache : memory.named(port.name));
        }
    }

    ANEMONE_INLINE void copy_logits(const layer_program& head, std::int64_t row, std::int64_t rows,
                                    std::span<float> into) const {
        const auto vocabulary = static_cast<std::size_t>(by_.configuration.vocabulary);
        std::size_t begin = 0;
        for (std::size_t part = 0; part < head.outputs().size(); ++part) {
            if (head.outputs()[part].is.name != "logits") {
                continue;
            }
            const std::span<const half> from = head.output(part);
            const auto width = static_cast<std::size_t>(head.outputs()[part].shape.width());
            for (std::size_t i = 0; i < static_cast<std::size_t>(rows); ++i) {
                for (std::size_t k = 0; k < width && begin + k < vocabulary; ++k) {
                    into[i * vocabulary + begin + k] =
                        static_cast<float>(from[(static_cast<std::size_t>(row) + i) * width + k]);
                }
            }
            begin += width;
        }
    }

    ANEMONE_INLINE void require_finite_logits(std::int64_t row, std::span<const float> logits) const {
        const auto bad = std::find_if(logits.begin(), logits.end(), [](float l) {
            return std::isnan(l) || l == std::numeric_limits<float>::infinity();
        });
        if (bad != logits.end()) {
            const auto at = static_cast<std::int64_t>(bad - logits.begin());
            throw error(
                errc::port, "logits",
                formatted("at position {} that of token {} is {}: the model leaves the range of fp16 here; `anemone "
                          "precision` finds the layer, and what helps",
                          first_ + row + at / by_.configuration.vocabulary, at % by_.configuration.vocabulary, *bad));
        }
    }

    /// Visits the outputs that have new keys and values.
    template <class Visit> void each_new(const Visit& visit) {
        for (const layer_program& each : chain_.programs) {
            for (std::size_t i = 0; i < each.outputs().size(); ++i) {
                const numbered_name& name = each.outputs()[i].is;
                if (name.name == "new_keys" || name.name == "new_values") {
                    visit(each.outputs()[i], each.output(i));
                }
            }
        }
    }

    /// Of (kept heads, rows, head width): the rows that stand for tokens.
    ANEMONE_INLINE void require_finite(const layer_program::port& port, std::span<const half> from) const {
        const std::int64_t rows = chain_.memory.rows();
        const std::int64_t width = by_.configuration.head_width;
        for (std::int64_t begin = 0; begin < static_cast<std::int64_t>(from.size()); begin += rows * width) {
            const auto of_head =
                from.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(count() * width));
            const auto bad = std::find_if(of_head.begin(), of_head.end(), [](half h) { return !is_finite(h); });
            if (bad != of_head.end()) {
                throw error(
                    errc::port, formatted("{}_{}", port.is.name, port.is.number),
                    formatted("at position {} is {}: the model leaves the range of fp16 before layer {}; `anemone "
                              "precision` finds the layer, and what helps",
                              first_ + (bad - of_head.begin()) / width, static_cast<float>(*bad), port.is.number));
            }
        }
    }

    ANEMONE_INLINE void append(const numbered_name& port, std::span<const half> from) {
        const models::decoder_configuration& c = by_.configuration;
        layer_cache& cache = stream_.caches[static_cast<std::size_t>(port.number)];
        const std::int64_t rows = chain_.memory.rows();
        const std::int64_t capacity = by_.how.context;
        for (std::int64_t head = 0; head < c.kept_heads; ++head) {
            const half* const begin = from.data() + head * rows * c.head_width;
            if (port.name == "new_values") {
                std::copy_n(begin, count() * c.head_width,
                            cache.values.begin() + (head * capacity + first_) * c.head_width);
                continue;
            }
            for (std::int64_t k = 0; k < c.head_width; ++k) { // a row of the cache has the positions beside each other
                half* const keys = cache.keys.data() + (head * c.head_width + k) * capacity + first_;
                for (std::int64_t row = 0; row < count(); ++row) {
                    keys[row] = begin[row * c.head_width + k];
                }
            }
        }
    }

    decoder_state& by_;
    stream_state& stream_;
    std::span<const token_id> tokens_;
    program_chain& chain_;
    std::int64_t first_;
};

} // namespace ane::detail::inline ANEMONE_WAY
