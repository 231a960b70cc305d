#ifndef ANEMONE_TESTS_CHECKS_H
#define ANEMONE_TESTS_CHECKS_H

#include <anemone/c/anemone.h>

#include <stdio.h>
#include <string.h>

/* Tests in C: a failed check is printed with its place and counted. */

extern int failures;

#define CHECK(truth)                                                                                                   \
    do {                                                                                                               \
        if (!(truth)) {                                                                                                \
            ++failures;                                                                                                \
            printf("%s:%d: FAILED: %s (the last error: %s)\n", __FILE__, __LINE__, #truth, anemone_error());           \
        }                                                                                                              \
    } while (0)

/* A call that fails with a status, and says why in words that have these among them. */
#define CHECK_FAILS(call, status, words)                                                                               \
    do {                                                                                                               \
        CHECK((call) == (status));                                                                                     \
        CHECK(strstr(anemone_error(), words) != NULL);                                                                 \
    } while (0)

/* The path of a model in the folder `c` of the tests, or of the examples; valid until the next call. */
const char* test_file(const char* name);
const char* example_file(const char* name);
anemone_model* opened(const char* path);
/* y [count, outputs] = x [count, inputs] w: c_layer.mil, with its weights as fp16 in c_layer.bin. */
anemone_model* layer(int count, int inputs, int outputs, const uint16_t* weights);

/* One file of tests each. */
void test_models(void);
void test_plans(void);
void test_programs(void);
void test_states(void);
void test_generations(void);
void test_faults(void);
void test_plan_faults(void);
void test_training(void);
void test_threads(void);

#endif
