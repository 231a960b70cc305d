#include "ending.hpp"

#include "command.hpp"
#include <anemone/io/new_folder.hpp>

#include <csignal>
#include <new>
#include <string_view>
#include <system_error>
#include <thread>
#include <unistd.h>

namespace command {

namespace {

/// Ends the program as the signal would have.
void end_by [[noreturn]] (int which) {
    ane::detail::discard_unfinished();
    std::signal(which, SIG_DFL);
    sigset_t set;
    ::sigemptyset(&set);
    ::sigaddset(&set, which);
    ::pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
    std::raise(which);
    ::_exit(128 + which);
}

} // namespace

// No handler could remove files safely; a thread that waits for signals, which every other one blocks, can.
void end_without_remains() {
    sigset_t set;
    ::sigemptyset(&set);
    for (const int each : {SIGINT, SIGTERM, SIGHUP}) {
        struct sigaction now {};
        if (::sigaction(each, nullptr, &now) == 0 && now.sa_handler != SIG_IGN) {
            ::sigaddset(&set, each);
        }
    }
    sigset_t before;
    ::pthread_sigmask(SIG_BLOCK, &set, &before);
    try {
        std::thread([set] {
            int which = 0;
            if (::sigwait(&set, &which) == 0) {
                end_by(which);
            }
        }).detach();
    } catch (const std::system_error&) { // no thread: signals end the program at once
        ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    }
}

int told_without_memory() {
    constexpr std::string_view sentence =
        "error: memory: the system gives no more; a smaller --max-memory says of what\n";
    static_cast<void>(::write(STDERR_FILENO, sentence.data(), sentence.size()) < 0);
    return impossible;
}

void end_without_memory() {
    std::set_new_handler([] { ::_exit(told_without_memory()); });
}

void memory_may_be_thrown() { std::set_new_handler(nullptr); }

} // namespace command
