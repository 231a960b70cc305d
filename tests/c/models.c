#include "checks.h"

#include <math.h>
#include <stddef.h>

static void ports(void) {
    anemone_model* const model = opened(example_file("classifier.mil"));
    anemone_port port;
    CHECK(anemone_port_count(model, ANEMONE_INPUT) == 1);
    CHECK(anemone_port_count(model, ANEMONE_OUTPUT) == 1);
    CHECK(anemone_port_count(model, ANEMONE_STATE) == 0);
    CHECK(anemone_port_at(model, ANEMONE_INPUT, 0, &port) == ANEMONE_OK);
    CHECK(strcmp(port.name, "image") == 0);
    CHECK(port.type == ANEMONE_FLOAT16);
    CHECK(port.rank == 4 && port.count == 16);
    CHECK(port.shape[0] == 1 && port.shape[1] == 1 && port.shape[2] == 4 && port.shape[3] == 4 && port.shape[4] == 1);
    CHECK(anemone_port_at(model, ANEMONE_OUTPUT, 0, &port) == ANEMONE_OK);
    CHECK(strcmp(port.name, "probabilities") == 0);
    CHECK_FAILS(anemone_port_at(model, ANEMONE_OUTPUT, 1, &port), ANEMONE_ARGUMENT, "there are 1");
    CHECK(port.name == NULL);
    CHECK(anemone_note_count(model) == 2); /* both ports are fp32 in the file */
    CHECK(strstr(anemone_note_at(model, 0), "image is fp32") != NULL);
    CHECK(anemone_note_at(model, 2) == NULL);
    anemone_model_free(model);
}

static void verdicts(void) {
    anemone_model* const model = opened(example_file("classifier.mil"));
    anemone_report* report = NULL;
    anemone_verdict verdict;
    CHECK(anemone_check(model, NULL, NULL, &report) == ANEMONE_OK);
    CHECK(anemone_verdict_count(report) == 11); /* the Macs of docs/command.md */
    CHECK(anemone_verdict_at(report, 0, &verdict) == ANEMONE_OK);
    CHECK(strcmp(verdict.target, "h13") == 0 && strcmp(verdict.product, "M1 base") == 0);
    CHECK(verdict.accepted == 1 && verdict.errors == 0 && verdict.warnings == 7 && verdict.first_blocker[0] == '\0');
    CHECK(fabs(verdict.seconds - 0.22e-3) < 0.01e-3);
    CHECK(strstr(anemone_report_json(report), "\"accepted\": true") != NULL);
    CHECK(strstr(anemone_report_json(report), "classifier.mil") != NULL);
    CHECK(strncmp(anemone_report_text(report), "target", 6) == 0);
    CHECK_FAILS(anemone_verdict_at(report, 11, &verdict), ANEMONE_ARGUMENT, "there are 11");
    anemone_report_free(report);

    const char* const rules[] = {"R103", "R104"};
    anemone_policy policy = {sizeof policy, NULL, 0, rules, 2, NULL, NULL, NULL};
    CHECK(anemone_check(model, "h13,h16", &policy, &report) == ANEMONE_OK);
    CHECK(anemone_verdict_count(report) == 2);
    CHECK(anemone_verdict_at(report, 1, &verdict) == ANEMONE_OK);
    CHECK(strcmp(verdict.target, "h16") == 0 && verdict.warnings == 0);
    anemone_report_free(report);

    policy.profile = "vendor"; /* its notes in place of others */
    CHECK(anemone_check(model, "h13", &policy, &report) == ANEMONE_OK);
    CHECK(strstr(anemone_report_json(report), "port_width_is_padded") != NULL);
    anemone_report_free(report);
    policy.size = offsetof(anemone_policy, profile); /* a caller of 0.1.0 has no such member */
    CHECK(anemone_check(model, "h13", &policy, &report) == ANEMONE_OK);
    CHECK(strstr(anemone_report_json(report), "port_width_is_padded") == NULL);
    anemone_report_free(report);
    policy.size = sizeof policy;
    policy.profile = "seller";
    CHECK_FAILS(anemone_check(model, "h13", &policy, &report), ANEMONE_ARGUMENT, "profile 'seller'");

    const anemone_policy strict = {sizeof strict, rules, 2, NULL, 0, "mil", NULL, NULL};
    CHECK(anemone_check(model, "h13", &strict, &report) == ANEMONE_OK);
    CHECK(anemone_verdict_at(report, 0, &verdict) == ANEMONE_OK);
    CHECK(verdict.accepted == 0 && verdict.errors == 7 && isnan(verdict.seconds));
    CHECK(strstr(verdict.first_blocker, "R10") != NULL);
    anemone_report_free(report);
    anemone_model_free(model);
}

