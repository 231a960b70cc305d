#ifndef ANEMONE_C_ANEMONE_H
#define ANEMONE_C_ANEMONE_H

#include <stddef.h>
#include <stdint.h>

/**
 * The C interface (C99): models of files are checked, costed, planned and run. Link `anemone::c`, or what `pkg-config
 * anemone_c` says; docs/c.md has an example.
 *
 * A function that can fail returns a status, and leaves a sentence for `anemone_error` in its thread. Nothing is thrown
 * and nothing ends the program, a file that becomes shorter and memory that runs out neither: a NULL where there must be
 * something is ANEMONE_ARGUMENT. What a function cannot give it
 * sets to NULL. Texts are UTF-8 and belong to the handle that they were asked of, until it is freed. Every free function
 * takes NULL. Handles do not need each other: a model may be freed while its programs run.
 *
 * Models, reports and plans do not change; any number of threads may use one. A program is used by one thread at a time;
 * another one gets ANEMONE_ARGUMENT.
 *
 * Nothing here was ever run on Apple silicon.
 */

#ifdef __cplusplus
extern "C" {
#endif

/** "0.1.0": of the library that runs. It grows compatibly while the second number is the same. */
const char* anemone_version(void);

/** What a call gives. An integer, so that an unknown value is an error and not undefined; so are the other
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
    ANEMONE_INTERNAL, /**< what should not happen: please report it */
    ANEMONE_CANCELLED /**< anemone_cancel was called; nothing is wrong */
};

/** "file", "port", ...; "unknown" for any other value. */
const char* anemone_status_name(anemone_status status);

/** What went wrong in the last call of this thread that failed: "port: x: is 1x3, the array is 2x3". Empty before any.
 *  Valid until the next call in this thread fails. */
const char* anemone_error(void);

/* ---- cancelling -------------------------------------------------------------------------------------------------- */

/** A wish that long calls end. */
typedef struct anemone_cancellation anemone_cancellation;

anemone_status anemone_cancellation_make(anemone_cancellation** wish);
/** Not while it is of a thread's calls. */
void anemone_cancellation_free(anemone_cancellation* wish);

/** The calls of this thread from here on end with ANEMONE_CANCELLED soon after `wish` is cancelled, until another one, or
 *  NULL for none, is given. States are then as before the run. */
void anemone_cancellable(anemone_cancellation* wish);

/** From any thread, and from a signal handler; for good. NULL is none. */
void anemone_cancel(anemone_cancellation* wish);

/* ---- models ------------------------------------------------------------------------------------------------------ */

typedef struct anemone_model anemone_model;

/** How a model is read. NULL is the default, as is what is 0 in it. */
typedef struct anemone_reading {
    size_t size;               /**< sizeof(anemone_reading) */
    const char* function;      /**< the function of MIL text or of a package, the procedure of a netplist, the
                                    program of a language model that one does not hold, or the part of a network of
                                    several (of CLIP image, text; of Whisper encoder, cross, decoder, step; of a
                                    U-Net down, middle, up); else the only one, or the whole */
    const char* const* shapes; /**< of inputs that the file leaves free: "x=1,3,224,224" */
    size_t shape_count;
    uint64_t max_memory;       /**< bytes that weights, and the values of a run, may take; 0: 8 GB */
    int approximates;          /**< not 0: to be judged and drawn only, with constants as the nearest that fp16 holds */
    const char* const* values; /**< of ONNX inputs that are constants, such as a rate; one number fills the shape:
                                    "sr=16000", "axes=2,3" */
    size_t value_count;
    const char* weights;  /**< what stands for weights whose file is not there: zeros, random, or a safetensors
                                    or GGUF file */
    int64_t context;      /**< of a published language model: positions that its caches hold; of a network of
                                    texts: tokens of a run; 0: what is usual */
    int64_t chunk;        /**< the same: positions that one run computes, 1 to decode; 0: 1 */
    int64_t batch;        /**< the same: texts that one run computes at once, each with a cache of its own; 0: 1 */
    const char* layout;   /**< of a published model: activations as frameworks have them, (positions, width), or
                                    as the engine has them, (1, width, 1, positions): "rows" or "channels"; NULL:
                                    "rows" */
    const char* image;    /**< of an image network: its input as normalized numbers, or as pixels, bytes from 0
                                    to 255 that it normalizes itself: "normalized" or "pixels"; NULL: "normalized" */
    int64_t frame_height; /**< with pixels: rows of what the camera gives, which the graph resizes so that the
                                    shorter side fits, and of which it takes the centre; 0: as the network takes it */
    int64_t frame_width;  /**< the same: its columns; 0: as the network takes it */
} anemone_reading;

