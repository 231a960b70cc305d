// Reads ONNX's test cases with the library's own importer and runs them: the half of onnx_cases.py that is C++.
//
//     onnx_run [--oracle <target> | --wide] <results> < folders
//
// Each line of standard input is the folder of a case: model.onnx, and test_data_set_0 with input_*.pb. Inputs are
// rounded to the types of the ports. An input whose value the importer needs (a shape, an axis) it gets as a constant.
// <results> gets the outputs of all cases that ran, one behind the other. Standard output has one line for each case:
//
//     ok <folder> y:fp16:1,4,2,2 z:fp16:2      its outputs, in order; fp64 instead of fp16 with --wide, before any rounding
//     refused <folder> <why>                   by the importer
//     unsupported <folder> <operation>         the backend has no kernel for it
//     error <folder> <what>
//
// and then, for the cases that ran, a line `operations <folder> conv2d relu ...`.

#include <anemone/backend/cpu/cpu.hpp>
#include <anemone/backend/oracle/oracle.hpp>
#include <anemone/backend/program.hpp>
#include <anemone/backend/wide/wide.hpp>
#include <anemone/onnx/onnx.hpp>
#include <anemone/onnx/tensor_data.hpp>
#include <anemone/targets/table.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <fstream>
#include <iostream>
#include <iterator>
#include <optional>
#include <set>
#include <type_traits>

