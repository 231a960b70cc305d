#include "checks.h"

#include <math.h>
#include <stdlib.h>

/* What optimize, compress, place and timeline find, against estimates, runs and sums of other origin. */

enum { rows = 8, columns = 64, filters = 32, samples = 12 };

static double random_number(unsigned* seed) {
    *seed = *seed * 1103515245U + 12345U;
    return (double)(*seed >> 16U & 1023U) / 512 - 1;
}

/* The bits of k / 64 in half precision, for whole numbers below 2048. */
static uint16_t half_of_64ths(int k) {
    if (k == 0) {
        return 0;
    }
    int digits = abs(k);
    int exponent = 19;
    while (digits < 1024) {
        digits *= 2;
        --exponent;
    }
    return (uint16_t)((k < 0 ? 0x8000 : 0) | exponent << 10 | (digits & 1023));
}

anemone_model* layer(int count, int inputs, int outputs, const uint16_t* weights) {
    FILE* file = fopen("c_layer.mil", "w");
    CHECK(file != NULL);
    fprintf(
        file,
        "program(1.3)\n[buildInfo = dict<string, string>({{\"written by\", \"a test\"}})]\n{\n"
        "    func main<ios18>(tensor<fp16, [%d, %d]> x) {\n"
        "        tensor<fp16, [%d, %d]> w = const()[name = string(\"w\"), val = tensor<fp16, [%d, %d]>(BLOBFILE(path = "
        "string(\"@model_path/c_layer.bin\"), offset = uint64(64)))];\n"
        "        tensor<fp16, [%d, %d]> y = linear(x = x, weight = w);\n    } -> (y);\n}\n",
        count, inputs, outputs, inputs, outputs, inputs, count, outputs);
    CHECK(fclose(file) == 0);
    const uint32_t bytes = (uint32_t)(2 * inputs * outputs);
    uint32_t head[32] = {1, 2}; /* one entry, the second version; then its sentinel, type, size and place */
    head[16] = 0xDEADBEEFU;
    head[17] = 1;
    head[18] = bytes;
    head[20] = sizeof head;
    file = fopen("c_layer.bin", "wb");
    CHECK(file != NULL);
    CHECK(fwrite(head, 1, sizeof head, file) == sizeof head && fwrite(weights, 1, bytes, file) == bytes);
    CHECK(fclose(file) == 0);
    anemone_model* const model = opened("c_layer.mil");
    remove("c_layer.mil");
    remove("c_layer.bin");
    return model;
}

static anemone_model* model_of(const anemone_plan* plan) {
    anemone_model* model = NULL;
    CHECK(anemone_plan_model(plan, &model) == ANEMONE_OK);
    return model;
}

static void computed(const anemone_model* model, const char* backend, const float* x, size_t inputs, float* y,
                     size_t outputs) {
    anemone_program* program = NULL;
    CHECK(anemone_compile(model, backend, &program) == ANEMONE_OK);
    const anemone_array from = {"x", ANEMONE_FLOAT32, (void*)(size_t)x, inputs * sizeof *x};
    const anemone_array to = {"y", ANEMONE_FLOAT32, y, outputs * sizeof *y};
    CHECK(anemone_run(program, &from, 1, &to, 1) == ANEMONE_OK);
    anemone_program_free(program);
}

/* Of the weights in the file that a model is written to. */
static long written_bytes(const anemone_model* model, const char* folder) {
    char path[64];
    CHECK(anemone_convert(model, "mil", folder) == ANEMONE_OK);
    snprintf(path, sizeof path, "%s/weights.bin", folder);
    FILE* const file = fopen(path, "rb");
    CHECK(file != NULL);
    long bytes = -1;
    if (file != NULL) {
        CHECK(fseek(file, 0, SEEK_END) == 0);
        bytes = ftell(file);
        CHECK(fclose(file) == 0);
    }
    return bytes;
}

static void removed(const char* folder) {
    static const char* const files[] = {"/weights.bin", "/model.mil", ""};
    for (int i = 0; i < 3; ++i) {
        char path[64];
        snprintf(path, sizeof path, "%s%s", folder, files[i]);
        CHECK(remove(path) == 0);
    }
}

