#include "checks.h"

#include <math.h>
#include <stddef.h>

/* Whatever is handed over, what comes back is a status and a sentence. */

static void written(const char* path, const char* text, size_t bytes) {
    FILE* const file = fopen(path, "wb");
    CHECK(file != NULL);
    if (file != NULL) {
        CHECK(fwrite(text, 1, bytes, file) == bytes);
        CHECK(fclose(file) == 0);
    }
}

static void refused(const char* path, const anemone_reading* how, anemone_status status, const char* words) {
    anemone_model* model = (anemone_model*)&model; /* no handle: it has to be cleared */
    CHECK_FAILS(anemone_open(path, how, &model), status, words);
    CHECK(model == NULL);
}

static void files(void) {
    refused("missing.mil", NULL, ANEMONE_FILE, "missing.mil: the file does not exist");
    refused("", NULL, ANEMONE_FILE, "the file does not exist");
    char long_name[301] = {0};
    memset(long_name, 'n', sizeof long_name - 1);
    refused(long_name, NULL, ANEMONE_FILE, "cannot be opened: File name too long"); /* refused, and not missing */
    refused("/", NULL, ANEMONE_FILE, "folder");
    refused("/dev/null", NULL, ANEMONE_FILE, "not a regular file");
    refused(NULL, NULL, ANEMONE_ARGUMENT, "path: is NULL");
    CHECK_FAILS(anemone_open("x.mil", NULL, NULL), ANEMONE_ARGUMENT, "model: is NULL");

    written("c_broken.mil", "program(1.0)\n{ func main<ios18>(tensor<fp16, [1, 4]> x) { } -> (y); }", 66);
    refused("c_broken.mil", NULL, ANEMONE_FILE, "c_broken.mil:2:");
    written("c_broken.mil", "", 0);
    refused("c_broken.mil", NULL, ANEMONE_FILE, "c_broken.mil");
    static const char hostile[] = "program(1.0)\n{ func main<ios18>(tensor<fp16, [9223372036854775807, 9]> \x1b[31m) ";
    written("c_broken.mil", hostile, sizeof hostile); /* and the zero at its end */
    refused("c_broken.mil", NULL, ANEMONE_FILE, "c_broken.mil");
    written("c_broken.plist", "bplist00\xff\xff\xff\xff", 12);
    refused("c_broken.plist", NULL, ANEMONE_FILE, "c_broken.plist");
    remove("c_broken.mil");
    remove("c_broken.plist");

    anemone_reading how = {0, NULL, NULL, 0, 0, 0, NULL, 0, NULL, 0, 0, 0, NULL, NULL, 0, 0};
    refused(example_file("classifier.mil"), &how, ANEMONE_ARGUMENT, "anemone_reading: has size 0");
    how.size = sizeof how;
    how.function = "other";
    refused(example_file("classifier.mil"), &how, ANEMONE_FILE, "other");
    how.function = NULL;
    how.shape_count = 1;
    refused(example_file("classifier.mil"), &how, ANEMONE_ARGUMENT, "shapes: is NULL");
    const char* const shapes[] = {NULL, "x=1"};
    how.shapes = shapes;
    refused(example_file("classifier.mil"), &how, ANEMONE_ARGUMENT, "shapes: is NULL");
    how.shapes = shapes + 1;
    refused(example_file("classifier.mil"), &how, ANEMONE_ARGUMENT,
            "shapes: gives x a shape, which is no input; there are: image");
    how.shape_count = 0;
    how.value_count = 1;
    refused(example_file("classifier.mil"), &how, ANEMONE_ARGUMENT, "values: is NULL");
    how.values = shapes + 1;
    refused(example_file("classifier.mil"), &how, ANEMONE_ARGUMENT, "values: is for ONNX files");
    how.size = offsetof(anemone_reading, values); /* a caller of 0.1.0, whose structure ended there */
    anemone_model* model = NULL;
    CHECK(anemone_open(example_file("classifier.mil"), &how, &model) == ANEMONE_OK);
    anemone_model_free(model);
}

