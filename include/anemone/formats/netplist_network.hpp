#pragma once

#include "../base/error.hpp"
#include "../base/formatted.hpp"
#include "../base/way.hpp"
#include "../forms/netplist_faults.hpp"
#include "../values/dtype.hpp"
#include "../values/half.hpp"
#include "mil_names.hpp"
#include "netplist_program.hpp"
#include "plist.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace ane::formats::inline ANEMONE_WAY {

/// A symbol that units read, with what it stands for.
struct netplist_value {
    std::string symbol;
    netplist_shape shape;
    dtype type = dtype::f16;
};

/// What a unit is, apart from its wiring. No `Params` where the record of the unit has none.
struct netplist_unit {
    std::string_view type;
    std::optional<plist_dict> params;
    bool output_channels = true; ///< left out on Reshape and InputView
    std::int64_t groups = 0;     ///< written on Conv only
};

inline constexpr std::string_view netplist_operation = "op0";

/// The number that a netplist holds for an fp16 scalar: its bit pattern.
constexpr std::int64_t fp16_pattern(half value) { return value.bits; }

/// One network with one procedure, unit by unit: names, wiring, ports, constants and blobs. Facts: netplist sections
/// 1-5.
class netplist_network {
public:
    ANEMONE_INLINE explicit netplist_network(std::string_view label) : label_(label) {
        blobs_.push_back({"weights.0", std::vector<std::byte>(1024)});
        for (const std::string_view key : forms::network_keys) {
            names_.take(key);
        }
    }

    /// Takes the name of a port. Units, constants and ports share one name space.
    ANEMONE_INLINE void reserve(std::string_view port) {
        if (!names_.take(port)) {
            throw error(errc::lowering, std::string(port),
                        "cannot be the name of a port: it is a key of every network, or the name of another port");
        }
    }

    /// Keeps the name of a layer for its first unit.
    ANEMONE_INLINE void keep(std::string layer) { names_.keep(std::move(layer)); }

    ANEMONE_INLINE netplist_value input(std::string_view name, const netplist_shape& shape, dtype type) {
        inputs_by_name_.emplace(name, inputs_.size());
        inputs_.push_back({std::string(name), shape, type});
        return inputs_.back();
    }

