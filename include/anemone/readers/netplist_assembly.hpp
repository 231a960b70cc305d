#pragma once

#include "../base/way.hpp"
#include "../formats/mil_names.hpp"
#include "../graph/builder.hpp"
#include "file_names.hpp"
#include "large_constants.hpp"
#include "layer_name.hpp"
#include "netplist_units.hpp"

/// From the declarations of a netplist to its graph. Only bodies include this header.
namespace ane::readers::inline ANEMONE_WAY {

class netplist_assembly {
public:
    netplist_assembly(const netplist_document& document, const blob_lookup& blobs, bool allows_missing,
                      std::string_view file, netplist_faults& faults)
        : document_(document), graph_(netplist_blobs(document.files, blobs, allows_missing)),
          file_(kept_file_name(file)), faults_(faults) {}

    ANEMONE_INLINE read_model assemble() {
        declare_inputs();
        for (const std::size_t i : order()) {
            read_unit(document_.units[i]);
        }
        declare_outputs();
        faults_.raise();
        if (const std::string& lost = graph_.blobs().lost(); !lost.empty()) {
            graph_.note(formatted("weights whose files are not there have their shapes alone: {}",
                                  ane::detail::printable(lost)));
        }
        read_model model{finished(), std::move(graph_.weights), std::move(graph_.notes)};
        model.missing.assign(graph_.missing.begin(), graph_.missing.end());
        settle_large_constants(model, {}, false);
        return model;
    }

private:
    ANEMONE_INLINE static std::string title(const netplist_unit_text& unit) {
        return formatted("{} ({})", ane::detail::printable(unit.name), ane::detail::printable(unit.type));
    }

    /// A name as the graph allows it for a port, and no other port has it.
    ANEMONE_INLINE std::string port_name(std::string_view wanted, std::string_view what) {
        std::string stem;
        for (const char c : wanted) {
            stem += is_identifier(formatted("_{}", c)) ? c : '_';
        }
        if (!is_identifier(stem)) {
            stem = "_" + stem;
        }
        std::string result = stem;
        for (int& number = ports_by_stem_[stem]; !ports_.insert(result).second;) {
            result = formatted("{}_{}", stem, ++number);
        }
        if (result != wanted) {
            graph_.note(formatted("the {} {} is called {}", what, in_quotes(wanted), result));
        }
        return result;
    }

    ANEMONE_INLINE void declare_inputs() {
        for (const netplist_port& port : document_.inputs) {
            graph_.where = {file_, static_cast<int>(port.place.line)};
            guarded(port.place, formatted("input {}", in_quotes(port.name)), [&] {
                const dynamic_tensor made = graph_.builder.input(port_name(port.name, "input"), graph_shape(port.shape),
                                                                 {}, port.type, graph_.where);
                values_[port.name] = {made, port.shape};
            });
        }
    }

    /// Does something and puts an `error` down as a fault. False where there was one.
    template <class Action>
    bool guarded(const formats::plist_place& place, const std::string& of, const Action& action) {
        try {
            action();
            return true;
        } catch (const error& e) {
            faults_.add(place, of, e.what());
        }
        return false;
    }

    /// The units, each behind those that it reads. A cycle is a fault, and its units are left out.
    ANEMONE_INLINE std::vector<std::size_t> order() {
        std::map<std::string_view, std::size_t> numbers;
        for (std::size_t i = 0; i < document_.units.size(); ++i) {
            numbers.emplace(document_.units[i].name, i);
        }
        enum class state : std::uint8_t { unseen, open, done };
        std::vector<state> states(document_.units.size(), state::unseen);
        std::vector<std::size_t> result;
        std::vector<std::pair<std::size_t, std::size_t>> path; // a unit, and the bottom to look at next
        for (std::size_t first = 0; first < document_.units.size(); ++first) {
            if (states[first] == state::unseen) {
                states[first] = state::open;
                path.emplace_back(first, 0);
            }
            while (!path.empty()) {
                auto& [unit, next] = path.back();
                const netplist_unit_text& text = document_.units[unit];
                if (next == text.bottoms.size()) {
                    states[unit] = state::done;
                    result.push_back(unit);
                    path.pop_back();
                    continue;
                }
                const auto found = numbers.find(text.bottoms[next++]);
                if (found == numbers.end() || states[found->second] == state::done) {
                    continue;
                }
                if (states[found->second] == state::open) {
                    faults_.add(text.place, title(text),
                                formatted("reads {}, which reads it in turn", in_quotes(found->first)));
                    continue;
                }
                states[found->second] = state::open;
                path.emplace_back(found->second, 0);
            }
        }
        return result;
    }

    /// The value of a name, made of `Constants` where it is one; null where there is a fault.
    ANEMONE_INLINE const netplist_tensor* find(std::string_view name, netplist_unit_reader& u) {
        if (const auto known = values_.find(name); known != values_.end()) {
            return &known->second;
        }
        const auto constant = document_.constants.find(name);
        if (constant == document_.constants.end()) {
            return nullptr;
        }
        stored_tensor elements = u.constant(constant->second);
        const extents shape = elements.shape;
        dynamic_tensor made;
        if (elements.type == element_type::uint16 || shape.count() == 1) { // indices and numbers belong to the graph
            const std::vector<float> values = to_float(elements);
            for (const float v : values) {
                if (float(half(v)) != v && elements.type == element_type::uint16) {
                    u.refuse(formatted("reads the constant {}, whose {} fp16 does not hold", in_quotes(name), v));
                }
            }
            made = graph_.builder.constant(shape, values, graph_.where);
        } else {
            made = graph_.weight(std::string(name), std::move(elements));
        }
        return &(values_[name] = graph_.value(made));
    }

