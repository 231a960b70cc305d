/* A library to be loaded before a program (LD_PRELOAD) whose calls are to fail: the n-th allocation, or the n-th open, write,
   rename, mkdir, fsync or read, once or from there on; or at which a signal comes. Counted from the begin of main on.

   ANEMONE_FAIL=<what>:<n>[+][:<signal>]   what: memory, open (no more files), refuse (an open without permission), write,
                                           rename, mkdir, sync, read (the disk fails under a read or pread); + all later
                                           ones too; or shrink: the file of the n-th pread loses all of its bytes before that
   ANEMONE_FAIL_COUNTS=<file>              how many calls of each there were is written there at the end
   ANEMONE_FAIL_SERVER=<in>,<out>          descriptors: main runs in a child for each line that comes, which is one like
                                           ANEMONE_FAIL, and the status of that (waitpid) goes out as a line

   A program can ask for itself: fail_at(what, n, later), 0 for none; calls_of(what). */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

enum what { memory, opening, refusing, writing, renaming, making, syncing, shrinking, reading, kinds };
static const char* const names[kinds] = {"memory", "open", "refuse", "write", "rename",
                                         "mkdir",  "sync", "shrink", "read"};

static atomic_int armed;
static atomic_long counts[kinds];
static long fails[kinds];
static int later[kinds];
static int with_signal;

void fail_at(int what, long n, int all_later) {
    atomic_store(&counts[what], 0);
    fails[what] = n;
    later[what] = all_later;
    atomic_store(&armed, 1);
}
long calls_of(int what) { return atomic_load(&counts[what]); }

static int fails_now(int what) {
    if (!atomic_load(&armed)) {
        return 0;
    }
    const long n = atomic_fetch_add(&counts[what], 1) + 1;
    const int now = fails[what] > 0 && (n == fails[what] || (later[what] && n > fails[what]));
    if (now && with_signal != 0) {
        raise(with_signal);
        return 0;
    }
    return now;
}

/* ---- memory ---------------------------------------------------------------------------------------------------------- */

extern void* __libc_malloc(size_t);
extern void* __libc_calloc(size_t, size_t);
extern void* __libc_realloc(void*, size_t);
extern void* __libc_memalign(size_t, size_t);

static int without_memory(void) {
    if (fails_now(memory)) {
        errno = ENOMEM;
        return 1;
    }
    return 0;
}

void* malloc(size_t size) { return without_memory() ? NULL : __libc_malloc(size); }
void* calloc(size_t count, size_t size) { return without_memory() ? NULL : __libc_calloc(count, size); }
void* realloc(void* old, size_t size) { return without_memory() ? NULL : __libc_realloc(old, size); }
void* aligned_alloc(size_t alignment, size_t size) {
    return without_memory() ? NULL : __libc_memalign(alignment, size);
}
void* memalign(size_t alignment, size_t size) { return without_memory() ? NULL : __libc_memalign(alignment, size); }
int posix_memalign(void** made, size_t alignment, size_t size) {
    void* const found = without_memory() ? NULL : __libc_memalign(alignment, size);
    if (found == NULL) {
        return ENOMEM;
    }
    *made = found;
    return 0;
}

/* ---- files ----------------------------------------------------------------------------------------------------------- */

static ssize_t (*true_write)(int, const void*, size_t);
static int (*true_open)(const char*, int, ...);
static int (*true_openat)(int, const char*, int, ...);
static int (*true_rename)(const char*, const char*);
static int (*true_exchange)(int, const char*, int, const char*, unsigned);
static int (*true_mkdir)(const char*, mode_t);
static int (*true_sync)(int);
static ssize_t (*true_pread)(int, void*, size_t, off_t);
static ssize_t (*true_read)(int, void*, size_t);

__attribute__((constructor)) static void find_calls(void) {
    *(void**)&true_write = dlsym(RTLD_NEXT, "write");
    *(void**)&true_open = dlsym(RTLD_NEXT, "open");
    *(void**)&true_openat = dlsym(RTLD_NEXT, "openat");
    *(void**)&true_rename = dlsym(RTLD_NEXT, "rename");
    *(void**)&true_exchange = dlsym(RTLD_NEXT, "renameat2");
    *(void**)&true_mkdir = dlsym(RTLD_NEXT, "mkdir");
    *(void**)&true_sync = dlsym(RTLD_NEXT, "fsync");
    *(void**)&true_pread = dlsym(RTLD_NEXT, "pread");
    *(void**)&true_read = dlsym(RTLD_NEXT, "read");
}

ssize_t write(int file, const void* from, size_t size) {
    if (file > 2 && fails_now(writing)) { /* what is said of it can be said */
        errno = ENOSPC;
        return -1;
    }
    return true_write(file, from, size);
}
/* Whether an opening fails now, with the reason in errno. */
static int opening_fails(void) {
    if (fails_now(opening)) {
        errno = EMFILE;
        return 1;
    }
    if (fails_now(refusing)) {
        errno = EACCES;
        return 1;
    }
    return 0;
}
/* The mode of a file that may be made, which is the argument behind the flags. */
static mode_t mode_behind(int flags, va_list rest) { return (flags & O_CREAT) != 0 ? va_arg(rest, mode_t) : 0; }