    /// The position in `Weights` of a file with these values; equal ones share a file.
    ANEMONE_INLINE std::int64_t blob(std::span<const half> values) { return blob(std::as_bytes(values)); }
    ANEMONE_INLINE std::int64_t blob(std::span<const std::byte> bytes) {
        const std::size_t hash =
            std::hash<std::string_view>{}({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
        const auto [first, last] = blobs_by_hash_.equal_range(hash);
        for (auto known = first; known != last; ++known) {
            const std::vector<std::byte>& held = blobs_[known->second].bytes;
            if (std::equal(held.begin(), held.end(), bytes.begin(), bytes.end())) {
                return static_cast<std::int64_t>(known->second);
            }
        }
        blobs_by_hash_.emplace(hash, blobs_.size());
        blobs_.push_back({formatted("weights.{}", blobs_.size()), {bytes.begin(), bytes.end()}});
        return static_cast<std::int64_t>(blobs_.size()) - 1;
    }

    /// An entry of `Constants`. Only tensors with N = D = 1 are known there.
    ANEMONE_INLINE netplist_value constant(std::string_view stem, const netplist_shape& shape,
                                           std::span<const half> values) {
        return constant(stem, shape, std::as_bytes(values), dtype::f16);
    }
    ANEMONE_INLINE netplist_value constant(std::string_view stem, const netplist_shape& shape,
                                           std::span<const std::byte> data, dtype type) {
        const std::string name = fresh(stem);
        constants_.push_back(name);
        plist_dict entry{{"ConstantName", name},
                         {"ConstantType", netplist_name(type)},
                         {"ConstantBatchSize", shape[netplist_axis::batch]},
                         {"ConstantDepth", shape[netplist_axis::depth]},
                         {"ConstantChannels", shape[netplist_axis::channel]},
                         {"ConstantHeight", shape[netplist_axis::height]},
                         {"ConstantWidth", shape[netplist_axis::width]},
                         {"ConstantInterleave", 1},
                         {"ConstantIndex", blob(data)},
                         {"ConstantByteOffset", 0}};
        body_.push_back({name, std::move(entry)});
        return {name, shape, type};
    }

    /// Appends a unit. No file is known whose unit names one symbol twice, so a second mention reads a copy.
    ANEMONE_INLINE netplist_value unit(std::string_view stem, const netplist_unit& what,
                                       std::vector<netplist_value> bottoms, const netplist_shape& shape) {
        std::set<std::string> mentioned;
        for (netplist_value& b : bottoms) {
            if (!mentioned.insert(b.symbol).second) {
                b = copy(stem, b);
            }
        }
        const std::string name = fresh(stem);
        units_.push_back(name);
        plist_array symbols;
        plist_array types;
        for (const netplist_value& b : bottoms) {
            symbols.emplace_back(b.symbol);
            types.emplace_back(netplist_name(b.type));
            consume(b, name);
        }
        plist_dict unit{{"Name", name},
                        {"Type", what.type},
                        {"Bottom", symbols},
                        {"InputType", types},
                        {"OutputType", netplist_name(dtype::f16)}};
        if (what.output_channels) {
            unit["OutputChannels"] = shape[netplist_axis::channel];
        }
        if (what.groups > 0) {
            unit["NumGroups"] = what.groups;
        }
        if (what.params) {
            unit["Params"] = *what.params;
        }
        positions_.emplace(name, body_.size());
        body_.push_back({name, std::move(unit)});
        return {name, shape};
    }

    /// Gives a unit other parameters.
    ANEMONE_INLINE void set_params(std::string_view unit, plist_dict params) {
        (*body_[positions_.find(unit)->second].content.get_if<plist_dict>())["Params"] = std::move(params);
    }

    /// The same value from a unit of its own.
    ANEMONE_INLINE netplist_value copy(std::string_view stem, const netplist_value& value) {
        return unit(stem, {"GOC", plist_dict{{"ScaleScalar", fp16_pattern(half(1))}}}, {value}, value.shape);
    }

    /// Names the result of a unit as an output port.
    ANEMONE_INLINE void output(std::string_view name, const netplist_value& value) {
        const plist_dict port{{"OutputName", name}, {"OutputType", netplist_name(value.type)}, {"OutputInterleave", 1}};
        plist_dict in_body = port;
        in_body["Bottom"] = value.symbol;
        body_.push_back({std::string(name), std::move(in_body)});
        plist_dict in_procedure = port;
        in_procedure["Name"] = value.symbol;
        in_procedure["OperationName"] = netplist_operation;
        output_list_.emplace_back(in_procedure);
    }

    /// Whether a value is the result of a unit, not an input or a constant.
    ANEMONE_INLINE bool is_unit(const netplist_value& value) const { return positions_.contains(value.symbol); }

    ANEMONE_INLINE netplist finish() && {
        const std::string network = "network_" + label_;
        for (const netplist_value& port : inputs_) {
            if (!read_.contains(port.symbol)) {
                throw error(errc::lowering, formatted("input \"{}\"", port.symbol),
                            "is read by no unit: a netplist declares an input only for the units that read it");
            }
        }
        plist_array files;
        for (const netplist_blob& b : blobs_) {
            files.emplace_back(b.name);
        }
        body_.push_back({"Units", std::move(units_)});
        body_.push_back({"Weights", std::move(files)});
        if (!constants_.empty()) {
            body_.push_back({"Constants", std::move(constants_)});
        }
        const plist_dict operation{{"OperationName", netplist_operation}, {"NetworkName", network}};
        const plist_dict procedure{{"Name", "procedure_" + label_},
                                   {"OperationList", plist_array{operation}},
                                   {"InputList", input_list_},
                                   {"OutputList", output_list_}};
        return {plist_dict{{"Version", "1.0.10"},
                           {"Networks", plist_array{network}},
                           {"ProcedureList", plist_array{procedure}},
                           {network, plist_dict(std::move(body_))}},
                std::move(blobs_)};
    }

private:
    ANEMONE_INLINE std::string fresh(std::string_view stem) { return names_.fresh(std::string(stem)); }

    /// One entry of `InputList` for each pair of an input and a unit that reads it.
    ANEMONE_INLINE void consume(const netplist_value& value, const std::string& unit) {
        const auto found = inputs_by_name_.find(value.symbol);
        if (found == inputs_by_name_.end()) {
            return;
        }
        const netplist_value& port = inputs_[found->second];
        read_.insert(port.symbol);
        input_list_.emplace_back(plist_dict{{"InputName", port.symbol},
                                            {"Name", unit},
                                            {"OperationName", netplist_operation},
                                            {"InputType", netplist_name(port.type)},
                                            {"BatchSize", port.shape[netplist_axis::batch]},
                                            {"InputDepth", port.shape[netplist_axis::depth]},
                                            {"InputChannels", port.shape[netplist_axis::channel]},
                                            {"InputHeight", port.shape[netplist_axis::height]},
                                            {"InputWidth", port.shape[netplist_axis::width]},
                                            {"InputInterleave", 1}});
    }

    std::string label_;
    layer_names names_;
    std::set<std::string> read_;
    std::vector<netplist_value> inputs_;
    std::map<std::string, std::size_t, std::less<>> inputs_by_name_;
    std::vector<netplist_blob> blobs_;
    std::unordered_multimap<std::size_t, std::size_t> blobs_by_hash_;
    std::vector<plist_member> body_;                            ///< the network's entries, whose names all differ
    std::map<std::string, std::size_t, std::less<>> positions_; ///< of the units, in the body
    plist_array units_;
    plist_array constants_;
    plist_array input_list_;
    plist_array output_list_;
};

} // namespace ane::formats::inline ANEMONE_WAY
