#pragma once

#include "../dtype.hpp"
#include "../error.hpp"
#include "../formatted.hpp"
#include "../half.hpp"
#include "../way.hpp"
#include "netplist_layout.hpp"
#include "netplist_program.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ane::detail::inline ANEMONE_WAY {

/// A symbol that units read, with what it stands for.
struct netplist_value {
    std::string symbol;
    netplist_shape shape;
    dtype type = dtype::f16;
};

/// What a unit is, apart from its wiring. No `Params` where the record of the unit has none.
struct netplist_unit {
    std::string_view type;
    std::optional<plist::dict> params;
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
        taken_ = {"Units", "Weights", "Constants", "States", "InputParams"}; // keys of the network's own
    }

    /// Takes the name of a port. Units, constants and ports share one name space.
    ANEMONE_INLINE void reserve(std::string_view port) {
        if (!taken_.emplace(port).second) {
            throw error(errc::lowering, std::string(port),
                        "cannot be the name of a port: it is a key of every network, or the name of another port");
        }
    }

    ANEMONE_INLINE netplist_value input(std::string_view name, const netplist_shape& shape, dtype type) {
        inputs_.push_back({std::string(name), shape, type});
        return inputs_.back();
    }

    /// The position in `Weights` of a file with these values; equal ones share a file.
    ANEMONE_INLINE std::int64_t blob(std::span<const half> values) {
        const auto bytes = std::as_bytes(values);
        for (std::size_t i = 1; i < blobs_.size(); ++i) {
            if (blobs_[i].bytes.size() == bytes.size() &&
                std::memcmp(blobs_[i].bytes.data(), bytes.data(), bytes.size()) == 0) {
                return static_cast<std::int64_t>(i);
            }
        }
        blobs_.push_back({formatted("weights.{}", blobs_.size()), {bytes.begin(), bytes.end()}});
        return static_cast<std::int64_t>(blobs_.size()) - 1;
    }

    /// An entry of `Constants`. Only tensors with N = D = 1 are known there.
    ANEMONE_INLINE netplist_value constant(std::string_view stem, const netplist_shape& shape,
                                           std::span<const half> values) {
        const std::string name = fresh(stem);
        constants_.push_back(name);
        body_[name] = plist::dict{{"ConstantName", name},
                                  {"ConstantType", netplist_name(dtype::f16)},
                                  {"ConstantBatchSize", shape[netplist_axis::batch]},
                                  {"ConstantDepth", shape[netplist_axis::depth]},
                                  {"ConstantChannels", shape[netplist_axis::channel]},
                                  {"ConstantHeight", shape[netplist_axis::height]},
                                  {"ConstantWidth", shape[netplist_axis::width]},
                                  {"ConstantInterleave", 1},
                                  {"ConstantIndex", blob(values)},
                                  {"ConstantByteOffset", 0}};
        return {name, shape};
    }

    /// Appends a unit. No file is known whose unit names one symbol twice, so a second mention reads a copy.
    ANEMONE_INLINE netplist_value unit(std::string_view stem, const netplist_unit& what,
                                       std::vector<netplist_value> bottoms, const netplist_shape& shape) {
        for (std::size_t i = 1; i < bottoms.size(); ++i) {
            for (std::size_t k = 0; k < i; ++k) {
                if (bottoms[k].symbol == bottoms[i].symbol) {
                    bottoms[i] = copy(stem, bottoms[i]);
                }
            }
        }
        const std::string name = fresh(stem);
        units_.push_back(name);
        plist::array symbols;
        plist::array types;
        for (const netplist_value& b : bottoms) {
            symbols.emplace_back(b.symbol);
            types.emplace_back(netplist_name(b.type));
            consume(b, name);
        }
        plist::dict unit{{"Name", name},
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
        body_[name] = unit;
        return {name, shape};
    }

    /// The same value from a unit of its own.
    ANEMONE_INLINE netplist_value copy(std::string_view stem, const netplist_value& value) {
        return unit(stem, {"GOC", plist::dict{{"ScaleScalar", fp16_pattern(half(1))}}}, {value}, value.shape);
    }

    /// Names the result of a unit as an output port.
    ANEMONE_INLINE void output(std::string_view name, const netplist_value& value) {
        const plist::dict port{
            {"OutputName", name}, {"OutputType", netplist_name(value.type)}, {"OutputInterleave", 1}};
        plist::dict in_body = port;
        in_body["Bottom"] = value.symbol;
        body_[name] = in_body;
        plist::dict in_procedure = port;
        in_procedure["Name"] = value.symbol;
        in_procedure["OperationName"] = netplist_operation;
        output_list_.emplace_back(in_procedure);
    }

    /// Whether a value is the result of a unit, not an input or a constant.
    ANEMONE_INLINE bool is_unit(const netplist_value& value) const {
        for (const plist::value& name : units_) {
            if (*name.get_if<std::string>() == value.symbol) {
                return true;
            }
        }
        return false;
    }

    ANEMONE_INLINE netplist finish() && {
        const std::string network = "network_" + label_;
        for (const netplist_value& port : inputs_) {
            if (!read_.contains(port.symbol)) {
                throw error(errc::lowering, formatted("input \"{}\"", port.symbol),
                            "is read by no unit: a netplist declares an input only for the units that read it");
            }
        }
        plist::array files;
        for (const netplist_blob& b : blobs_) {
            files.emplace_back(b.name);
        }
        body_["Units"] = units_;
        body_["Weights"] = files;
        if (!constants_.empty()) {
            body_["Constants"] = constants_;
        }
        const plist::dict operation{{"OperationName", netplist_operation}, {"NetworkName", network}};
        const plist::dict procedure{{"Name", "procedure_" + label_},
                                    {"OperationList", plist::array{operation}},
                                    {"InputList", input_list_},
                                    {"OutputList", output_list_}};
        return {plist::dict{{"Version", "1.0.10"},
                            {"Networks", plist::array{network}},
                            {"ProcedureList", plist::array{procedure}},
                            {network, body_}},
                std::move(blobs_)};
    }

private:
    ANEMONE_INLINE std::string fresh(std::string_view stem) {
        std::string name(stem);
        for (int i = 1; !taken_.insert(name).second; ++i) {
            name = formatted("{}_{}", stem, i);
        }
        return name;
    }

    /// One entry of `InputList` for each pair of an input and a unit that reads it.
    ANEMONE_INLINE void consume(const netplist_value& value, const std::string& unit) {
        for (const netplist_value& port : inputs_) {
            if (port.symbol == value.symbol) {
                read_.insert(port.symbol);
                input_list_.emplace_back(plist::dict{{"InputName", port.symbol},
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
        }
    }

    std::string label_;
    std::set<std::string, std::less<>> taken_;
    std::set<std::string> read_;
    std::vector<netplist_value> inputs_;
    std::vector<netplist_blob> blobs_;
    plist::dict body_;
    plist::array units_;
    plist::array constants_;
    plist::array input_list_;
    plist::array output_list_;
};

} // namespace ane::detail::inline ANEMONE_WAY