/** Reads MIL text, a folder of .mlmodelc, a netplist, a published model (a folder with config.json, or the name of a known
 *  network of images, texts or speech) or, where the library was built with it, ONNX. */
anemone_status anemone_open(const char* path, const anemone_reading* how, anemone_model** model);
void anemone_model_free(anemone_model* model);

/** Writes the model and its weights as "mil", "netplist" or "mlpackage" into a folder, which is made where it is missing
 *  and which anemone_open takes; as "cpp" to a header, with a safetensors file of its name beside it. */
anemone_status anemone_convert(const anemone_model* model, const char* to, const char* folder);

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
    const char* const* errors; /**< rules whose warnings are errors, by fact (R030) or name */
    size_t error_count;
    const char* const* waived; /**< rules that are not checked */
    size_t waived_count;
    const char* route;   /**< the rules of one route too: "any", "mil" or "netplist"; NULL: "any" */
    const char* system;  /**< what this system's Core ML does not know is an error: "any", "macos12",
                                    "macos13", "macos14" or "macos15"; NULL: "any" */
    const char* profile; /**< what the model is held to: vendor adds the vendor's own guidance to what is
                                    refused or wrong, and leaves other remarks out: "engine" or "vendor"; NULL:
                                    "engine" */
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

/** The energy of a run in J, estimated; NaN where the target's rates are not known. */
typedef struct anemone_energy {
    double package; /**< above idle: the engine, the memory and the host that dispatches */
    double engine;  /**< of these the engine's own: what its rail shows */
} anemone_energy;

/** What energy a run takes on one target, such as "h13". */
anemone_status anemone_estimate_energy(const anemone_model* model, const char* target, anemone_energy* energy);

/** A figure with the interval that holds it in nine of ten cases. */
typedef struct anemone_interval {
    double typical;
    double at_least;
    double at_most;
} anemone_interval;

/** What a language model takes on one target. */
typedef struct anemone_decoding_cost {
    anemone_interval token_seconds;    /**< a token of each text of a batch takes as many times this */
    anemone_interval position_seconds; /**< of the prompt */
    anemone_interval token_joules;     /**< of the package, above idle */
    anemone_interval position_joules;
    int64_t weight_bytes;    /**< of all programs */
    int64_t embedding_bytes; /**< the table that the host takes rows of */
    int64_t cache_bytes;     /**< of all texts of a batch */
    int64_t context;         /**< positions before the token */
    int64_t capacity;        /**< of the caches, which a token pays whatever they hold */
    int32_t programs;        /**< that a token runs */
    int measured;            /**< whether the rates were fitted to this chip; otherwise they are scaled from another */
} anemone_decoding_cost;

/** What a token, and a position of the prompt, take on one target, such as "h13": of a folder with config.json, which is
 *  enough, or a GGUF file. `how` gives the context, the positions of the prompt at once (chunk; 0 and 1: 64) and the texts
 *  that are decoded together (batch). */
anemone_status anemone_estimate_decoding(const char* path, const char* target, const anemone_reading* how,
                                         anemone_decoding_cost* cost);

/* ---- what could become of a model, and where and when it would run ------------------------------------------------- */

/** Memory of the caller, for a port by name: dense, row-major. */
typedef struct anemone_array {
    const char* name;
    anemone_type type; /**< of these elements: numbers are converted where the port has another */
    void* data;        /**< inputs are only read */
    size_t bytes;      /**< checked: elements of the port times the size of one */
} anemone_array;

