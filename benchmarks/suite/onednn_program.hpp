#pragma once

#include "contender.hpp"

#include <dnnl.hpp>
#include <vector>

namespace suite {

/// A workload as primitives of oneDNN. Activations and residual additions are fused as post-operations, reshapes and
/// transposes are views, weights are packed in advance, and values stay in the layouts that primitives ask for. Ports of
/// a single layer are in those layouts too (the best case for the peer); a whole network has plain ports.
class onednn_session final : public local_session {
public:
    /// Throws ane::error (errc::lowering) for what it has no form of.
    onednn_session(const problem& p, dnnl::algorithm convolution);
    std::vector<std::vector<float>> outputs() override;

private:
    struct call {
        dnnl::primitive primitive;
        std::unordered_map<int, dnnl::memory> arguments;
    };

    void once() override;

    // While it is made.
    void add(int node);
    void linear(int node);
    void convolution(int node);
    void pool(int node);
    void mean(int node);
    void row_wise(int node);
    void elementwise(int node);
    void sum(int node);
    void attention(int node);
    void view(int node);
    void store(int node);

    /// What follows a product and can be computed in its epilogue: the node whose value leaves, and the attribute.
    struct epilogue {
        int last;
        int residual = -1;
        dnnl::primitive_attr attributes;
    };
    epilogue find_epilogue(int node, bool may_add);
    int only_reader(int node) const;
    dnnl::memory target_of(const epilogue& after, const dnnl::memory::desc& layout);

    dnnl::memory::desc plain(int node) const;
    dnnl::memory constant(int node, const dnnl::memory::desc& wanted, const dnnl::memory::desc& given);
    dnnl::memory in_layout(int node, const dnnl::memory::desc& wanted);
    dnnl::memory dense(int node);
    dnnl::memory made(int node, const dnnl::memory::desc& layout);
    void push(dnnl::primitive primitive, std::unordered_map<int, dnnl::memory> arguments);

    problem problem_;
    dnnl::algorithm algorithm_;
    bool winograd_used_ = false;
    dnnl::engine engine_{dnnl::engine::kind::cpu, 0};
    dnnl::stream stream_{engine_};
    std::vector<dnnl::memory> values_; ///< by node
    std::vector<bool> done_;           ///< by node: computed by the epilogue of another
    std::vector<call> calls_;
    int single_input_ = -1; ///< the port of a single layer, not yet in a layout
};

} // namespace suite