/* |b - a| / |a| */
static double moved(const float* a, const float* b, size_t count) {
    double difference = 0;
    double size = 0;
    for (size_t i = 0; i < count; ++i) {
        difference += ((double)b[i] - a[i]) * ((double)b[i] - a[i]);
        size += (double)a[i] * a[i];
    }
    return sqrt(difference / size);
}

/* Two transposes that cancel keep every bit, two factors that become one do not. */
static void optimized(void) {
    enum { values = 384 * 512 };
    static float x[values];
    static float before[values];
    static float after[values];
    unsigned seed = 3;
    for (int i = 0; i < values; ++i) {
        x[i] = (float)random_number(&seed);
    }
    anemone_model* const model = opened(test_file("turned.mil"));
    computed(model, "oracle:h13", x, values, before, values);
    anemone_cost old;
    CHECK(anemone_estimate(model, "h13", &old) == ANEMONE_OK);
    for (int bits = 0; bits < 2; ++bits) {
        anemone_optimizing how = {sizeof how, 0, 0, 0, 0, 0, NULL, 0, 0, 0};
        how.bits = bits;
        how.prove = 1 - bits;
        anemone_plan* plan = NULL;
        CHECK(anemone_optimize(model, "h13", &how, &plan) == ANEMONE_OK);
        anemone_optimized found;
        CHECK(anemone_plan_optimized(plan, &found) == ANEMONE_OK);
        CHECK(found.steps == (bits ? 1U : 2U) && strcmp(found.kept, bits ? "bits" : "rounding") == 0);
        CHECK(found.proved == how.prove && found.holds == how.prove);
        CHECK(strstr(anemone_plan_text(plan), "cancel_transposes") != NULL);
        CHECK((strstr(anemone_plan_text(plan), "all of them") != NULL) == (how.prove == 1));
        CHECK((strstr(anemone_plan_json(plan), "merge_factors") == NULL) == (bits == 1));
        const char* svg = NULL;
        const char* again = NULL;
        CHECK(anemone_plan_drawing(plan, &svg) == ANEMONE_OK && strncmp(svg, "<svg", 4) == 0);
        CHECK(anemone_plan_drawing(plan, &again) == ANEMONE_OK && again == svg);
        anemone_model* const faster = model_of(plan);
        anemone_plan_free(plan); /* the model does not need it */
        anemone_cost new;
        CHECK(anemone_estimate(faster, "h13", &new) == ANEMONE_OK);
        CHECK(fabs(found.before - old.seconds) < 1e-12 && fabs(found.after - new.seconds) < 1e-12);
        CHECK(fabs(found.gain - old.seconds / new.seconds) < 1e-9 && found.gain > 2);
        anemone_report* report = NULL;
        CHECK(anemone_check(faster, "h13", NULL, &report) == ANEMONE_OK);
        anemone_verdict verdict;
        CHECK(anemone_verdict_at(report, 0, &verdict) == ANEMONE_OK && verdict.accepted == 1);
        anemone_report_free(report);
        computed(faster, "oracle:h13", x, values, after, values);
        CHECK(bits ? memcmp(before, after, sizeof after) == 0 : moved(before, after, values) < 1.0 / 256);
        anemone_model_free(faster);
    }
    anemone_plan* plan = NULL;
    anemone_optimized found;
    CHECK(anemone_optimize(model, "u1", NULL, &plan) == ANEMONE_OK); /* a chip of which no time is known */
    CHECK(anemone_plan_optimized(plan, &found) == ANEMONE_OK);
    CHECK(found.steps == 0 && found.gain == 1 && found.before == 0 && found.proved == 0 && found.holds == 0);
    CHECK(strcmp(found.kept, "bits") == 0);
    anemone_plan_free(plan);
    anemone_model_free(model);
}

