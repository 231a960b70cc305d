#include "checks.h"

#include <pthread.h>

/* A model for all threads, plans too; a sentence for each, a program for one at a time. */

enum { threads = 4, rounds = 50 };

typedef struct shared {
    anemone_model* model;
    anemone_program* program;
    anemone_plan* plan;
} shared;

/* Checks are counted without a lock: what fails here is returned. */
static void* use(void* of) {
    const shared* const all = of;
    const char* wrong = NULL;
    for (int i = 0; i < rounds; ++i) {
        float x[3] = {1, 2, 3};
        float total[3] = {0, 0, 0};
        const anemone_array input = {"x", ANEMONE_FLOAT32, x, sizeof x};
        const anemone_array output = {"total", ANEMONE_FLOAT32, total, sizeof total};
        const anemone_status status = anemone_run(all->program, &input, 1, &output, 1);
        if (status != ANEMONE_OK && (status != ANEMONE_ARGUMENT || strstr(anemone_error(), "another thread") == NULL)) {
            wrong = "a program in use";
        }
        anemone_program* own = NULL;
        if (anemone_compile(all->model, "cpu", &own) != ANEMONE_OK ||
            anemone_run(own, &input, 1, &output, 1) != ANEMONE_OK || total[2] != 3) {
            wrong = "a program of the thread";
        }
        anemone_program_free(own);
        if (anemone_compile(all->model, "gpu", &own) != ANEMONE_ARGUMENT || strstr(anemone_error(), "gpu") == NULL) {
            wrong = "the sentence of the thread";
        }
        const char* svg = NULL;
        if (anemone_plan_drawing(all->plan, &svg) != ANEMONE_OK || strncmp(svg, "<svg", 4) != 0) {
            wrong = "a drawing that is shared";
        }
        anemone_plan* plan = NULL;
        anemone_timed timed;
        const anemone_model* const model = all->model;
        if (anemone_timeline(&model, 1, "h13", NULL, &plan) != ANEMONE_OK ||
            anemone_plan_timed(plan, &timed) != ANEMONE_OK || timed.calls != 8) {
            wrong = "a plan of the thread";
        }
        anemone_plan_free(plan);
    }
    return (void*)wrong;
}

void test_threads(void) {
    shared all = {opened(test_file("counter.mil")), NULL, NULL};
    CHECK(anemone_compile(all.model, "cpu", &all.program) == ANEMONE_OK);
    CHECK(anemone_optimize(all.model, "h13", NULL, &all.plan) == ANEMONE_OK);
    CHECK(anemone_open("missing.mil", NULL, &(anemone_model*){NULL}) == ANEMONE_FILE);
    pthread_t running[threads];
    for (int i = 0; i < threads; ++i) {
        CHECK(pthread_create(&running[i], NULL, use, &all) == 0);
    }
    for (int i = 0; i < threads; ++i) {
        void* wrong = NULL;
        CHECK(pthread_join(running[i], &wrong) == 0);
        if (wrong != NULL) {
            ++failures;
            printf("threads.c: FAILED: %s\n", (const char*)wrong);
        }
    }
    CHECK(strstr(anemone_error(), "missing.mil") != NULL);
    anemone_plan_free(all.plan);
    anemone_program_free(all.program);
    anemone_model_free(all.model);
}
