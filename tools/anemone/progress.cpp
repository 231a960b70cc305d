#include "progress.hpp"

#include "output_path.hpp"
#include <anemone/io/unicode.hpp>

#include <fmt/format.h>

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <new>
#include <optional>
#include <string_view>
#include <sys/ioctl.h>
#include <thread>
#include <unistd.h>

namespace command {

namespace {

using clock = std::chrono::steady_clock;
constexpr auto patience = std::chrono::seconds(1);
constexpr auto step = std::chrono::milliseconds(200);

std::size_t columns() {
    winsize size{};
    return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

/// The thread that writes, while there is something to show.
class line_writer {
public:
    explicit line_writer(std::string what) : what_(std::move(what)), thread_([this] { write(); }) {}
    line_writer(const line_writer&) = delete;
    line_writer& operator=(const line_writer&) = delete;
    ~line_writer() {
        {
            const std::lock_guard lock(mutex_);
            ended_ = true;
        }
        changed_.notify_all();
        thread_.join();
    }
    void at(double part) {
        const std::lock_guard lock(mutex_);
        part_ = part < 0 ? 0 : part > 1 ? 1 : part;
    }
    void now(const std::string& what) {
        const std::lock_guard lock(mutex_);
        what_ = what;
    }

private:
    std::string line() const {
        const double seconds = std::chrono::duration<double>(clock::now() - begin_).count();
        constexpr int wide = 24;
        std::string text;
        if (part_) {
            const int full = static_cast<int>(*part_ * wide);
            text = fmt::format("[{}{}] {:3.0f} %", std::string(static_cast<std::size_t>(full), '='),
                               std::string(static_cast<std::size_t>(wide - full), ' '), 100 * *part_);
        } else {
            constexpr std::string_view turning = "|/-\\";
            text = turning.substr(static_cast<std::size_t>(seconds / 0.2) % turning.size(), 1);
        }
        text = fmt::format("{}  {:.0f} s  {}", text, seconds, what_);
        std::string cut; // a line that wraps cannot be erased
        for (std::size_t at = 0, taken = 0; at < text.size();) {
            const auto c = ane::detail::next_code_point(std::string_view(text).substr(at));
            taken += static_cast<std::size_t>(ane::detail::columns_of(c.value));
            if (taken >= columns()) {
                break;
            }
            cut += text.substr(at, c.size);
            at += c.size;
        }
        return cut;
    }
    void write() {
        std::unique_lock lock(mutex_);
        bool written = false;
        for (auto next = begin_ + patience; !changed_.wait_until(lock, next, [&] { return ended_; }); next += step) {
            try {
                std::fprintf(stderr, "\r\x1b[K%s", line().c_str());
                std::fflush(stderr);
                written = true;
            } catch (const std::bad_alloc&) { // NOLINT(bugprone-empty-catch): the next line may find some
            }
        }
        if (written) {
            std::fputs("\r\x1b[K", stderr);
            std::fflush(stderr);
        }
    }

    clock::time_point begin_ = clock::now();
    std::mutex mutex_;
    std::condition_variable changed_;
    std::string what_;
    std::optional<double> part_;
    bool ended_ = false;
    std::thread thread_; ///< last: it reads the others
};

bool can_show() {
    const char* const terminal = std::getenv("TERM");
    return ::isatty(STDERR_FILENO) == 1 && terminal != nullptr && *terminal != '\0' &&
           std::string_view(terminal) != "dumb";
}

/// One line at a time, by the main thread.
class terminal_line final : public app::watcher {
public:
    void begins(const std::string& what) override {
        if (depth_++ == 0 && can_show()) {
            try {
                shown_.emplace(ane::detail::printable(what));
            } catch (const std::exception&) {
                shown_.reset(); // no thread to be had: the work matters, not the line
            }
        }
    }
    void at(double part) override {
        if (shown_) {
            shown_->at(part);
        }
    }
    void now(const std::string& what) override {
        if (shown_) {
            shown_->now(ane::detail::printable(what));
        }
    }
    void ends() noexcept override {
        if (--depth_ == 0) {
            shown_.reset();
        }
    }

private:
    std::optional<line_writer> shown_{};
    int depth_ = 0;
};

} // namespace

const app::caller& user() {
    static terminal_line line;
    static const app::caller who{app::front_end::command, &line, &read_files()};
    return who;
}

} // namespace command
