#pragma once

#include "../base/way.hpp"
#include "../values/dtype.hpp"
#include "netplist_keys.hpp"
#include "unreadable.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// What a netplist declares, schema 1.0.10 and the dialect 1.0.9 alike: facts netplist, sections 1, 2 and 8. Only bodies
/// include this header.
namespace ane::readers::inline ANEMONE_WAY {

/// Inputs, and outputs, of a network; the engine takes some hundreds.
inline constexpr std::size_t most_netplist_ports = 4096;

struct netplist_port {
    std::string_view name;
    std::string_view bottom; ///< of an output
    netplist_shape shape;    ///< of an input
    dtype type = dtype::f16;
    formats::plist_place place;
};

struct netplist_unit_text {
    std::string_view name;
    std::string_view type;
    std::vector<std::string_view> bottoms;
    const formats::plist_dict* body = nullptr;
    formats::plist_place place;
};

struct netplist_constant_text {
    const formats::plist_dict* body = nullptr;
    formats::plist_place place;
};

/// The faults of one pass over a file.
class netplist_faults {
public:
    explicit netplist_faults(std::string_view file) : file_(file) {}

    ANEMONE_INLINE void add(const formats::plist_place& place, std::string operation, std::string reason) {
        if (list_.size() == most_netplist_faults) {
            return;
        }
        list_.push_back({file_, static_cast<int>(place.line), static_cast<int>(place.column), std::move(operation),
                         std::move(reason)});
    }
    /// Adds what the keys of one dictionary gave.
    ANEMONE_INLINE void add(const formats::plist_place& place, const std::string& operation,
                            std::vector<std::string>& reasons) {
        for (std::string& reason : reasons) {
            add(place, operation, std::move(reason));
        }
        reasons.clear();
    }
    bool empty() const { return list_.empty(); }
    ANEMONE_INLINE void raise() {
        if (!list_.empty()) {
            throw unreadable(file_, std::move(list_));
        }
    }

private:
    std::string file_;
    std::vector<read_fault> list_;
};

/// One procedure over one network.
struct netplist_document {
    bool old = false; ///< schema 1.0.9
    std::vector<netplist_port> inputs;
    std::vector<netplist_port> outputs;
    std::vector<netplist_unit_text> units;
    std::map<std::string_view, netplist_constant_text> constants;
    std::vector<std::string_view> files;
};

class netplist_document_reader {
public:
    netplist_document_reader(const formats::plist_value& root, std::string_view procedure, netplist_faults& faults)
        : root_(root), wanted_(procedure), faults_(faults) {}

    ANEMONE_INLINE netplist_document read() {
        const auto* const top = root_.get_if<formats::plist_dict>();
        if (top == nullptr) {
            faults_.add(root_.place(), "", "the property list is no dictionary");
            faults_.raise();
        }
        netplist_keys keys(top, complaints_);
        result_.old = !keys.has("ProcedureList");
        const std::vector<std::string_view> networks = keys.texts("Networks");
        std::string_view network;
        if (result_.old) {
            network = chosen(networks, "network");
        } else {
            network = procedure(keys);
        }
        report(root_.place(), "");
        faults_.raise(); // without a network there is nothing more to find
        const formats::plist_value* const held = keys.find(network);
        body_ = held == nullptr ? nullptr : held->get_if<formats::plist_dict>();
        if (body_ == nullptr) {
            faults_.add(root_.place(), "", formatted("the network {} has no dictionary", in_quotes(network)));
            faults_.raise();
        }
        place_ = held->place();
        read_body();
        if (std::max(result_.inputs.size(), result_.outputs.size()) > most_netplist_ports) {
            faults_.add(place_, "",
                        formatted("has {} inputs and {} outputs; {} are read", result_.inputs.size(),
                                  result_.outputs.size(), most_netplist_ports));
            faults_.raise();
        }
        return std::move(result_);
    }

private:
    ANEMONE_INLINE void report(const formats::plist_place& place, const std::string& of) {
        faults_.add(place, of, complaints_);
    }

    /// The name that the caller wants, or the only one.
    ANEMONE_INLINE std::string_view chosen(const std::vector<std::string_view>& names, std::string_view what) {
        std::string all;
        for (const std::string_view name : names) {
            if (name == wanted_) {
                return name;
            }
            if (all.size() < 400) {
                all += (all.empty() ? "" : ", ") + in_quotes(name);
            }
        }
        if (wanted_.empty() && names.size() == 1) {
            return names.front();
        }
        complaints_.push_back(wanted_.empty()
                                  ? formatted("has {} {}s; name one of them: {}", names.size(), what, all)
                                  : formatted("has no {} {}; there are: {}", what, in_quotes(wanted_), all));
        return {};
    }