namespace {

using namespace ane;

struct loaded_input {
    ::onnx::TensorProto tensor;
    folding::known_tensor elements;
    bool free = false; ///< the model leaves an extent open
};

std::string bytes_of(const std::string& path) {
    std::ifstream stream(path, std::ios::binary);
    std::string bytes{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
    if (!stream) {
        throw error(errc::file, path, "cannot be read");
    }
    return bytes;
}

/// The values of the model's inputs, by their names.
std::map<std::string, loaded_input> inputs_of(const std::string& folder) {
    ::onnx::ModelProto model;
    if (!model.ParseFromString(bytes_of(folder + "/model.onnx"))) {
        throw error(errc::file, folder, "has no model");
    }
    std::set<std::string> initializers;
    for (const auto& tensor : model.graph().initializer()) {
        initializers.insert(tensor.name());
    }
    std::map<std::string, loaded_input> all;
    ane::onnx::external_files none("", 0);
    int number = 0;
    for (const auto& port : model.graph().input()) {
        if (initializers.contains(port.name())) {
            continue;
        }
        loaded_input& in = all[port.name()];
        in.free = !port.type().tensor_type().has_shape();
        for (const auto& dim : port.type().tensor_type().shape().dim()) {
            in.free = in.free || dim.dim_value() < 1;
        }
        const std::string path = fmt::format("{}/test_data_set_0/input_{}.pb", folder, number++);
        if (!in.tensor.ParseFromString(bytes_of(path))) {
            throw error(errc::file, path, "is no tensor");
        }
        try {
            in.elements = ane::onnx::constant_of(in.tensor, none);
            if (port.type().tensor_type().elem_type() == ::onnx::TensorProto::BFLOAT16) { // the package says uint16
                in.elements.type = element_type::bf16;
            }
        } catch (const ane::onnx::refused_node& refused) {
            throw error(errc::file, path, refused.reason);
        }
    }
    return all;
}

/// Imports the model, giving it the values of inputs that it asks for.
read_model imported(const std::string& folder, const std::map<std::string, loaded_input>& inputs) {
    onnx_reader_options options;
    std::set<std::string> given;
    const auto give = [&](const std::string& name, const folding::known_tensor& elements) {
        onnx_value value{name, elements.shape, {}};
        for (std::int64_t i = 0; i < elements.count(); ++i) {
            value.values.push_back(elements.at(i));
        }
        options.values.push_back(std::move(value));
        given.insert(name);
    };
    for (const auto& [name, in] : inputs) {
        if (in.elements.count() == 0) {
            give(name, in.elements);
        } else if (in.free) {
            options.shapes.push_back({name, in.elements.shape});
        }
    }
    for (;;) {
        try {
            return read_onnx_file(folder + "/model.onnx", options);
        } catch (const unreadable& refused) {
            bool more = false;
            for (const read_fault& fault : refused.faults()) {
                constexpr std::string_view begin = "needs the value of the input \"";
                if (!fault.reason.starts_with(begin)) {
                    continue;
                }
                const std::string name =
                    fault.reason.substr(begin.size(), fault.reason.find('"', begin.size()) - begin.size());
                const auto in = inputs.find(name);
                if (in != inputs.end() && !given.contains(name)) {
                    give(name, in->second.elements);
                    more = true;
                }
            }
            if (!more) {
                throw;
            }
        }
    }
}

/// Elements as a port takes them.
std::vector<std::byte> port_bytes(const folding::known_tensor& elements, dtype type) {
    std::vector<std::byte> bytes;
    for (std::int64_t i = 0; i < elements.count(); ++i) {
        const double value = elements.at(i);
        if (type == dtype::f16) {
            const std::uint16_t bits = half(value).bits;
            bytes.push_back(static_cast<std::byte>(bits & 0xFFU));
            bytes.push_back(static_cast<std::byte>(bits >> 8U));
        } else {
            bytes.push_back(static_cast<std::byte>(static_cast<int>(value) & 0xFF));
        }
    }
    return bytes;
}

template <class Backend> void run(const Backend& place, const std::string& folder, std::ostream& results) {
    const std::map<std::string, loaded_input> inputs = inputs_of(folder);
    const read_model model = imported(folder, inputs);
    const graph_view g = model.graph.view();
    std::set<std::string> operations;
    std::vector<std::vector<std::byte>> memory;
    std::vector<std::span<const std::byte>> given;
    for (int i = 0; i < g.size(); ++i) {
        const node& n = g[i];
        if (!place.supports(n.kind)) {
            fmt::print("unsupported {} {}\n", folder, name(n.kind));
            return;
        }
        if (n.kind != op::input && n.kind != op::weight && n.kind != op::constant) {
            operations.emplace(name(n.kind));
        } else if (n.kind == op::input) {
            const auto in = std::find_if(inputs.begin(), inputs.end(), [&](const auto& each) {
                ane::onnx::fresh_names names; // ports have the names of the file, made of letters
                return names.identifier(each.first) == g.name(i);
            });
            if (in == inputs.end()) {
                throw error(errc::port, std::string(g.name(i)), "is no input of the case");
            }
            memory.push_back(port_bytes(in->second.elements, n.type));
            // The package has a few of another shape than the model says, which only tell a type.
            memory.back().resize(static_cast<std::size_t>(bytes(n.type, n.shape.count())));
        }
    }
    given.assign(memory.begin(), memory.end());
    constexpr bool is_wide = std::is_same_v<Backend, backend::wide>;
    auto program = compile(g, place, model.weights);
    std::vector<std::vector<std::byte>> results_of;
    std::string line;
    for (const output_port& port : g.outputs) {
        const node& n = g[port.node];
        results_of.emplace_back(static_cast<std::size_t>(bytes(n.type, n.shape.count())));
        line += fmt::format(" {}:{}:", g.name(port), is_wide && n.type == dtype::f16 ? "fp64" : mil_name(n.type));
        for (int i = 0; i < n.shape.rank; ++i) {
            line += fmt::format("{}{}", i == 0 ? "" : ",", n.shape[i]);
        }
    }
    std::vector<std::span<std::byte>> outputs(results_of.begin(), results_of.end());
    program.run(given, outputs);
    for (std::size_t i = 0; i < results_of.size(); ++i) {
        std::span<const std::byte> output = results_of[i];
        if constexpr (is_wide) {
            if (g[g.outputs[i].node].type == dtype::f16) {
                output = std::as_bytes(program.value(g.outputs[i].node));
            }
        }
        results.write(reinterpret_cast<const char*>(output.data()), static_cast<std::streamsize>(output.size()));
    }
    fmt::print("ok {}{}\noperations {} {}\n", folder, line, folder, fmt::join(operations, " "));
}

template <class Backend> void run_all(const Backend& place, std::ostream& results) {
    for (std::string folder; std::getline(std::cin, folder);) {
        const auto failed = [&](const char* kind, std::string what) {
            std::replace(what.begin(), what.end(), '\n', ' ');
            fmt::print("{} {} {}\n", kind, folder, what);
        };
        try {
            run(place, folder, results);
        } catch (const unreadable& refused) {
            failed("refused", refused.what());
        } catch (const std::exception& e) {
            failed("error", e.what());
        }
        std::fflush(stdout); // should a case end the process, the one behind the last line did it
    }
}

} // namespace

int main(int count, char** arguments) {
    try {
        std::vector<std::string> given(arguments + 1, arguments + count);
        std::optional<target> generation;
        const bool is_wide = !given.empty() && given[0] == "--wide";
        if (is_wide) {
            given.erase(given.begin());
        } else if (given.size() >= 2 && given[0] == "--oracle") {
            generation = find_target(given[1]);
            if (!generation) {
                throw error(errc::argument, given[1], "is no target");
            }
            given.erase(given.begin(), given.begin() + 2);
        }
        if (given.size() != 1) {
            throw error(errc::argument, "usage", "onnx_run [--oracle <target> | --wide] <results> < folders");
        }
        std::ofstream results(given[0], std::ios::binary);
        if (is_wide) {
            run_all(backend::wide{}, results);
        } else if (generation) {
            run_all(backend::oracle{*generation}, results);
        } else {
            run_all(backend::cpu{}.rounding(rounding::each_operation), results);
        }
        results.flush();
        if (!results) {
            throw error(errc::file, given[0], "cannot be written");
        }
        return 0;
    } catch (const std::exception& e) {
        std::fprintf(stderr, "onnx_run: %s\n", e.what());
    }
    return 2;
}
