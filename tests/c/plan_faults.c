#include "checks.h"

#include <math.h>
#include <stddef.h>

/* What cannot be planned is a status and a sentence, and no plan. */

static void rewriting(const anemone_model* model) {
    anemone_plan* plan = (anemone_plan*)&plan; /* no handle: it has to be cleared */
    anemone_optimizing how = {sizeof how, 0, 0, 0, 0, 0, NULL, 0, 0, 0};
    CHECK_FAILS(anemone_optimize(model, "h99", &how, &plan), ANEMONE_ARGUMENT, "h99");
    CHECK(plan == NULL);
    CHECK_FAILS(anemone_optimize(model, "macs", &how, &plan), ANEMONE_ARGUMENT, "macs");
    CHECK_FAILS(anemone_optimize(model, NULL, &how, &plan), ANEMONE_ARGUMENT, "target: is NULL");
    CHECK_FAILS(anemone_optimize(model, "h13", &how, NULL), ANEMONE_ARGUMENT, "plan: is NULL");
    how.range_count = 1;
    CHECK_FAILS(anemone_optimize(model, "h13", &how, &plan), ANEMONE_ARGUMENT, "ranges: is NULL");
    anemone_range range = {NULL, 0, 1};
    how.ranges = &range;
    CHECK_FAILS(anemone_optimize(model, "h13", &how, &plan), ANEMONE_ARGUMENT, "input of a range: is NULL");
    range.input = "picture";
    CHECK_FAILS(anemone_optimize(model, "h13", &how, &plan), ANEMONE_PORT,
                "picture: no input has this name; there are: image");
    range.input = "image";
    static const double bounds[][2] = {{1, 0}, {-1e5, 0}, {0, 1e5}, {(double)NAN, 1}, {0, (double)NAN}};
    for (size_t i = 0; i < sizeof bounds / sizeof *bounds; ++i) {
        range.low = bounds[i][0];
        range.high = bounds[i][1];
        CHECK_FAILS(anemone_optimize(model, "h13", &how, &plan), ANEMONE_ARGUMENT, "range of image: goes from");
    }
    how.size += 1;
    CHECK_FAILS(anemone_optimize(model, "h13", &how, &plan), ANEMONE_ARGUMENT, "anemone_optimizing: has size");
    how.size = offsetof(anemone_optimizing, forms) - 1;
    CHECK_FAILS(anemone_optimize(model, "h13", &how, &plan), ANEMONE_ARGUMENT, "anemone_optimizing: has size");
    how.size = offsetof(anemone_optimizing, forms); /* a caller of 0.1.0, whose structure ended there */
    how.ranges = NULL;
    how.range_count = 0;
    how.vendor = 0x5a5a5a5a; /* not its own */
    CHECK(anemone_optimize(model, "h13", &how, &plan) == ANEMONE_OK);
    anemone_plan_free(plan);
    plan = NULL;
    CHECK(plan == NULL);
}

