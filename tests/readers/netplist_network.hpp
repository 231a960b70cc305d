#pragma once

#include <anemone/backend/cpu/cpu.hpp>
#include <anemone/forms/netplist_layout.hpp>
#include <anemone/readers/netplist.hpp>
#include <anemone/readers/plist.hpp>

#include <fmt/format.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Networks written down unit by unit as other tools write them, to be read and run.
namespace netplist_network {

using namespace ane;
using formats::plist_array;
using formats::plist_dict;
using formats::plist_value;

/// The integer that stands for an fp16 number.
inline plist_value bits(double number) { return static_cast<int>(half(static_cast<float>(number)).bits); }

using names = std::vector<std::string>;

inline plist_array list(const names& texts) { return {texts.begin(), texts.end()}; }

/// Runs a graph on the CPU: the values of its inputs in their order, the values of its first output.
inline std::vector<float> results_of(const read_model& model, const std::vector<std::vector<float>>& values) {
    const graph_view g = model.graph;
    auto program = backend::cpu{}.compile(g, model.weights);
    std::vector<std::vector<std::byte>> held;
    std::vector<std::vector<std::byte>> results;
    std::size_t next = 0;
    for (int i = 0; i < g.size(); ++i) {
        if (g[i].kind != op::input) {
            continue;
        }
        std::vector<std::byte>& bytes = held.emplace_back();
        for (const float v : values.at(next)) {
            if (g[i].type == dtype::f16) {
                const auto pattern = half(v).bits;
                bytes.push_back(static_cast<std::byte>(pattern & 0xFFU));
                bytes.push_back(static_cast<std::byte>(pattern >> 8U));
            } else {
                bytes.push_back(static_cast<std::byte>(static_cast<int>(v)));
            }
        }
        ++next;
    }
    for (const output_port& port : g.outputs) {
        results.emplace_back(static_cast<std::size_t>(bytes(g[port.node].type, g[port.node].shape.count())));
    }
    std::vector<std::span<const std::byte>> read(held.begin(), held.end());
    std::vector<std::span<std::byte>> written(results.begin(), results.end());
    program.run(read, written);
    std::vector<float> result;
    const std::vector<std::byte>& first = results.front();
    if (g[g.outputs[0].node].type != dtype::f16) {
        for (const std::byte b : first) {
            result.push_back(static_cast<float>(std::to_integer<int>(b)));
        }
        return result;
    }
    for (std::size_t i = 0; i < first.size(); i += 2) {
        half h;
        h.bits = static_cast<std::uint16_t>(std::to_integer<unsigned>(first[i]) |
                                            std::to_integer<unsigned>(first[i + 1]) << 8U);
        result.push_back(float(h));
    }
    return result;
}

class network {
public:
    explicit network(std::string_view version = "1.0.10") : old_(version == "1.0.9") { document["Version"] = version; }

    plist_dict document;
    plist_dict body;
    std::vector<netplist_blob> blobs{{"weights.0", {}}};