typedef struct anemone_plan anemone_plan;

/** That the values of an input stay from `low` to `high`, within what fp16 holds. */
typedef struct anemone_range {
    const char* input;
    double low;
    double high;
} anemone_range;

/** How a model is rewritten. NULL is the default, as is what is 0 in it. */
typedef struct anemone_optimizing {
    size_t size;                 /**< sizeof(anemone_optimizing) */
    int bits;                    /**< not 0: only rewrites that keep every bit */
    int values;                  /**< not 0: first of all fewer values that may overflow, by the ranges of inputs and
                                      the true weights */
    int errors;                  /**< not 0: first of all a smaller expected error of the least exact product, by the
                                      same */
    int resident;                /**< not 0: no more operands than before that do not stay on the chip */
    int prove;                   /**< not 0: run the model before and after each step on random inputs, in the chip's
                                      arithmetic */
    const anemone_range* ranges; /**< what the values of inputs stay within */
    size_t range_count;
    int forms;  /**< not 0: first of all fewer stored weights that files hold as fp16: blocks become
                                      layers of their own, which takes about 4 times as long */
    int vendor; /**< not 0: first of all fewer operations in another form than the engine's vendor
                                      asks for, whatever that costs: attention head by head, layers as 1x1
                                      convolutions */
} anemone_optimizing;

/** Rewrites a model into a faster one that computes the same, by the estimate for a target. */
anemone_status anemone_optimize(const anemone_model* model, const char* target, const anemone_optimizing* how,
                                anemone_plan** plan);

/** How the weights of a model are stored. NULL is the default, as is what is 0 in it. */
typedef struct anemone_compressing {
    size_t size;               /**< sizeof(anemone_compressing) */
    double most_loss;          /**< the largest relative error of the outputs; 0: 0.01 */
    const char* goal;          /**< what is to be least, the size of the weights or the time by the cost model:
                                    "size" or "time"; NULL: "size" */
    const char* to;            /**< the file that is to hold the weights, of which mlpackage has more forms: "mil" or
                                    "mlpackage"; NULL: "mil" */
    const char* backend;       /**< where the runs are judged: cpu, oracle:TARGET or engine:TARGET; NULL: "cpu" */
    int plain;                 /**< not 0: round to the nearest, without error feedback */
    const anemone_array* data; /**< of each input the runs to learn from, to choose by and to judge by, one after the
                                    other; NULL: random numbers */
    size_t data_count;
    size_t runs; /**< how many runs the data have, or of random numbers; 0: 32 */
} anemone_compressing;

/** Chooses a form for each weight: as small, or as fast, as the gate allows. Half of the runs are learnt from, a quarter
 *  is chosen by, the others tell what the choice loses. */
anemone_status anemone_compress(const anemone_model* model, const char* target, const anemone_compressing* how,
                                anemone_plan** plan);

/** How a model is placed. NULL is the default, as is what is 0 in it. */
typedef struct anemone_placing {
    size_t size;      /**< sizeof(anemone_placing) */
    const char* goal; /**< what is to be least: "time" or "energy"; NULL: "time" */
    int64_t batches;  /**< the text also has batches of 1, 2, 4 ... up to this; 0: none */
    int gpu_graph;    /**< not 0: the GPU runs under a framework that encodes a whole graph, as those for language
                           models do; otherwise layer after layer */
} anemone_placing;

/** Finds where a model and its layers belong on a target: on the engine, the GPU or the CPU. */
anemone_status anemone_place(const anemone_model* model, const char* target, const anemone_placing* how,
                             anemone_plan** plan);

/** How models are called. NULL is the default, as is what is 0 in it. */
typedef struct anemone_calling {
    size_t size;        /**< sizeof(anemone_calling) */
    int calls;          /**< calls of each model; 0: 8 */
    int warm;           /**< not 0: the models have run before */
    double period;      /**< seconds from one call of a model to its next; 0: when the one before it has ended */
    double idle;        /**< seconds of rest before the first call */
    const int* batches; /**< the text also has what one sample takes in batches of these sizes */
    size_t batch_count;
} anemone_calling;