int open(const char* path, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    const mode_t mode = mode_behind(flags, rest);
    va_end(rest);
    return opening_fails() ? -1 : true_open(path, flags, mode);
}
int openat(int in, const char* path, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    const mode_t mode = mode_behind(flags, rest);
    va_end(rest);
    return opening_fails() ? -1 : true_openat(in, path, flags, mode);
}
int openat64(int in, const char* path, int flags, ...) __attribute__((alias("openat")));
int open64(const char* path, int flags, ...) __attribute__((alias("open")));
int rename(const char* from, const char* to) {
    if (fails_now(renaming)) {
        errno = EIO;
        return -1;
    }
    return true_rename(from, to);
}
int renameat2(int in, const char* from, int into, const char* to, unsigned how) {
    if (fails_now(renaming)) {
        errno = EIO;
        return -1;
    }
    return true_exchange(in, from, into, to, how);
}
int mkdir(const char* path, mode_t mode) {
    if (fails_now(making)) {
        errno = ENOSPC;
        return -1;
    }
    return true_mkdir(path, mode);
}
int fsync(int file) {
    if (fails_now(syncing)) {
        errno = EIO;
        return -1;
    }
    return true_sync(file);
}

ssize_t pread(int file, void* to, size_t size, off_t at) {
    if (fails_now(shrinking)) {
        char path[64];
        snprintf(path, sizeof path, "/proc/self/fd/%d", file);
        if (truncate(path, 0) != 0) {
            abort();
        }
    }
    if (fails_now(reading)) {
        errno = EIO;
        return -1;
    }
    return true_pread(file, to, size, at);
}
ssize_t read(int file, void* to, size_t size) {
    if (fails_now(reading)) {
        errno = EIO;
        return -1;
    }
    return true_read(file, to, size);
}
ssize_t pread64(int file, void* to, size_t size, off_t at) __attribute__((alias("pread")));

/* ---- from main on ---------------------------------------------------------------------------------------------------- */

static void read_wish(const char* text) {
    for (int what = 0; what < kinds; ++what) {
        const size_t size = strlen(names[what]);
        if (strncmp(text, names[what], size) == 0 && text[size] == ':') {
            char* end = NULL;
            fails[what] = strtol(text + size + 1, &end, 10);
            later[what] = *end == '+';
            end += *end == '+';
            with_signal = *end == ':' ? atoi(end + 1) : 0;
        }
    }
}

static void write_counts(void) {
    const char* const path = getenv("ANEMONE_FAIL_COUNTS");
    atomic_store(&armed, 0);
    if (path != NULL) {
        char text[512];
        int size = 0;
        for (int what = 0; what < kinds; ++what) {
            size += snprintf(text + size, sizeof text - (size_t)size, "%s %ld\n", names[what], calls_of(what));
        }
        const int file = true_open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
        if (file < 0 || true_write(file, text, (size_t)size) != size) {
            abort();
        }
        close(file);
    }
}

/* Returns in a child that is to go on with main; ends the process where no more is asked. A start of the program, whose
   libraries are bound and whose objects are made, takes longer than most of what is asked. */
static void serve(const char* descriptors) {
    char* end = NULL;
    const int in = (int)strtol(descriptors, &end, 10);
    const int out = *end == ',' ? (int)strtol(end + 1, NULL, 10) : -1;
    char line[256];
    for (;;) {
        size_t size = 0;
        while (size < sizeof line - 1 && true_read(in, line + size, 1) == 1 && line[size] != '\n') {
            ++size;
        }
        if (size == 0) {
            _exit(0);
        }
        line[size] = '\0';
        const pid_t child = fork();
        if (child == 0) {
            close(in);
            close(out);
            read_wish(line);
            return;
        }
        int status = 0;
        if (child < 0 || waitpid(child, &status, 0) != child) {
            abort();
        }
        size = (size_t)snprintf(line, sizeof line, "%d\n", status);
        if (true_write(out, line, size) != (ssize_t)size) {
            _exit(1);
        }
    }
}

static int (*true_main)(int, char**, char**);
static int counted_main(int count, char** arguments, char** environment) {
    const char* const server = getenv("ANEMONE_FAIL_SERVER");
    if (server != NULL) {
        serve(server);
        atomic_store(&armed, 1);
        return true_main(count, arguments, environment);
    }
    atexit(write_counts);
    if (getenv("ANEMONE_FAIL") != NULL) {
        read_wish(getenv("ANEMONE_FAIL"));
    }
    atomic_store(&armed, getenv("ANEMONE_FAIL") != NULL || getenv("ANEMONE_FAIL_COUNTS") != NULL);
    return true_main(count, arguments, environment);
}

int __libc_start_main(int (*main)(int, char**, char**), int argc, char** argv, void (*init)(void), void (*fini)(void),
                      void (*rtld_fini)(void), void* stack_end) {
    int (*start)(int (*)(int, char**, char**), int, char**, void (*)(void), void (*)(void), void (*)(void), void*);
    *(void**)&start = dlsym(RTLD_NEXT, "__libc_start_main");
    true_main = main;
    return start(counted_main, argc, argv, init, fini, rtld_fini, stack_end);
}
