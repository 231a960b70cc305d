#pragma once

#include <cstdlib>
#include <optional>
#include <string>

/// An environment variable that has another value for a scope.
class changed_variable {
public:
    changed_variable(const char* name, const std::string& value) : name_(name) {
        if (const char* const before = std::getenv(name)) {
            before_ = before;
        }
        ::setenv(name, value.c_str(), 1);
    }
    changed_variable(const changed_variable&) = delete;
    changed_variable& operator=(const changed_variable&) = delete;
    ~changed_variable() {
        if (before_) {
            ::setenv(name_, before_->c_str(), 1);
        } else {
            ::unsetenv(name_);
        }
    }

private:
    const char* name_;
    std::optional<std::string> before_;
};