/** Simulates calls of models, which share the engine of a target: when each waits, when the engine has it. */
anemone_status anemone_timeline(const anemone_model* const* models, size_t model_count, const char* target,
                                const anemone_calling* how, anemone_plan** plan);

/** What an arithmetic is compared on with double precision. NULL is the default, as is what is 0 in it. */
typedef struct anemone_differing {
    size_t size;               /**< sizeof(anemone_differing) */
    const char* backend;       /**< the arithmetic that is compared with double precision: cpu (fp16) or
                                    oracle:TARGET; NULL: "oracle:h13" */
    double bound;              /**< how far a value may be from the exact one, relative to it and to the layer's root
                                    mean square; 0: 0.05 */
    int quick;                 /**< not 0: run only those layers alone at which errors arise, and try no changes of
                                    the model */
    const anemone_array* data; /**< of each input the samples, one after the other; NULL: random numbers */
    size_t data_count;
    size_t runs; /**< how many samples the data have, or of random numbers; 0: 1 */
} anemone_differing;

/** Compares an arithmetic with double precision, layer by layer: which layer breaks, why, and what helps. */
anemone_status anemone_diff(const anemone_model* model, const anemone_differing* how, anemone_plan** plan);

/** Samples to train on. */
typedef struct anemone_samples {
    const anemone_array* arrays; /**< for each input, and for what is wanted, the samples one after the other */
    size_t array_count;
    size_t count; /**< how many samples each array has */
} anemone_samples;

/** How a model is trained. NULL is not possible: there are no samples by default. What is 0 in it is the default. */
typedef struct anemone_training {
    size_t size;                     /**< sizeof(anemone_training) */
    const anemone_samples* data;     /**< samples to train on */
    const anemone_samples* validate; /**< samples to validate on: the weights with the smallest loss on them are
                                          kept; NULL: none */
    const char* wanted;              /**< the array of the data that the output should become; NULL: "wanted" */
    const char* output;              /**< the output that is trained; may be left out where there is one */
    const char* loss;                /**< what is to become small: "cross_entropy", "mean_squared", "mean_absolute",
                                          "huber" or "binary_cross_entropy"; NULL: "cross_entropy" */
    int axis;                        /**< that of the classes, for the cross entropy; from the end where it is
                                          negative; 0: -1 */
    double smoothing;                /**< smoothing of labels */
    const char* optimizer;           /**< how weights follow their gradients: "sgd", "momentum", "nesterov", "adam",
                                          "adamw" or "lion"; NULL: "adam" */
    double rate;                     /**< the learning rate; 0: 0.001 */
    const char* schedule;            /**< how the rate goes on after the warm-up: "constant", "cosine" or "linear";
                                          NULL: "constant" */
    int64_t warm_up;                 /**< steps over which the rate grows from nothing */
    double last_rate;                /**< the part of the rate that the last step has */
    double decay;                    /**< decay of the weights */
    double clip;                     /**< limit of each gradient's elements; 0: none */
    double clip_norm;                /**< limit of the norm of all gradients together; 0: none */
    double weight_limit;             /**< limit of the weights, to which they are clipped and which they promise
                                          then, as the engine asks; 0: none */
    double loss_scale;               /**< what the loss is multiplied by, so that gradients stay within fp16; 0:
                                          found on the way */
    int pairs;                       /**< not 0: trained weights as two fp16 numbers, which keeps updates below half
                                          a unit of the last place */
    double epochs;                   /**< passes over the data; 0: 1 */
    int64_t steps;                   /**< steps, in place of epochs; 0: by these */
    int64_t batch;                   /**< samples in a step, where the file leaves the first extent of its inputs
                                          free; 0: as the model is */
    const char* const* train;        /**< names of the weights that are trained, with * and ?; else all */
    size_t train_count;
    const char* const* freeze; /**< names of weights that stay as they are, with * and ? */
    size_t freeze_count;
    uint64_t seed;            /**< of the order of the samples; 0: 1 */
    int ordered;              /**< not 0: take the samples as they stand in the data */
    int64_t validate_every;   /**< steps from a validation to the next; 0: an epoch */
    int64_t patience;         /**< validations without a smaller loss that end the training; 0: none do */
    const char* checkpoint;   /**< the folder of the checkpoints */
    int64_t checkpoint_every; /**< steps from a checkpoint to the next; 0: an epoch */
    int64_t keep;             /**< how many checkpoints stay, the last ones; 0: 3 */
    int resume;               /**< not 0: go on from the last checkpoint */
    const char* backend;      /**< where the steps run: cpu, oracle:TARGET (a chip's arithmetic, bit by bit)
                                          or engine:TARGET; NULL: "cpu" */
    int threads;              /**< of the CPU; 0: as many as it has */
    int64_t step_memory;      /**< bytes that the values between a step's layers may take: where they take
                                          more, some of the forward pass are computed again; 0: what a run may take,
                                          on the CPU */
} anemone_training;

