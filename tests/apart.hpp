#pragma once

#include <anemone/backend/cpu/cpu.hpp>
#include <anemone/backend/oracle/oracle.hpp>

#include <functional>
#include <string>
#include <utility>

/// The CPU and the oracle for tests. Whoever calls `compile` of the library's own has the compiler make all their
/// kernels; these call it in one file (apart.cpp), for all tests.
namespace apart {

class program {
public:
    using runner = std::function<void(ane::input_buffers, ane::output_buffers)>;

    explicit program(runner run) : run_(std::move(run)) {}
    void run(ane::input_buffers inputs, ane::output_buffers outputs) { run_(inputs, outputs); }

private:
    runner run_;
};

class cpu {
public:
    static std::string name();
    static bool supports(ane::op kind);
    program compile(const ane::graph_view& model, const ane::weight_store& weights) const;
};

class oracle {
public:
    explicit oracle(ane::target generation) : oracle(ane::backend::oracle(generation)) {}
    explicit oracle(const ane::numerics::datapath& arithmetic) : oracle(ane::backend::oracle(arithmetic)) {}
    explicit oracle(ane::backend::oracle wrapped) : wrapped_(std::move(wrapped)) {}

    std::string name() const { return wrapped_.name(); }
    static constexpr bool supports(ane::op kind) { return ane::backend::oracle::supports(kind); }
    oracle threads(int count) const { return oracle(wrapped_.threads(count)); }
    program compile(const ane::graph_view& model, const ane::weight_store& weights) const;

private:
    ane::backend::oracle wrapped_;
};

} // namespace apart
