#pragma once

#include <fmt/color.h>
#include <fmt/format.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <unistd.h>

/// Colour only where a person looks: not in pipes, not with NO_COLOR.
inline bool is_terminal(std::FILE* stream) {
    return ::isatty(::fileno(stream)) != 0 && std::getenv("NO_COLOR") == nullptr;
}

inline std::string paint(fmt::color colour, const std::string& text) {
    return is_terminal(stdout) ? fmt::format(fmt::fg(colour), "{}", text) : text;
}

inline void heading(const std::string& text) {
    fmt::print("\n{}\n", is_terminal(stdout) ? fmt::format(fmt::emphasis::bold, "{}", text) : text);
}

/// A bar on standard error while something long goes on; nothing in a pipe.
class progress_bar {
public:
    progress_bar(std::string title, std::size_t steps) : title_(std::move(title)), steps_(steps) { draw(); }
    void advance() {
        ++done_;
        draw();
    }
    void finish() const {
        if (is_terminal(stderr)) {
            fmt::print(stderr, "\r{:60}\r", "");
        }
    }

private:
    void draw() const {
        if (is_terminal(stderr)) {
            const std::size_t filled = steps_ == 0 ? 0 : 30 * done_ / steps_;
            fmt::print(stderr, "\r{} [{:<30}] {}/{}", title_, std::string(filled, '#'), done_, steps_);
            std::fflush(stderr);
        }
    }

    std::string title_;
    std::size_t steps_;
    std::size_t done_ = 0;
};