    ANEMONE_INLINE std::string_view procedure(netplist_keys& keys) {
        const auto procedures = keys.dictionaries("ProcedureList");
        std::vector<std::string_view> names;
        names.reserve(procedures.size());
        for (const formats::plist_dict* const p : procedures) {
            names.push_back(netplist_keys(p, complaints_).text("Name"));
        }
        const std::string_view name = chosen(names, "procedure");
        for (std::size_t i = 0; i < procedures.size(); ++i) {
            if (names[i] == name && complaints_.empty()) {
                return procedure_network(*procedures[i], name);
            }
        }
        return {};
    }

    /// The ports of a procedure; the network that it runs.
    ANEMONE_INLINE std::string_view procedure_network(const formats::plist_dict& procedure, std::string_view name) {
        netplist_keys keys(&procedure, complaints_);
        const auto operations = keys.dictionaries("OperationList");
        const auto inputs = keys.dictionaries("InputList");
        const auto outputs = keys.dictionaries("OutputList");
        if (operations.size() != 1) {
            keys.complain(formatted("the procedure {} runs {} networks; how they are joined is not known",
                                    in_quotes(name), operations.size()));
            return {};
        }
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            const auto& values = *procedure.find("InputList")->get_if<formats::plist_array>();
            netplist_keys entry(inputs[i], complaints_);
            add_input(entry.text("InputName"), entry, values[i].place());
        }
        for (std::size_t i = 0; i < outputs.size(); ++i) {
            const auto& values = *procedure.find("OutputList")->get_if<formats::plist_array>();
            netplist_keys entry(outputs[i], complaints_);
            netplist_port port;
            port.name = entry.text("OutputName");
            port.bottom = entry.text("Name");
            port.type = output_type(entry);
            port.place = values[i].place();
            result_.outputs.push_back(port);
            report(port.place, formatted("output {}", in_quotes(port.name)));
        }
        return netplist_keys(operations.front(), complaints_).text("NetworkName");
    }

    ANEMONE_INLINE dtype output_type(netplist_keys& keys) {
        const std::string_view token = keys.text("OutputType", true);
        if (token.empty() || token == netplist_name(dtype::f16)) {
            return dtype::f16;
        }
        if (token != netplist_name(dtype::uint8) && token != netplist_name(dtype::int8)) {
            keys.complain(formatted("has the type {}; Float16, UInt8 and Int8 are read", in_quotes(token)));
        }
        return token == netplist_name(dtype::int8) ? dtype::int8 : dtype::uint8;
    }

    /// An input; an entry for another unit that reads it must say the same.
    ANEMONE_INLINE void add_input(std::string_view name, netplist_keys& keys, const formats::plist_place& place) {
        netplist_port port;
        port.name = name;
        port.place = place;
        const std::string_view token = keys.text("InputType", true);
        if (token == netplist_name(dtype::uint8) || token == netplist_name(dtype::int8)) {
            port.type = token == netplist_name(dtype::int8) ? dtype::int8 : dtype::uint8;
        } else if (!token.empty() && token != netplist_name(dtype::f16)) {
            keys.complain(formatted("has the type {}; Float16, UInt8 and Int8 are read", in_quotes(token)));
        }
        port.shape = {keys.extent("BatchSize", 1), keys.extent("InputDepth", 1), keys.extent("InputChannels"),
                      keys.extent("InputHeight"), keys.extent("InputWidth")};
        for (const std::string_view key : {"ShardingMap", "InputParamType"}) {
            if (keys.has(key)) {
                keys.complain(formatted("has {}, which is not read", key));
            }
        }
        const auto [known, is_new] = inputs_.try_emplace(name, result_.inputs.size());
        if (is_new) {
            result_.inputs.push_back(port);
        } else if (const netplist_port& other = result_.inputs[known->second];
                   other.shape != port.shape || other.type != port.type) {
            keys.complain("is declared with different shapes or types");
        }
        report(place, formatted("input {}", in_quotes(name)));
    }

