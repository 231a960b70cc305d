#pragma once

#include "compile_service.hpp"
#include "executor.hpp"
#include "handle_table.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

namespace ane::standin {

struct config_options : object {
    std::string cache_location;
};

struct compiler : object {
    std::string cache_location;
};

struct compile_options : object {
    std::uint64_t mask = 0x7;
    bool force = false;
    std::string segmenter = "graph";
    std::string ane_options;
};

struct library : object {
    std::shared_ptr<const compiled_program> compiled;
};

struct function : object {
    std::shared_ptr<const compiled_program> compiled;
};

struct operation_options : object {
    std::shared_ptr<const compiled_program> compiled;
    std::string name;
};

struct event : object {
    std::string name;
    std::uint64_t last = 0;
    std::uint64_t future = 0;
};

/// 64-byte aligned memory, filled with NaN patterns: whoever reads it before writing it sees it.
struct buffer : object {
    explicit buffer(std::uint64_t bytes)
        : size(bytes), memory(::operator new (static_cast<std::size_t>(bytes), std::align_val_t{64})) {
        std::memset(memory, 0xFF, static_cast<std::size_t>(bytes));
    }
    buffer(const buffer&) = delete;
    buffer& operator=(const buffer&) = delete;
    ~buffer() override { ::operator delete (memory, std::align_val_t{64}); }

    std::uint64_t size;
    void* memory;
};

struct stream;

enum class operation_state { fresh, encoded, ready };

/// A program loaded on the device. At most `limit` are loaded at a time; the count follows the objects' lives.
struct operation : object {
    static constexpr int most = 128;
    inline static int limit = most;

    operation(std::shared_ptr<const compiled_program> program, int& loaded)
        : compiled(std::move(program)), run(compiled->code, compiled->steps), inputs(compiled->code.inputs.size()),
          outputs(compiled->code.outputs.size()), loaded_(loaded) {
        ++loaded_;
    }
    operation(const operation&) = delete;
    operation& operator=(const operation&) = delete;
    ~operation() override { --loaded_; }

    void must_be_fresh(const char* what) const {
        if (state != operation_state::fresh) {
            throw failure{status_order, std::string(what) + ": the op has been encoded, its bindings cannot change"};
        }
    }

    /// Inputs are read before, outputs written after the program runs, so a buffer on both sides is a state.
    void execute() {
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            run.write(compiled->code.inputs[i], inputs[i]->memory);
        }
        run.run();
        for (std::size_t i = 0; i < outputs.size(); ++i) {
            run.read(compiled->code.outputs[i], outputs[i]->memory);
        }
    }

    std::shared_ptr<const compiled_program> compiled;
    executor run;
    std::vector<std::shared_ptr<buffer>> inputs;
    std::vector<std::shared_ptr<buffer>> outputs;
    std::shared_ptr<event> completion;
    std::vector<std::shared_ptr<event>> dependents;
    operation_state state = operation_state::fresh;
    std::weak_ptr<stream> on;

private:
    int& loaded_;
};

struct port : object {
    std::shared_ptr<operation> owner;
    bool output = false;
    std::size_t index = 0;
};

/// A list of encoded operations. Once it has run, more may be added only after a reset.
struct stream : object {
    std::vector<std::shared_ptr<operation>> operations;
    bool executed = false;

    void execute() {
        if (operations.empty()) {
            throw failure{status_order, "execution stream: nothing is encoded"};
        }
        executed = true;
        for (const std::shared_ptr<operation>& one : operations) {
            one->execute();
        }
    }
};

} // namespace ane::standin
