/* Every function of the C interface where the n-th allocation fails, once or with all later ones: a status, and never the end
   of the program. Runs below failing_calls (LD_PRELOAD). Arguments: a model, a model with a state, a language model, a folder to write
   to, the stride over n, and the interface's header and this file: every function of the one is called in the other.

   Instead of the last three there may be "cancel": every long function then ends with ANEMONE_CANCELLED, before and during the
   call. */
#define _GNU_SOURCE
#include <anemone/c/anemone.h>

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int failures;
static const char* path;
static const char* folder;
/* Made before anything fails. */
static anemone_model* model;
static anemone_model* trainable; /* the same, with its weight in a file of its own */
static anemone_program* program;
static anemone_program* counter; /* with the state "sum" of 3 elements */
static anemone_report* report;
static anemone_plan* optimized;
static anemone_plan* compressed;
static anemone_plan* placed;
static anemone_plan* timed;
static anemone_plan* differed;
static const char* language_path;
static anemone_language_model* language;
static anemone_plan* trained;
static uint16_t x[8];
static uint16_t y[64];

static anemone_status open_model(void) {
    anemone_model* made = NULL;
    const anemone_status status = anemone_open(path, NULL, &made);
    anemone_model_free(made);
    return status;
}
/* What is written lies below the folder. */
static anemone_status convert_to(const char* format, const char* name) {
    char place[4096];
    snprintf(place, sizeof place, "%s/%s", folder, name);
    return anemone_convert(model, format, place);
}
static anemone_status convert(void) { return convert_to("mlpackage", "c.mlpackage"); }
static anemone_status convert_mil(void) { return convert_to("mil", "as_mil"); }
static anemone_status convert_netplist(void) { return convert_to("netplist", "as_netplist"); }
static anemone_status convert_cpp(void) { return convert_to("cpp", "c.hpp"); }
static anemone_status check(void) {
    anemone_report* made = NULL;
    const anemone_status status = anemone_check(model, "macs", NULL, &made);
    anemone_report_free(made);
    return status;
}
static anemone_status estimate(void) {
    anemone_cost cost;
    return anemone_estimate(model, "h13", &cost);
}
static anemone_status estimate_energy(void) {
    anemone_energy energy;
    return anemone_estimate_energy(model, "h13", &energy);
}
static anemone_status estimate_decoding(void) {
    anemone_decoding_cost cost;
    return anemone_estimate_decoding(language_path, "h13", NULL, &cost);
}
static anemone_status finished(anemone_status status, anemone_plan* plan) {
    anemone_plan_free(plan);
    return status;
}
static anemone_status optimize(void) {
    anemone_plan* made = NULL;
    return finished(anemone_optimize(model, "h13", NULL, &made), made);
}
static anemone_status compress_by(size_t runs) {
    anemone_compressing how;
    anemone_plan* made = NULL;
    memset(&how, 0, sizeof how);
    how.size = sizeof how;
    how.runs = runs;
    how.most_loss = 1;
    return finished(anemone_compress(model, "h13", &how, &made), made);
}
static anemone_status compress(void) { return compress_by(4); }
static anemone_status place(void) {
    anemone_plan* made = NULL;
    return finished(anemone_place(model, "h17s", NULL, &made), made);
}
static anemone_status timeline(void) {
    const anemone_model* all[1];
    anemone_plan* made = NULL;
    all[0] = model;
    return finished(anemone_timeline(all, 1, "h13", NULL, &made), made);
}
static anemone_status differ(void) {
    anemone_plan* made = NULL;
    return finished(anemone_diff(model, NULL, &made), made);
}
/* How many moments were told. */
static void count_moment(void* context, const anemone_moment* moment) { *(int64_t*)context += moment->step > 0; }
static anemone_status train_for(int64_t steps, anemone_plan** made) {
    static uint16_t image[128];
    static uint16_t labels[2];
    anemone_array arrays[2];
    anemone_samples data;
    anemone_training how;
    int64_t told = 0;
    anemone_status status;
    memset(arrays, 0, sizeof arrays);
    arrays[0].name = "x";
    arrays[0].type = ANEMONE_FLOAT16;
    arrays[0].data = image;
    arrays[0].bytes = 2 * sizeof x;
    arrays[1].name = "wanted";
    arrays[1].type = ANEMONE_FLOAT16;
    arrays[1].data = labels;
    arrays[1].bytes = sizeof labels;
    data.arrays = arrays;
    data.array_count = 2;
    data.count = 2;
    memset(&how, 0, sizeof how);
    how.size = sizeof how;
    how.data = &data;
    how.loss = "cross_entropy";
    how.steps = steps;
    how.threads = 1;
    status = anemone_train(trainable, &how, count_moment, &told, made);
    return status == ANEMONE_OK && told != steps ? ANEMONE_INTERNAL : status;
}
static anemone_status train(void) {
    anemone_plan* made = NULL;
    return finished(train_for(2, &made), made);
}
static anemone_status drawing(void) {
    anemone_plan* made = NULL;
    const char* svg = NULL;
    anemone_status status = anemone_optimize(model, "h13", NULL, &made);
    if (status == ANEMONE_OK) {
        status = anemone_plan_drawing(made, &svg);
    }
    return finished(status, made);
}
static anemone_status compile(void) {
    anemone_program* made = NULL;
    const anemone_status status = anemone_compile(model, "oracle:h13", &made);
    anemone_program_free(made);
    return status;
}
static anemone_status run(void) {
    anemone_array in;
    anemone_array out;
    memset(&in, 0, sizeof in);
    memset(&out, 0, sizeof out);
    in.name = "x";
    in.type = ANEMONE_FLOAT16;
    in.data = x;
    in.bytes = sizeof x;
    out.name = "z";
    out.type = ANEMONE_FLOAT16;
    out.data = y;
    out.bytes = 24;
    return anemone_run(program, &in, 1, &out, 1);
}
/* A text that is there. */
static anemone_status there(const char* text) {
    return text != NULL && text[0] != '\0' ? ANEMONE_OK : ANEMONE_INTERNAL;
}
static anemone_status texts(void) {
    const char* const all[] = {
        anemone_report_json(report),        anemone_report_text(report),   anemone_plan_text(optimized),
        anemone_plan_json(optimized),       anemone_plan_text(compressed), anemone_plan_json(compressed),
        anemone_plan_text(placed),          anemone_plan_json(placed),     anemone_plan_text(timed),
        anemone_plan_json(timed),           anemone_plan_text(differed),   anemone_plan_json(differed),
        anemone_plan_text(trained),         anemone_plan_json(trained),    anemone_version(),
        anemone_status_name(ANEMONE_MEMORY)};
    size_t i;
    for (i = 0; i < sizeof all / sizeof all[0]; ++i) {
        if (there(all[i]) != ANEMONE_OK) {
            return ANEMONE_INTERNAL;
        }
    }
    return ANEMONE_OK;
}
static anemone_status looks(void) {
    anemone_port port;
    anemone_verdict verdict;
    const anemone_status status = anemone_port_at(model, ANEMONE_INPUT, 0, &port);
    return status != ANEMONE_OK || anemone_port_count(model, ANEMONE_OUTPUT) != 1 ||
                   anemone_note_at(model, anemone_note_count(model)) != NULL || anemone_verdict_count(report) == 0
               ? status == ANEMONE_OK ? ANEMONE_INTERNAL : status
               : anemone_verdict_at(report, 0, &verdict);
}
static anemone_status beyond(void) {
    anemone_port port;
    const anemone_status status = anemone_port_at(model, ANEMONE_INPUT, 1000, &port);
    return status == ANEMONE_ARGUMENT ? ANEMONE_OK : status;
}
static anemone_status figures(void) {
    anemone_optimized o;
    anemone_compressed c;
    anemone_placed p;
    anemone_timed t;
    anemone_differed d;
    anemone_trained r;
    anemone_status status = anemone_plan_optimized(optimized, &o);
    status = status == ANEMONE_OK ? anemone_plan_compressed(compressed, &c) : status;
    status = status == ANEMONE_OK ? anemone_plan_placed(placed, &p) : status;
    status = status == ANEMONE_OK ? anemone_plan_timed(timed, &t) : status;
    status = status == ANEMONE_OK ? anemone_plan_differed(differed, &d) : status;
    return status == ANEMONE_OK ? anemone_plan_trained(trained, &r) : status;
}
static anemone_status figures_of_another(void) {
    anemone_timed t;
    const anemone_status status = anemone_plan_timed(placed, &t);
    return status == ANEMONE_ARGUMENT ? ANEMONE_OK : status;
}
static anemone_status made_model(void) {
    anemone_model* made = NULL;
    const anemone_status status = anemone_plan_model(compressed, &made);
    anemone_model_free(made);
    return status;
}
static anemone_array sum_of(uint16_t* to) {
    anemone_array a;
    memset(&a, 0, sizeof a);
    a.name = "sum";
    a.type = ANEMONE_FLOAT16;
    a.data = to;
    a.bytes = 6;
    return a;
}
static anemone_status states(void) {
    const anemone_array sum = sum_of(y);
    anemone_status status = anemone_reset(counter);
    status = status == ANEMONE_OK ? anemone_write_state(counter, &sum) : status;
    return status == ANEMONE_OK ? anemone_read_state(counter, &sum) : status;
}
static anemone_status opened_language(const char* backend, anemone_language_model** made) {
    anemone_decoding how;
    memset(&how, 0, sizeof how);
    how.size = sizeof how;
    how.context = 16;
    how.chunk = 4;
    how.backend = backend;
    return anemone_language_model_open(language_path, &how, made);
}
static anemone_status open_language(void) {
    anemone_language_model* made = NULL;
    const anemone_status status = opened_language("cpu", &made);
    const int64_t tokens = anemone_vocabulary(made);
    anemone_language_model_free(made);
    return status == ANEMONE_OK && tokens != 24 ? ANEMONE_INTERNAL : status;
}
static anemone_status generate(void) {
    static const int32_t prompt[6] = {1, 2, 3, 4, 5, 6};
    anemone_generation* made = NULL;
    anemone_status status = anemone_generate(language, prompt, 6, NULL, &made);
    int32_t token = 0;
    const char* json = NULL;
    int i;
    for (i = 0; i < 3 && status == ANEMONE_OK; ++i) {
        status = anemone_next_token(made, &token);
    }
    status = status == ANEMONE_OK ? anemone_generation_json(made, &json) : status;
    anemone_generation_free(made);
    return status;
}
static anemone_status wish(void) {
    anemone_cancellation* made = NULL;
    const anemone_status status = anemone_cancellation_make(&made);
    anemone_cancellable(made);
    anemone_cancellable(NULL);
    anemone_cancellation_free(made);
    return status;
}
static anemone_status wrong(void) {
    anemone_model* made = NULL;
    const anemone_status status = anemone_open("/there/is/no/such.mil", NULL, &made);
    return status == ANEMONE_FILE ? ANEMONE_OK : status;
}

