#include "child.hpp"

#include <anemone/base/error.hpp>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>
#if defined(__APPLE__)
#include <mach-o/dyld.h>
#endif

extern char** environ; // NOLINT(readability-redundant-declaration): macOS has no declaration

namespace kit {
namespace {

volatile std::sig_atomic_t asked_to_end = 0;

void require_not_asked_to_end() {
    if (asked_to_end != 0) {
        throw ane::error(ane::errc::argument, ::strsignal(asked_to_end), "there is no report");
    }
}

void close_end(int& end) {
    if (end >= 0) {
        ::close(end);
        end = -1;
    }
}

void require(bool good, const char* what) {
    if (!good) {
        throw ane::error(ane::errc::file, what, std::strerror(errno));
    }
}

} // namespace

void child::open_pipes() {
    for (pipe_ends* each : {&journal_, &error_, &held_}) {
        int ends[2] = {-1, -1};
        require(::pipe(ends) == 0, "pipe to a worker");
        *each = {ends[0], ends[1]};
    }
    for (const int mine : {journal_.read, error_.read, held_.write}) { // the worker gets the other ends alone
        require(::fcntl(mine, F_SETFD, FD_CLOEXEC) == 0, "pipe to a worker");
    }
}

void child::start(const std::string& program, const std::vector<std::string>& arguments) {
    std::vector<char*> list{const_cast<char*>(program.c_str())};
    for (const std::string& each : arguments) {
        list.push_back(const_cast<char*>(each.c_str()));
    }
    list.push_back(nullptr);
    posix_spawn_file_actions_t actions{};
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, error_.write, 1);
    posix_spawn_file_actions_adddup2(&actions, error_.write, 2);
    posix_spawn_file_actions_addclose(&actions, error_.write);
    const int failure = ::posix_spawn(&id_, program.c_str(), &actions, nullptr, list.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    close_end(journal_.write);
    close_end(error_.write);
    close_end(held_.read);
    errno = failure;
    require(failure == 0, program.c_str());
}

child::~child() {
    if (id_ > 0) {
        kill();
        wait();
    }
    for (pipe_ends* each : {&journal_, &error_, &held_}) {
        close_end(each->read);
        close_end(each->write);
    }
}

bool child::take_line(std::string& from, std::string& text) const {
    const std::size_t end = from.find('\n');
    if (end == std::string::npos) {
        return false;
    }
    text = from.substr(0, end);
    from.erase(0, end + 1);
    return true;
}

child::heard child::listen(int seconds) {
    using kind = heard::kind;
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
    for (;;) {
        heard result{kind::journal, {}};
        if (take_line(journal_text_, result.text)) {
            return result;
        }
        result.from = kind::error;
        if (take_line(error_text_, result.text)) {
            return result;
        }
        if (journal_.read < 0 && error_.read < 0) {
            return {kind::end, {}};
        }
        const auto left =
            std::chrono::duration_cast<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
        std::array<pollfd, 2> streams{pollfd{error_.read, POLLIN, 0}, pollfd{journal_.read, POLLIN, 0}};
        require_not_asked_to_end();
        const int ready =
            left.count() <= 0 ? 0 : ::poll(streams.data(), streams.size(), static_cast<int>(left.count()));
        if (ready == 0) {
            return {kind::silence, {}};
        }
        if (ready < 0) {
            continue;
        }
        const auto read_from = [](const pollfd& stream, int& end, std::string& text) {
            if (end < 0 || (stream.revents & (POLLIN | POLLHUP | POLLERR)) == 0) {
                return;
            }
            std::array<char, 65536> some; // NOLINT(cppcoreguidelines-pro-type-member-init): read into
            const ssize_t size = ::read(end, some.data(), some.size());
            if (size > 0) {
                text.append(some.data(), static_cast<std::size_t>(size));
            } else if (size == 0 || errno != EINTR) {
                close_end(end);
            }
        };
        read_from(streams[0], error_.read, error_text_);
        read_from(streams[1], journal_.read, journal_text_);
    }
}

void child::kill() const {
    if (id_ > 0) {
        ::kill(id_, SIGKILL);
    }
}

std::string child::wait() {
    int status = 0;
    while (::waitpid(id_, &status, 0) < 0 && errno == EINTR) {}
    id_ = -1;
    if (WIFSIGNALED(status)) {
        return "signal " + std::to_string(WTERMSIG(status)) + " (" + ::strsignal(WTERMSIG(status)) + ")";
    }
    return WEXITSTATUS(status) == 0 ? "" : "exit " + std::to_string(WEXITSTATUS(status));
}

void end_in_order() {
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
        struct sigaction action {};
        action.sa_handler = [](int which) { asked_to_end = which; }; // without SA_RESTART: poll comes back
        ::sigaction(signal, &action, nullptr);
    }
}

void pause(int seconds) {
    for (int i = 0; i < 10 * seconds; ++i) {
        require_not_asked_to_end();
        ::poll(nullptr, 0, 100);
    }
}

std::string own_path(const char* invoked_as) {
#if defined(__APPLE__)
    std::array<char, 4096> path{};
    std::uint32_t size = path.size();
    return ::_NSGetExecutablePath(path.data(), &size) == 0 ? path.data() : invoked_as;
#else
    std::array<char, 4096> path{};
    const ssize_t size = ::readlink("/proc/self/exe", path.data(), path.size() - 1);
    return size > 0 ? std::string(path.data(), static_cast<std::size_t>(size)) : invoked_as;
#endif
}

} // namespace kit
