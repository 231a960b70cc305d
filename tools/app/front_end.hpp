#pragma once

#include <anemone/io/opened_files.hpp>

#include <cstdint>
#include <string>
#include <string_view>

/// What Anemone does with models of files, for its callers: the command, the C interface, the Python module. Each use case
/// is a function from a model and a structure of options to a value; what its options are called, mean and may be stands
/// in a table beside the structure (option.hpp). Nothing here parses arguments, writes to a terminal or keeps what threads
/// would share.
namespace app {

enum class front_end : std::uint8_t { command, c, python };

/// A text for each front end; an empty one where it has none of its own.
struct texts {
    std::string_view command{};
    std::string_view c{};
    std::string_view python{};

    constexpr std::string_view of(front_end by) const {
        return by == front_end::command ? command : by == front_end::c ? c : python;
    }
};

/// Is told what a long call does.
class watcher {
public:
    watcher() = default;
    watcher(const watcher&) = delete;
    watcher& operator=(const watcher&) = delete;
    virtual ~watcher() = default;

    virtual void begins(const std::string& what) = 0; ///< "reading model.onnx"; may be within another
    virtual void at(double part) = 0;                 ///< how far it is, from 0 to 1
    virtual void now(const std::string& what) = 0;    ///< what it does at present
    virtual void ends() noexcept = 0;
};

struct open_text;

/// Who asks: every use case is told, beside its options. Its front end's spelling of options is in the sentences of errors.
struct caller {
    front_end by = front_end::command;
    watcher* watching = nullptr;        ///< null: nothing
    ane::opened_files* reads = nullptr; ///< is told what files models are read from, also where that fails
    open_text* text = nullptr;          ///< where `variants_of` left it open, functions are read from it
};

/// Something that takes a while, told to the caller's watcher while it lives.
class task {
public:
    task(const caller& who, const std::string& what) : watching_(who.watching) {
        if (watching_ != nullptr) {
            watching_->begins(what);
        }
    }
    task(const task&) = delete;
    task& operator=(const task&) = delete;
    ~task() {
        if (watching_ != nullptr) {
            watching_->ends();
        }
    }

    void at(double part) const {
        if (watching_ != nullptr) {
            watching_->at(part);
        }
    }
    void now(const std::string& what) const {
        if (watching_ != nullptr) {
            watching_->now(what);
        }
    }

private:
    watcher* watching_;
};

} // namespace app
