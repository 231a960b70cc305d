#include "guarded.hpp"
#include "handles.hpp"
#include "options.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace {

using c_interface::caller;
using c_interface::guarded;
using c_interface::needed;
using c_interface::needed_text;
using c_interface::options_from;

} // namespace

extern "C" {

anemone_status anemone_language_model_open(const char* path, const anemone_decoding* how,
                                           anemone_language_model** model) {
    return guarded([&] {
        needed(model, "model") = nullptr;
        const auto options = options_from<app::decoding_options>(how);
        *model = new anemone_language_model{
            std::make_shared<app::language_model>(needed_text(path, "path"), options, caller)};
    });
}

void anemone_language_model_free(anemone_language_model* model) { delete model; }

int64_t anemone_vocabulary(const anemone_language_model* model) {
    return model == nullptr ? 0 : model->held->vocabulary();
}

anemone_status anemone_generate(anemone_language_model* model, const int32_t* prompt, size_t prompt_count,
                                const anemone_generating* how, anemone_generation** generation) {
    return guarded([&] {
        needed(generation, "generation") = nullptr;
        const auto options = options_from<app::generate_options>(how);
        const std::span<const ane::token_id> tokens(prompt_count == 0 ? nullptr : &needed(prompt, "prompt"),
                                                    prompt_count);
        *generation = new anemone_generation{{needed(model, "model").held, tokens, options, caller}};
    });
}

void anemone_generation_free(anemone_generation* generation) { delete generation; }

anemone_status anemone_next_token(anemone_generation* generation, int32_t* token) {
    return guarded([&] {
        needed(token, "token") = -1;
        *token = needed(generation, "generation").held.next().value_or(-1);
    });
}

anemone_status anemone_generation_json(anemone_generation* generation, const char** json) {
    return guarded([&] {
        needed(json, "json") = nullptr;
        anemone_generation& g = needed(generation, "generation");
        g.json = app::json(g.held);
        *json = g.json.c_str();
    });
}

} // extern "C"
