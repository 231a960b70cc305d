#include "checks.h"

#include <math.h>
#include <stdlib.h>

/* What classifier.mil computes, from its text: |sums| of a horizontal and a vertical filter, shared out by a softmax. */
static void expected(const float image[16], double shares[2]) {
    static const double filters[2][3][3] = {{{1, 1, 1}, {0, 0, 0}, {-1, -1, -1}}, {{1, 0, -1}, {1, 0, -1}, {1, 0, -1}}};
    double sums[2] = {0, 0};
    for (int f = 0; f < 2; ++f) {
        for (int y = 0; y < 4; ++y) {
            for (int x = 0; x < 4; ++x) {
                double edge = 0;
                for (int i = -1; i <= 1; ++i) {
                    for (int j = -1; j <= 1; ++j) {
                        const int inside = y + i >= 0 && y + i < 4 && x + j >= 0 && x + j < 4;
                        edge += inside ? filters[f][i + 1][j + 1] * image[4 * (y + i) + x + j] : 0;
                    }
                }
                sums[f] += fabs(edge);
            }
        }
    }
    shares[0] = 1 / (1 + exp((sums[1] - sums[0]) / 8));
    shares[1] = 1 - shares[0];
}

static double half_value(uint16_t bits) {
    const int exponent = bits >> 10 & 31;
    const double magnitude = ldexp((bits & 1023) + (exponent != 0 ? 1024 : 0), (exponent != 0 ? exponent : 1) - 25);
    return bits >> 15 ? -magnitude : magnitude;
}

static void one_program(const char* backend) {
    anemone_model* const model = opened(example_file("classifier.mil"));
    anemone_program* program = NULL;
    CHECK(anemone_compile(model, backend, &program) == ANEMONE_OK);
    anemone_model_free(model); /* programs do not need it */
    if (program == NULL) {
        return;
    }
    unsigned seed = 7;
    for (int round = 0; round < 5; ++round) {
        float image[16];
        float narrow[2] = {-1, -1};
        double wide[2] = {-1, -1};
        uint16_t bits[2] = {0, 0};
        for (int i = 0; i < 16; ++i) {
            seed = seed * 1103515245U + 12345U;
            image[i] = (float)(seed >> 16U & 255U) / 256;
        }
        double shares[2];
        expected(image, shares);
        const anemone_array input = {"image", ANEMONE_FLOAT32, image, sizeof image};
        const anemone_array outputs[] = {{"probabilities", ANEMONE_FLOAT32, narrow, sizeof narrow},
                                         {"probabilities", ANEMONE_FLOAT64, wide, sizeof wide},
                                         {"probabilities", ANEMONE_FLOAT16, bits, sizeof bits}};
        for (int type = 0; type < 3; ++type) {
            CHECK(anemone_run(program, &input, 1, &outputs[type], 1) == ANEMONE_OK);
        }
        for (int i = 0; i < 2; ++i) {
            CHECK(fabs(wide[i] - shares[i]) < 4e-3);
            CHECK((double)narrow[i] == wide[i] && half_value(bits[i]) == wide[i]);
        }
    }
    CHECK(anemone_run(program, NULL, 0, NULL, 0) == ANEMONE_PORT);
    anemone_program_free(program);
}

static void bytes(void) {
    anemone_model* const model = opened(test_file("bytes.mil"));
    anemone_program* program = NULL;
    CHECK(anemone_compile(model, NULL, &program) == ANEMONE_OK);
    uint8_t u[4] = {0, 1, 200, 255};
    int8_t s[4] = {-128, -1, 100, 127};
    float floats[4] = {-128, -1, 100, 127};
    double sum[4];
    char memory[2 * 4 + 1]; /* an odd address: not the program's to use */
    anemone_array inputs[] = {{"s", ANEMONE_INT8, s, sizeof s}, {"u", ANEMONE_UINT8, u, sizeof u}};
    const anemone_array outputs[] = {{"sum", ANEMONE_FLOAT64, sum, sizeof sum},
                                     {"difference", ANEMONE_FLOAT16, memory + 1, 8}};
    for (int round = 0; round < 2; ++round) { /* in any order, bytes or floats, outputs or none */
        CHECK(anemone_run(program, inputs, 2, outputs, 2) == ANEMONE_OK);
        for (int i = 0; i < 4; ++i) {
            uint16_t half;
            memcpy(&half, memory + 1 + 2 * i, 2);
            CHECK(sum[i] == (double)u[i] + s[i]);
            CHECK(half_value(half) == (double)u[i] - s[i]);
        }
        inputs[0].type = ANEMONE_FLOAT32;
        inputs[0].data = floats;
        inputs[0].bytes = sizeof floats;
    }
    CHECK(anemone_run(program, inputs, 2, NULL, 0) == ANEMONE_OK);
    floats[2] = 128;
    CHECK_FAILS(anemone_run(program, inputs, 2, outputs, 2), ANEMONE_PORT, "from -128 to 127");
    floats[2] = (float)NAN;
    CHECK_FAILS(anemone_run(program, inputs, 2, outputs, 2), ANEMONE_PORT, "s: element 2");
    anemone_program_free(program);
    anemone_model_free(model);
}

void test_programs(void) {
    one_program("cpu");
    one_program("oracle:h13");
    if (getenv("ANEMONE_E5RT") != NULL) {
        one_program("engine:h13");
    }
    bytes();
}