    network& input(const std::string& name, const netplist_shape& s, std::string_view type = "Float16") {
        inputs_.push_back({name, plist_dict{{"InputType", type},
                                            {"BatchSize", s.extent[0]},
                                            {"InputDepth", s.extent[1]},
                                            {"InputChannels", s.extent[2]},
                                            {"InputHeight", s.extent[3]},
                                            {"InputWidth", s.extent[4]},
                                            {"InputInterleave", 1}}});
        return *this;
    }
    /// A unit; `more` are keys beside Params.
    network& unit(const std::string& name, std::string_view type, const names& bottoms, plist_dict params = {},
                  const plist_dict& more = {}) {
        plist_dict u = more;
        u["Name"] = name;
        u["Type"] = type;
        u["Bottom"] = old_ && bottoms.size() == 1 ? plist_value(bottoms.front()) : plist_value(list(bottoms));
        u["OutputType"] = "Float16";
        if (!params.empty()) {
            u["Params"] = std::move(params);
        }
        units_.push_back(name);
        body[name] = std::move(u);
        last_ = name;
        return *this;
    }
    /// A file of these numbers in fp16, or fp32; its position in Weights.
    std::int64_t blob(const std::vector<float>& values, bool wide = false) {
        std::vector<std::byte> data;
        for (const float v : values) {
            const std::uint32_t pattern = wide ? std::bit_cast<std::uint32_t>(v) : half(v).bits;
            for (unsigned k = 0; k < (wide ? 4U : 2U); ++k) {
                data.push_back(static_cast<std::byte>(pattern >> (8 * k) & 0xFFU));
            }
        }
        blobs.push_back({fmt::format("weights.{}", blobs.size()), std::move(data)});
        return static_cast<std::int64_t>(blobs.size()) - 1;
    }
    network& constant(const std::string& name, const netplist_shape& s, std::int64_t index,
                      std::string_view type = "Float16") {
        constants_.push_back(name);
        body[name] = plist_dict{{"ConstantName", name},
                                {"ConstantType", type},
                                {"ConstantBatchSize", s.extent[0]},
                                {"ConstantDepth", s.extent[1]},
                                {"ConstantChannels", s.extent[2]},
                                {"ConstantHeight", s.extent[3]},
                                {"ConstantWidth", s.extent[4]},
                                {"ConstantInterleave", 1},
                                {"ConstantIndex", index},
                                {"ConstantByteOffset", 0}};
        return *this;
    }
    network& output(const std::string& name, const std::string& unit = "") {
        outputs_.push_back({name, unit.empty() ? last_ : unit});
        return *this;
    }

    /// The document with what was declared so far; the last unit is the output "y" where there is none.
    netplist program() {
        if (outputs_.empty()) {
            output("y");
        }
        names files;
        for (const netplist_blob& b : blobs) {
            files.push_back(b.name);
        }
        plist_dict net = body;
        net["Units"] = list(units_);
        net["Weights"] = list(files);
        net["Constants"] = list(constants_);
        plist_array read;
        plist_array written;
        names read_names;
        names written_names;
        for (const auto& [name, keys] : inputs_) {
            plist_dict entry = keys;
            if (old_) {
                net[name] = entry;
            }
            entry["InputName"] = name;
            entry["Name"] = units_.empty() ? "" : units_.front();
            read.emplace_back(entry);
            read_names.push_back(name);
        }
        for (const auto& [name, unit] : outputs_) {
            written.emplace_back(plist_dict{{"OutputName", name}, {"Name", unit}, {"OutputType", "Float16"}});
            net[name] = plist_dict{{"OutputName", name}, {"Bottom", unit}, {"OutputType", "Float16"}};
            written_names.push_back(name);
        }
        if (old_) {
            net["Inputs"] = list(read_names);
            net["Outputs"] = list(written_names);
        } else {
            const plist_dict operation{{"OperationName", "op0"}, {"NetworkName", "net"}};
            document["ProcedureList"] = plist_array{plist_dict{{"Name", "run"},
                                                               {"OperationList", plist_array{operation}},
                                                               {"InputList", read},
                                                               {"OutputList", written}}};
        }
        document["Networks"] = list({"net"});
        document["net"] = net;
        return {document, blobs};
    }

    /// Read through its XML text, as from a file.
    read_model read(const netplist_reader_options& options = {}) {
        netplist p = program();
        p.document = readers::parse_plist(formats::to_xml(p.document), "net.plist");
        return read_netplist(p, options);
    }
    std::vector<float> run(const std::vector<std::vector<float>>& values) {
        return netplist_network::results_of(read(), values);
    }
    /// The faults of a network that is refused.
    std::vector<read_fault> faults(const netplist_reader_options& options = {}) {
        try {
            read(options);
        } catch (const unreadable& refused) {
            return refused.faults();
        }
        return {};
    }

private:
    bool old_;
    names units_;
    names constants_;
    std::vector<std::pair<std::string, plist_dict>> inputs_;
    std::vector<std::pair<std::string, std::string>> outputs_;
    std::string last_;
};

} // namespace netplist_network
