#include "../app/precision.hpp"

#include "../app/tokenizer.hpp"
#include "command.hpp"
#include "option_arguments.hpp"
#include "progress.hpp"
#include "terminal_text.hpp"
#include "token_file.hpp"
#include <anemone/base/error.hpp>

#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

namespace command {

namespace {

struct precision_command {
    std::string folder;
    std::string data;
    std::string text;
    app::precision_options how;
    bool json = false;
};

int measure(const precision_command& given) {
    if (given.data.empty() == given.text.empty()) {
        throw ane::error(ane::errc::argument, "--data, --text", "one of them is what precision is measured on");
    }
    std::vector<std::vector<ane::token_id>> texts;
    if (given.text.empty()) {
        texts = texts_in(given.data);
    } else {
        const app::tokenizer by(given.folder);
        by.require();
        texts = {by.tokens_of(given.text)};
    }
    const app::measured_precision found = app::measure_precision(given.folder, texts, given.how, user());
    for (const std::string& note : found.notes) {
        tell(fmt::format("note: {}\n", one_line(note)));
    }
    write_text("", given.json ? json(found) : text(found));
    return found.report.whole.flips == 0 ? well : refused;
}

} // namespace

void add_precision(CLI::App& app, int& status) {
    const auto given = std::make_shared<precision_command>();
    CLI::App* const sub =
        app.add_subcommand("precision", "Which parts of a language model fp16 spoils, and what restores its tokens");
    sub->add_option("FOLDER", given->folder, "The model: a folder with config.json and its weights, or a .gguf file")
        ->required();
    sub->add_option("-d,--data", given->data,
                    "Tokens to measure on: .npy of numbers, [tokens] or [texts, tokens], or a file with them as text");
    sub->add_option("--text", given->text, "The same as text, where the folder has a tokenizer.model of SentencePiece");
    add_options(*sub, given->how);
    sub->add_flag("--json", given->json, "As JSON");
    exclude(*sub, "--data", "--text");
    sub->footer("Exit code 1: a token is another than in double precision.\n"
                "Examples:\n  anemone precision SmolLM --data tokens.npy\n"
                "  anemone precision Qwen3-0.6B.gguf --data tokens.npy --backend oracle:h17s --context 64 --json\n"
                "  anemone precision TinyLlama --text 'Once upon a time there was' --backend cpu --quick");
    sub->callback([given, &status] { status = measure(*given); });
}

} // namespace command