static void nothing(void) {
    anemone_report* report = NULL;
    anemone_program* program = NULL;
    anemone_port port;
    anemone_cost cost;
    anemone_verdict verdict;
    CHECK_FAILS(anemone_check(NULL, NULL, NULL, &report), ANEMONE_ARGUMENT, "model: is NULL");
    CHECK_FAILS(anemone_compile(NULL, NULL, &program), ANEMONE_ARGUMENT, "model: is NULL");
    CHECK_FAILS(anemone_port_at(NULL, ANEMONE_INPUT, 0, &port), ANEMONE_ARGUMENT, "model: is NULL");
    CHECK_FAILS(anemone_estimate(NULL, "h13", &cost), ANEMONE_ARGUMENT, "model: is NULL");
    CHECK_FAILS(anemone_verdict_at(NULL, 0, &verdict), ANEMONE_ARGUMENT, "report: is NULL");
    CHECK_FAILS(anemone_run(NULL, NULL, 0, NULL, 0), ANEMONE_ARGUMENT, "program: is NULL");
    CHECK_FAILS(anemone_reset(NULL), ANEMONE_ARGUMENT, "program: is NULL");
    CHECK_FAILS(anemone_read_state(NULL, NULL), ANEMONE_ARGUMENT, "is NULL");
    CHECK_FAILS(anemone_write_state(NULL, NULL), ANEMONE_ARGUMENT, "is NULL");
    CHECK(anemone_port_count(NULL, ANEMONE_INPUT) == 0 && anemone_verdict_count(NULL) == 0);
    CHECK(anemone_note_count(NULL) == 0 && anemone_note_at(NULL, 0) == NULL);
    CHECK(anemone_report_json(NULL) == NULL && anemone_report_text(NULL) == NULL);
    anemone_plan* plan = NULL;
    anemone_model* model = NULL;
    const char* svg = NULL;
    CHECK_FAILS(anemone_optimize(NULL, "h13", NULL, &plan), ANEMONE_ARGUMENT, "model: is NULL");
    CHECK_FAILS(anemone_compress(NULL, "h13", NULL, &plan), ANEMONE_ARGUMENT, "model: is NULL");
    CHECK_FAILS(anemone_place(NULL, "h13", NULL, &plan), ANEMONE_ARGUMENT, "model: is NULL");
    CHECK_FAILS(anemone_timeline(NULL, 1, "h13", NULL, &plan), ANEMONE_ARGUMENT, "models: is NULL");
    CHECK_FAILS(anemone_plan_drawing(NULL, &svg), ANEMONE_ARGUMENT, "plan: is NULL");
    CHECK_FAILS(anemone_plan_model(NULL, &model), ANEMONE_ARGUMENT, "plan: is NULL");
    CHECK_FAILS(anemone_plan_optimized(NULL, &(anemone_optimized){0}), ANEMONE_ARGUMENT, "plan: is NULL");
    CHECK_FAILS(anemone_plan_compressed(NULL, &(anemone_compressed){0}), ANEMONE_ARGUMENT, "plan: is NULL");
    CHECK_FAILS(anemone_plan_placed(NULL, &(anemone_placed){0}), ANEMONE_ARGUMENT, "plan: is NULL");
    CHECK_FAILS(anemone_plan_timed(NULL, &(anemone_timed){0}), ANEMONE_ARGUMENT, "plan: is NULL");
    CHECK(anemone_plan_text(NULL) == NULL && anemone_plan_json(NULL) == NULL);
    anemone_model_free(NULL);
    anemone_plan_free(NULL);
    anemone_report_free(NULL);
    anemone_program_free(NULL);
    CHECK(strcmp(anemone_status_name(ANEMONE_PORT), "port") == 0);
    CHECK(strcmp(anemone_status_name((anemone_status)77), "unknown") == 0);
}

