#pragma once

#include <string>
#include <sys/types.h>
#include <vector>

namespace kit {

/// A worker process with its two streams: the journal, and standard error, where the runtime says why it refuses.
class child {
public:
    /// Starts this program again with the arguments that `with` gives for the ends of two pipes: one to write the journal
    /// to, one that stays open as long as this process. Throws `ane::error` (errc::file).
    template <class Arguments> explicit child(const std::string& program, Arguments with) {
        open_pipes();
        start(program, with(journal_.write, held_.read));
    }
    child(const child&) = delete;
    child& operator=(const child&) = delete;
    ~child();

    /// Waits for the next line; false at the end of both streams, or after `seconds` without one.
    struct heard {
        enum class kind { journal, error, silence, end } from;
        std::string text;
    };
    heard listen(int seconds);

    void kill() const;
    /// How it ended: "", "exit 3", "signal 11 (Segmentation fault)".
    std::string wait();

private:
    struct pipe_ends {
        int read = -1, write = -1;
    };
    void open_pipes();
    void start(const std::string& program, const std::vector<std::string>& arguments);
    bool take_line(std::string& from, std::string& text) const;

    pid_t id_ = -1;
    pipe_ends journal_, error_, held_;
    std::string journal_text_, error_text_;
};

/// From now on an interrupt or a request to end (SIGINT, SIGTERM, SIGHUP) is an `ane::error` of the next `listen` or
/// `pause`, so that workers and temporary files go.
void end_in_order();
void pause(int seconds);

/// The path of this program.
std::string own_path(const char* invoked_as);

} // namespace kit