    ANEMONE_INLINE void read_body() {
        netplist_keys keys(body_, complaints_);
        result_.files = keys.texts("Weights", result_.old);
        for (const std::string_view key : {"States", "InputParams"}) {
            if (!keys.list(key, true).empty()) {
                keys.complain(formatted("has {}: networks that keep something between runs are not read", key));
            }
        }
        if (result_.old) {
            old_ports(keys);
        } else {
            compare_outputs(keys);
        }
        for (const std::string_view name : keys.texts("Constants", true)) {
            const formats::plist_value* const held = body_->find(name);
            netplist_constant_text constant;
            constant.body = held == nullptr ? nullptr : held->get_if<formats::plist_dict>();
            if (constant.body == nullptr) {
                keys.complain(formatted("the constant {} has no dictionary", in_quotes(name)));
                continue;
            }
            constant.place = held->place();
            if (!result_.constants.emplace(name, constant).second || inputs_.contains(name)) {
                keys.complain(formatted("has two values of the name {}", in_quotes(name)));
            }
        }
        read_units(keys);
        report(place_, "");
    }

    /// The network repeats the outputs of the procedure.
    ANEMONE_INLINE void compare_outputs(netplist_keys& keys) {
        for (const netplist_port& port : result_.outputs) {
            const formats::plist_value* const held = body_->find(port.name);
            const auto* const body = held == nullptr ? nullptr : held->get_if<formats::plist_dict>();
            const std::string_view bottom = netplist_keys(body, complaints_).text("Bottom", true);
            if (!bottom.empty() && bottom != port.bottom) {
                keys.complain(formatted("the output {} is the unit {} for the procedure and {} for the network",
                                        in_quotes(port.name), in_quotes(port.bottom), in_quotes(bottom)));
            }
        }
    }

    ANEMONE_INLINE void read_units(netplist_keys& keys) {
        std::set<std::string_view> names;
        for (const std::string_view name : keys.texts("Units")) {
            const formats::plist_value* const held = body_->find(name);
            const auto* const body = held == nullptr ? nullptr : held->get_if<formats::plist_dict>();
            if (body == nullptr) {
                keys.complain(formatted("the unit {} has no dictionary", in_quotes(name)));
                continue;
            }
            if (!names.insert(name).second || inputs_.contains(name) || result_.constants.contains(name)) {
                keys.complain(formatted("has two values of the name {}", in_quotes(name)));
                continue;
            }
            std::vector<std::string> complaints;
            netplist_keys unit(body, complaints);
            netplist_unit_text text{name, unit.text("Type"), {}, body, held->place()};
            const formats::plist_value* const bottom = unit.find("Bottom");
            if (const auto* const one = bottom == nullptr ? nullptr : bottom->get_if<std::string>()) {
                text.bottoms.emplace_back(*one); // as 1.0.9 does
            } else {
                text.bottoms = unit.texts("Bottom");
            }
            if (unit.has("Name") && unit.text("Name") != name) {
                unit.complain(formatted("has the name {} within it", in_quotes(unit.text("Name"))));
            }
            faults_.add(text.place, formatted("{} ({})", ane::detail::printable(name), text.type), complaints);
            result_.units.push_back(std::move(text));
        }
    }

    /// Ports of 1.0.9: names in the network, and a dictionary for each.
    ANEMONE_INLINE void old_ports(netplist_keys& keys) {
        for (const bool inputs : {true, false}) {
            for (const std::string_view name : keys.texts(inputs ? "Inputs" : "Outputs")) {
                const formats::plist_value* const held = body_->find(name);
                const auto* const body = held == nullptr ? nullptr : held->get_if<formats::plist_dict>();
                if (body == nullptr) {
                    keys.complain(formatted("the port {} has no dictionary", in_quotes(name)));
                    continue;
                }
                netplist_keys entry(body, complaints_);
                if (inputs) {
                    add_input(name, entry, held->place());
                    continue;
                }
                netplist_port port;
                port.name = name;
                port.bottom = entry.text("Bottom");
                port.type = output_type(entry);
                port.place = held->place();
                result_.outputs.push_back(port);
                report(port.place, formatted("output {}", in_quotes(name)));
            }
        }
    }

    const formats::plist_value& root_;
    std::string_view wanted_;
    netplist_faults& faults_;
    netplist_document result_;
    std::map<std::string_view, std::size_t> inputs_;
    const formats::plist_dict* body_ = nullptr;
    formats::plist_place place_;
    std::vector<std::string> complaints_;
};

} // namespace ane::readers::inline ANEMONE_WAY