static const struct {
    const char* name;
    anemone_status (*call)(void);
    int is_long;
} calls[] = {{"open", open_model, 1},
             {"convert", convert, 0},
             {"check", check, 1},
             {"estimate", estimate, 0},
             {"estimate_energy", estimate_energy, 0},
             {"estimate_decoding", estimate_decoding, 0},
             {"optimize", optimize, 1},
             {"compress", compress, 1},
             {"place", place, 0},
             {"timeline", timeline, 0},
             {"diff", differ, 1},
             {"train", train, 1},
             {"drawing", drawing, 1},
             {"compile", compile, 0},
             {"run", run, 1},
             {"open nothing", wrong, 0},
             {"convert to MIL", convert_mil, 0},
             {"convert to a netplist", convert_netplist, 0},
             {"convert to C++", convert_cpp, 0},
             {"texts", texts, 0},
             {"looks", looks, 0},
             {"a port that is not there", beyond, 0},
             {"figures", figures, 0},
             {"figures of another plan", figures_of_another, 0},
             {"the model of a plan", made_model, 0},
             {"states", states, 0},
             {"open a language model", open_language, 0},
             {"generate", generate, 1},
             {"cancellation_make", wish, 0}};

/* Everything that the calls above are about. */
static anemone_status make_all(const char* with_state) {
    anemone_model* counting = NULL;
    const anemone_model* all[1];
    anemone_compressing how;
    anemone_status status = anemone_open(path, NULL, &model);
    status = status == ANEMONE_OK ? anemone_compile(model, "cpu", &program) : status;
    if (status == ANEMONE_OK) {
        char place[4096];
        snprintf(place, sizeof place, "%s/trainable", folder);
        status = anemone_convert(model, "mil", place);
        status = status == ANEMONE_OK ? anemone_open(place, NULL, &trainable) : status;
    }
    status = status == ANEMONE_OK ? anemone_open(with_state, NULL, &counting) : status;
    status = status == ANEMONE_OK ? anemone_compile(counting, "cpu", &counter) : status;
    anemone_model_free(counting);
    status = status == ANEMONE_OK ? anemone_check(model, "macs", NULL, &report) : status;
    status = status == ANEMONE_OK ? anemone_optimize(model, "h13", NULL, &optimized) : status;
    memset(&how, 0, sizeof how);
    how.size = sizeof how;
    how.runs = 4;
    how.most_loss = 1;
    status = status == ANEMONE_OK ? anemone_compress(model, "h13", &how, &compressed) : status;
    status = status == ANEMONE_OK ? anemone_place(model, "h17s", NULL, &placed) : status;
    all[0] = model;
    status = status == ANEMONE_OK ? anemone_timeline(all, 1, "h13", NULL, &timed) : status;
    status = status == ANEMONE_OK ? anemone_diff(model, NULL, &differed) : status;
    status = status == ANEMONE_OK ? opened_language("cpu", &language) : status;
    return status == ANEMONE_OK ? train_for(2, &trained) : status;
}
static void free_all(void) {
    anemone_plan_free(trained);
    anemone_language_model_free(language);
    anemone_plan_free(differed);
    anemone_plan_free(timed);
    anemone_plan_free(placed);
    anemone_plan_free(compressed);
    anemone_plan_free(optimized);
    anemone_report_free(report);
    anemone_program_free(counter);
    anemone_program_free(program);
    anemone_model_free(trainable);
    anemone_model_free(model);
}