static void costs(void) {
    anemone_model* const model = opened(example_file("classifier.mil"));
    anemone_cost cost;
    CHECK(anemone_estimate(model, "h13", &cost) == ANEMONE_OK);
    /* the convolution: 2 filters at 16 places of 9 products, twice; then 32 of abs, 32 of the sum, 2 of the product, 10 of
     * the softmax */
    CHECK(cost.flops == 2 * 2 * 16 * 9 + 32 + 32 + 2 + 10);
    CHECK(cost.bytes > 0 && cost.measured == 1 && strcmp(cost.bound, "dispatch") == 0);
    CHECK(fabs(cost.seconds - 0.22e-3) < 0.01e-3);
    anemone_energy energy;
    CHECK(anemone_estimate_energy(model, "h13", &energy) == ANEMONE_OK);
    CHECK(energy.engine > 0 && energy.package > energy.engine);
    CHECK(anemone_estimate_energy(model, "u1", &energy) == ANEMONE_OK && isnan(energy.package) && isnan(energy.engine));
    CHECK(anemone_estimate_energy(model, "h13", NULL) == ANEMONE_ARGUMENT);
    CHECK(anemone_estimate(model, "h16", &cost) == ANEMONE_OK);
    CHECK(cost.measured == 0);
    CHECK(anemone_estimate(model, "u1", &cost) == ANEMONE_OK); /* a chip of which nothing is known */
    CHECK(isnan(cost.seconds) && strcmp(cost.bound, "not known") == 0);
    anemone_model_free(model);
}

/* A program whose file of weights is not there: judged as it is, and run with what stands for them. */
static void without_weights(void) {
    static const char text[] =
        "program(1.3)\n{\n    func main<ios18>(tensor<fp16, [1, 4]> x) {\n        tensor<fp16, [1, 4]> w = "
        "const()[name = string(\"w\"), val = tensor<fp16, [1, 4]>(BLOBFILE(path = "
        "string(\"@model_path/weights.bin\"), offset = uint64(64)))];\n        tensor<fp16, [1, 4]> y = add(x = x, y = "
        "w)[name = string(\"y\")];\n    } -> (y);\n}\n";
    FILE* const file = fopen("c_without.mil", "w");
    CHECK(file != NULL && fputs(text, file) >= 0 && fclose(file) == 0);
    anemone_reading how = {sizeof how, NULL, NULL, 0, 0, 0, NULL, 0, "zeros", 0, 0, 0, NULL, NULL, 0, 0};
    anemone_model* model = NULL;
    anemone_program* program = NULL;
    CHECK(anemone_open("c_without.mil", &how, &model) == ANEMONE_OK);
    CHECK(anemone_compile(model, "cpu", &program) == ANEMONE_OK);
    anemone_program_free(program);
    anemone_model_free(model);
    how.weights = "c_none.safetensors";
    CHECK_FAILS(anemone_open("c_without.mil", &how, &model), ANEMONE_FILE, "c_none.safetensors");
    CHECK(remove("c_without.mil") == 0);
}

static void known_by_name(void) {
    anemone_reading how = {0};
    how.size = sizeof how;
    how.approximates = 1; /* to be judged: there are no weights */
    how.layout = "channels";
    anemone_model* model = NULL;
    CHECK(anemone_open("vit_b_16", &how, &model) == ANEMONE_OK);
    anemone_model_free(model);
    how.frame_width = 640; /* of pixels alone */
    CHECK_FAILS(anemone_open("resnet18", &how, &model), ANEMONE_ARGUMENT, "pixels");
    how.image = "pixels";
    CHECK(anemone_open("resnet18", &how, &model) == ANEMONE_OK);
    anemone_model_free(model);
    how.frame_width = 0;
    how.layout = "sideways";
    CHECK_FAILS(anemone_open("vit_b_16", &how, &model), ANEMONE_ARGUMENT, "sideways");
}

static void written_as_cpp(void) {
    anemone_model* const model = opened(example_file("classifier.mil"));
    char text[64] = "";
    CHECK(anemone_convert(model, "cpp", "c_net.hpp") == ANEMONE_OK);
    FILE* const file = fopen("c_net.hpp", "r");
    CHECK(file != NULL);
    if (file != NULL) {
        CHECK(fgets(text, sizeof text, file) != NULL &&
              strncmp(text, "// Made by `anemone convert --to cpp`", 37) == 0);
        CHECK(fclose(file) == 0);
    }
    CHECK(remove("c_net.hpp") == 0 && remove("c_net.safetensors") == 0);
    anemone_model_free(model);
}

void test_models(void) {
    CHECK(strcmp(anemone_version(), ANEMONE_EXPECTED_VERSION) == 0);
    CHECK(strcmp(anemone_error(), "") == 0);
    ports();
    verdicts();
    costs();
    without_weights();
    known_by_name();
    written_as_cpp();
}
