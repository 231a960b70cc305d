#include "checks.h"

/* After 1, 2, 3, by double precision (tests/python/_language_model.py, greedy): the least margin is 0.52. */
static const int32_t wanted[12] = {5, 3, 2, 12, 11, 3, 2, 7, 6, 6, 6, 6};
static const int32_t prompt[3] = {1, 2, 3};

static void generates(const anemone_decoding* how) {
    anemone_language_model* model = NULL;
    anemone_generation* generation = NULL;
    anemone_generating next;
    const char* json = NULL;
    int32_t token = 0;
    int i;
    memset(&next, 0, sizeof next);
    next.size = sizeof next;
    next.max_tokens = 12;
    CHECK(anemone_language_model_open(test_file("tiny_llama"), how, &model) == ANEMONE_OK);
    CHECK(anemone_vocabulary(model) == 24);
    CHECK(anemone_generate(model, prompt, 3, &next, &generation) == ANEMONE_OK);
    anemone_language_model_free(model); /* which the generation keeps */
    for (i = 0; i < 12; ++i) {
        CHECK(anemone_next_token(generation, &token) == ANEMONE_OK);
        CHECK(token == wanted[i]);
    }
    CHECK(anemone_next_token(generation, &token) == ANEMONE_OK);
    CHECK(token == -1);
    CHECK(anemone_generation_json(generation, &json) == ANEMONE_OK);
    CHECK(strstr(json, "\"ended_by\": \"max_tokens\"") != NULL);
    CHECK(strstr(json, "\"prompt_tokens\": 3") != NULL);
    anemone_generation_free(generation);
}

static void tells_what_decoding_costs(void) {
    anemone_decoding_cost cost;
    anemone_decoding_cost longer;
    anemone_reading how;
    CHECK(anemone_estimate_decoding(test_file("tiny_llama"), "h13", NULL, &cost) == ANEMONE_OK);
    CHECK(cost.weight_bytes == 2 * (16 * 16 + 2 * 16 * 8 + 16 * 16 + 3 * 16 * 16 + 2 * 16 + 16 + 24 * 16));
    CHECK(cost.embedding_bytes == 2 * 24 * 16);
    CHECK(cost.context == 512 && cost.capacity == 768 && cost.cache_bytes == 2 * 2 * 8 * 768);
    CHECK(cost.programs == 1 && cost.measured);
    CHECK(cost.token_seconds.at_least < cost.token_seconds.typical &&
          cost.token_seconds.typical < cost.token_seconds.at_most);
    CHECK(cost.position_seconds.typical < cost.token_seconds.typical); /* in chunks */
    CHECK(cost.token_joules.typical > cost.position_joules.typical);
    memset(&how, 0, sizeof how);
    how.size = sizeof how;
    how.context = 4096;
    CHECK(anemone_estimate_decoding(test_file("tiny_llama"), "h13", &how, &longer) == ANEMONE_OK);
    CHECK(longer.context == 4096 && longer.token_seconds.typical > cost.token_seconds.typical);
    how.context = 0;
    how.batch = 4; /* texts, of which each has a cache; the weights are read once */
    CHECK(anemone_estimate_decoding(test_file("tiny_llama"), "h13", &how, &longer) == ANEMONE_OK);
    CHECK(longer.cache_bytes == 4 * cost.cache_bytes && longer.weight_bytes == cost.weight_bytes);
    CHECK(longer.token_seconds.typical < cost.token_seconds.typical);
    how.batch = 257;
    CHECK_FAILS(anemone_estimate_decoding(test_file("tiny_llama"), "h13", &how, &longer), ANEMONE_ARGUMENT, "257");

    CHECK_FAILS(anemone_estimate_decoding(test_file("counter.mil"), "h13", NULL, &cost), ANEMONE_ARGUMENT,
                "must be a language model");
    CHECK(cost.programs == 0);
    CHECK_FAILS(anemone_estimate_decoding(test_file("nowhere"), "h13", NULL, &cost), ANEMONE_FILE, "nowhere");
    CHECK_FAILS(anemone_estimate_decoding(test_file("tiny_llama"), "h13,h16", NULL, &cost), ANEMONE_ARGUMENT,
                "must be one target");
    CHECK_FAILS(anemone_estimate_decoding(test_file("tiny_llama"), "u1", NULL, &cost), ANEMONE_ARGUMENT,
                "no chip whose rates are known");
    CHECK_FAILS(anemone_estimate_decoding(NULL, "h13", NULL, &cost), ANEMONE_ARGUMENT, "path: is NULL");
    CHECK_FAILS(anemone_estimate_decoding(test_file("tiny_llama"), NULL, NULL, &cost), ANEMONE_ARGUMENT,
                "target: is NULL");
    CHECK_FAILS(anemone_estimate_decoding(test_file("tiny_llama"), "h13", NULL, NULL), ANEMONE_ARGUMENT,
                "cost: is NULL");
}

