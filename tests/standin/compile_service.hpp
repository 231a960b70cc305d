#pragma once

#include "content_hash.hpp"
#include "fusion.hpp"
#include "handle_table.hpp"
#include "mil_checker.hpp"
#include "mil_parser.hpp"
#include "program.hpp"

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unistd.h>
#include <utility>
#include <vector>

namespace ane::standin {

/// What a compile needs besides the text.
struct compile_request {
    std::string mil_path;
    std::string cache_location; ///< empty: no bundle is written
    std::uint64_t device_mask = 0x7;
    bool force = false;
    std::string segmenter = "graph";
    std::string ane_options;
};

/// A compiled program; it belongs to the process that compiled it.
struct compiled_program {
    program code;
    std::vector<step> steps;
    std::string hash;
    long process = 0;
    std::uint64_t service = 0; ///< the service that compiled it
};

/// Compiles, and remembers what this process has compiled so that a bundle can be opened again.
class compile_service {
public:
    std::shared_ptr<const compiled_program> compile(const compile_request& request, std::uint64_t service = 1) {
        if ((request.device_mask & 0x4U) == 0) {
            throw failure{status_compile, "device mask without 0x4: only the ANE backend is stood in for"};
        }
        if (request.segmenter != "graph") {
            throw failure{status_compile, "segmenter '" + request.segmenter + "' is not known"};
        }
        namespace fs = std::filesystem;
        if (!request.cache_location.empty() && !fs::is_directory(request.cache_location)) {
            throw failure{status_compile, "cache bundle location " + request.cache_location + " is no directory"};
        }
        std::error_code ignored;
        std::ifstream file;
        if (fs::is_regular_file(request.mil_path, ignored)) { // a pipe would wait
            file.open(request.mil_path, std::ios::binary);
        }
        if (!file.is_open()) {
            throw failure{status_compile, "cannot open " + request.mil_path};
        }
        const std::string text(std::istreambuf_iterator<char>(file), {});
        const machine built_for = compile_machine(target_of(request.ane_options));
        auto result = std::make_shared<compiled_program>();
        try {
            const std::string directory = fs::path(request.mil_path).parent_path().string();
            weight_files files(directory.empty() ? "." : directory);
            result->code = check_program(parse_mil(text), files, built_for);
            result->steps = fuse(result->code);
            result->hash = hash_of(text, files, request, built_for);
        } catch (const refusal& r) {
            throw failure{status_compile, r.what()};
        }
        result->process = static_cast<long>(getpid());
        result->service = service;
        const auto known = programs_.find(result->hash);
        if (!request.force && known != programs_.end() && known->second->process == result->process &&
            known->second->service == service) {
            return known->second;
        }
        programs_[result->hash] = result;
        if (!request.cache_location.empty()) {
            write_bundle(request, *result);
        }
        return result;
    }

    /// The program behind a bundle directory, or the file in it.
    std::shared_ptr<const compiled_program> reopen(const std::string& bundle_path) const {
        namespace fs = std::filesystem;
        std::error_code ignored;
        const fs::path path(bundle_path);
        const fs::path record = fs::is_directory(path, ignored) ? path / record_name : path;
        std::ifstream file(record);
        std::string hash;
        if (bundle_path.empty() || fs::is_directory(record, ignored) || !std::getline(file, hash)) {
            throw failure{status_argument, "Invalid E5 path specified. @ GetE5PathFromCompositeBundle"};
        }
        const auto found = programs_.find(hash);
        if (found == programs_.end() || found->second->process != static_cast<long>(getpid())) {
            throw failure{status_load,
                          "ANE model load has failed for on-device compiled program. Must re-compile the E5 bundle"};
        }
        return found->second;
    }

private:
    static constexpr const char* record_name = "standin.bundle";

    static std::string target_of(const std::string& options) {
        constexpr std::string_view key = "TargetArchitecture=";
        const std::size_t at = options.find(key);
        if (at == std::string::npos) {
            return {};
        }
        const std::size_t begin = at + key.size();
        return options.substr(begin, options.find_first_of(" ,;", begin) - begin);
    }

    static std::string hash_of(const std::string& text, const weight_files& files, const compile_request& request,
                               const machine& built_for) {
        content_hash hash;
        hash.add(text);
        for (const auto& [path, blob] : files.opened()) {
            hash.add(path);
            hash.add({reinterpret_cast<const char*>(blob.bytes().data()), blob.bytes().size()});
        }
        hash.add(std::to_string(request.device_mask));
        hash.add(request.segmenter);
        hash.add(built_for.name);
        return hash.text();
    }

    static void write_bundle(const compile_request& request, const compiled_program& compiled) {
        namespace fs = std::filesystem;
        const fs::path directory =
            fs::path(request.cache_location) / "com.apple.e5rt.e5bundlecache" / "standin" / compiled.hash;
        std::error_code code;
        fs::create_directories(directory, code);
        std::ofstream record(directory / record_name);
        record << compiled.hash << '\n' << request.mil_path << '\n' << compiled.code.built_for.name << '\n';
        // The real bundle tells here, operation by operation, where it was placed.
        std::ofstream placement(directory / "analytics.mil");
        for (const node& n : compiled.code.nodes) {
            placement << compiled.code.at(n.results.front()).name << " = " << n.rule->name
                      << "()[SelectedBackend = string(\"ane\")];\n";
        }
        if (!record || !placement) {
            throw failure{status_compile, "cannot write the bundle in " + directory.string()};
        }
    }

    std::map<std::string, std::shared_ptr<const compiled_program>> programs_;
};

} // namespace ane::standin
