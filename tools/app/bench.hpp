#pragma once

#include "model.hpp"
#include <anemone/benchmark/benchmark.hpp>

#include <optional>
#include <string>
#include <vector>

namespace app {

struct bench_options {
    std::vector<std::string> backends{"cpu", "cpu:unfused"};
    double seconds = 2;
    std::optional<int> threads{};
    bool whole = false;
    bool no_limits = false;

    static constexpr auto table() {
        return option_table(
            {.command = "bench", .c = "", .python = ""},
            option(&bench_options::backends,
                   {.name = "backends",
                    .text = "cpu, cpu:unfused (every operation rounded), oracle:TARGET, engine:TARGET; several to "
                            "compare",
                    .named = {.command = "backend"},
                    .letter = 'b',
                    .word = words::backends,
                    .with_commas = true}),
            option(&bench_options::seconds,
                   {.name = "seconds", .text = "How long each runs the model, and how long its layers"},
                   {.least = 1e-6, .most = 1e6}),
            option(
                &bench_options::threads,
                {.name = "threads", .text = "Threads of the CPU backend (default: all processors)", .is_plural = true},
                {.least = 1, .most = 1024}),
            option(&bench_options::whole, {.name = "whole", .text = "The model alone, without its layers"}),
            option(&bench_options::no_limits,
                   {.name = "no_limits", .text = "Do not measure how fast this machine could be"}));
    }
};

/// Times a model on backends, whole and layer by layer, beside this machine's limits. Throws `ane::error` (errc::argument)
/// for an unknown backend and for a model whose run takes more memory than it may; and what the backends throw.
ane::benchmark_result bench(const model& of, const bench_options& how, const caller& who);

} // namespace app