static void fail(const char* name, long n, int later, const char* what) {
    ++failures;
    printf("%s, allocation %ld%s: %s (%s)\n", name, n, later ? " and all later ones" : "", what, anemone_error());
}

static void without_memory(long stride) {
    void (*fail_at)(int, long, int);
    long (*calls_of)(int);
    size_t i;
    *(void**)&fail_at = dlsym(RTLD_DEFAULT, "fail_at");
    *(void**)&calls_of = dlsym(RTLD_DEFAULT, "calls_of");
    if (fail_at == NULL || calls_of == NULL) {
        printf("failing_calls is not loaded\n");
        exit(1);
    }
    for (i = 0; i < sizeof calls / sizeof calls[0]; ++i) {
        long most;
        long n;
        int later;
        fail_at(0, 0, 0);
        if (calls[i].call() != ANEMONE_OK) {
            fail(calls[i].name, 0, 0, "does not work");
        }
        most = calls_of(0) < 2000 ? calls_of(0) : 2000;
        for (later = 0; later < 2; ++later) {
            for (n = 1; n <= most; n += n < 4 ? 1 : stride) {
                anemone_status status;
                fail_at(0, n, later);
                status = calls[i].call();
                fail_at(0, 0, 0);
                if (status != ANEMONE_OK && status != ANEMONE_MEMORY) {
                    fail(calls[i].name, n, later, anemone_status_name(status));
                } else if (status == ANEMONE_MEMORY && strstr(anemone_error(), "memory") == NULL) {
                    fail(calls[i].name, n, later, "without a sentence");
                }
                if (calls[i].call() != ANEMONE_OK) { /* nothing was left in disorder */
                    fail(calls[i].name, n, later, "does not work afterwards");
                }
            }
        }
    }
}

