#include "onednn_program.hpp"

#include "onednn_layout.hpp"
#include <anemone/base/error.hpp>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <string>

namespace suite {

using ane::op;
using dnnl::memory;
using namespace layout; // NOLINT(google-build-using-namespace): one header

onednn_session::onednn_session(const problem& p, dnnl::algorithm convolution)
    : problem_(p), algorithm_(convolution), values_(static_cast<std::size_t>(p.graph.view().size())),
      done_(values_.size()) {
    const auto begin = std::chrono::steady_clock::now();
    const ane::graph_view g = problem_.graph;
    for (int i = 0; i < g.size(); ++i) {
        if (g[i].kind == op::input) {
            values_[static_cast<std::size_t>(i)] = memory(plain(i), engine_);
            const auto& given = problem_.values[static_cast<std::size_t>(i)];
            std::memcpy(values_[static_cast<std::size_t>(i)].get_data_handle(), given.data(),
                        given.size() * sizeof(float));
            single_input_ = problem_.whole ? -1 : i;
        }
    }
    for (int i = 0; i < g.size(); ++i) {
        if (!done_[static_cast<std::size_t>(i)]) {
            add(i);
        }
    }
    if (algorithm_ == dnnl::algorithm::convolution_winograd && !winograd_used_) {
        throw ane::error(ane::errc::lowering, "oneDNN", "has no Winograd convolution here");
    }
    if (problem_.whole) { // plain ports
        for (const int node : problem_.output_nodes()) {
            values_[static_cast<std::size_t>(node)] = dense(node);
        }
    }
    prepare_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

void onednn_session::once() {
    for (const call& c : calls_) {
        c.primitive.execute(stream_, c.arguments);
    }
    stream_.wait();
}

std::vector<std::vector<float>> onednn_session::outputs() {
    std::vector<std::vector<float>> list;
    for (const int node : problem_.output_nodes()) {
        const memory& value = values_[static_cast<std::size_t>(node)];
        memory copy(dense_of(value.get_desc().dims()), engine_);
        dnnl::reorder(value, copy).execute(stream_, const_cast<memory&>(value), copy); // NOLINT: reads it
        stream_.wait();
        const auto* const numbers = static_cast<const float*>(copy.get_data_handle());
        list.emplace_back(numbers, numbers + problem_.graph.view()[node].shape.count());
    }
    return list;
}

// ---- values and layouts ---------------------------------------------------------------------------------------------

memory::desc onednn_session::plain(int node) const { return dense_of(dims_of(problem_.graph.view()[node].shape)); }

memory onednn_session::made(int node, const memory::desc& layout) {
    return values_[static_cast<std::size_t>(node)] = memory(layout, engine_);
}

void onednn_session::push(dnnl::primitive primitive, std::unordered_map<int, memory> arguments) {
    calls_.push_back({std::move(primitive), std::move(arguments)});
}

/// A weight in the layout that a primitive wants, converted now.
memory onednn_session::constant(int node, const memory::desc& wanted, const memory::desc& given) {
    auto& numbers = problem_.values[static_cast<std::size_t>(node)];
    memory from(given, engine_, numbers.data());
    memory to(wanted, engine_);
    dnnl::reorder(from, to).execute(stream_, from, to);
    stream_.wait();
    return to;
}

/// A value in the layout that a primitive wants: converted in every run, but for the port of a single layer.
memory onednn_session::in_layout(int node, const memory::desc& wanted) {
    memory& value = values_[static_cast<std::size_t>(node)];
    if (value.get_desc() == wanted) {
        return value;
    }
    memory to(wanted, engine_);
    const dnnl::reorder convert(value, to);
    if (node == single_input_) {
        convert.execute(stream_, value, to);
        stream_.wait();
        value = to;
    } else {
        push(convert, {{DNNL_ARG_FROM, value}, {DNNL_ARG_TO, to}});
    }
    return to;
}

memory onednn_session::dense(int node) {
    const memory::desc layout = values_[static_cast<std::size_t>(node)].get_desc();
    return in_layout(node, dense_of(layout.dims()));
}

// ---- epilogues ------------------------------------------------------------------------------------------------------

int onednn_session::only_reader(int node) const {
    const ane::graph_view g = problem_.graph;
    int reader = -1;
    for (const ane::output_port& port : g.outputs) {
        if (port.node == node) {
            return -1;
        }
    }
    for (int i = 0; i < g.size(); ++i) {
        for (const int read : g.operands(i)) {
            if (read == node) {
                if (reader >= 0) {
                    return -1;
                }
                reader = i;
            }
        }
    }
    return reader;
}

onednn_session::epilogue onednn_session::find_epilogue(int node, bool may_add) {
    const ane::graph_view g = problem_.graph;
    epilogue found{node, -1, {}};
    dnnl::post_ops steps;
    for (int next = only_reader(node); next >= 0; next = only_reader(next)) {
        const op kind = g[next].kind;
        if (kind == op::relu) {
            steps.append_eltwise(1, dnnl::algorithm::eltwise_relu, 0, 0);
        } else if (kind == op::relu6) {
            steps.append_eltwise(1, dnnl::algorithm::eltwise_clip, 0, 6);
        } else if (kind == op::gelu) {
            steps.append_eltwise(1, dnnl::algorithm::eltwise_gelu_erf, 0, 0);
        } else if (kind == op::add && may_add && found.residual < 0) {
            const auto read = g.operands(next);
            const int other = read[0] == found.last ? read[1] : read[0];
            if (!values_[static_cast<std::size_t>(other)] || g[other].shape.count() != g[next].shape.count()) {
                break;
            }
            found.residual = other;
            steps.append_sum(1);
        } else {
            break;
        }
        found.last = next;
        done_[static_cast<std::size_t>(next)] = true;
    }
    found.attributes.set_post_ops(steps);
    return found;
}

/// Where a product and its epilogue are stored. A sum adds to what is there: the other operand's memory, or a copy of it
/// where it has another layout or is read later.
memory onednn_session::target_of(const epilogue& after, const memory::desc& layout) {
    if (after.residual < 0) {
        return made(after.last, layout);
    }
    const ane::graph_view g = problem_.graph;
    memory& kept = values_[static_cast<std::size_t>(after.residual)];
    bool free = g[after.residual].kind != op::input && kept.get_desc() == layout;
    for (int i = after.last + 1; i < g.size(); ++i) {
        const auto read = g.operands(i);
        free = free && std::find(read.begin(), read.end(), after.residual) == read.end();
    }
    if (free) {
        return values_[static_cast<std::size_t>(after.last)] = kept;
    }
    memory copy = made(after.last, layout);
    push(dnnl::reorder(kept, copy), {{DNNL_ARG_FROM, kept}, {DNNL_ARG_TO, copy}});
    return copy;
}

} // namespace suite