static void compressing(const anemone_model* model) {
    anemone_plan* plan = (anemone_plan*)&plan;
    float image[32] = {0};
    const anemone_array good = {"image", ANEMONE_FLOAT32, image, sizeof image};
    anemone_array bad = good;
    anemone_compressing how = {sizeof how, 0, NULL, NULL, NULL, 0, NULL, 0, 4097};
    CHECK_FAILS(anemone_compress(model, "h99", NULL, &plan), ANEMONE_ARGUMENT, "h99");
    CHECK(plan == NULL);
    CHECK_FAILS(anemone_compress(model, NULL, NULL, &plan), ANEMONE_ARGUMENT, "target: is NULL");
    CHECK_FAILS(anemone_compress(model, "h13", NULL, NULL), ANEMONE_ARGUMENT, "plan: is NULL");
    CHECK_FAILS(anemone_compress(model, "h13", &how, &plan), ANEMONE_ARGUMENT, "runs: are 4097, allowed are 1 to 4096");
    how.data_count = 1;
    CHECK_FAILS(anemone_compress(model, "h13", &how, &plan), ANEMONE_ARGUMENT, "data: is NULL");
    how.data = &bad;
    how.runs = 0;
    CHECK_FAILS(anemone_compress(model, "h13", &how, &plan), ANEMONE_PORT, "64 bytes in each of 0 runs");
    how.runs = 3;
    CHECK_FAILS(anemone_compress(model, "h13", &how, &plan), ANEMONE_PORT, "in each of 3 runs, the array has 128");
    how.runs = (size_t)-1 / 32;
    CHECK_FAILS(anemone_compress(model, "h13", &how, &plan), ANEMONE_PORT, "the array has 128");
    how.runs = 2;
    bad.name = "picture";
    CHECK_FAILS(anemone_compress(model, "h13", &how, &plan), ANEMONE_PORT,
                "picture: no input has this name; there are: image");
    bad = good;
    bad.data = NULL;
    CHECK_FAILS(anemone_compress(model, "h13", &how, &plan), ANEMONE_ARGUMENT, "image: has data NULL");
    bad = good;
    image[17] = 1e6F;
    CHECK_FAILS(anemone_compress(model, "h13", &how, &plan), ANEMONE_PORT, "beyond fp16");
    image[17] = 0;
    const anemone_array twice[] = {good, good};
    how.data = twice;
    how.data_count = 2;
    CHECK_FAILS(anemone_compress(model, "h13", &how, &plan), ANEMONE_PORT, "image: is given twice");
    how.data = NULL;
    how.data_count = 0;
    how.goal = "speed";
    CHECK_FAILS(anemone_compress(model, "h13", &how, &plan), ANEMONE_ARGUMENT, "goal 'speed'");
    how.goal = "time";
    CHECK_FAILS(anemone_compress(model, "u1", &how, &plan), ANEMONE_ARGUMENT, "u1");
    how.to = "netplist";
    CHECK_FAILS(anemone_compress(model, "h13", &how, &plan), ANEMONE_ARGUMENT,
                "to 'netplist': must be mil or mlpackage");
    how.to = NULL;
    how.backend = "gpu";
    CHECK_FAILS(anemone_compress(model, "h13", &how, &plan), ANEMONE_ARGUMENT, "backend 'gpu'");
    how.backend = NULL;
    how.most_loss = -1;
    CHECK_FAILS(anemone_compress(model, "h13", &how, &plan), ANEMONE_ARGUMENT, "most_loss");
    how.most_loss = (double)NAN;
    CHECK_FAILS(anemone_compress(model, "h13", &how, &plan), ANEMONE_ARGUMENT, "most_loss");
    how.size = 0;
    CHECK_FAILS(anemone_compress(model, "h13", &how, &plan), ANEMONE_ARGUMENT, "anemone_compressing: has size 0");
    CHECK(plan == NULL);
}

static void placing(const anemone_model* model) {
    anemone_plan* plan = (anemone_plan*)&plan;
    anemone_placing how = {sizeof how, "speed", 0, 0};
    CHECK_FAILS(anemone_place(model, "h99", NULL, &plan), ANEMONE_ARGUMENT, "h99");
    CHECK(plan == NULL);
    CHECK_FAILS(anemone_place(model, NULL, NULL, &plan), ANEMONE_ARGUMENT, "target: is NULL");
    CHECK_FAILS(anemone_place(model, "h13", NULL, NULL), ANEMONE_ARGUMENT, "plan: is NULL");
    CHECK_FAILS(anemone_place(model, "u1", NULL, &plan), ANEMONE_ARGUMENT, "no clock of u1 is known");
    CHECK_FAILS(anemone_place(model, "h13", &how, &plan), ANEMONE_ARGUMENT, "goal 'speed'");
    how.goal = NULL;
    how.batches = -1;
    CHECK_FAILS(anemone_place(model, "h13", &how, &plan), ANEMONE_ARGUMENT, "batches: are -1, allowed are 0 to 65536");
    how.batches = INT64_MAX;
    CHECK_FAILS(anemone_place(model, "h13", &how, &plan), ANEMONE_ARGUMENT, "allowed are 0 to 65536");
    how.size = 0;
    CHECK_FAILS(anemone_place(model, "h13", &how, &plan), ANEMONE_ARGUMENT, "anemone_placing: has size 0");
    CHECK(plan == NULL);

    CHECK(anemone_place(model, "h13", NULL, &plan) == ANEMONE_OK);
    anemone_model* made = (anemone_model*)&made;
    const char* svg = "none";
    anemone_optimized figures = {1, 1, 1, NULL, 1, 1, 1, 1, 1, 1, 1};
    CHECK_FAILS(anemone_plan_model(plan, &made), ANEMONE_ARGUMENT, "plan: makes no model");
    CHECK_FAILS(anemone_plan_drawing(plan, &svg), ANEMONE_ARGUMENT, "plan: has no drawing");
    CHECK(made == NULL && svg == NULL);
    CHECK_FAILS(anemone_plan_optimized(plan, &figures), ANEMONE_ARGUMENT, "plan: was not made by anemone_optimize");
    CHECK(figures.gain == 0);
    CHECK_FAILS(anemone_plan_compressed(plan, &(anemone_compressed){0}), ANEMONE_ARGUMENT,
                "not made by anemone_compress");
    CHECK_FAILS(anemone_plan_timed(plan, &(anemone_timed){0}), ANEMONE_ARGUMENT, "not made by anemone_timeline");
    CHECK_FAILS(anemone_plan_placed(plan, NULL), ANEMONE_ARGUMENT, "figures: is NULL");
    CHECK_FAILS(anemone_plan_model(plan, NULL), ANEMONE_ARGUMENT, "model: is NULL");
    CHECK_FAILS(anemone_plan_drawing(plan, NULL), ANEMONE_ARGUMENT, "svg: is NULL");
    anemone_plan_free(plan);
}

