#pragma once

#include "../standin/machine.hpp"
#include "executor.hpp"
#include "loaded_model.hpp"
#include <anemone/numerics/path.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

namespace ane::standin_objc {

/// Where a port lies in its surface: bytes.
struct placement {
    port what;
    shape5 stride{};
    std::size_t surface = 0;
};

/// A property list of schema 1.0.10.
class netplist_model final : public loaded_model {
public:
    netplist_model(const descriptor_object& from, const std::string& directory) {
        check_document(from, directory, "net.plist");
        network net = read_network(from.document, [&](const std::string& name) {
            const auto found = from.weights.find(name);
            if (found == from.weights.end()) {
                throw refused("the descriptor has no weights " + name);
            }
            if (file_of(directory, name) != found->second) {
                throw refused("file " + name + " is not what the descriptor has");
            }
            return found->second;
        });
        const auto machine = standin::compile_machine("");
        program_ = std::make_unique<executor>(std::move(net), numerics::datapath_of(machine.generation));
        std::vector<tensor> zeros;
        for (const port& each : program_->net().inputs) {
            zeros.push_back(made(each.shape));
        }
        const std::vector<tensor> results = program_->run(zeros); // whatever is refused, is refused here
        for (const port& each : program_->net().inputs) {
            inputs_.push_back(placed(each));
        }
        for (std::size_t i = 0; i < results.size(); ++i) {
            port each = program_->net().outputs[i];
            each.shape = results[i].shape;
            outputs_.push_back(placed(each));
        }
        if (books().option("reverse_ports", 0) != 0) {
            std::reverse(inputs_.begin(), inputs_.end());
            std::reverse(outputs_.begin(), outputs_.end());
        }
    }

    bool fits(const std::vector<surface_object*>& from, const std::vector<surface_object*>& to) const override {
        const auto fit = [](const std::vector<surface_object*>& surfaces, const std::vector<placement>& ports) {
            bool all = surfaces.size() == ports.size();
            for (std::size_t i = 0; all && i < ports.size(); ++i) {
                all = surfaces[i]->bytes.size() >= ports[i].surface;
            }
            return all;
        };
        return fit(from, inputs_) && fit(to, outputs_);
    }

    void run(const std::vector<surface_object*>& from, const std::vector<surface_object*>& to) override {
        const auto place = [](const placement& p, const shape5& at) {
            std::int64_t result = 0;
            for (std::size_t a = 0; a < 5; ++a) {
                result += at[a] * p.stride[a];
            }
            return result;
        };
        const auto named = [](const std::vector<port>& ports, const placement& p) {
            return static_cast<std::size_t>(
                std::find_if(ports.begin(), ports.end(), [&](const port& q) { return q.symbol == p.what.symbol; }) -
                ports.begin());
        };
        std::vector<tensor> values(inputs_.size());
        for (std::size_t i = 0; i < inputs_.size(); ++i) {
            tensor& x = values[named(program_->net().inputs, inputs_[i])];
            x = made(inputs_[i].what.shape);
            for_each_place(x.shape, [&](std::size_t k, const shape5& at) {
                std::memcpy(&x.values[k], from[i]->bytes.data() + place(inputs_[i], at), 2);
            });
        }
        const std::vector<tensor> results = program_->run(values);
        for (std::size_t i = 0; i < outputs_.size(); ++i) {
            const tensor& y = results[named(program_->net().outputs, outputs_[i])];
            for_each_place(y.shape, [&](std::size_t k, const shape5& at) {
                std::memcpy(to[i]->bytes.data() + place(outputs_[i], at), &y.values[k], 2);
            });
        }
    }

    dictionary_object* attributes() const override {
        const auto list = [](const std::vector<placement>& ports) {
            std::vector<object*> entries;
            for (const placement& each : ports) {
                auto* const entry = new dictionary_object;
                entry->set("Symbol", new string_object(each.what.symbol));
                entry->set("Type", new string_object(books().option("foreign_type", 0) != 0 ? "Float32" : "Float16"));
                constexpr std::array<const char*, 5> extents = {"Batches", "Depth", "Channels", "Height", "Width"};
                constexpr std::array<const char*, 4> strides = {"BatchStride", "DepthStride", "PlaneStride",
                                                                "RowStride"};
                for (std::size_t a = 0; a < 5; ++a) {
                    entry->set(extents[a], new number_object(each.what.shape[a]));
                }
                const int given = books().option("strides", 2); // 0: absent, 1: zeros, 2: given, 3: too small
                for (std::size_t a = 0; a < 4 && given != 0; ++a) {
                    entry->set(strides[a], new number_object(given == 1 ? 0 : given == 3 ? 2 : each.stride[a]));
                }
                entries.push_back(entry);
            }
            return new array_object(entries);
        };
        auto* const status = new dictionary_object;
        status->set("LiveInputList", list(inputs_));
        status->set("LiveOutputList", list(outputs_));
        auto* const result = new dictionary_object;
        result->set("NetworkStatusList", new array_object({status}));
        return result;
    }

private:
    /// Rows of 64 bytes, or of what the option says.
    static placement placed(const port& what) {
        const std::int64_t granule = books().option("row_granule", 64);
        placement p{what, {}, 0};
        p.stride[W] = 2;
        p.stride[H] = (2 * what.shape[W] + granule - 1) / granule * granule;
        p.stride[C] = p.stride[H] * what.shape[H];
        p.stride[N] = p.stride[C] * what.shape[C];
        p.stride[D] = p.stride[N] * what.shape[N];
        p.surface = static_cast<std::size_t>(p.stride[D] * what.shape[D]);
        return p;
    }

    std::unique_ptr<executor> program_;
    std::vector<placement> inputs_;
    std::vector<placement> outputs_;
};

} // namespace ane::standin_objc
