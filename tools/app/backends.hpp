#pragma once

#include "model.hpp"
#include "run_memory.hpp"
#include <anemone/backend/any.hpp>
#include <anemone/passes/layer_forms.hpp>
#include <anemone/targets/target.hpp>

#include <optional>
#include <string>

namespace app {

/// The chip of an oracle and the layers that it shows.
struct named_oracle {
    ane::target chip;
    ane::layer_forms layers;
};

/// What "oracle", "oracle:TARGET" and "oracle:TARGET:safe" say, the last whatever `layers` are; nothing for another
/// backend. Throws `ane::error` (errc::argument) for an unknown target.
std::optional<named_oracle> oracle_named(const std::string& backend, ane::layer_forms layers);

/// "cpu", "cpu:unfused" (every operation's result rounded), "oracle:h13" (a target's arithmetic, bit by bit, with `layers`),
/// "oracle:h13:safe" (whatever those are, with the forms that are written), "engine:h13" (by the engine's library, or its
/// stand-in). `threads` are those of the CPU; 0: as many as there are. Throws `ane::error` (errc::argument) for a name
/// that is unknown.
ane::backend::any backend_named(const std::string& backend, int threads = 0,
                                ane::layer_forms layers = ane::layer_forms::safe);

/// Which values of a model a run there keeps.
kept_values kept_by(const std::string& backend);

struct compile_options {
    std::string backend = "cpu";

    static constexpr auto table() {
        return option_table(
            {.command = "run", .c = "", .python = "Model.compile"},
            option(&compile_options::backend, {.name = "backend",
                                               .text = "cpu, oracle:TARGET (a chip's arithmetic, bit by "
                                                       "bit) or engine:TARGET",
                                               .letter = 'b',
                                               .word = words::backends}));
    }
};

/// Compiles a model. Throws `ane::error` (errc::argument) for an unknown backend, for a model that was read to be
/// judged and for one whose run takes more memory than it may; and what the backend throws.
ane::any_program compile(const model& of, const compile_options& how, const caller& who);

} // namespace app