/* 1024 times 50 * 0.999: a sum of 51,150, which the accumulator of the M1 does not hold. */
static void sound(void) {
    enum { inputs = 1024, outputs = 4 };
    static uint16_t weights[inputs * outputs];
    static float x[inputs];
    for (int i = 0; i < inputs * outputs; ++i) {
        weights[i] = 0x3BFE; /* 1023 / 1024 */
    }
    for (int i = 0; i < inputs; ++i) {
        x[i] = 50;
    }
    anemone_model* const model = layer(1, inputs, outputs, weights);
    const anemone_range range = {"x", -50, 50};
    const anemone_optimizing how = {sizeof how, 0, 1, 0, 0, 0, &range, 1, 0, 0};
    anemone_plan* plan = NULL;
    CHECK(anemone_optimize(model, "h13", &how, &plan) == ANEMONE_OK);
    anemone_optimized found;
    CHECK(anemone_plan_optimized(plan, &found) == ANEMONE_OK);
    CHECK(found.refuted > 0 && found.refuted_now == 0 && found.steps > 0);
    anemone_model* const made = model_of(plan);
    float y[outputs];
    computed(model, "oracle:h13", x, inputs, y, outputs);
    CHECK(isinf(y[0]) && isinf(y[3]));
    computed(made, "oracle:h13", x, inputs, y, outputs);
    CHECK(fabs(y[0] / 51150 - 1) < 0.002 && fabs(y[3] / 51150 - 1) < 0.002);
    anemone_model_free(made);
    anemone_plan_free(plan);

    /* 0.001 times that is near 2^-16, the last bit of a sum */
    const anemone_range small = {"x", -0.001, 0.001};
    const anemone_optimizing exact = {sizeof exact, 0, 0, 1, 0, 0, &small, 1, 0, 0};
    CHECK(anemone_optimize(model, "h17s", &exact, &plan) == ANEMONE_OK);
    CHECK(anemone_plan_optimized(plan, &found) == ANEMONE_OK);
    CHECK(found.error_now > 0 && 2 * found.error_now < found.error);
    anemone_plan_free(plan);
    anemone_model_free(model);
}

