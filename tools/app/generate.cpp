#include "generate.hpp"

#include "backends.hpp"
#include "checkpoint_reading.hpp"
#include "option_faults.hpp"
#include <anemone/base/error.hpp>
#include <anemone/models/checkpoint.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

namespace app {

namespace {

/// The decoder of a checkpoint; its notes are added to `notes`.
ane::decoder opened(const std::string& path, const decoding_options& how, std::vector<std::string>& notes,
                    const caller& who) {
    require_limits(how, who.by);
    ane::models::checkpoint found = read_whole_checkpoint(path, how.max_memory, who);
    notes.insert(notes.end(), found.notes.begin(), found.notes.end());
    const ane::models::decoder_configuration& c = found.configuration;
    const double cache = 4.0 * static_cast<double>(c.layers) * static_cast<double>(c.kept_heads * c.head_width) *
                         static_cast<double>(how.context);
    if (cache > static_cast<double>(how.max_memory)) {
        throw ane::error(ane::errc::argument, spelled(&decoding_options::context, who.by),
                         fmt::format("is {}, whose keys and values take {:.0f} bytes; {} allows {}", how.context, cache,
                                     spelled(&decoding_options::max_memory, who.by), how.max_memory));
    }
    const std::int64_t rows = how.rows > 0 ? how.rows : !how.draft.empty() || how.lookup > 0 ? 8 : 1;
    return {c,
            std::move(found.weights),
            {.context = how.context,
             .chunk = std::max(how.chunk, rows),
             .rows = rows,
             .caches = how.caches,
             .layers_per_program = how.layers,
             .head_parts = how.head_parts},
            backend_named(how.backend, how.threads)};
}

std::size_t same_tokens(std::span<const ane::token_id> a, std::span<const ane::token_id> b) {
    const std::size_t most = std::min(a.size(), b.size());
    return static_cast<std::size_t>(
        std::mismatch(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(most), b.begin()).first - a.begin());
}

} // namespace

language_model::language_model(const std::string& path, const decoding_options& how, const caller& who)
    : path_(path), how_(how), decoder_(opened(path, how, notes_, who)), texts_(path) {
    if (how.draft.empty()) {
        return;
    }
    if (how.lookup > 0) {
        throw ane::error(ane::errc::argument, spelled(&decoding_options::lookup, who.by),
                         "proposes tokens in place of " + spelled(&decoding_options::draft, who.by) +
                             ": give one of them");
    }
    decoding_options smaller = how;
    smaller.draft.clear();
    smaller.rows = 1;
    std::vector<std::string> notes;
    draft_ = opened(how.draft, smaller, notes, who);
    if (draft_->configuration().vocabulary != vocabulary()) {
        throw ane::error(ane::errc::argument, spelled(&decoding_options::draft, who.by),
                         fmt::format("has a vocabulary of {} tokens, the model of {}",
                                     draft_->configuration().vocabulary, vocabulary()));
    }
}

std::unique_ptr<language_model::streams> language_model::taken(std::span<const ane::token_id> prompt) {
    {
        const std::scoped_lock lock(turn_);
        const auto best = std::max_element(free_.begin(), free_.end(), [&](const auto& a, const auto& b) {
            return same_tokens(a->text.tokens(), prompt) < same_tokens(b->text.tokens(), prompt);
        });
        if (best != free_.end()) {
            std::unique_ptr<streams> found = std::move(*best);
            free_.erase(best);
            return found;
        }
    }
    auto made = std::make_unique<streams>();
    made->text = decoder_.open();
    if (draft_) {
        made->draft = draft_->open();
    }
    return made;
}

void language_model::give_back(std::unique_ptr<streams> used) {
    const std::scoped_lock lock(turn_);
    free_.push_back(std::move(used));
}

generating::generating(std::shared_ptr<language_model> by, std::span<const ane::token_id> prompt,
                       const generate_options& how, const caller& who)
    : by_(std::move(by)) {
    require_limits(how, who.by);
    ane::generation_options options{.max_tokens = how.max_tokens,
                                    .how = {.temperature = how.temperature,
                                            .top_k = how.top_k,
                                            .top_p = how.top_p,
                                            .min_p = how.min_p,
                                            .repetition_penalty = how.repetition_penalty,
                                            .seed = how.seed},
                                    .stop = {how.stop.begin(), how.stop.end()}};
    streams_ = by_->taken(prompt);
    if (streams_->draft) {
        options.drafts = ane::drafts_of_model(*streams_->draft);
    } else if (by_->how().lookup > 0) {
        options.drafts = ane::drafts_of_text(by_->how().lookup);
    }
    state_.emplace(streams_->text, prompt, std::move(options));
}

generating::~generating() {
    state_.reset();
    try {
        by_->give_back(std::move(streams_));
    } catch (...) { // no memory: the next one begins anew
        streams_.reset();
    }
}

std::optional<ane::token_id> generating::next() {
    const std::unique_lock lock(busy_, std::try_to_lock);
    if (!lock) {
        throw ane::error(ane::errc::argument, "generation", "is in use by another thread");
    }
    return state_->next();
}

std::span<const ane::token_id> generating::tokens() const {
    return state_->text().subspan(static_cast<std::size_t>(figures().prompt));
}

std::vector<ane::token_id> tokens_in(const std::string& text, const std::string& name) {
    std::vector<ane::token_id> tokens;
    constexpr std::string_view between = ", \t\r\n[]";
    for (std::size_t begin = text.find_first_not_of(between); begin != std::string::npos;) {
        const std::size_t end = std::min(text.find_first_of(between, begin), text.size());
        ane::token_id token = 0;
        const auto [last, wrong] = std::from_chars(text.data() + begin, text.data() + end, token);
        if (wrong != std::errc() || last != text.data() + end) {
            throw ane::error(ane::errc::argument, name,
                             fmt::format("'{}' is no token: they are numbers, with commas between them",
                                         text.substr(begin, std::min<std::size_t>(end - begin, 100))));
        }
        tokens.push_back(token);
        begin = text.find_first_not_of(between, end);
    }
    return tokens;
}

std::string figures_text(const generating& g) {
    const ane::generation_figures& f = g.figures();
    std::string text = fmt::format("{} tokens of the prompt{}, the first token after {:.3g} s", f.prompt,
                                   f.reused > 0 ? fmt::format(" ({} of them known)", f.reused) : "", f.first_seconds);
    if (f.tokens > 1) {
        text += fmt::format(", {} tokens, {:.4g} tokens/s", f.tokens, f.tokens_per_second());
    }
    if (f.proposed > 0) {
        text += fmt::format("; {} of {} proposed tokens accepted, {} steps", f.accepted, f.proposed, f.steps);
    }
    return text + "\n";
}

std::string json(const generating& g) {
    const ane::generation_figures& f = g.figures();
    ane::json_writer j;
    j.object().key("tokens").array();
    for (const ane::token_id each : g.tokens()) {
        j.value(each);
    }
    j.end();
    if (g.model().texts()) {
        j.member("text", g.model().texts().text_of(g.tokens()));
    }
    return j.member("ended_by", ane::name(g.ended()))
        .member("prompt_tokens", f.prompt)
        .member("reused_tokens", f.reused)
        .member("steps", f.steps)
        .member("proposed", f.proposed)
        .member("accepted", f.accepted)
        .member("first_seconds", f.first_seconds)
        .member("seconds", f.seconds)
        .member("tokens_per_second", f.tokens_per_second())
        .end()
        .str();
}

} // namespace app
