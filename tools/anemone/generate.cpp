#include "../app/generate.hpp"

#include "command.hpp"
#include "option_arguments.hpp"
#include "progress.hpp"
#include "terminal_text.hpp"
#include "token_file.hpp"
#include <anemone/base/error.hpp>

#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace command {

namespace {

struct generate_command {
    std::string folder;
    std::string tokens;
    std::string text;
    app::decoding_options how;
    app::generate_options next;
    bool json = false;
};

/// What was computed is seen at once, also where a signal ends the program.
void show(const std::string& text) {
    write_text("", text);
    std::fflush(stdout);
}

/// Tokens as they come, or the text that they are.
class shown_tokens {
public:
    shown_tokens(const app::language_model& by, bool as_text) : by_(by), as_text_(as_text) {}

    void add(ane::token_id token) {
        tokens_.push_back(token);
        if (!as_text_) {
            show(fmt::format("{}{}", tokens_.size() == 1 ? "" : ",", token));
            return;
        }
        const std::string now = by_.texts().text_of(tokens_);
        const bool is_whole = !now.ends_with("\xEF\xBF\xBD"); // of a character, not all bytes are there yet
        if (is_whole && now.size() > said_) {
            show(now.substr(said_));
            said_ = now.size();
        }
    }
    void end() {
        show("\n");
        if (!as_text_ && by_.texts()) {
            show(by_.texts().text_of(tokens_) + "\n");
        }
    }

private:
    const app::language_model& by_;
    bool as_text_;
    std::vector<ane::token_id> tokens_{};
    std::size_t said_ = 0;
};

int generate(generate_command given) {
    if (given.tokens.empty() == given.text.empty()) {
        throw ane::error(ane::errc::argument, "--tokens, --text", "one of them is the prompt");
    }
    if (given.text.empty()) {
        tokens_given(given.tokens); // before a model is read
    }
    const auto model = std::make_shared<app::language_model>(given.folder, given.how, user());
    std::vector<ane::token_id> prompt;
    if (given.text.empty()) {
        prompt = tokens_given(given.tokens);
    } else {
        prompt = model->texts().tokens_of(given.text);
        if (model->texts().end() >= 0) {
            given.next.stop.push_back(model->texts().end());
        }
    }
    for (const std::string& note : model->notes()) {
        tell(fmt::format("note: {}\n", one_line(note)));
    }
    app::generating g(model, prompt, given.next, user());
    shown_tokens shown(*model, !given.text.empty());
    const app::task told(user(), "generating by " + given.folder);
    while (const auto token = g.next()) {
        const std::string so_far =
            fmt::format("{} tokens, {:.3g} tokens/s", g.figures().tokens, g.figures().tokens_per_second());
        told.at(static_cast<double>(g.figures().tokens) / static_cast<double>(given.next.max_tokens));
        told.now(so_far);
        if (!given.json) {
            shown.add(*token);
        }
    }
    if (given.json) {
        show(json(g) + "\n");
    } else {
        shown.end();
        tell(figures_text(g));
    }
    return well;
}

} // namespace

void add_generate(CLI::App& app, int& status) {
    const auto given = std::make_shared<generate_command>();
    CLI::App* const sub = app.add_subcommand("generate", "Continues a text by a language model, token by token");
    sub->add_option("FOLDER", given->folder, "The model: a folder with config.json and its weights, or a .gguf file")
        ->required();
    sub->add_option("--tokens", given->tokens, "The prompt: 1,2,3, or a file with them, .npy or text");
    sub->add_option("--text", given->text,
                    "The prompt as text, where the folder has a tokenizer.model of SentencePiece");
    add_options(*sub, given->next);
    add_options(*sub, given->how);
    sub->add_flag("--json", given->json, "As JSON, at the end");
    exclude(*sub, "--tokens", "--text");
    sub->footer("Examples:\n  anemone generate TinyLlama --text 'Once upon a time' --max-tokens 64\n"
                "  anemone generate SmolLM --tokens 1,338,4 -n 32 --temperature 0.8 --top-p 0.95 --seed 7\n"
                "  anemone generate Qwen3-4B --tokens prompt.npy --draft Qwen3-0.6B --stop 151645\n"
                "  anemone generate SmolLM --tokens prompt.txt --backend oracle:h17s --json");
    sub->callback([given, &status] { status = generate(*given); });
}

} // namespace command