static void questions(void) {
    anemone_model* const model = opened(example_file("classifier.mil"));
    anemone_report* report = NULL;
    anemone_program* program = NULL;
    anemone_cost cost;
    anemone_port port;
    CHECK_FAILS(anemone_check(model, "h99", NULL, &report), ANEMONE_ARGUMENT, "h99");
    CHECK_FAILS(anemone_check(model, "h16..h13", NULL, &report), ANEMONE_ARGUMENT, "before it begins");
    CHECK_FAILS(anemone_check(model, "", NULL, &report), ANEMONE_ARGUMENT, "target");
    CHECK_FAILS(anemone_check(model, "h13", NULL, NULL), ANEMONE_ARGUMENT, "report: is NULL");
    anemone_policy policy = {sizeof policy, NULL, 0, NULL, 0, "gpu", NULL, NULL};
    CHECK_FAILS(anemone_check(model, "h13", &policy, &report), ANEMONE_ARGUMENT, "route 'gpu'");
    policy.route = NULL;
    policy.error_count = 3;
    CHECK_FAILS(anemone_check(model, "h13", &policy, &report), ANEMONE_ARGUMENT, "errors: is NULL");
    policy.size = 1;
    CHECK_FAILS(anemone_check(model, "h13", &policy, &report), ANEMONE_ARGUMENT, "has size 1");
    CHECK(report == NULL);
    CHECK_FAILS(anemone_estimate(model, "h13,h14", &cost), ANEMONE_ARGUMENT, "h13,h14");
    CHECK_FAILS(anemone_estimate(model, NULL, &cost), ANEMONE_ARGUMENT, "target: is NULL");
    CHECK_FAILS(anemone_estimate(model, "h13", NULL), ANEMONE_ARGUMENT, "cost: is NULL");
    CHECK_FAILS(anemone_compile(model, "gpu", &program), ANEMONE_ARGUMENT, "backend 'gpu'");
    CHECK_FAILS(anemone_compile(model, "oracle:h99", &program), ANEMONE_ARGUMENT, "h99");
    CHECK(program == NULL);
    CHECK_FAILS(anemone_compile(model, "cpu", NULL), ANEMONE_ARGUMENT, "program: is NULL");
    CHECK_FAILS(anemone_port_at(model, (anemone_direction)9, 0, &port), ANEMONE_ARGUMENT, "direction");
    CHECK_FAILS(anemone_port_at(model, ANEMONE_INPUT, (size_t)-1, &port), ANEMONE_ARGUMENT, "there are 1");
    CHECK_FAILS(anemone_port_at(model, ANEMONE_INPUT, 0, NULL), ANEMONE_ARGUMENT, "port: is NULL");
    CHECK(anemone_port_count(model, (anemone_direction)9) == 0);
    CHECK_FAILS(anemone_convert(NULL, "mil", "c_never"), ANEMONE_ARGUMENT, "model: is NULL");
    CHECK_FAILS(anemone_convert(model, NULL, "c_never"), ANEMONE_ARGUMENT, "to: is NULL");
    CHECK_FAILS(anemone_convert(model, "mil", NULL), ANEMONE_ARGUMENT, "folder: is NULL");
    CHECK_FAILS(anemone_convert(model, "coreml", "c_never"), ANEMONE_ARGUMENT, "coreml");
    CHECK_FAILS(anemone_convert(model, "mil", example_file("classifier.mil")), ANEMONE_FILE, "classifier.mil");
    anemone_model_free(model);

    anemone_reading how = {sizeof how, NULL, NULL, 0, 0,    1,    NULL, 0,
                           NULL,       0,    0,    0, NULL, NULL, 0,    0}; /* to be judged */
    anemone_model* judged = NULL;
    CHECK(anemone_open(example_file("classifier.mil"), &how, &judged) == ANEMONE_OK);
    CHECK(anemone_check(judged, "h13", NULL, &report) == ANEMONE_OK);
    CHECK_FAILS(anemone_compile(judged, "cpu", &program), ANEMONE_ARGUMENT, "to be judged");
    anemone_report_free(report);
    anemone_model_free(judged);
}

static void arrays(void) {
    anemone_model* const model = opened(example_file("classifier.mil"));
    anemone_program* program = NULL;
    CHECK(anemone_compile(model, "cpu", &program) == ANEMONE_OK);
    float image[32] = {0};
    float out[2];
    const anemone_array good = {"image", ANEMONE_FLOAT32, image, 16 * sizeof *image};
    const anemone_array to = {"probabilities", ANEMONE_FLOAT32, out, sizeof out};
    anemone_array bad[2] = {good, good};
    CHECK_FAILS(anemone_run(program, bad, 2, &to, 1), ANEMONE_PORT, "image: is given twice");
    CHECK_FAILS(anemone_run(program, bad, 0, &to, 1), ANEMONE_PORT, "image: no array for this input");
    CHECK_FAILS(anemone_run(program, NULL, 1, &to, 1), ANEMONE_ARGUMENT, "inputs: is NULL");
    bad[1].name = "picture";
    CHECK_FAILS(anemone_run(program, bad, 2, &to, 1), ANEMONE_PORT,
                "picture: no input has this name; there are: image");
    bad[0].bytes -= 1;
    CHECK_FAILS(anemone_run(program, bad, 1, &to, 1), ANEMONE_PORT, "64 bytes, the array has 63");
    bad[0].bytes = (size_t)-1;
    CHECK_FAILS(anemone_run(program, bad, 1, &to, 1), ANEMONE_PORT, "64 bytes, the array has 18446744073709551615");
    bad[0].bytes = 0;
    CHECK_FAILS(anemone_run(program, bad, 1, &to, 1), ANEMONE_PORT, "the array has 0");
    bad[0] = good;
    bad[0].type = (anemone_type)5;
    CHECK_FAILS(anemone_run(program, bad, 1, &to, 1), ANEMONE_ARGUMENT, "has type 5");
    bad[0] = good;
    bad[0].data = NULL;
    CHECK_FAILS(anemone_run(program, bad, 1, &to, 1), ANEMONE_ARGUMENT, "image: has data NULL");
    bad[0].name = NULL;
    CHECK_FAILS(anemone_run(program, bad, 1, &to, 1), ANEMONE_ARGUMENT, "name of an array: is NULL");

    anemone_array wrong = to;
    wrong.bytes += 4;
    CHECK_FAILS(anemone_run(program, &good, 1, &wrong, 1), ANEMONE_PORT, "probabilities: is 1x2 of float32");
    wrong = to;
    wrong.type = ANEMONE_INT8;
    wrong.bytes = 2;
    CHECK_FAILS(anemone_run(program, &good, 1, &wrong, 1), ANEMONE_PORT, "an array of int8 does not hold them");
    wrong = to;
    wrong.data = image + 15;
    CHECK_FAILS(anemone_run(program, &good, 1, &wrong, 1), ANEMONE_PORT, "shares memory with the input image");
    const anemone_array twice[] = {to, to};
    CHECK_FAILS(anemone_run(program, &good, 1, twice, 2), ANEMONE_PORT, "shares memory");
    float elsewhere[2];
    const anemone_array doubled[] = {to, {"probabilities", ANEMONE_FLOAT32, elsewhere, sizeof elsewhere}};
    CHECK_FAILS(anemone_run(program, &good, 1, doubled, 2), ANEMONE_PORT, "probabilities: is given twice");

    image[3] = 1e6F;
    CHECK_FAILS(anemone_run(program, &good, 1, &to, 1), ANEMONE_PORT, "element 3 of 'image' is 1000000, beyond fp16");
    image[3] = (float)NAN; /* a number that fp16 has */
    CHECK(anemone_run(program, &good, 1, &to, 1) == ANEMONE_OK);
    CHECK(isnan(out[0]));
    CHECK_FAILS(anemone_read_state(program, &to), ANEMONE_PORT, "no state has this name; there are: none");
    CHECK(anemone_reset(program) == ANEMONE_OK);
    anemone_program_free(program);
    anemone_model_free(model);
}

