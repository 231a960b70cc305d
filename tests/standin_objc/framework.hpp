#pragma once

#include "../standin/machine.hpp"
#include "executor.hpp"
#include "objects.hpp"
#include <anemone/numerics/path.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <set>
#include <string>
#include <vector>

/// The classes of the engine's framework, as the facts describe them (engine-runtime 10): what each object knows, and
/// what it refuses.
namespace ane::standin_objc {

struct descriptor_object : object {
    descriptor_object() : object(kind::descriptor) {}
    std::string document;
    std::map<std::string, std::vector<std::byte>, std::less<>> weights;
};

struct wrapper_object : object { // _ANEIOSurfaceObject
    explicit wrapper_object(surface_object* of) : object(kind::surface_object), surface(of) { retain(of); }
    ~wrapper_object() override { release(surface); }
    surface_object* surface;
};

struct request_object : object {
    request_object() : object(kind::request) {}
    ~request_object() override {
        release(inputs);
        release(outputs);
    }
    array_object* inputs = nullptr;
    array_object* outputs = nullptr;
};

/// Where a port lies in its surface: bytes.
struct placement {
    port what;
    shape5 stride{};
    std::size_t surface = 0;
};

struct model_object : object {
    explicit model_object(descriptor_object* from) : object(kind::model), descriptor(from) {
        static int made = 0;
        retain(from);
        const char* const temporary = std::getenv("TMPDIR");
        directory = std::string(temporary != nullptr && *temporary != '\0' ? temporary : "/tmp") + "/anemone_objc_" +
                    std::to_string(reinterpret_cast<std::size_t>(this)) + "_" + std::to_string(++made);
    }
    ~model_object() override {
        if (loaded) {
            books().note("a model is released while it is loaded");
        }
        if (mapped) {
            books().note("a model is released with its surfaces mapped");
        }
        release(descriptor);
    }

    /// Empty, or why not.
    std::string compile() {
        static int compiles = 0;
        if (books().option("forget_compiles", 0) != 0) {
            books().options["forget_compiles"] = 0;
            compiles = 0;
        }
        if (++compiles > books().option("compile_limit", 119)) {
            return "ANECCompile() FAILED: the compiler has no more memory";
        }
        try {
            const auto read = [this](const std::string& name) {
                std::ifstream file(std::filesystem::path(directory) / name, std::ios::binary);
                if (!file) {
                    throw refused("localModelPath has no file " + name);
                }
                const std::string text{std::istreambuf_iterator<char>(file), {}};
                std::vector<std::byte> bytes(text.size());
                std::memcpy(bytes.data(), text.data(), text.size());
                return bytes;
            };
            const std::vector<std::byte> document = read("net.plist");
            if (std::string(reinterpret_cast<const char*>(document.data()), document.size()) != descriptor->document) {
                throw refused("net.plist is not what the descriptor has");
            }
            network net = read_network(descriptor->document, [&](const std::string& name) {
                const auto found = descriptor->weights.find(name);
                if (found == descriptor->weights.end()) {
                    throw refused("the descriptor has no weights " + name);
                }
                if (read(name) != found->second) {
                    throw refused("file " + name + " is not what the descriptor has");
                }
                return found->second;
            });
            const auto machine = standin::compile_machine("");
            auto built = std::make_unique<executor>(std::move(net), numerics::datapath_of(machine.generation));
            std::vector<tensor> zeros;
            for (const port& each : built->net().inputs) {
                zeros.push_back(made(each.shape));
            }
            const std::vector<tensor> results = built->run(zeros); // whatever is refused, is refused here
            inputs.clear();
            outputs.clear();
            for (const port& each : built->net().inputs) {
                inputs.push_back(placed(each));
            }
            for (std::size_t i = 0; i < results.size(); ++i) {
                port each = built->net().outputs[i];
                each.shape = results[i].shape;
                outputs.push_back(placed(each));
            }
            if (books().option("reverse_ports", 0) != 0) {
                std::reverse(inputs.begin(), inputs.end());
                std::reverse(outputs.begin(), outputs.end());
            }
            program = std::move(built);
            return {};
        } catch (const std::exception& why) {
            return std::string("ANECCompile() FAILED: ") + why.what();
        }
    }

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

    /// modelAttributes, as a new object.
    dictionary_object* attributes() const {
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
        status->set("LiveInputList", list(inputs));
        status->set("LiveOutputList", list(outputs));
        auto* const result = new dictionary_object;
        result->set("NetworkStatusList", new array_object({status}));
        return result;
    }

    std::string evaluate(const request_object& request) {
        constexpr const char* wrong =
            "ANEProgramProcessRequestDirect() Failed with status=0x1d : Program Inference error";
        const auto surface = [](array_object* from, std::size_t i) {
            return static_cast<wrapper_object*>(from->elements[i])->surface;
        };
        if (request.inputs->elements.size() != inputs.size() || request.outputs->elements.size() != outputs.size()) {
            return wrong;
        }
        for (std::size_t i = 0; i < inputs.size() + outputs.size(); ++i) {
            const bool in = i < inputs.size();
            const std::size_t at = in ? i : i - inputs.size();
            const surface_object& memory = *surface(in ? request.inputs : request.outputs, at);
            if (memory.bytes.size() < (in ? inputs : outputs)[at].surface) {
                return wrong;
            }
            if (memory.locks != 0) {
                books().note("a surface is locked during a run");
            }
        }
        if (books().option("idle", 0) != 0) {
            return {};
        }
        const auto place = [](const placement& p, const shape5& at) {
            std::int64_t result = 0;
            for (std::size_t a = 0; a < 5; ++a) {
                result += at[a] * p.stride[a];
            }
            return result;
        };
        std::vector<tensor> values(inputs.size());
        const auto& declared = program->net().inputs;
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            const auto found = std::find_if(declared.begin(), declared.end(),
                                            [&](const port& p) { return p.symbol == inputs[i].what.symbol; });
            tensor& x = values[static_cast<std::size_t>(found - declared.begin())];
            x = made(inputs[i].what.shape);
            for_each_place(x.shape, [&](std::size_t k, const shape5& at) {
                std::memcpy(&x.values[k], surface(request.inputs, i)->bytes.data() + place(inputs[i], at), 2);
            });
        }
        const std::vector<tensor> results = program->run(values);
        const auto& named = program->net().outputs;
        for (std::size_t i = 0; i < outputs.size(); ++i) {
            const auto found = std::find_if(named.begin(), named.end(),
                                            [&](const port& p) { return p.symbol == outputs[i].what.symbol; });
            const tensor& y = results[static_cast<std::size_t>(found - named.begin())];
            for_each_place(y.shape, [&](std::size_t k, const shape5& at) {
                std::memcpy(surface(request.outputs, i)->bytes.data() + place(outputs[i], at), &y.values[k], 2);
            });
        }
        return {};
    }

    descriptor_object* descriptor;
    std::string directory;
    std::unique_ptr<executor> program;
    std::vector<placement> inputs;
    std::vector<placement> outputs;
    bool loaded = false;
    bool mapped = false;
};

} // namespace ane::standin_objc
