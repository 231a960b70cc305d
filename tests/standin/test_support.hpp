#pragma once

#include "executor.hpp"
#include "fusion.hpp"
#include "mil_checker.hpp"
#include "mil_parser.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <unistd.h>
#include <utility>
#include <vector>

/// Hand-written texts and files for the tests of the stand-in. No emitter of the library is used.
namespace standin_test {

namespace sa = ane::standin;

inline const std::string heading =
    "program(1.3)\n"
    "[buildInfo = dict<string, string>({{\"coremlc-component-MIL\", \"3520.4.1\"}, {\"coremlc-version\", \"3520.5.1\"}})]\n"
    "{\n";

/// A whole text around parameters, statements and outputs.
inline std::string text(const std::string& parameters, const std::string& body, const std::string& outputs) {
    return heading + "    func main<ios18>(" + parameters + ") {\n" + body + "    } -> (" + outputs + ");\n}\n";
}

/// One statement with its name attribute: `line("tensor<fp16, [2]> y", "relu(x = x)")`.
inline std::string line(const std::string& declaration, const std::string& call) {
    return "        " + declaration + " = " + call + "[name = string(\"n\")];\n";
}

inline std::string constant(const std::string& type, const std::string& name, const std::string& val) {
    return "        " + type + " " + name + " = const()[name = string(\"" + name + "\"), val = " + type + "(" + val +
           ")];\n";
}

/// A directory that goes away with the test.
class scratch {
public:
    scratch() : path_(std::filesystem::temp_directory_path() / unique_name()) {
        std::filesystem::create_directories(path_);
    }
    scratch(const scratch&) = delete;
    scratch& operator=(const scratch&) = delete;
    ~scratch() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }

    std::string directory() const { return path_.string(); }

    std::string write(const std::string& name, const std::string& content) const {
        std::ofstream(path_ / name, std::ios::binary) << content;
        return (path_ / name).string();
    }

private:
    static std::string unique_name() {
        static int count = 0;
        return "anemone_standin_" + std::to_string(getpid()) + "_" + std::to_string(++count);
    }

    std::filesystem::path path_;
};

inline sa::program check(const std::string& mil, const std::string& directory = ".", std::string_view target = "h13") {
    sa::weight_files files(directory);
    return sa::check_program(sa::parse_mil(mil), files, sa::machine_of(target));
}

/// The message of a refused text, or "accepted".
inline std::string refusal_of(const std::string& mil, const std::string& directory = ".",
                              std::string_view target = "h13") {
    try {
        static_cast<void>(check(mil, directory, target));
        return "accepted";
    } catch (const sa::refusal& r) {
        return r.what();
    }
}

inline bool contains(const std::string& whole, const std::string& part) {
    return whole.find(part) != std::string::npos;
}

inline std::vector<ane::half> halves(const std::vector<double>& values) {
    std::vector<ane::half> result;
    for (const double v : values) {
        result.emplace_back(v);
    }
    return result;
}

/// Runs a text on fp16 inputs; one vector of numbers per output.
inline std::vector<std::vector<double>> run(const std::string& mil, const std::vector<std::vector<double>>& inputs,
                                            const std::string& directory = ".", std::string_view target = "h13") {
    const sa::program program = check(mil, directory, target);
    sa::executor executor(program, sa::fuse(program));
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        executor.write(program.inputs[i], halves(inputs[i]).data());
    }
    executor.run();
    std::vector<std::vector<double>> result;
    for (const int id : program.outputs) {
        std::vector<ane::half> raw(executor.port_bytes(id) / 2);
        executor.read(id, raw.data());
        result.emplace_back();
        for (const ane::half h : raw) {
            result.back().push_back(static_cast<double>(h));
        }
    }
    return result;
}

/// Little-endian bytes of a weight file, written by hand.
class bytes {
public:
    template <class Word> bytes& put(Word value) {
        for (std::size_t i = 0; i < sizeof(Word); ++i) {
            data_ += static_cast<char>((static_cast<std::uint64_t>(value) >> (8 * i)) & 0xFFU);
        }
        return *this;
    }
    bytes& to(std::size_t size) {
        data_.resize(size, '\0');
        return *this;
    }
    /// Header of a file with `count` entries.
    bytes& header(std::uint32_t count) { return put(count).put(std::uint32_t{2}).to(64); }
    /// Metadata at the current end, and the data after it; pads to 64 first.
    bytes& entry(std::uint32_t type, const std::vector<std::uint8_t>& content, std::uint64_t padding = 0) {
        to((data_.size() + 63) / 64 * 64);
        const std::size_t at = data_.size();
        put(std::uint32_t{0xDEADBEEF}).put(type);
        put(std::uint64_t{content.size()}).put(std::uint64_t{at + 64}).put(padding).to(at + 64);
        for (const std::uint8_t byte : content) {
            put(byte);
        }
        return *this;
    }
    const std::string& text() const { return data_; }
    std::string& text() { return data_; }

private:
    std::string data_;
};

} // namespace standin_test