/** How far a training is. */
typedef struct anemone_moment {
    int64_t step;  /**< from 1 on */
    int64_t steps; /**< in all */
    double epoch;  /**< passes over the data */
    double loss;
    double rate;
    double loss_scale;
    int skipped; /**< whether gradients were not finite, and no weight changed */
    double steps_per_second;
    double seconds_left;
    double held_out_loss;     /**< of a validation behind this step; NaN where there was none */
    double held_out_accuracy; /**< the same; NaN where there are no classes too */
} anemone_moment;

/** Trains the weights of a model on samples. An array of an input has the elements of a sample of the port, without its
 *  first axis, `count` times; what is wanted has those of the output, or for the cross entropy numbers of classes. `told`,
 *  which may be NULL, is called after each step, in this thread, with `context`: it may call anemone_cancel. The model
 *  stays as it is; the plan has another one. */
anemone_status anemone_train(const anemone_model* model, const anemone_training* how,
                             void (*told)(void* context, const anemone_moment* moment), void* context,
                             anemone_plan** plan);

void anemone_plan_free(anemone_plan* plan);
/** What the command `anemone` prints: as text, and with `--json`; NULL for NULL. */
const char* anemone_plan_text(const anemone_plan* plan);
const char* anemone_plan_json(const anemone_plan* plan);
/** What it draws with `--svg`; of a placement there is no drawing. Drawn at the first request. */
anemone_status anemone_plan_drawing(const anemone_plan* plan, const char** svg);
/** The model that anemone_optimize, anemone_compress or anemone_train made: one as any other, of the same ports, to be
 *  freed as such. */
anemone_status anemone_plan_model(const anemone_plan* plan, anemone_model** model);

typedef struct anemone_optimized {
    double before;      /**< s of a run, estimated; 0 where the target's rates are not known */
    double after;       /**< the same of the model that was made */
    double gain;        /**< before / after; 1 where nothing pays */
    const char* kept;   /**< "bits" or "rounding"; never freed */
    size_t steps;       /**< rewrites, one after the other */
    size_t refuted;     /**< limits of values that the ranges let the model pass */
    size_t refuted_now; /**< the same of the model that was made */
    double error;       /**< expected of the least exact product, relative; 0: not requested, or not known */
    double error_now;   /**< the same of the model that was made */
    int proved;         /**< whether a proof was requested */
    int holds;          /**< whether it holds */
} anemone_optimized;

