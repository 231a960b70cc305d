#include "process_contender.hpp"
#include <anemone/io/file.hpp>
#include <anemone/io/json.hpp>

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <string>
#include <utility>

namespace suite {

namespace {

template <class List> void write_list(ane::json_writer& json, const char* key, const List& list) {
    json.key(key).array();
    for (const auto& element : list) {
        json.value(static_cast<std::int64_t>(element));
    }
    json.end();
}

std::vector<std::int64_t> numbers_of(const ane::extents& list) {
    std::vector<std::int64_t> numbers;
    for (int axis = 0; axis < list.rank; ++axis) {
        numbers.push_back(list[axis]);
    }
    return numbers;
}

/// The attributes of the operations that the workloads have.
void write_attributes(ane::json_writer& json, const ane::node& n) {
    using ane::op;
    switch (n.kind) { // NOLINT(clang-diagnostic-switch-enum): others have none
    case op::conv2d: {
        const ane::conv& c = n.get<ane::conv>();
        write_list(json, "stride", std::initializer_list<int>{c.stride.height, c.stride.width});
        write_list(json, "padding", std::initializer_list<int>{c.padding.top, c.padding.left});
        json.member("groups", c.groups);
        break;
    }
    case op::max_pool: {
        const ane::pool& p = n.get<ane::pool>();
        write_list(json, "kernel", std::initializer_list<int>{p.kernel.height, p.kernel.width});
        write_list(json, "stride", std::initializer_list<int>{p.stride.height, p.stride.width});
        write_list(json, "padding", std::initializer_list<int>{p.padding.top, p.padding.left});
        break;
    }
    case op::transpose: write_list(json, "order", numbers_of(n.get<ane::permutation>().order)); break;
    case op::layer_norm:
    case op::rms_norm: json.member("epsilon", static_cast<double>(n.get<ane::stabilizer>().epsilon)); break;
    case op::attention: json.member("scale", static_cast<double>(n.get<ane::score_scaling>().scale)); break;
    default: break;
    }
}

} // namespace

void write_problem(const problem& p, const std::string& folder) {
    std::filesystem::create_directories(folder);
    const ane::graph_view g = p.graph;
    ane::json_writer json;
    std::ofstream values(folder + "/values.f32", std::ios::binary);
    std::size_t offset = 0;
    json.object().member("name", p.name).key("nodes").array();
    for (int i = 0; i < g.size(); ++i) {
        json.object().member("op", name(g[i].kind));
        write_list(json, "shape", numbers_of(g[i].shape));
        write_list(json, "operands", g.operands(i));
        write_attributes(json, g[i]);
        const auto& numbers = p.values[static_cast<std::size_t>(i)];
        if (!numbers.empty()) {
            json.member("offset", offset);
            values.write(reinterpret_cast<const char*>(numbers.data()),
                         static_cast<std::streamsize>(numbers.size() * sizeof(float)));
            offset += numbers.size();
        }
        if (const int next = g.next_of(i); g[i].kind == ane::op::input && next >= 0) {
            json.member("next", g.outputs[static_cast<std::size_t>(next)].node);
        }
        json.end();
    }
    json.end();
    write_list(json, "outputs", p.output_nodes());
    json.key("writes").array();
    for (const cache_write& w : p.writes) {
        json.object().member("select", w.select).member("state", w.state).member("row", w.row);
        json.member("axis", w.axis).member("position", w.position).end();
    }
    json.end().end();
    ane::write_file(folder + "/problem.json", json.str());
}

} // namespace suite