/* Integers that fp16 rounds to others, into a port that the file declares to be of int32. */
static void rounded_integers(void) {
    static const char* const what[] = {"x: element 3 of 'x' is 2049", "x: element 3 of 'x' is 30001",
                                       "x: element 3 of 'x' is 50256"};
    static const float values[] = {2049, 30001, 50256};
    anemone_model* const model = opened(test_file("../readers/cases/gather_ids.mil"));
    anemone_program* program = NULL;
    CHECK(anemone_compile(model, "cpu", &program) == ANEMONE_OK);
    float ids[4] = {0, 1, 2, 3};
    float out[2];
    const anemone_array from = {"x", ANEMONE_FLOAT32, ids, sizeof ids};
    const anemone_array to = {"y", ANEMONE_FLOAT32, out, sizeof out};
    for (int i = 0; i < 3; ++i) {
        ids[3] = values[i];
        CHECK_FAILS(anemone_run(program, &from, 1, &to, 1), ANEMONE_PORT, what[i]);
    }
    ids[3] = 2050;
    CHECK(anemone_run(program, &from, 1, &to, 1) == ANEMONE_OK);
    CHECK(out[1] == 2050);
    uint16_t halves[4] = {0, 0, 0, 0x6C00}; /* 4096 */
    const anemone_array narrow = {"x", ANEMONE_FLOAT16, halves, sizeof halves};
    CHECK_FAILS(anemone_run(program, &narrow, 1, &to, 1), ANEMONE_PORT, "x: element 3 of 'x' is 4096 in fp16");
    halves[3] = 0x67FF; /* 2047 */
    CHECK(anemone_run(program, &narrow, 1, &to, 1) == ANEMONE_OK);
    CHECK(out[1] == 2047);
    anemone_program_free(program);
    anemone_model_free(model);
}

/* More memory than an address reaches. Sanitizers end programs that ask for it. */
static void memory(void) {
#if !defined(ANEMONE_SANITIZED)
    anemone_reading unlimited = {0};
    anemone_model* model = opened(test_file("huge.mil"));
    anemone_program* program = NULL;
    CHECK_FAILS(anemone_compile(model, "cpu", &program), ANEMONE_ARGUMENT, "allowed are 8589934592");
    anemone_model_free(model);
    unlimited.size = sizeof unlimited;
    unlimited.max_memory = UINT64_MAX;
    CHECK(anemone_open(test_file("huge.mil"), &unlimited, &model) == ANEMONE_OK);
    CHECK_FAILS(anemone_compile(model, "cpu", &program), ANEMONE_MEMORY, "not enough");
    CHECK(program == NULL);
    anemone_model_free(model);
#endif
}

void test_faults(void) {
    files();
    nothing();
    questions();
    arrays();
    rounded_integers();
    memory();
}
