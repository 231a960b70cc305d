#include "checks.h"

void test_states(void) {
    anemone_model* const model = opened(test_file("counter.mil"));
    anemone_port port;
    CHECK(anemone_port_count(model, ANEMONE_INPUT) == 1 && anemone_port_count(model, ANEMONE_OUTPUT) == 1);
    CHECK(anemone_port_count(model, ANEMONE_STATE) == 1);
    CHECK(anemone_port_at(model, ANEMONE_STATE, 0, &port) == ANEMONE_OK);
    CHECK(strcmp(port.name, "sum") == 0 && port.count == 3);
    anemone_program* program = NULL;
    CHECK(anemone_compile(model, "cpu", &program) == ANEMONE_OK);
    anemone_program* other = NULL;
    CHECK(anemone_compile(model, "oracle:h14", &other) == ANEMONE_OK);

    float x[3] = {1, 2, 3};
    float total[3];
    float kept[3];
    const anemone_array input = {"x", ANEMONE_FLOAT32, x, sizeof x};
    const anemone_array output = {"total", ANEMONE_FLOAT32, total, sizeof total};
    const anemone_array state = {"sum", ANEMONE_FLOAT32, kept, sizeof kept};
    for (int run = 1; run <= 3; ++run) {
        CHECK(anemone_run(program, &input, 1, &output, 1) == ANEMONE_OK);
        CHECK(total[0] == 1.0F * (float)run && total[1] == 2.0F * (float)run && total[2] == 3.0F * (float)run);
    }
    CHECK(anemone_run(other, &input, 1, &output, 1) == ANEMONE_OK);
    CHECK(total[2] == 3); /* each program has its own */
    CHECK(anemone_read_state(program, &state) == ANEMONE_OK);
    CHECK(kept[0] == 3 && kept[1] == 6 && kept[2] == 9);
    kept[1] = -0.5F;
    CHECK(anemone_write_state(program, &state) == ANEMONE_OK);
    CHECK(anemone_run(program, &input, 1, &output, 1) == ANEMONE_OK);
    CHECK(total[0] == 4 && total[1] == 1.5F && total[2] == 12);
    kept[0] = 1e5F;
    CHECK_FAILS(anemone_write_state(program, &state), ANEMONE_PORT, "65504");
    const anemone_array unknown = {"x", ANEMONE_FLOAT32, kept, sizeof kept};
    CHECK_FAILS(anemone_read_state(program, &unknown), ANEMONE_PORT, "x: no state has this name; there are: sum");
    CHECK(anemone_reset(program) == ANEMONE_OK);
    CHECK(anemone_read_state(program, &state) == ANEMONE_OK);
    CHECK(kept[0] == 0 && kept[1] == 0 && kept[2] == 0);
    anemone_program_free(program);
    anemone_program_free(other);
    anemone_model_free(model);
}
