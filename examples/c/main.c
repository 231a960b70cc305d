/* What the engine makes of a model that comes as a file, and its outputs, from C. */

#include <anemone/c/anemone.h>

#include <stdio.h>

static int failed(const char* what) {
    fprintf(stderr, "%s: %s\n", what, anemone_error());
    return 1;
}

/* Which Macs take the model. */
static int check(const anemone_model* model) {
    anemone_report* report;
    if (anemone_check(model, "macs", NULL, &report) != ANEMONE_OK) {
        return failed("check");
    }
    for (size_t i = 0; i < anemone_verdict_count(report); ++i) {
        anemone_verdict verdict;
        if (anemone_verdict_at(report, i, &verdict) == ANEMONE_OK) {
            printf("%-4s  %s, %.2f ms\n", verdict.target, verdict.accepted ? "accepted" : verdict.first_blocker,
                   1e3 * verdict.seconds);
        }
    }
    anemone_report_free(report);
    return 0;
}

/* Whether a rewrite makes it faster on an M1, and what becomes of it. */
static int optimize(const anemone_model* model) {
    anemone_plan* plan;
    if (anemone_optimize(model, "h13", NULL, &plan) != ANEMONE_OK) {
        return failed("optimize");
    }
    anemone_model* faster;
    printf("%s", anemone_plan_text(plan));
    const anemone_status status = anemone_plan_model(plan, &faster); /* to be checked, run and written as any other */
    anemone_plan_free(plan);
    anemone_model_free(faster);
    return status == ANEMONE_OK ? 0 : failed("optimize");
}

/* Its answer in an M1's arithmetic. */
static int run(const anemone_model* model) {
    float image[16] = {1, 1, 1, 1, 1, 1, 1, 1}; /* a horizontal edge */
    float probabilities[2];
    const anemone_array input = {"image", ANEMONE_FLOAT32, image, sizeof image};
    const anemone_array output = {"probabilities", ANEMONE_FLOAT32, probabilities, sizeof probabilities};
    anemone_program* program;
    if (anemone_compile(model, "oracle:h13", &program) != ANEMONE_OK) {
        return failed("compile");
    }
    const anemone_status status = anemone_run(program, &input, 1, &output, 1);
    anemone_program_free(program);
    if (status != ANEMONE_OK) {
        return failed("run");
    }
    printf("horizontal %.3f, vertical %.3f\n", probabilities[0], probabilities[1]);
    return 0;
}

int main(int count, char** arguments) {
    anemone_model* model;
    if (anemone_open(count > 1 ? arguments[1] : "classifier.mil", NULL, &model) != ANEMONE_OK) {
        return failed("open");
    }
    const int status = check(model) + optimize(model) + run(model);
    anemone_model_free(model);
    return status;
}
