#pragma once

#include "plist.hpp"
#include <anemone/values/half.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace ane::standin_objc {

enum axis_index : std::size_t { N, D, C, H, W };

inline constexpr std::array<std::string_view, 5> axis_names = {"Batch", "Depth", "Channel", "Height", "Width"};

inline std::size_t axis_named(const plist& name) {
    for (std::size_t i = 0; i < axis_names.size(); ++i) {
        if (axis_names[i] == name.string()) {
            return i;
        }
    }
    throw refused("axis " + name.string() + " is not known");
}

using shape5 = std::array<std::int64_t, 5>;

inline std::int64_t count_of(const shape5& shape) { return shape[N] * shape[D] * shape[C] * shape[H] * shape[W]; }
inline shape5 strides_of(const shape5& shape) {
    shape5 result{};
    std::int64_t step = 1;
    for (std::size_t i = 5; i-- > 0;) {
        result[i] = step;
        step *= shape[i];
    }
    return result;
}

/// Dense, in the order of the axes.
struct tensor {
    shape5 shape{1, 1, 1, 1, 1};
    std::vector<half> values;
    bool constant = false; ///< of constants alone
    const half* data() const { return values.data(); }
};

inline tensor made(const shape5& shape) {
    for (const std::int64_t extent : shape) {
        if (extent < 1) {
            throw refused("an extent is " + std::to_string(extent));
        }
    }
    return {shape, std::vector<half>(static_cast<std::size_t>(count_of(shape))), false};
}

using files = std::vector<std::vector<std::byte>>;

/// `count` values of a weight file, of 2 bytes each.
inline std::vector<half> blob(const files& weights, std::int64_t index, std::int64_t offset, std::int64_t count) {
    if (index < 0 || index >= static_cast<std::int64_t>(weights.size())) {
        throw refused("weight file " + std::to_string(index) + " is not in Weights");
    }
    const auto& bytes = weights[static_cast<std::size_t>(index)];
    if (offset < 0 || offset + 2 * count > static_cast<std::int64_t>(bytes.size())) {
        throw refused("weight file " + std::to_string(index) + " ends before byte " +
                      std::to_string(offset + 2 * count));
    }
    std::vector<half> result(static_cast<std::size_t>(count));
    std::memcpy(result.data(), bytes.data() + offset, static_cast<std::size_t>(2 * count));
    return result;
}

struct unit {
    std::string name;
    std::string type;
    plist params;
    std::vector<std::string> bottoms;
    std::int64_t channels = 0; ///< 0 where it is not said
    std::int64_t groups = 1;
};

struct port {
    std::string symbol;
    std::string from; ///< of an output, the unit
    shape5 shape{1, 1, 1, 1, 1};
};

/// The first procedure of a property list of schema 1.0.10.
struct network {
    files weights;
    std::vector<unit> units;
    std::map<std::string, tensor, std::less<>> constants;
    std::vector<port> inputs; ///< each symbol once, in the order of first mention
    std::vector<port> outputs;
    std::map<std::string, int, std::less<>> readers;

    const unit* find(const std::string& name) const {
        for (const unit& each : units) {
            if (each.name == name) {
                return &each;
            }
        }
        return nullptr;
    }
};

/// `weight_file` gives the bytes of a file by its name, and throws `refused` where there is none.
template <class WeightFile> network read_network(const std::string& text, const WeightFile& weight_file) {
    const plist document = plist_reader(text).document();
    if (document.at("Version").string() != "1.0.10") {
        throw refused("schema " + document.at("Version").string() + " is not supported");
    }
    if (document.at("ProcedureList").items.size() != 1 || document.at("Networks").items.size() != 1) {
        throw refused("one network with one procedure is expected");
    }
    const plist& procedure = document.at("ProcedureList").items.front();
    const std::string& called = document.at("Networks").items.front().string();
    const plist& operation = procedure.at("OperationList").items.at(0);
    if (operation.at("NetworkName").string() != called) {
        throw refused("the operation names another network");
    }
    const plist& body = document.at(called);
    network result;
    for (const plist& file : body.at("Weights").items) {
        result.weights.push_back(weight_file(file.string()));
    }
    if (const plist* const list = body.find("Constants")) {
        for (const plist& name : list->items) {
            const plist& c = body.at(name.string());
            tensor t = made({c.at("ConstantBatchSize").number(), c.at("ConstantDepth").number(),
                             c.at("ConstantChannels").number(), c.at("ConstantHeight").number(),
                             c.at("ConstantWidth").number()});
            t.values = blob(result.weights, c.at("ConstantIndex").number(), c.at("ConstantByteOffset").number(),
                            count_of(t.shape));
            if (c.at("ConstantType").string() == "UInt16") {
                for (half& v : t.values) { // positions below 2048 are exact
                    v = half(static_cast<double>(v.bits));
                }
            } else if (c.at("ConstantType").string() != "Float16") {
                throw refused("constant " + name.string() + " has another type than Float16");
            }
            t.constant = true;
            result.constants.emplace(c.at("ConstantName").string(), std::move(t));
        }
    }
    for (const plist& name : body.at("Units").items) {
        const plist& u = body.at(name.string());
        unit made_unit{name.string(), u.at("Type").string(), {}, {}, 0, 1};
        made_unit.params.is = plist::form::record;
        if (const plist* const params = u.find("Params")) {
            made_unit.params = *params;
        }
        for (const plist& bottom : u.at("Bottom").items) {
            made_unit.bottoms.push_back(bottom.string());
            ++result.readers[bottom.string()];
        }
        if (u.at("InputType").items.size() != made_unit.bottoms.size()) {
            throw refused("unit " + name.string() + " has another number of types than of bottoms");
        }
        if (const plist* const channels = u.find("OutputChannels")) {
            made_unit.channels = channels->number();
        }
        if (const plist* const groups = u.find("NumGroups")) {
            made_unit.groups = groups->number();
        }
        result.units.push_back(std::move(made_unit));
    }
    for (const plist& given : procedure.at("InputList").items) {
        if (given.at("InputType").string() != "Float16") {
            throw refused("input " + given.at("InputName").string() + " is no Float16");
        }
        const unit* const consumer = result.find(given.at("Name").string());
        const std::string& symbol = given.at("InputName").string();
        if (consumer == nullptr ||
            std::find(consumer->bottoms.begin(), consumer->bottoms.end(), symbol) == consumer->bottoms.end()) {
            throw refused("input " + symbol + " names a unit that does not read it");
        }
        port p{symbol,
               {},
               {given.at("BatchSize").number(), given.at("InputDepth").number(), given.at("InputChannels").number(),
                given.at("InputHeight").number(), given.at("InputWidth").number()}};
        bool known = false;
        for (const port& other : result.inputs) {
            known = known || other.symbol == symbol;
        }
        if (!known) {
            result.inputs.push_back(std::move(p));
        }
    }
    for (const plist& given : procedure.at("OutputList").items) {
        const std::string& symbol = given.at("OutputName").string();
        const std::string& from = given.at("Name").string();
        if (body.at(symbol).at("Bottom").string() != from) {
            throw refused("output " + symbol + " has two units");
        }
        ++result.readers[from];
        result.outputs.push_back({symbol, from, {}});
    }
    return result;
}

} // namespace ane::standin_objc