/* Weights of -127/64 to 127/64, with the largest in each row: bytes hold them, 4 bits do not. */
static void compressed(void) {
    static uint16_t weights[filters * columns];
    static float data[samples][rows * columns];
    static float before[samples][rows * filters];
    static float after[samples][rows * filters];
    unsigned seed = 5;
    for (int i = 0; i < filters * columns; ++i) {
        weights[i] = half_of_64ths(i % columns == 0 ? 127 : (int)(127 * random_number(&seed)));
    }
    float pattern[columns]; /* that all rows have, so that there is something to learn from them */
    for (int i = 0; i < columns; ++i) {
        pattern[i] = (float)random_number(&seed);
    }
    for (int i = 0; i < samples * rows; ++i) {
        const float size = (float)random_number(&seed);
        for (int c = 0; c < columns; ++c) {
            data[i / rows][i % rows * columns + c] = size * pattern[c] + (float)random_number(&seed) / 16;
        }
    }
    anemone_model* const model = layer(rows, columns, filters, weights);
    const anemone_array array = {"x", ANEMONE_FLOAT32, data, sizeof data};
    anemone_compressing how = {sizeof how, 1e-6, NULL, NULL, "oracle:h13", 0, &array, 1, samples};
    anemone_plan* plan = NULL;
    anemone_compressed found;
    CHECK(anemone_compress(model, "h13", &how, &plan) == ANEMONE_OK);
    CHECK(anemone_plan_compressed(plan, &found) == ANEMONE_OK);
    CHECK(found.bytes == 2 * filters * columns && found.weights == 1);
    CHECK(found.bytes_now == filters * columns + 2 * filters); /* a byte each, and a scale of fp16 a row */
    CHECK(found.ratio == (double)found.bytes / (double)found.bytes_now && found.loss == 0);
    CHECK(strstr(anemone_plan_text(plan), "int8") != NULL && strstr(anemone_plan_text(plan), "random") == NULL);
    anemone_model* made = model_of(plan);
    anemone_cost cost;
    CHECK(anemone_estimate(model, "h13", &cost) == ANEMONE_OK && cost.seconds == found.seconds);
    CHECK(anemone_estimate(made, "h13", &cost) == ANEMONE_OK && cost.seconds == found.seconds_now);
    for (int i = 0; i < samples; ++i) {
        computed(model, "oracle:h13", data[i], rows * columns, before[i], rows * filters);
        computed(made, "oracle:h13", data[i], rows * columns, after[i], rows * filters);
    }
    CHECK(memcmp(before, after, sizeof after) == 0);
    const long saved = written_bytes(model, "c_whole") - written_bytes(made, "c_small");
    CHECK(labs(saved - (long)(found.bytes - found.bytes_now)) <= 256); /* but for heads of 64 bytes */
    anemone_model* const again = opened("c_small");
    computed(again, "oracle:h13", data[0], rows * columns, after[0], rows * filters);
    CHECK(memcmp(before[0], after[0], sizeof after[0]) == 0);
    anemone_model_free(again);
    removed("c_small");
    removed("c_whole");
    anemone_model_free(made);
    anemone_plan_free(plan);

    how.most_loss = 0.2;
    CHECK(anemone_compress(model, "h13", &how, &plan) == ANEMONE_OK);
    CHECK(anemone_plan_compressed(plan, &found) == ANEMONE_OK);
    CHECK(found.ratio > 3 && found.loss > 0 && found.loss <= 0.2); /* 4 bits */
    made = model_of(plan);
    static float judged[2][samples / 4 * rows * filters];
    for (int i = 3; i < samples; i += 4) { /* by the others the forms were chosen */
        computed(made, "oracle:h13", data[i], rows * columns, after[i], rows * filters);
        memcpy(judged[0] + i / 4 * rows * filters, before[i], sizeof before[i]);
        memcpy(judged[1] + i / 4 * rows * filters, after[i], sizeof after[i]);
    }
    CHECK(found.held_out == samples / 4);
    CHECK(fabs(moved(judged[0], judged[1], samples / 4 * rows * filters) - found.held_out_loss) < 1e-6);
    CHECK(found.held_out_at_least <= found.held_out_loss && found.held_out_loss <= found.held_out_at_most);
    const char* svg = NULL;
    CHECK(anemone_plan_drawing(plan, &svg) == ANEMONE_OK && strncmp(svg, "<svg", 4) == 0);
    anemone_model_free(made);
    anemone_plan_free(plan);

    const double fed_back = found.loss;
    how.plain = 1;
    CHECK(anemone_compress(model, "h13", &how, &plan) == ANEMONE_OK);
    CHECK(anemone_plan_compressed(plan, &found) == ANEMONE_OK);
    CHECK(found.loss > fed_back);
    anemone_plan_free(plan);
    const anemone_compressing as_package = {sizeof as_package, 0.3, NULL, "mlpackage", NULL, 0, &array, 1, samples};
    CHECK(anemone_compress(model, "h16", &as_package, &plan) == ANEMONE_OK);
    CHECK(strstr(anemone_plan_text(plan), "every_stored_form") == NULL); /* no form is left out */
    anemone_plan_free(plan);

    CHECK(anemone_compress(model, "h13", NULL, &plan) == ANEMONE_OK);
    CHECK(anemone_plan_compressed(plan, &found) == ANEMONE_OK);
    CHECK(found.loss <= 0.01 && strstr(anemone_plan_text(plan), "judged on random numbers") != NULL);
    anemone_plan_free(plan);
    anemone_model_free(model);
}