static char* text_of(const char* name) {
    FILE* const file = fopen(name, "rb");
    char* const text = calloc(1, 1 << 18);
    if (file == NULL || text == NULL || fread(text, 1, (1 << 18) - 1, file) == 0) {
        printf("%s cannot be read\n", name);
        exit(1);
    }
    fclose(file);
    return text;
}

/* Whether the code names this function of the interface. */
static int is_called(const char* code, const char* name) {
    const size_t size = strlen(name);
    const char* at = strstr(code, name);
    while (at != NULL && at[size] != '(') {
        at = strstr(at + 1, name);
    }
    return at != NULL;
}

/* A function that the header declares and this file does not call is one that nothing was said of. */
static void calls_every_function(const char* header, const char* source) {
    char* const declared = text_of(header);
    char* const code = text_of(source);
    const char* at = strstr(declared, "anemone_");
    int functions = 0;
    for (; at != NULL; at = strstr(at, "anemone_")) {
        const size_t size = strspn(at, "abcdefghijklmnopqrstuvwxyz0123456789_");
        if (at[size] == '(' && size < 64) {
            char name[64] = "";
            memcpy(name, at, size);
            ++functions;
            if (!is_called(code, name)) {
                fail(name, 0, 0, "is not called by this test");
            }
        }
        at += size;
    }
    if (functions < 40) {
        fail(header, 0, 0, "has fewer functions than there were");
    }
    free(code);
    free(declared);
}