void test_generations(void) {
    static const int stop[2] = {20, 12};
    anemone_decoding how;
    anemone_generating next;
    anemone_language_model* model = NULL;
    anemone_generation* one = NULL;
    anemone_generation* other = NULL;
    int32_t token = 0;
    int i;
    memset(&how, 0, sizeof how);
    how.size = sizeof how;
    how.context = 32;
    how.chunk = 8;
    generates(NULL);
    generates(&how);
    how.caches = "states";
    generates(&how);
    how.lookup = 2;
    how.layers = 1;
    how.head_parts = 2;
    how.backend = "oracle:h13";
    generates(&how);

    memset(&how, 0, sizeof how);
    how.size = sizeof how;
    how.context = 16;
    memset(&next, 0, sizeof next);
    next.size = sizeof next;
    next.stop = stop;
    next.stop_count = 2;
    CHECK(anemone_language_model_open(test_file("tiny_llama"), &how, &model) == ANEMONE_OK);
    CHECK(anemone_generate(model, prompt, 3, &next, &one) == ANEMONE_OK);
    CHECK(anemone_generate(model, prompt, 3, NULL, &other) == ANEMONE_OK);
    for (i = 0; i < 5; ++i) { /* in turn */
        CHECK(anemone_next_token(one, &token) == ANEMONE_OK);
        CHECK(token == (i < 3 ? wanted[i] : -1));
        CHECK(anemone_next_token(other, &token) == ANEMONE_OK);
        CHECK(token == wanted[i]);
    }
    anemone_generation_free(one);
    anemone_generation_free(other);

    CHECK_FAILS(anemone_generate(model, prompt, 0, NULL, &one), ANEMONE_ARGUMENT, "are none");
    CHECK(one == NULL);
    CHECK_FAILS(anemone_generate(model, NULL, 3, NULL, &one), ANEMONE_ARGUMENT, "prompt: is NULL");
    CHECK_FAILS(anemone_generate(NULL, prompt, 3, NULL, &one), ANEMONE_ARGUMENT, "model: is NULL");
    token = 24;
    CHECK_FAILS(anemone_generate(model, &token, 1, NULL, &one), ANEMONE_ARGUMENT,
                "token 0: is 24, must be from 0 to 23");
    next.top_p = 1.5;
    CHECK_FAILS(anemone_generate(model, prompt, 3, &next, &one), ANEMONE_ARGUMENT, "top_p: is 1.5");
    next.size = 3;
    CHECK_FAILS(anemone_generate(model, prompt, 3, &next, &one), ANEMONE_ARGUMENT, "has size 3");
    anemone_language_model_free(model);
    CHECK_FAILS(anemone_language_model_open(test_file("nowhere"), NULL, &model), ANEMONE_FILE, "nowhere");
    CHECK(model == NULL);
    how.caches = "none";
    CHECK_FAILS(anemone_language_model_open(test_file("tiny_llama"), &how, &model), ANEMONE_ARGUMENT,
                "caches 'none': must be inputs or states");
    CHECK_FAILS(anemone_next_token(NULL, &token), ANEMONE_ARGUMENT, "generation: is NULL");
    CHECK(token == -1);
    anemone_language_model_free(NULL);
    anemone_generation_free(NULL);
    CHECK(anemone_vocabulary(NULL) == 0);
    tells_what_decoding_costs();
}