static void placed(void) {
    anemone_model* const model = opened(example_file("classifier.mil"));
    anemone_plan* plan = NULL;
    anemone_placed found;
    anemone_cost cost;
    CHECK(anemone_estimate(model, "h13", &cost) == ANEMONE_OK);
    CHECK(anemone_place(model, "h13", NULL, &plan) == ANEMONE_OK);
    CHECK(anemone_plan_placed(plan, &found) == ANEMONE_OK);
    CHECK(found.engine_seconds == cost.seconds && found.measured == 1); /* the same model of the engine */
    CHECK(strcmp(found.fastest, "CPU") == 0 && strcmp(found.most_efficient, "engine") == 0); /* docs/command.md */
    CHECK(fabs(found.gpu_seconds - 267e-6) < 1e-6 && found.cpu_seconds < found.gpu_seconds);
    CHECK(found.seconds <= found.cpu_seconds && found.segments == 1 &&
          isnan(found.joules)); /* the CPU's is not known */
    CHECK(strstr(anemone_plan_text(plan), "items/s") == NULL);
    anemone_plan_free(plan);

    const double layer_by_layer = found.gpu_seconds;
    const anemone_placing in_one_graph = {sizeof in_one_graph, NULL, 0, 1};
    CHECK(anemone_place(model, "h13", &in_one_graph, &plan) == ANEMONE_OK);
    CHECK(anemone_plan_placed(plan, &found) == ANEMONE_OK);
    CHECK(found.gpu_seconds < layer_by_layer && found.gpu_seconds > 153e-6); /* the launch */
    anemone_plan_free(plan);

    const anemone_placing how = {sizeof how, "energy", 4, 0};
    CHECK(anemone_place(model, "h13", &how, &plan) == ANEMONE_OK);
    CHECK(anemone_plan_placed(plan, &found) == ANEMONE_OK);
    CHECK(found.joules > 0);
    CHECK(strstr(anemone_plan_text(plan), "items/s") != NULL);
    CHECK(strstr(anemone_plan_json(plan), "\"known_by\": \"measured\"") != NULL);
    anemone_plan_free(plan);
    anemone_model_free(model);
}

static void timed(void) {
    anemone_model* const model = opened(example_file("classifier.mil"));
    anemone_model* const other = opened(test_file("turned.mil"));
    anemone_plan* plan = NULL;
    anemone_timed found;
    anemone_cost cost;
    CHECK(anemone_estimate(model, "h13", &cost) == ANEMONE_OK);
    const anemone_model* const models[] = {model, other};
    anemone_calling how = {sizeof how, 1, 1, 0, 0, NULL, 0};
    CHECK(anemone_timeline(models, 1, "h13", &how, &plan) == ANEMONE_OK);
    CHECK(anemone_plan_timed(plan, &found) == ANEMONE_OK);
    CHECK(found.calls == 1 && found.measured == 1);
    CHECK(fabs(found.seconds - cost.seconds) < 1e-9); /* a steady call is the estimate */
    anemone_plan_free(plan);

    how.idle = 10;
    CHECK(anemone_timeline(models, 1, "h13", &how, &plan) == ANEMONE_OK);
    CHECK(anemone_plan_timed(plan, &found) == ANEMONE_OK);
    CHECK(fabs(found.seconds - 0.26) < 0.01); /* after a long rest, docs/timeline.md */
    anemone_plan_free(plan);

    const int batches[] = {1, 4};
    how.idle = 0;
    how.calls = 3;
    how.period = 0.01;
    how.batches = batches;
    how.batch_count = 2;
    CHECK(anemone_timeline(models, 2, "h13", &how, &plan) == ANEMONE_OK);
    CHECK(anemone_plan_timed(plan, &found) == ANEMONE_OK);
    CHECK(found.calls == 6 && found.seconds > 0.02 && found.seconds < 0.03); /* the last ones are called after 20 ms */
    CHECK(fabs(found.calls_per_second * found.seconds - 6) < 1e-9);
    CHECK(found.median_latency <= found.p99_latency && found.mean_latency > 0 && found.joules > 0);
    CHECK(strstr(anemone_plan_text(plan), "classifier.mil") != NULL);
    CHECK(strstr(anemone_plan_text(plan), "turned.mil in batches") != NULL);
    CHECK(strstr(anemone_plan_json(plan), "\"turned.mil\"") != NULL);
    const char* svg = NULL;
    CHECK(anemone_plan_drawing(plan, &svg) == ANEMONE_OK && strncmp(svg, "<svg", 4) == 0);
    anemone_plan_free(plan);

    CHECK(anemone_timeline(models, 1, "h13", NULL, &plan) == ANEMONE_OK);
    CHECK(anemone_plan_timed(plan, &found) == ANEMONE_OK);
    CHECK(found.calls == 8 && strstr(anemone_plan_text(plan), "first calls: 3") != NULL);
    anemone_plan_free(plan);
    anemone_model_free(model);
    anemone_model_free(other);
}

