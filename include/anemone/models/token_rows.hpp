#pragma once

#include "../base/error.hpp"
#include "../base/formatted.hpp"
#include "../base/way.hpp"
#include "../passes/print.hpp"
#include "../values/half.hpp"
#include "../weights/convert.hpp"
#include "../weights/store.hpp"
#include "names.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Only bodies include this header.
namespace ane::detail::inline ANEMONE_WAY {

/// A table of rows, of which one is read at a time: the embedding, also where it stays in its file.
class token_rows {
public:
    token_rows() = default;
    /// Throws `error` (errc::weights) where the table is not there, or is not `rows` times `width`.
    ANEMONE_INLINE token_rows(const weight_store& weights, std::string_view published, std::int64_t rows,
                              std::int64_t width)
        : table_(weights.at(name_of(published))), width_(width) {
        if (!(table_.shape == extents{rows, width})) {
            throw error(
                errc::weights, table_.name,
                formatted("has shape {}, the configuration says {}", print(table_.shape), print(extents{rows, width})));
        }
    }

    /// "model.embed_tokens" as "model_embed_tokens_weight".
    ANEMONE_INLINE static std::string name_of(std::string_view published) {
        const sequence<char> name = models::weight_name(std::string(published).append(".weight"));
        return {name.data(), name.size()};
    }

    bool empty() const { return width_ == 0; }

    /// The numbers of a row as fp32, as exactly as the table has them.
    ANEMONE_INLINE void read(std::int64_t row, std::vector<float>& into) const {
        const auto size = static_cast<std::size_t>(bytes(table_.type, width_));
        into = to_float(
            {table_.name, table_.type, extents{width_}, table_.bytes.part(static_cast<std::size_t>(row) * size, size)});
    }

private:
    stored_tensor table_{};
    std::int64_t width_ = 0;
};

} // namespace ane::detail::inline ANEMONE_WAY
