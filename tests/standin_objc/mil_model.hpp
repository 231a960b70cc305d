#pragma once

#include "../standin/executor.hpp"
#include "../standin/fusion.hpp"
#include "../standin/mil_checker.hpp"
#include "../standin/mil_parser.hpp"
#include "../standin/program.hpp"
#include "loaded_model.hpp"

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

namespace ane::standin_objc {

/// MIL text. Its surfaces come in the alphabetical order of the names of the ports, all inputs of one size and all
/// outputs, none below 48 KB, with dense data (facts: engine-runtime 10.3, measured M4).
class mil_model final : public loaded_model {
public:
    mil_model(const descriptor_object& from, const std::string& directory) {
        check_document(from, directory, "model.mil");
        constexpr std::string_view prefix = "@model_path/";
        for (const auto& [key, bytes] : from.weights) {
            if (!key.starts_with(prefix)) {
                throw std::runtime_error("weights '" + key + "' do not begin with @model_path/");
            }
            if (file_of(directory, key.substr(prefix.size())) != bytes) {
                throw std::runtime_error("file " + key + " is not what the descriptor has");
            }
        }
        standin::weight_files files(directory);
        code_ = standin::check_program(standin::parse_mil(from.document), files, standin::compile_machine(""));
        for (const auto& [path, blob] : files.opened()) {
            if (!from.weights.contains(path)) {
                throw std::runtime_error("the descriptor has no weights " + path);
            }
        }
        program_ = std::make_unique<standin::executor>(code_, standin::fuse(code_));
        inputs_ = alphabetical(code_.inputs);
        outputs_ = alphabetical(code_.outputs);
    }

    bool fits(const std::vector<surface_object*>& from, const std::vector<surface_object*>& to) const override {
        constexpr std::size_t least = 49'152;
        const auto fit = [&](const std::vector<surface_object*>& surfaces, const std::vector<int>& ports) {
            bool all = surfaces.size() == ports.size();
            for (std::size_t i = 0; all && i < ports.size(); ++i) {
                const std::size_t size = surfaces[i]->bytes.size();
                all = size == surfaces.front()->bytes.size() && size >= std::max(least, program_->port_bytes(ports[i]));
            }
            return all;
        };
        return fit(from, inputs_) && fit(to, outputs_);
    }

    void run(const std::vector<surface_object*>& from, const std::vector<surface_object*>& to) override {
        for (std::size_t i = 0; i < inputs_.size(); ++i) {
            program_->write(inputs_[i], from[i]->bytes.data());
        }
        program_->run();
        for (std::size_t i = 0; i < outputs_.size(); ++i) {
            program_->read(outputs_[i], to[i]->bytes.data());
        }
    }

    /// No source says what they are.
    dictionary_object* attributes() const override { return new dictionary_object; }

private:
    std::vector<int> alphabetical(std::vector<int> ports) const {
        std::sort(ports.begin(), ports.end(), [this](int a, int b) { return code_.at(a).name < code_.at(b).name; });
        return ports;
    }

    standin::program code_;
    std::unique_ptr<standin::executor> program_;
    std::vector<int> inputs_;
    std::vector<int> outputs_;
};

} // namespace ane::standin_objc