/* A sum of 39,688 fits into fp16 and not into the M1's register, which ends at 2^15. */
static void differed(void) {
    const uint16_t weights[4] = {half_of_64ths(64), half_of_64ths(63), half_of_64ths(1), half_of_64ths(2)};
    anemone_model* const model = layer(1, 4, 1, weights);
    const float x[2][4] = {{200, 200, 0, 0}, {20000, 20000, 0, 0}};
    const anemone_array data = {"x", ANEMONE_FLOAT32, (void*)(size_t)x, sizeof x};
    anemone_differing how = {sizeof how, "oracle:h13", 0, 0, &data, 1, 2};
    anemone_plan* plan = NULL;
    anemone_differed found;
    CHECK(anemone_diff(model, &how, &plan) == ANEMONE_OK);
    CHECK(anemone_plan_differed(plan, &found) == ANEMONE_OK);
    CHECK(found.samples == 2 && found.affected == 1 && found.worst_sample == 1);
    CHECK(found.layers == 1 && found.first == 0 && strcmp(found.cause, "ceiling") == 0);
    CHECK(found.name != NULL && strstr(found.name, "linear") != NULL);
    CHECK(found.expected == 20000 + 20000 * 63.0 / 64 && isinf(found.got));
    CHECK(found.tried >= found.remedies && found.cut_short == 0);
    CHECK(found.remedies > 0 && strstr(anemone_plan_text(plan), "what helps") != NULL);
    CHECK(strstr(anemone_plan_json(plan), "\"reference\": \"f64\"") != NULL);
    const char* svg = NULL;
    CHECK(anemone_plan_drawing(plan, &svg) == ANEMONE_OK && strncmp(svg, "<svg", 4) == 0);
    anemone_model* none = NULL;
    CHECK_FAILS(anemone_plan_model(plan, &none), ANEMONE_ARGUMENT, "plan");
    anemone_optimized other;
    CHECK_FAILS(anemone_plan_optimized(plan, &other), ANEMONE_ARGUMENT, "was not made by anemone_optimize");
    anemone_plan_free(plan);

    how.backend = "cpu";
    CHECK(anemone_diff(model, &how, &plan) == ANEMONE_OK);
    CHECK(anemone_plan_differed(plan, &found) == ANEMONE_OK);
    CHECK(found.first == -1 && found.name == NULL && found.cause[0] == '\0' && found.remedies == 0);
    CHECK(found.tried == 0 && found.cut_short == 0);
    anemone_plan_free(plan);
    CHECK(anemone_diff(model, NULL, &plan) == ANEMONE_OK); /* the M1 on random numbers */
    CHECK(anemone_plan_differed(plan, &found) == ANEMONE_OK);
    CHECK(found.samples == 1);
    anemone_plan_free(plan);

    how.backend = "engine:h13";
    CHECK_FAILS(anemone_diff(model, &how, &plan), ANEMONE_ARGUMENT, "it must be cpu or oracle:TARGET");
    how.backend = "oracle:none";
    CHECK_FAILS(anemone_diff(model, &how, &plan), ANEMONE_ARGUMENT, "none");
    how.backend = NULL;
    how.bound = -1;
    CHECK_FAILS(anemone_diff(model, &how, &plan), ANEMONE_ARGUMENT, "bound");
    how.bound = 0;
    how.runs = 3;
    CHECK_FAILS(anemone_diff(model, &how, &plan), ANEMONE_PORT, "in each of 3 runs, the array has 32");
    CHECK_FAILS(anemone_diff(NULL, &how, &plan), ANEMONE_ARGUMENT, "model: is NULL");
    anemone_model_free(model);
}

void test_plans(void) {
    optimized();
    differed();
    sound();
    compressed();
    placed();
    timed();
}