static void calling(const anemone_model* model) {
    anemone_plan* plan = (anemone_plan*)&plan;
    const anemone_model* const models[] = {model, NULL};
    anemone_calling how = {sizeof how, -1, 0, 0, 0, NULL, 0};
    CHECK_FAILS(anemone_timeline(models, 1, "h99", NULL, &plan), ANEMONE_ARGUMENT, "h99");
    CHECK(plan == NULL);
    CHECK_FAILS(anemone_timeline(models, 1, "u1", NULL, &plan), ANEMONE_ARGUMENT, "u1");
    CHECK_FAILS(anemone_timeline(models, 1, NULL, NULL, &plan), ANEMONE_ARGUMENT, "target: is NULL");
    CHECK_FAILS(anemone_timeline(models, 1, "h13", NULL, NULL), ANEMONE_ARGUMENT, "plan: is NULL");
    CHECK_FAILS(anemone_timeline(models, 2, "h13", NULL, &plan), ANEMONE_ARGUMENT, "model: is NULL");
    CHECK_FAILS(anemone_timeline(models, 0, "h13", NULL, &plan), ANEMONE_ARGUMENT, "models: are 0");
    CHECK_FAILS(anemone_timeline(models, 1, "h13", &how, &plan), ANEMONE_ARGUMENT, "calls: are -1");
    how.calls = 100001;
    CHECK_FAILS(anemone_timeline(models, 1, "h13", &how, &plan), ANEMONE_ARGUMENT, "allowed are 1 to 100000");
    how.calls = 2;
    static const double times[] = {-1, 1e300, (double)INFINITY, (double)NAN};
    for (size_t i = 0; i < sizeof times / sizeof *times; ++i) {
        how.period = times[i];
        CHECK_FAILS(anemone_timeline(models, 1, "h13", &how, &plan), ANEMONE_ARGUMENT, "period: is");
        how.period = 0;
        how.idle = times[i];
        CHECK_FAILS(anemone_timeline(models, 1, "h13", &how, &plan), ANEMONE_ARGUMENT, "idle");
        how.idle = 0;
    }
    const int batches[] = {0};
    how.batch_count = 1;
    CHECK_FAILS(anemone_timeline(models, 1, "h13", &how, &plan), ANEMONE_ARGUMENT, "batches: is NULL");
    how.batches = batches;
    CHECK_FAILS(anemone_timeline(models, 1, "h13", &how, &plan), ANEMONE_ARGUMENT, "0 samples");
    how.size = 0;
    CHECK_FAILS(anemone_timeline(models, 1, "h13", &how, &plan), ANEMONE_ARGUMENT, "anemone_calling: has size 0");
    CHECK(plan == NULL);
}

void test_plan_faults(void) {
    anemone_model* const model = opened(example_file("classifier.mil"));
    rewriting(model);
    compressing(model);
    placing(model);
    calling(model);
    anemone_model_free(model);

    anemone_reading how = {sizeof how, NULL, NULL, 0, 0,    1,    NULL, 0,
                           NULL,       0,    0,    0, NULL, NULL, 0,    0}; /* to be judged */
    anemone_model* judged = NULL;
    anemone_plan* plan = NULL;
    const anemone_optimizing prove = {sizeof prove, 0, 0, 0, 0, 1, NULL, 0, 0, 0};
    CHECK(anemone_open(example_file("classifier.mil"), &how, &judged) == ANEMONE_OK);
    CHECK_FAILS(anemone_optimize(judged, "h13", &prove, &plan), ANEMONE_ARGUMENT, "to be judged");
    CHECK_FAILS(anemone_compress(judged, "h13", NULL, &plan), ANEMONE_ARGUMENT, "to be judged");
    CHECK(anemone_optimize(judged, "h13", NULL, &plan) == ANEMONE_OK);
    anemone_model* made = NULL;
    anemone_program* program = NULL;
    CHECK(anemone_plan_model(plan, &made) == ANEMONE_OK);
    CHECK_FAILS(anemone_compile(made, "cpu", &program), ANEMONE_ARGUMENT, "to be judged"); /* so is what became of it */
    CHECK_FAILS(anemone_convert(made, "mil", "c_never"), ANEMONE_ARGUMENT, "to be judged");
    anemone_model_free(made);
    anemone_plan_free(plan);
    anemone_model_free(judged);
}