static void cancelled(void) {
    size_t i;
    anemone_cancellation* wish = NULL;
    if (anemone_cancellation_make(&wish) != ANEMONE_OK || anemone_cancellation_make(NULL) != ANEMONE_ARGUMENT) {
        fail("anemone_cancellation_make", 0, 0, "does not work");
    }
    anemone_cancel(NULL);
    anemone_cancel(wish);
    for (i = 0; i < sizeof calls / sizeof calls[0]; ++i) {
        anemone_status status;
        anemone_cancellable(wish);
        status = calls[i].call();
        anemone_cancellable(NULL);
        if (calls[i].is_long && status != ANEMONE_CANCELLED) {
            fail(calls[i].name, 0, 0, "was not cancelled");
        }
        if (calls[i].call() != ANEMONE_OK) {
            fail(calls[i].name, 0, 0, "does not work afterwards");
        }
    }
    anemone_cancellation_free(wish);
    anemone_cancellation_free(NULL);
    if (strcmp(anemone_status_name(ANEMONE_CANCELLED), "cancelled") != 0) {
        fail("anemone_status_name", 0, 0, "has no name for it");
    }
}

/* Calls that take a while; one after the other, they go on until they are cancelled. */
static anemone_status long_compress(void) { return compress_by(4096); }
static anemone_status long_differ(void) {
    anemone_differing how;
    anemone_plan* made = NULL;
    memset(&how, 0, sizeof how);
    how.size = sizeof how;
    how.runs = 4096;
    return finished(anemone_diff(model, &how, &made), made);
}

static anemone_status long_train(void) {
    anemone_plan* made = NULL;
    return finished(train_for(1000000, &made), made);
}

static void* cancel_soon(void* wish) {
    const struct timespec soon = {0, 100000000};
    nanosleep(&soon, NULL);
    anemone_cancel(wish);
    return NULL;
}

static void cancelled_meanwhile(const char* name, anemone_status (*call)(void)) {
    pthread_t other;
    int calls_done = 0;
    anemone_status status;
    anemone_cancellation* wish = NULL;
    if (anemone_cancellation_make(&wish) != ANEMONE_OK || pthread_create(&other, NULL, cancel_soon, wish) != 0) {
        fail(name, 0, 0, "cannot be tried");
        return;
    }
    anemone_cancellable(wish);
    do {
        status = call();
    } while (status == ANEMONE_OK && ++calls_done < 10000);
    anemone_cancellable(NULL);
    pthread_join(other, NULL);
    anemone_cancellation_free(wish);
    if (status != ANEMONE_CANCELLED) {
        fail(name, 0, 0, "was not cancelled while it ran");
    }
}

int main(int count, char** arguments) {
    const int is_cancelled = count == 6 && strcmp(arguments[5], "cancel") == 0;
    if (count != 8 && !is_cancelled) {
        return 2;
    }
    path = arguments[1];
    folder = arguments[4];
    language_path = arguments[3];
    if (make_all(arguments[2]) != ANEMONE_OK) {
        printf("%s\n", anemone_error());
        return 1;
    }
    if (is_cancelled) {
        cancelled();
        cancelled_meanwhile("compress", long_compress);
        cancelled_meanwhile("diff", long_differ);
        cancelled_meanwhile("train", long_train);
    } else {
        calls_every_function(arguments[6], arguments[7]);
        without_memory(atol(arguments[5]));
    }
    free_all();
    printf("%d failed\n", failures);
    return failures > 0 ? 1 : 0;
}