typedef struct anemone_compressed {
    int64_t bytes;            /**< of all weights, as they were */
    int64_t bytes_now;        /**< as they are stored */
    double ratio;             /**< bytes / bytes_now; 1 for a model without weights */
    double loss;              /**< of the outputs, not above the gate, on the runs that the forms were chosen by */
    double seconds;           /**< of a run, estimated; NaN where the target's rates are not known */
    double seconds_now;       /**< the same of the model that was made */
    size_t weights;           /**< those that a form was chosen for */
    size_t held_out;          /**< runs that nothing was chosen by; 0 for a model with states, and for a single run */
    double held_out_loss;     /**< the loss on these; NaN where there are none */
    double held_out_at_least; /**< where the loss of a further run lies, nine times of ten; NaN where it is not known */
    double held_out_at_most;
} anemone_compressed;

/** Times are of one run, with its launch. What is not known, or not possible, is NaN. */
typedef struct anemone_placed {
    const char* fastest;        /**< for the whole model: "engine", "GPU", "CPU"; "none" takes it; never freed */
    const char* most_efficient; /**< the same by energy, of those where it is known */
    double seconds;             /**< layer by layer, each where it belongs */
    double joules;
    size_t segments;       /**< layers in a row on one device */
    double engine_seconds; /**< the whole model on one device */
    double gpu_seconds;
    double cpu_seconds;
    int measured; /**< whether the rates were measured on this chip */
} anemone_placed;

typedef struct anemone_timed {
    double seconds;          /**< from the first call to the last result */
    double calls_per_second; /**< of all models */
    double utilisation;      /**< share of the time in which the engine has a call */
    double mean_latency;     /**< s */
    double median_latency;
    double p99_latency; /**< that 99 of 100 calls do not exceed */
    double joules;      /**< NaN where it is not known */
    size_t calls;
    int measured; /**< whether the constants were measured on this chip */
} anemone_timed;

typedef struct anemone_differed {
    size_t samples;      /**< runs that were compared */
    size_t affected;     /**< of them with an output beyond the bound */
    size_t worst_sample; /**< from 0 on */
    size_t layers;       /**< rounded by themselves */
    int64_t first;       /**< the first of these that is beyond the bound in any sample, from 0 on; -1: none is */
    const char* name;    /**< what it is called; NULL where there is none; as long as the plan lives */
    const char* cause;   /**< "overflow", "cancellation" ..., "inherited" where errors of others add up; never freed */
    double expected;     /**< the element of it that is farthest off, in double precision */
    double got;          /**< and in the arithmetic that was compared */
    size_t remedies;     /**< changes that were run and help */
    size_t tried;        /**< changes that were run */
    int cut_short;       /**< whether others were not run, because the model is large */
} anemone_differed;

typedef struct anemone_trained {
    int64_t steps;        /**< made, those of a training that was resumed among them */
    int64_t skipped;      /**< of them, whose gradients were not finite */
    int64_t batch;        /**< samples in a step */
    int64_t best_step;    /**< whose weights were kept */
    int64_t resumed_from; /**< the step of the checkpoint; 0: from the beginning */
    int stopped;          /**< whether the patience ended it */
    int64_t weights;      /**< that were trained */
    size_t frozen;        /**< that stayed as they were */
    double first_loss;
    double last_loss;
    double held_out_loss;     /**< of the weights that were kept; NaN where nothing was validated */
    double held_out_accuracy; /**< the same; NaN where there are no classes too */
    double seconds;
} anemone_trained;

/** The figures of a plan; ANEMONE_ARGUMENT for a plan of another function. The JSON has all steps, weights, segments,
 *  calls, layers, remedies and losses. */
anemone_status anemone_plan_optimized(const anemone_plan* plan, anemone_optimized* figures);
anemone_status anemone_plan_compressed(const anemone_plan* plan, anemone_compressed* figures);
anemone_status anemone_plan_placed(const anemone_plan* plan, anemone_placed* figures);
anemone_status anemone_plan_timed(const anemone_plan* plan, anemone_timed* figures);
anemone_status anemone_plan_differed(const anemone_plan* plan, anemone_differed* figures);
anemone_status anemone_plan_trained(const anemone_plan* plan, anemone_trained* figures);

/* ---- programs ---------------------------------------------------------------------------------------------------- */

typedef struct anemone_program anemone_program;

