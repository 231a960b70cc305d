#pragma once

#include "../standin/content_hash.hpp"
#include "loaded_model.hpp"
#include "mil_model.hpp"
#include "netplist_model.hpp"

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <memory>
#include <string>
#include <thread>
#include <vector>

/// The classes of the engine's framework, as the facts describe them (engine-runtime 10): what each object knows, and
/// what it refuses.
namespace ane::standin_objc {

struct model_object : object {
    explicit model_object(descriptor_object* from)
        : object(kind::model), descriptor(from), identifier(identifier_of(*from)) {
        retain(from);
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

    std::string directory() const { return temporary_directory() + "/" + identifier; }
    bool dead() const { return service != books().service; }

    /// Empty, or why not.
    std::string compile() {
        static std::atomic<int> compiles{0};
        if (books().option("forget_compiles", 0) != 0) {
            books().set("forget_compiles", 0);
            compiles = 0;
        }
        if (++compiles > books().option("compile_limit", 119)) {
            return "ANECCompile() FAILED: the compiler has no more memory";
        }
        try {
            if (descriptor->is_mil) {
                program = std::make_unique<mil_model>(*descriptor, directory());
            } else {
                program = std::make_unique<netplist_model>(*descriptor, directory());
            }
            service = books().service;
            return {};
        } catch (const std::exception& why) {
            return std::string("ANECCompile() FAILED: ") + why.what();
        }
    }

    std::string evaluate(const request_object& request) const {
        const auto surfaces_of = [](const array_object& from) {
            std::vector<surface_object*> result;
            for (object* each : from.elements) {
                result.push_back(static_cast<wrapper_object*>(each)->surface);
                if (result.back()->locks != 0) {
                    books().note("a surface is locked during a run");
                }
            }
            return result;
        };
        if (dead()) {
            return "the service that loaded the program is gone";
        }
        if (books().option("idle", 0) != 0) {
            return {};
        }
        if (const int milliseconds = books().option("slow", 0); milliseconds != 0) {
            std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
        }
        const auto from = surfaces_of(*request.inputs);
        const auto to = surfaces_of(*request.outputs);
        if (!program->fits(from, to)) {
            return "ANEProgramProcessRequestDirect() Failed with status=0x1d : Program Inference error";
        }
        program->run(from, to);
        return {};
    }

    descriptor_object* descriptor;
    std::string identifier;
    std::unique_ptr<loaded_model> program;
    std::uint64_t service = 0; ///< that compiled it
    bool loaded = false;
    bool mapped = false;

private:
    /// Of the content: models of one text have one folder.
    static std::string identifier_of(const descriptor_object& of) {
        standin::content_hash hash;
        hash.add(of.document);
        for (const auto& [name, bytes] : of.weights) {
            hash.add(name);
            hash.add({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
        }
        return "anemone_objc_" + hash.text();
    }
};

} // namespace ane::standin_objc
