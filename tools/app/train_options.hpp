#pragma once

#include "option.hpp"
#include <anemone/trainer/schedule.hpp>
#include <anemone/training/loss_options.hpp>
#include <anemone/training/optimizer.hpp>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace app {

template <>
inline constexpr std::array<named_value<ane::loss_kind>, 5> words_of<ane::loss_kind>{
    {{"cross_entropy", ane::loss_kind::cross_entropy},
     {"mean_squared", ane::loss_kind::mean_squared},
     {"mean_absolute", ane::loss_kind::mean_absolute},
     {"huber", ane::loss_kind::huber},
     {"binary_cross_entropy", ane::loss_kind::binary_cross_entropy}}};

template <>
inline constexpr std::array<named_value<ane::optimizer_kind>, 6> words_of<ane::optimizer_kind>{
    {{"sgd", ane::optimizer_kind::sgd},
     {"momentum", ane::optimizer_kind::momentum},
     {"nesterov", ane::optimizer_kind::nesterov},
     {"adam", ane::optimizer_kind::adam},
     {"adamw", ane::optimizer_kind::adamw},
     {"lion", ane::optimizer_kind::lion}}};

template <>
inline constexpr std::array<named_value<ane::rate_form>, 3> words_of<ane::rate_form>{
    {{"constant", ane::rate_form::constant}, {"cosine", ane::rate_form::cosine}, {"linear", ane::rate_form::linear}}};

struct train_options {
    std::string wanted = "wanted";
    std::string output{};
    ane::loss_kind loss = ane::loss_kind::cross_entropy;
    int axis = -1;
    double smoothing = 0;
    ane::optimizer_kind optimizer = ane::optimizer_kind::adam;
    double rate = 0.001;
    ane::rate_form schedule = ane::rate_form::constant;
    std::int64_t warm_up = 0;
    double last_rate = 0;
    double decay = 0;
    double clip = 0;
    double clip_norm = 0;
    double weight_limit = 0;
    double loss_scale = 0;
    bool pairs = false;
    double epochs = 1;
    std::int64_t steps = 0;
    std::int64_t batch = 0;
    std::vector<std::string> train{};
    std::vector<std::string> freeze{};
    std::uint64_t seed = 1;
    bool ordered = false;
    std::int64_t validate_every = 0;
    std::int64_t patience = 0;
    std::string checkpoint{};
    std::int64_t checkpoint_every = 0;
    std::int64_t keep = 3;
    bool resume = false;
    std::string backend = "cpu";
    int threads = 0;
    std::int64_t step_memory = 0;

