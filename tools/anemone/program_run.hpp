#pragma once

#include "tensor.hpp"
#include <anemone/backend/any.hpp>
#include <anemone/graph/graph.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace command {

/// The backend of a name: see `compile_for`. `threads` are those of the CPU backend; 0: as many as there are.
ane::backend::any backend_named(const std::string& backend, int threads = 0);

/// "cpu", "cpu:unfused" (every operation's result rounded), "oracle:h13" (a target's arithmetic, bit by bit), "engine:h13" (by the engine's library, or its stand-in).
ane::any_program compile_for(const std::string& backend, const ane::graph_view& model,
                             const ane::weight_store& weights);

/// Buffers of a model's ports.
class port_buffers {
public:
    explicit port_buffers(const ane::graph_view& model);

    /// Numbers for the inputs by name. What is missing or has no port is an error with the names that there are.
    void fill(std::span<const tensor> arrays);
    /// `random_samples` of the model.
    void fill_randomly(const ane::graph_view& model, std::uint64_t seed);

    void run(ane::any_program& program);
    std::vector<tensor> outputs() const;
    std::vector<std::span<const std::byte>> inputs() const;
    /// The input of a name, or the only one where the name is empty. Throws `ane::error` (errc::port).
    const ane::node& input(const std::string& name) const;

private:
    struct port {
        std::string name;
        const ane::node* node;
        std::vector<std::byte> bytes;
    };
    std::vector<port> inputs_;
    std::vector<port> outputs_;
};

} // namespace command
