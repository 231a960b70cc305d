#include "as_written.hpp"

#include <anemone/backend/cpu/constants.hpp>
#include <anemone/formats/netplist.hpp>
#include <anemone/passes/lowering.hpp>
#include <anemone/readers/netplist.hpp>

#include <algorithm>
#include <string>

namespace kit {
namespace {

std::vector<std::string> inputs_of(const ane::graph_view& g) {
    std::vector<std::string> names;
    for (int i = 0; i < g.size(); ++i) {
        if (g[i].kind == ane::op::input) {
            names.emplace_back(g.name(i));
        }
    }
    return names;
}

ane::read_model read_back(const ane::graph_view& model, const ane::weight_store& weights) {
    const ane::lowered_graph lowered = ane::lower(model);
    return ane::read_netplist(ane::emit_netplist(lowered.graph, ane::fold_constants(lowered.graph, weights)));
}

/// What follows a matrix product, its bias too, is a layer of its own: each product becomes an output. How many did.
std::size_t end_layers_at_products(ane::dynamic_graph& g) {
    std::size_t products = 0;
    for (int i = 0; i < g.view().size(); ++i) {
        const ane::op kind = g.nodes[static_cast<std::size_t>(i)].kind;
        if ((kind == ane::op::matmul || kind == ane::op::linear) && i != g.outputs[0].node) {
            g.add_output(i, "product_" + std::to_string(products++));
        }
    }
    return products;
}

} // namespace

oracle_of_the_file::oracle_of_the_file(const ane::graph_view& model, const ane::weight_store& weights,
                                       const ane::numerics::datapath& arithmetic)
    : program_([&] {
          ane::read_model file = read_back(model, weights);
          parts_.resize(end_layers_at_products(file.graph));
          const std::vector<std::string> mine = inputs_of(model);
          for (const std::string& name : inputs_of(file.graph)) {
              order_.push_back(static_cast<std::size_t>(std::find(mine.begin(), mine.end(), name) - mine.begin()));
          }
          const ane::graph_view g = file.graph;
          std::size_t at = 0;
          for (const ane::output_port& port : g.outputs.subspan(1)) {
              parts_[at++].resize(static_cast<std::size_t>(g[port.node].shape.count()));
          }
          results_ = static_cast<std::size_t>(g[g.outputs[0].node].shape.count());
          return ane::backend::oracle(arithmetic).compile(g, file.weights);
      }()) {}

std::vector<ane::half> oracle_of_the_file::run(std::span<const std::span<const std::byte>> inputs) {
    std::vector<std::span<const std::byte>> in;
    for (const std::size_t place : order_) {
        in.push_back(inputs[place]);
    }
    std::vector<ane::half> y(results_);
    std::vector<std::span<std::byte>> out{std::as_writable_bytes(std::span(y))};
    for (std::vector<ane::half>& part : parts_) {
        out.push_back(std::as_writable_bytes(std::span(part)));
    }
    program_.run(in, out);
    return y;
}

} // namespace kit