    static constexpr auto table() {
        return option_table(
            {.command = "train", .c = "anemone_training", .python = "Trainer.train"}, given_apart{data()},
            given_apart{validation()},
            option(&train_options::wanted,
                   {.name = "wanted", .text = "The array of the data that the output should become"}),
            option(&train_options::output, {.name = "output",
                                            .text = "The output that is trained; may be left out where there is one",
                                            .named = {.command = "prediction"}}),
            option(&train_options::loss, {.name = "loss", .text = "What is to become small", .letter = 'l'}),
            option(&train_options::axis,
                   {.name = "axis",
                    .text = "That of the classes, for the cross entropy; from the end where it is negative"},
                   {.least = -8, .most = 7}),
            option(&train_options::smoothing, {.name = "smoothing", .text = "Smoothing of labels"},
                   {.least = 0, .most = 0.999}),
            option(&train_options::optimizer, {.name = "optimizer", .text = "How weights follow their gradients"}),
            option(&train_options::rate, {.name = "rate", .text = "The learning rate", .letter = 'r'},
                   {.least = 6e-8, .most = 64}),
            option(&train_options::schedule, {.name = "schedule", .text = "How the rate goes on after the warm-up"}),
            option(&train_options::warm_up, {.name = "warm_up", .text = "Steps over which the rate grows from nothing"},
                   {.least = 0, .most = 1'000'000'000}),
            option(&train_options::last_rate,
                   {.name = "last_rate", .text = "The part of the rate that the last step has"},
                   {.least = 0, .most = 1}),
            option(&train_options::decay, {.name = "decay", .text = "Decay of the weights"}, {.least = 0, .most = 1}),
            option(&train_options::clip, {.name = "clip", .text = "Limit of each gradient's elements; 0: none"},
                   {.least = 0, .most = 65504}),
            option(&train_options::clip_norm,
                   {.name = "clip_norm", .text = "Limit of the norm of all gradients together; 0: none"},
                   {.least = 0, .most = 65504}),
            option(
                &train_options::weight_limit,
                {.name = "weight_limit",
                 .text =
                     "Limit of the weights, to which they are clipped and which they promise then, as the engine asks; 0: none"},
                {.least = 0, .most = 65504}),
            option(&train_options::loss_scale,
                   {.name = "loss_scale",
                    .text = "What the loss is multiplied by, so that gradients stay within fp16; 0: found on the way"},
                   {.least = 0, .most = 65536}),
            option(&train_options::pairs,
                   {.name = "pairs",
                    .text = "Trained weights as two fp16 numbers, which keeps updates below half "
                            "a unit of the last place"}),
            option(&train_options::epochs,
                   {.name = "epochs", .text = "Passes over the data", .letter = 'e', .is_plural = true},
                   {.least = 1e-6, .most = 1e6}),
            option(&train_options::steps,
                   {.name = "steps", .text = "Steps, in place of epochs; 0: by these", .is_plural = true},
                   {.least = 0, .most = 1'000'000'000}),
            option(
                &train_options::batch,
                {.name = "batch",
                 .text =
                     "Samples in a step, where the file leaves the first extent of its inputs free; 0: as the model is"},
                {.least = 0, .most = 65536}),
            option(&train_options::train, {.name = "train",
                                           .text = "Names of the weights that are trained, with * and ?; else all",
                                           .word = "PATTERN",
                                           .takes_one = true}),
            option(&train_options::freeze, {.name = "freeze",
                                            .text = "Names of weights that stay as they are, with * and ?",
                                            .word = "PATTERN",
                                            .takes_one = true}),
            option(&train_options::seed, {.name = "seed", .text = "Of the order of the samples"}),
            option(&train_options::ordered, {.name = "ordered", .text = "Take the samples as they stand in the data"}),
            option(&train_options::validate_every,
                   {.name = "validate_every", .text = "Steps from a validation to the next; 0: an epoch"},
                   {.least = 0, .most = 1'000'000'000}),
            option(&train_options::patience,
                   {.name = "patience", .text = "Validations without a smaller loss that end the training; 0: none do"},
                   {.least = 0, .most = 1'000'000'000}),
            option(&train_options::checkpoint,
                   {.name = "checkpoint", .text = "The folder of the checkpoints", .word = words::file}),
            option(&train_options::checkpoint_every,
                   {.name = "checkpoint_every", .text = "Steps from a checkpoint to the next; 0: an epoch"},
                   {.least = 0, .most = 1'000'000'000}),
            option(&train_options::keep, {.name = "keep", .text = "How many checkpoints stay, the last ones"},
                   {.least = 1, .most = 1000000}),
            option(&train_options::resume, {.name = "resume", .text = "Go on from the last checkpoint"}),
            option(
                &train_options::backend,
                {.name = "backend",
                 .text = "Where the steps run: cpu, oracle:TARGET (a chip's arithmetic, bit by bit) or engine:TARGET",
                 .letter = 'b',
                 .word = words::backends}),
            option(&train_options::threads, {.name = "threads", .text = "Of the CPU; 0: as many as it has"},
                   {.least = 0, .most = 1024}),
            option(&train_options::step_memory,
                   {.name = "step_memory",
                    .text = "Bytes that the values between a step's layers may take: where they take more, some of the "
                            "forward pass are computed again; 0: what a run may take, on the CPU",
                    .word = words::bytes},
                   {.least = 0, .most = 1'000'000'000'000}));
    }

    static constexpr description data() {
        return {.name = "data",
                .text =
                    "Samples to train on: an array for each input and one that is wanted, samples along the first axis",
                .instead = {.command = "Samples to train on: .npz with an array for each input and one that is wanted, "
                                       "samples along the first axis; labels may stand for classes",
                            .c = "Samples to train on"},
                .letter = 'd',
                .is_required = true};
    }
    static constexpr description validation() {
        return {
            .name = "validate",
            .text = "Samples to validate on, of the same form: the weights with the smallest loss on them are kept",
            .instead = {.c = "Samples to validate on: the weights with the smallest loss on them are kept; NULL: none"},
            .letter = 'v'};
    }
};

} // namespace app
