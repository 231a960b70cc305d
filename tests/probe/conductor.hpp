#pragma once

#include "options.hpp"
#include "record.hpp"
#include "tasks.hpp"

#include <functional>
#include <string>
#include <vector>

namespace kit {

/// Has all tasks done by workers, one process after the other: one that dies or hangs loses its task, and no other.
class conductor {
public:
    /// `done` is called after each task.
    conductor(std::string program, const options& how, std::function<void(const record&)> done)
        : program_(std::move(program)), how_(how), done_(std::move(done)) {}

    std::vector<record> run(const std::vector<task>& tasks);

private:
    /// Lets one worker do what it can of `left`, which loses what is done.
    void one_worker(engine_runtime door, std::vector<task>& left, std::vector<record>& all);
    void finish(record& r, verdict v, std::vector<task>& left, std::vector<record>& all);

    std::string program_;
    const options& how_;
    std::function<void(const record&)> done_;
    bool has_to_wait_ = false; ///< before the next worker: a compile failed, or a worker died with the service
};

} // namespace kit
