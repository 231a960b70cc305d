#include "checks.h"

int failures = 0;

const char* test_file(const char* name) {
    static char path[4096];
    snprintf(path, sizeof path, "%s/%s", ANEMONE_TEST_FOLDER, name);
    return path;
}

const char* example_file(const char* name) {
    static char path[4096];
    snprintf(path, sizeof path, "%s/%s", ANEMONE_EXAMPLE_FOLDER, name);
    return path;
}

anemone_model* opened(const char* path) {
    anemone_model* model = NULL;
    CHECK(anemone_open(path, NULL, &model) == ANEMONE_OK);
    CHECK(model != NULL);
    return model;
}

int main(void) {
    test_models();
    test_programs();
    test_plans();
    test_states();
    test_generations();
    test_faults();
    test_plan_faults();
    test_training();
    test_threads();
    printf("%d checks failed\n", failures);
    return failures == 0 ? 0 : 1;
}
