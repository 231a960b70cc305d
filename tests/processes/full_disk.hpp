#pragma once

#include <csignal>
#include <cstddef>
#include <sys/resource.h>

/// A limit of this process, for a scope.
class limited {
public:
    limited(decltype(RLIMIT_FSIZE) which, rlim_t most) : which_(which) {
        ::getrlimit(which_, &before_);
        rlimit now = before_;
        now.rlim_cur = most;
        ::setrlimit(which_, &now);
    }
    limited(const limited&) = delete;
    limited& operator=(const limited&) = delete;
    ~limited() { ::setrlimit(which_, &before_); }

private:
    decltype(RLIMIT_FSIZE) which_;
    rlimit before_{};
};

/// Files that grow beyond so many bytes fail to, instead of ending the process.
class full_disk {
public:
    explicit full_disk(std::size_t most) : handler_(std::signal(SIGXFSZ, SIG_IGN)), limit_(RLIMIT_FSIZE, most) {}
    full_disk(const full_disk&) = delete;
    full_disk& operator=(const full_disk&) = delete;
    ~full_disk() { std::signal(SIGXFSZ, handler_); }

private:
    void (*handler_)(int);
    limited limit_;
};
