#ifndef ANEMONE_C_ANEMONE_H
#define ANEMONE_C_ANEMONE_H

#include <stddef.h>
#include <stdint.h>

/**
 * The C interface (C99): models of files are checked, costed and run. Link `anemone::c`, or what `pkg-config anemone_c`
 * says; docs/c.md has an example.
 *
 * A function that can fail returns a status, and leaves a sentence for `anemone_error` in its thread. Nothing is thrown
 * and nothing ends the program: a NULL where there must be something is ANEMONE_ARGUMENT. What a function cannot give it
 * sets to NULL. Texts are UTF-8 and belong to the handle that they were asked of, until it is freed. Every free function
 * takes NULL. Handles do not need each other: a model may be freed while its programs run.
 *
 * Models and reports do not change; any number of threads may use one. A program is used by one thread at a time; another
 * one gets ANEMONE_ARGUMENT.
 *
 * Nothing here was ever run on Apple silicon.
 */

#ifdef __cplusplus
extern "C" {
#endif

/** "0.1.0": of the library that runs. It grows compatibly while the second number is the same. */
const char* anemone_version(void);

/** What a call gives. An integer, so that one that is none of these is a mistake and nothing worse; so are the other
 *  enumerations. */
typedef int32_t anemone_status;
enum {
    ANEMONE_OK = 0,
    ANEMONE_FILE,     /**< a file cannot be opened, read, written or understood */
    ANEMONE_WEIGHTS,  /**< a weight is missing, misshapen or not finite */
    ANEMONE_PORT,     /**< an array is missing, unknown, or has another size or type than its port */
    ANEMONE_GRAPH,    /**< the model is malformed */
    ANEMONE_LOWERING, /**< an operation has no form for the target */
    ANEMONE_LIBRARY,  /**< the engine's library cannot be found */
    ANEMONE_ENGINE,   /**< a call into the engine's library failed */
    ANEMONE_ARGUMENT, /**< any other argument out of its range */
    ANEMONE_MEMORY,   /**< out of memory */
    ANEMONE_INTERNAL  /**< what should not happen: please report it */
};

/** "file", "port", ...; "unknown" for what is none. */
const char* anemone_status_name(anemone_status status);

/** What went wrong in the last call of this thread that failed: "port: x: is 1x3, the array is 2x3". Empty before any.
 *  Valid until the next call in this thread fails. */
const char* anemone_error(void);

/* ---- models ------------------------------------------------------------------------------------------------------ */

typedef struct anemone_model anemone_model;

/** How a model is read. NULL is the default, as is what is 0 in it. */
typedef struct anemone_reading {
    size_t size;               /**< sizeof(anemone_reading) */
    const char* function;      /**< of MIL text, or the procedure of a netplist; NULL: the only one */
    const char* const* shapes; /**< of ONNX inputs that the file leaves free: "x=1,3,224,224" */
    size_t shape_count;
    uint64_t max_memory; /**< bytes that weights, and the values of a run, may take; 0: 8 GB */
    int approximates;    /**< not 0: to be judged and drawn only, with constants as the nearest that fp16 holds */
} anemone_reading;

/** Reads MIL text, a folder of .mlmodelc, a netplist or, where the library was built with it, ONNX. */
anemone_status anemone_open(const char* path, const anemone_reading* how, anemone_model** model);
void anemone_model_free(anemone_model* model);

typedef int32_t anemone_type;
enum {
    ANEMONE_FLOAT16 = 0, /**< IEEE 754 half precision, as uint16_t */
    ANEMONE_INT8 = 1,
    ANEMONE_UINT8 = 2,
    ANEMONE_FLOAT32 = 3, /**< of arrays only, and so the next: no port has them */
    ANEMONE_FLOAT64 = 4
};

typedef int32_t anemone_direction;
enum { ANEMONE_INPUT = 0, ANEMONE_OUTPUT = 1, ANEMONE_STATE = 2 };

typedef struct anemone_port {
    const char* name; /**< belongs to the model */
    anemone_type type;
    size_t rank;
    int64_t shape[8]; /**< the first `rank` count; the others are 1 */
    size_t count;     /**< elements */
} anemone_port;

/** How many inputs, outputs or states a model has; 0 for NULL. */
size_t anemone_port_count(const anemone_model* model, anemone_direction direction);
anemone_status anemone_port_at(const anemone_model* model, anemone_direction direction, size_t index,
                               anemone_port* port);

/** What is different from the file, a sentence each; NULL where there is no such. */
size_t anemone_note_count(const anemone_model* model);
const char* anemone_note_at(const anemone_model* model, size_t index);

/* ---- what the engine makes of a model ---------------------------------------------------------------------------- */

typedef struct anemone_report anemone_report;

/** Which findings count. NULL is the default: the rules of any route, rejects and hazards are errors. */
typedef struct anemone_policy {
    size_t size;               /**< sizeof(anemone_policy) */
    const char* const* errors; /**< rules whose warnings are errors, by fact ("R030") or name */
    size_t error_count;
    const char* const* waived; /**< rules that are not checked */
    size_t waived_count;
    const char* route; /**< "any", "mil" or "netplist"; NULL: "any" */
} anemone_policy;

typedef struct anemone_verdict {
    const char* target;        /**< "h13" */
    const char* product;       /**< "M1 base" */
    const char* first_blocker; /**< why it is refused; empty where it is accepted */
    int accepted;
    size_t errors;
    size_t warnings;
    size_t notes;
    double seconds; /**< of a run, estimated; NaN where it is not known or the model is refused */
} anemone_verdict;

/** Checks a model against targets: "macs", "all", "h13", "h14..h16", "h15..", or several with commas; NULL: "macs". */
anemone_status anemone_check(const anemone_model* model, const char* targets, const anemone_policy* policy,
                             anemone_report** report);
void anemone_report_free(anemone_report* report);
/** How many targets were asked; 0 for NULL. */
size_t anemone_verdict_count(const anemone_report* report);
anemone_status anemone_verdict_at(const anemone_report* report, size_t index, anemone_verdict* verdict);
/** What `anemone check --format json` prints, with every finding; NULL for NULL. */
const char* anemone_report_json(const anemone_report* report);
/** The verdicts as text; NULL for NULL. */
const char* anemone_report_text(const anemone_report* report);

typedef struct anemone_cost {
    double seconds;    /**< of a run, estimated; NaN where the target's rates are not known */
    int64_t flops;     /**< twice the multiply-adds and everything else */
    int64_t bytes;     /**< that the layers read and write */
    const char* bound; /**< "compute", "memory", "dispatch", "none" or "not known"; never freed */
    int measured;      /**< whether the rates were fitted to this chip; otherwise they are scaled from another */
} anemone_cost;

/** What a run costs on one target, such as "h13". */
anemone_status anemone_estimate(const anemone_model* model, const char* target, anemone_cost* cost);

/* ---- programs ---------------------------------------------------------------------------------------------------- */

typedef struct anemone_program anemone_program;

/** Compiles for a backend: "cpu", "oracle:h13" (a chip's arithmetic, bit by bit), "engine:h13"; NULL: "cpu". */
anemone_status anemone_compile(const anemone_model* model, const char* backend, anemone_program** program);
void anemone_program_free(anemone_program* program);

/** Memory of the caller, for a port by name: dense, row-major. */
typedef struct anemone_array {
    const char* name;
    anemone_type type; /**< of these elements: numbers are converted where the port has another */
    void* data;        /**< inputs are only read */
    size_t bytes;      /**< checked: elements of the port times the size of one */
} anemone_array;

/** Runs once. Every input has to be there; outputs may be left out. The states go on from run to run. A number that a port
 *  does not hold is an error, as is an output that shares memory with another array. The outputs of a run that fails
 *  hold anything. */
anemone_status anemone_run(anemone_program* program, const anemone_array* inputs, size_t input_count,
                           const anemone_array* outputs, size_t output_count);

/** The value of a state, named by the array. */
anemone_status anemone_read_state(anemone_program* program, const anemone_array* to);
anemone_status anemone_write_state(anemone_program* program, const anemone_array* from);
/** Zeros for all states. */
anemone_status anemone_reset(anemone_program* program);

#ifdef __cplusplus
}
#endif

#endif
