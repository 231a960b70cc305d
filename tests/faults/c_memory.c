/* Every function of the C interface where the n-th allocation fails, once or with all later ones: a status, and never the end
   of the program. Runs below failing_calls (LD_PRELOAD). Arguments: a model, a folder to write to, the stride over n.

   The last argument may be "cancel": every long function then ends with ANEMONE_CANCELLED, before and during the call. */
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
static anemone_model* model; /* opened before anything fails */
static anemone_program* program;
static uint16_t x[8];
static uint16_t y[64];

static anemone_status open_model(void) {
    anemone_model* made = NULL;
    const anemone_status status = anemone_open(path, NULL, &made);
    anemone_model_free(made);
    return status;
}
static anemone_status convert(void) { return anemone_convert(model, "mlpackage", folder); }
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
static anemone_status wrong(void) {
    anemone_model* made = NULL;
    const anemone_status status = anemone_open("/there/is/no/such.mil", NULL, &made);
    return status == ANEMONE_FILE ? ANEMONE_OK : status;
}

static const struct {
    const char* name;
    anemone_status (*call)(void);
    int is_long;
} calls[] = {{"open", open_model, 1},   {"convert", convert, 0},   {"check", check, 0},     {"estimate", estimate, 0},
             {"optimize", optimize, 1}, {"compress", compress, 1}, {"place", place, 0},     {"timeline", timeline, 0},
             {"diff", differ, 1},       {"drawing", drawing, 1},   {"compile", compile, 0}, {"run", run, 1},
             {"open nothing", wrong, 0}};

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
    if (count < 4) {
        return 2;
    }
    path = arguments[1];
    folder = arguments[2];
    if (anemone_open(path, NULL, &model) != ANEMONE_OK || anemone_compile(model, "cpu", &program) != ANEMONE_OK) {
        printf("%s\n", anemone_error());
        return 1;
    }
    if (strcmp(arguments[3], "cancel") == 0) {
        cancelled();
        cancelled_meanwhile("compress", long_compress);
        cancelled_meanwhile("diff", long_differ);
    } else {
        without_memory(atol(arguments[3]));
    }
    anemone_program_free(program);
    anemone_model_free(model);
    printf("%d failed\n", failures);
    return failures > 0 ? 1 : 0;
}