/** Compiles for a backend: "cpu", "oracle:h13" (a chip's arithmetic, bit by bit), "engine:h13"; NULL: "cpu". */
anemone_status anemone_compile(const anemone_model* model, const char* backend, anemone_program** program);
void anemone_program_free(anemone_program* program);

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

/* ---- language models --------------------------------------------------------------------------------------------- */

/** A language model of a folder with `config.json` and its weights, opened to decode. Any number of generations may go on
 *  at once; threads may share it. */
typedef struct anemone_language_model anemone_language_model;

/** How a language model is opened. NULL is the default, as is what is 0 in it. */
typedef struct anemone_decoding {
    size_t size;         /**< sizeof(anemone_decoding) */
    int64_t context;     /**< tokens that a text may have: the prompt and what follows it; 0: 2048 */
    int64_t chunk;       /**< tokens of a prompt that one run of its program takes; 0: 64 */
    int64_t rows;        /**< tokens that one run of a step's program takes, the others of which are padding: 1, 4 or
                              8; 0: 8 with drafts, else 1 */
    const char* caches;  /**< keys and values of earlier tokens as inputs, which the host keeps, or as states of the
                              program: "inputs" or "states"; NULL: "inputs" */
    int64_t layers;      /**< layers of one program; 0: as many as the engine takes */
    int head_parts;      /**< parts of the vocabulary, a product each; 0: 1 */
    int lookup;          /**< tokens of a pattern that is looked up in the text, so that what followed it is
                              proposed; 0: nothing is */
    const char* draft;   /**< a smaller model of the same vocabulary, which proposes tokens: fewer steps, the same
                              text */
    const char* backend; /**< cpu, oracle:TARGET (a chip's arithmetic, bit by bit) or engine:TARGET; NULL: "cpu" */
    int threads;         /**< of the CPU; 0: as many as it has */
    uint64_t max_memory; /**< bytes that weights, and the keys and values of a text, may take; 0: 8 GB */
} anemone_decoding;

anemone_status anemone_language_model_open(const char* path, const anemone_decoding* how,
                                           anemone_language_model** model);
void anemone_language_model_free(anemone_language_model* model);
/** How many tokens there are; 0 for NULL. */
int64_t anemone_vocabulary(const anemone_language_model* model);

/** How a text goes on. NULL is the default, as is what is 0 in it. */
typedef struct anemone_generating {
    size_t size;               /**< sizeof(anemone_generating) */
    int64_t max_tokens;        /**< tokens that follow the prompt, at most; 0: 128 */
    double temperature;        /**< what logits are divided by before a draw; 0: the most likely token */
    int top_k;                 /**< draw of the k most likely tokens only; 0: of all */
    double top_p;              /**< draw of the fewest tokens that together have this probability; 0: 1 */
    double min_p;              /**< draw of tokens that have this part of the probability of the most likely one */
    double repetition_penalty; /**< what logits of tokens that were there are divided by, negative ones multiplied;
                                    0: 1 */
    uint64_t seed;             /**< of the draws */
    const int* stop;           /**< tokens that end the text, which they are no part of */
    size_t stop_count;
} anemone_generating;

/** A text that goes on. One thread at a time; another one gets ANEMONE_ARGUMENT. The model may be freed before it. */
typedef struct anemone_generation anemone_generation;

/** Nothing is computed yet. A prompt that begins like a former text goes on from what that one left. */
anemone_status anemone_generate(anemone_language_model* model, const int32_t* prompt, size_t prompt_count,
                                const anemone_generating* how, anemone_generation** generation);
void anemone_generation_free(anemone_generation* generation);

/** The next token; below 0 where the text has ended. After an error, ANEMONE_CANCELLED too, the call may be repeated. */
anemone_status anemone_next_token(anemone_generation* generation, int32_t* token);

/** The tokens so far, why the text ended, seconds and tokens in a second, as JSON. The text belongs to the generation, until
 *  the next call of this function. */
anemone_status anemone_generation_json(anemone_generation* generation, const char** json);

#ifdef __cplusplus
}
#endif

#endif
