// Writes the netplist of every model of formats/netplist_models.hpp, one run of it on the CPU, and values that are hard to
// write, for tests/python/netplist.py into the folder that is the argument.

#include "../formats/netplist_models.hpp"
#include "into_folder.hpp"
#include <anemone/backend/cpu/cpu.hpp>
#include <anemone/io/file.hpp>

#include <bit>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

using namespace ane;

namespace {

formats::plist_dict port(std::string_view name, const extents& shape, std::span<const half> values) {
    formats::plist_array lengths;
    for (int i = 0; i < shape.rank; ++i) {
        lengths.emplace_back(shape[i]);
    }
    formats::plist_array patterns;
    for (const half v : values) {
        patterns.emplace_back(static_cast<int>(v.bits));
    }
    return {{"Name", name}, {"Shape", lengths}, {"Patterns", patterns}};
}

/// The inputs and outputs of one run on the CPU.
formats::plist_value run_of(const graph_view& g) {
    auto program =
        ane::backend::cpu{}.rounding(ane::rounding::each_operation).compile(g, netplist_models::sample_weights(g));
    formats::plist_array inputs;
    formats::plist_array outputs;
    std::vector<std::vector<half>> values;
    std::vector<std::span<const std::byte>> read;
    std::vector<std::span<std::byte>> written;
    values.reserve(g.nodes.size() + g.outputs.size());
    for (int i = 0; i < g.size(); ++i) {
        if (g[i].kind == op::input) {
            std::vector<half>& v = values.emplace_back();
            for (const float f : netplist_models::sample(g.name(i), g[i].shape.count())) {
                v.push_back(half(f));
            }
            inputs.emplace_back(port(g.name(i), g[i].shape, v));
            read.push_back(std::as_bytes(std::span(v)));
        }
    }
    const std::size_t first = values.size();
    for (const output_port& p : g.outputs) {
        std::vector<half>& v = values.emplace_back(static_cast<std::size_t>(g[p.node].shape.count()));
        written.push_back(std::as_writable_bytes(std::span(v)));
    }
    program.run(read, written);
    for (std::size_t i = 0; i < g.outputs.size(); ++i) {
        outputs.emplace_back(port(g.name(g.outputs[i]), g[g.outputs[i].node].shape, values[first + i]));
    }
    return formats::plist_dict{{"Inputs", inputs}, {"Outputs", outputs}};
}

/// What a property list can hold, and many doubles with their patterns.
formats::plist_value tricky_values() {
    formats::plist_array reals;
    formats::plist_array patterns;
    std::mt19937_64 random(20240607);
    const auto add = [&](double real) {
        if (std::isfinite(real)) {
            reals.emplace_back(real);
            patterns.emplace_back(std::bit_cast<std::int64_t>(real));
        }
    };
    for (const double d : {0.0, -0.0, 1.0, 0.1, 1e-5, 1e-4, 12345.0, 1e15, 1e16, 1e17, 123456789012345678.0, 5e-324}) {
        add(d);
    }
    for (int i = 0; i < 4000; ++i) {
        add(std::bit_cast<double>(random()));
        add(std::ldexp(static_cast<double>(random() % 2000001) - 1e6, static_cast<int>(random() % 40) - 20));
        add(std::pow(10.0, static_cast<double>(random() % 40) - 20) * static_cast<double>(random() % 100));
    }
    return formats::plist_dict{
        {"integers", formats::plist_array{0, -1, 65535, INT64_MIN, INT64_MAX}},
        {"flags", formats::plist_array{true, false}},
        {"texts", formats::plist_array{"", "a<b>&c", "tab\tline\r\nend", "caf\u00e9 \U0001f600", "\"quoted\" 'text'"}},
        {"empty array", formats::plist_array{}},
        {"empty dictionary", formats::plist_dict{}},
        {"<key> & \u00fc", 1},
        {"reals", reals},
        {"real patterns", patterns}};
}

void write_all(const std::filesystem::path& to) {
    netplist_models::for_each_model([&](const netplist_models::named_model& model) {
        const dynamic_graph g = model.build();
        const std::filesystem::path place = to / std::string(model.name);
        write_netplist(model.program(), place);
        write_file(place / "run.plist", formats::to_xml(run_of(g)));
    });
    write_file(to / "values.plist", formats::to_xml(tricky_values()));
}

} // namespace

int main(int count, char** arguments) { return into_folder(count, arguments, write_all); }
