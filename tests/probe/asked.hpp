#pragma once

#include "../numerics/probes.hpp"
#include "door.hpp"
#include "verdict.hpp"

#include <list>
#include <string>
#include <vector>

namespace kit {

/// The place where graphs run on the engine and on the oracle of the same chip, and everything about both is told to the
/// parent. What the engine did not answer, the oracle answers, so that a check comes to its end.
class asked final : public probing::place {
public:
    explicit asked(open_door& engine) : engine_(engine), own_(ane::numerics::datapath_of(engine.chip())) {}

    probing::halves run(const ane::dynamic_graph& model, std::span<const std::span<const std::byte>> inputs,
                        const ane::numerics::datapath& path) const override;

    /// A generation of the chip, for checks.
    probing::generation chip() const { return {describe(engine_.chip()).tier, own_, this}; }

    /// Whether the engine answered all that a check asked.
    bool answered_all() const { return refused_ == 0 && failed_ == 0; }
    /// Whether some of its answers are those of other steps than the check has in mind.
    bool took_other_steps() const { return of_the_file_ > 0; }
    /// Of the graphs alone; `agrees` says nothing about what was published.
    verdict outcome() const;
    /// A line about all of them.
    std::string summary() const;

private:
    struct program {
        std::string key;
        ane::backend::engine_program engine;
        ane::backend::oracle_program oracle;
    };

    /// The program of the graph, compiled or from before; null where the engine has none, which has been told.
    program* program_of(const ane::dynamic_graph& model) const;
    void time(program& p, const ane::dynamic_graph& model, std::span<const std::span<const std::byte>> inputs,
              std::span<const std::span<std::byte>> outputs) const;
    void note_failure(const ane::dynamic_graph& model, const char* why) const;

    open_door& engine_;
    ane::numerics::datapath own_;
    mutable std::list<program> programs_; ///< the one used last first
    mutable std::vector<std::string> refusals_;
    mutable int asked_ = 0, same_ = 0, of_the_file_ = 0, different_ = 0, refused_ = 0, failed_ = 0,
                other_arithmetic_ = 0, timed_ = 0;
};

} // namespace kit
