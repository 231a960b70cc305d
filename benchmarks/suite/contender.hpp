#pragma once

#include "problem.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

namespace suite {

/// A workload made ready by one contender.
class session {
public:
    session() = default;
    session(const session&) = delete;
    session& operator=(const session&) = delete;
    virtual ~session() = default;

    /// Runs as often as asked; the seconds of each run.
    virtual std::vector<double> run(int count) = 0;
    /// The outputs of the last run, in the order of the graph's.
    virtual std::vector<std::vector<float>> outputs() = 0;
    /// Seconds from the graph and its weights in memory to a program that can run: packing, compiling.
    double prepare_seconds = 0;
};

/// A library that may be able to run a workload. One file a peer.
class contender {
public:
    contender() = default;
    contender(const contender&) = delete;
    contender& operator=(const contender&) = delete;
    virtual ~contender() = default;

    virtual std::string name() const = 0;
    /// The version and what else decides its speed.
    virtual std::string description() const = 0;
    /// Whether it stands for this library: others are its peers.
    virtual bool ours() const { return false; }
    /// Throws ane::error (errc::lowering) with the reason where it has no form for an operation.
    virtual std::unique_ptr<session> prepare(const problem& p) = 0;
};

/// A session in this process: what one run is.
class local_session : public session {
public:
    std::vector<double> run(int count) final;

protected:
    virtual void once() = 0;
};

/// All contenders that are there, ours first; of the others one line each in `absent`.
struct field {
    std::vector<std::unique_ptr<contender>> present;
    std::vector<std::string> absent;
};
struct field_options {
    int threads = 1;
    std::string scripts;              ///< the folder of the programs for other languages
    std::string modules;              ///< the folder where `npm install` put its packages
    std::string scratch;              ///< a folder for files that other processes read
    std::vector<std::string> peers{}; ///< that are wanted, by name; empty: all

    bool wants(const std::string& peer) const {
        return peers.empty() || std::find(peers.begin(), peers.end(), peer) != peers.end();
    }
};
field make_field(const field_options& options);

/// Ours, by their names: as users get it, and with one option each.
inline constexpr const char* default_form = "Anemone";
inline constexpr const char* unfused_form = "Anemone unfused";
inline constexpr const char* winograd_form = "Anemone Winograd";

// What each file adds to the field; those of absent libraries add a line.
void add_anemone(field& f, const field_options& options);
void add_onednn(field& f, const field_options& options);
void add_openblas(field& f, const field_options& options);
void add_eigen(field& f, const field_options& options);
void add_pytorch(field& f, const field_options& options);
void add_onnx_runtime(field& f, const field_options& options);

/// Refuses an operation: throws ane::error (errc::lowering).
[[noreturn]] void refuse(const std::string& contender, ane::op kind);

} // namespace suite
