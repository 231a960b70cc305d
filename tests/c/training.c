#include "checks.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

/* What training makes of a layer from 64 pixels to 2 logits, and that it does what its moments and figures say. */

enum { pixels = 64, images = 32, batch = 4 };

/* Horizontal edges are class 0, vertical ones class 1, in noise. */
static void draw(float* image, float* labels) {
    unsigned seed = 7;
    for (int i = 0; i < images; ++i) {
        labels[i] = (float)(i % 2);
        for (int p = 0; p < pixels; ++p) {
            seed = seed * 1103515245U + 12345U;
            const int place = i % 2 == 0 ? p / 8 : p % 8;
            image[i * pixels + p] = (float)(place < 4) + (float)(seed >> 20U & 255U) / 2048;
        }
    }
}

struct told {
    int64_t calls;
    double first;
    double last;
    double held_out;
    anemone_cancellation* wish; /* given after `most` steps */
    int64_t most;
};

static void note(void* context, const anemone_moment* moment) {
    struct told* const all = context;
    ++all->calls;
    CHECK(moment->step == all->calls && moment->rate > 0 && moment->epoch > 0 && !moment->skipped);
    all->first = moment->step == 1 ? moment->loss : all->first;
    all->last = moment->loss;
    all->held_out = isnan(moment->held_out_loss) ? all->held_out : moment->held_out_loss;
    if (all->wish != NULL && moment->step == all->most) {
        anemone_cancel(all->wish);
    }
}

/* Of logits, in double precision. */
static double cross_entropy(const anemone_model* model, const float* image, const float* labels) {
    anemone_program* program = NULL;
    double loss = 0;
    CHECK(anemone_compile(model, "cpu", &program) == ANEMONE_OK);
    for (int i = 0; i < images; i += batch) {
        float y[2 * batch];
        const anemone_array in = {"x", ANEMONE_FLOAT32, (void*)(size_t)(image + i * pixels),
                                  batch * pixels * sizeof *image};
        const anemone_array out = {"y", ANEMONE_FLOAT32, y, sizeof y};
        CHECK(anemone_run(program, &in, 1, &out, 1) == ANEMONE_OK);
        for (int k = 0; k < batch; ++k) {
            const int label = (int)labels[i + k];
            loss += log1p(exp((double)y[2 * k + 1 - label] - (double)y[2 * k + label])) / images;
        }
    }
    anemone_program_free(program);
    return loss;
}

void test_training(void) {
    static float image[images * pixels];
    static float labels[images];
    draw(image, labels);
    static const uint16_t zeros[2 * pixels];
    anemone_model* const model = layer(batch, pixels, 2, zeros);
    anemone_array arrays[] = {{"x", ANEMONE_FLOAT32, image, sizeof image},
                              {"wanted", ANEMONE_FLOAT32, labels, sizeof labels}};
    const anemone_samples data = {arrays, 2, images};
    anemone_training how;
    memset(&how, 0, sizeof how);
    how.size = sizeof how;
    how.data = &data;
    how.validate = &data;
    how.epochs = 4;
    how.rate = 0.01;
    how.threads = 1;
    struct told all = {0, 0, 0, NAN, NULL, 0};
    anemone_plan* plan = NULL;
    anemone_trained found;
    CHECK(anemone_train(model, &how, note, &all, &plan) == ANEMONE_OK);
    CHECK(anemone_plan_trained(plan, &found) == ANEMONE_OK);
    CHECK(found.steps == 4 * images / batch && found.batch == batch && all.calls == found.steps && found.skipped == 0);
    CHECK(found.first_loss == all.first && found.last_loss == all.last && found.weights == 1);
    CHECK(!isnan(all.held_out) && found.held_out_loss <= all.held_out && found.held_out_accuracy > 0.9);
    CHECK(found.resumed_from == 0 && found.best_step > 0 && !found.stopped && found.seconds > 0);

    anemone_model* made = NULL;
    CHECK(anemone_plan_model(plan, &made) == ANEMONE_OK);
    CHECK(fabs(all.first - log(2)) < 0.001 && fabs(cross_entropy(model, image, labels) - log(2)) < 1e-6);
    CHECK(found.held_out_loss < 0.5 && fabs(cross_entropy(made, image, labels) - found.held_out_loss) < 0.01);
    anemone_model_free(made);
    CHECK(strstr(anemone_plan_text(plan), "weights trained") != NULL);
    CHECK(strstr(anemone_plan_json(plan), "\"validations\"") != NULL);
    const char* svg = NULL;
    CHECK(anemone_plan_drawing(plan, &svg) == ANEMONE_OK && strncmp(svg, "<svg", 4) == 0);
    anemone_timed other;
    CHECK_FAILS(anemone_plan_timed(plan, &other), ANEMONE_ARGUMENT, "was not made by anemone_timeline");
    anemone_plan_free(plan);

    all.calls = 0; /* cancelled by what is told */
    all.most = 3;
    CHECK(anemone_cancellation_make(&all.wish) == ANEMONE_OK);
    anemone_cancellable(all.wish);
    CHECK(anemone_train(model, &how, note, &all, &plan) == ANEMONE_CANCELLED);
    anemone_cancellable(NULL);
    anemone_cancellation_free(all.wish);
    CHECK(plan == NULL && all.calls == 3);

    CHECK_FAILS(anemone_train(model, NULL, NULL, NULL, &plan), ANEMONE_ARGUMENT, "training: is NULL");
    CHECK_FAILS(anemone_train(NULL, &how, NULL, NULL, &plan), ANEMONE_ARGUMENT, "model: is NULL");
    CHECK_FAILS(anemone_train(model, &how, NULL, NULL, NULL), ANEMONE_ARGUMENT, "plan: is NULL");
    how.optimizer = "best";
    CHECK_FAILS(anemone_train(model, &how, NULL, NULL, &plan), ANEMONE_ARGUMENT, "'best': must be sgd");
    how.optimizer = NULL;
    how.rate = 100;
    CHECK_FAILS(anemone_train(model, &how, NULL, NULL, &plan), ANEMONE_ARGUMENT, "rate: is 100");
    how.rate = 0;
    arrays[1].bytes -= sizeof *labels;
    CHECK_FAILS(anemone_train(model, &how, NULL, NULL, &plan), ANEMONE_PORT,
                "wanted: has 124 bytes, which is no whole number of elements in each of 32 samples");
    arrays[1].bytes += sizeof *labels;
    labels[5] = 2;
    CHECK_FAILS(anemone_train(model, &how, NULL, NULL, &plan), ANEMONE_PORT, "element 0 of sample 5 is 2, classes");
    labels[5] = 1;
    const float pixel = image[7];
    image[7] = NAN;
    CHECK_FAILS(anemone_train(model, &how, NULL, NULL, &plan), ANEMONE_PORT, "x: element 7 of sample 0 is nan");
    image[7] = pixel;
    how.checkpoint = "/dev/full/run";
    CHECK_FAILS(anemone_train(model, &how, NULL, NULL, &plan), ANEMONE_FILE, "/dev/full/run");
    how.checkpoint = NULL;
    arrays[0].name = "picture";
    CHECK_FAILS(anemone_train(model, &how, NULL, NULL, &plan), ANEMONE_PORT, "picture");
    arrays[0].name = "x";
    how.data = NULL;
    CHECK_FAILS(anemone_train(model, &how, NULL, NULL, &plan), ANEMONE_ARGUMENT, "data: has no arrays to train on");
    anemone_model_free(model);
}
