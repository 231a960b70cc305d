#pragma once

#include "../base/way.hpp"
ANEMONE_INCLUDED(anemone_decoder_drafts_hpp);

#include "../base/error.hpp"
#include "../base/formatted.hpp"
#include "decoder.hpp"
#include "drafts.hpp"
#include "sampling.hpp"

#include <algorithm>

namespace ane::inline ANEMONE_WAY {

ANEMONE_BODY_OF std::vector<token_id> looked_up(std::span<const token_id> text, std::int64_t most,
                                                std::int64_t pattern) {
    if (pattern < 1) {
        throw error(errc::argument, "pattern", formatted("is {}, must be 1 or above", pattern));
    }
    for (std::size_t length = std::min(static_cast<std::size_t>(pattern), text.size()); length > 0; --length) {
        const std::span<const token_id> last = text.last(length);
        // The last place that ends before the pattern does, so that something follows it.
        const auto found = std::find_end(text.begin(), text.end() - 1, last.begin(), last.end());
        if (found == text.end() - 1) {
            continue;
        }
        const auto next = found + static_cast<std::ptrdiff_t>(length);
        const auto count = std::min<std::ptrdiff_t>(std::max<std::int64_t>(most, 0), text.end() - next);
        return {next, next + count};
    }
    return {};
}

ANEMONE_BODY_OF draft_source drafts_of_text(std::int64_t pattern) {
    return [pattern](std::span<const token_id> text, std::int64_t most) { return looked_up(text, most, pattern); };
}

ANEMONE_BODY_OF draft_source drafts_of_model(decoder_stream& smaller) {
    return [&smaller](std::span<const token_id> text, std::int64_t most) {
        std::vector<token_id> all(text.begin(), text.end());
        const std::size_t end = std::min(text.size() + static_cast<std::size_t>(std::max<std::int64_t>(most, 0)),
                                         static_cast<std::size_t>(smaller.capacity()) + 1);
        while (all.size() < end) {
            all.push_back(most_likely(smaller.follow(all)));
        }
        all.erase(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(text.size()));
        return all;
    };
}

} // namespace ane::inline ANEMONE_WAY