    ANEMONE_INLINE bool is_declared(std::string_view name) {
        if (declared_.empty()) {
            for (const netplist_unit_text& u : document_.units) {
                declared_.insert(u.name);
            }
            for (const netplist_port& port : document_.inputs) {
                declared_.insert(port.name);
            }
        }
        return declared_.contains(name);
    }

    ANEMONE_INLINE void read_unit(const netplist_unit_text& text) {
        graph_.where = {file_, static_cast<int>(text.place.line)};
        const std::string_view whole = formats::layer_of_part(text.name);
        graph_.builder.layer(layer_name(is_declared(whole) ? whole : std::string_view(text.name)));
        std::vector<std::string> complaints;
        netplist_keys body(text.body, complaints);
        const formats::plist_dict* const params = body.dictionary("Params", true);
        netplist_keys kind(params, complaints);
        const std::string_view variant = kind.text(text.type == "ArgMinMax" ? "Mode" : "Type", true);
        const found_netplist_unit found = find_netplist_unit(text.type, variant);
        if (found.form == nullptr) {
            complaints.push_back(found.variants ? formatted("the variant {} is not known", in_quotes(variant))
                                                : formatted("the unit {} is not known", in_quotes(text.type)));
        } else if (found.form->read == nullptr) {
            complaints.push_back(formatted("{}{}{}", variant, variant.empty() ? "" : " ", found.form->reason));
        }
        const std::string_view type = body.text("OutputType", true);
        const bool flags = text.type == "RadiusSearch" && (type == "UInt8" || type == "Int8");
        if (!type.empty() && type != "Float16" && !flags) {
            complaints.push_back(formatted("OutputType is {}; Float16 is read", in_quotes(type)));
        }
        netplist_unit_reader u(graph_, text, params, variant, document_.old, complaints);
        if (text.type == "ArgMinMax") {
            u.keys.has("Mode");
        }
        bool computed = true; // whether all that it reads could be read
        try {
            for (const std::string_view name : text.bottoms) {
                const netplist_tensor* const value = find(name, u);
                if (value == nullptr) {
                    computed = false;
                    if (!is_declared(name)) {
                        complaints.push_back(formatted("reads {}, which nothing gives", in_quotes(name)));
                    }
                    continue;
                }
                const auto constant = document_.constants.find(name);
                u.constants.push_back(constant == document_.constants.end() ? nullptr : &constant->second);
                u.bottoms.push_back(as_numbers(*value));
            }
            if (!computed) { // the keys are looked at all the same
                u.bottoms.clear();
            }
            if (found.form != nullptr && found.form->read != nullptr) {
                netplist_tensor made = found.form->read(u, found.form->kind);
                values_[text.name] = made;
            }
        } catch (const netplist_unit_unread&) { // the complaints say why
        } catch (const error& e) {
            complaints.emplace_back(e.what());
        }
        faults_.add(text.place, title(text), complaints);
    }

    /// Bytes as fp16, which units compute with.
    ANEMONE_INLINE netplist_tensor as_numbers(const netplist_tensor& x) {
        return x.tensor.type() == dtype::f16 ? x : netplist_tensor{graph_.add(op::cast, {x.tensor}), x.shape};
    }

    ANEMONE_INLINE void declare_outputs() {
        graph_.builder.layer("");
        if (document_.outputs.empty()) {
            faults_.add({}, "", "declares no output");
        }
        for (const netplist_port& port : document_.outputs) {
            const std::string of = formatted("output {}", in_quotes(port.name));
            const auto value = values_.find(port.bottom);
            if (value == values_.end()) {
                if (!is_declared(port.bottom)) {
                    faults_.add(port.place, of, formatted("is {}, which nothing gives", in_quotes(port.bottom)));
                }
                continue;
            }
            graph_.where = {file_, static_cast<int>(port.place.line)};
            guarded(port.place, of, [&] {
                const dynamic_tensor whole = graph_.whole(value->second);
                graph_.builder.output(port_name(port.name, "output"), whole);
            });
        }
    }

    ANEMONE_INLINE dynamic_graph finished() {
        dynamic_graph result;
        if (!guarded({}, "", [&] { result = graph_.builder.finish(); })) {
            faults_.raise();
        }
        // Weights that no output needs leave with their units.
        std::set<std::string_view> read;
        for (int i = 0; i < graph_view(result).size(); ++i) {
            if (graph_view(result)[i].kind == op::weight) {
                read.insert(graph_view(result).name(i));
            }
        }
        weight_store kept;
        for (const stored_tensor& t : graph_.weights) {
            if (read.contains(t.name)) {
                kept.add(t);
            }
        }
        graph_.weights = std::move(kept);
        std::erase_if(graph_.missing, [&](const std::string& name) { return !read.contains(name); });
        return result;
    }

    const netplist_document& document_;
    netplist_graph graph_;
    const char* file_;
    netplist_faults& faults_;
    std::map<std::string_view, netplist_tensor> values_;
    std::set<std::string> ports_;
    std::map<std::string, int> ports_by_stem_; ///< how many were renamed to it
    std::set<std::string_view> declared_;
};

} // namespace ane::readers::inline ANEMONE_WAY
