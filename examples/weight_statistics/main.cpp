/// Writes the statistics of the tensors of a safetensors file into a header, for contracts that the compiler can use:
///
///     weight_statistics model.safetensors --output stats.hpp --namespace stats
///
///     g.weight("stem.weight"_s, f16<32, 3, 7, 7>, bounded_by(stats::stem_weight))
///
/// Without arguments, as an example, it prints the header of the digits' weights.

#include "header.hpp"
#include <anemone/base/error.hpp>
#include <anemone/io/file.hpp>
#include <anemone/io/sha256.hpp>
#include <anemone/weights/safetensors.hpp>

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <unistd.h>
#include <vector>

namespace {

/// A bar on standard error, if that is a terminal, once the work has taken half a second.
class progress_bar {
public:
    explicit progress_bar(std::uint64_t total) : total_(total) {}
    ~progress_bar() { clear(); }
    progress_bar(const progress_bar&) = delete;
    progress_bar& operator=(const progress_bar&) = delete;

    void advance(std::size_t bytes) {
        done_ += bytes;
        const auto now = std::chrono::steady_clock::now();
        if (!terminal_ || now < next_) {
            return;
        }
        next_ = now + std::chrono::milliseconds(100);
        const std::uint64_t filled = total_ == 0 ? width : width * done_ / total_;
        fmt::print(stderr, "\rstatistics [{:<{}}] {:3}%", std::string(filled < width ? filled : width, '#'), width,
                   total_ == 0 ? 100 : 100 * done_ / total_);
        std::fflush(stderr);
        drawn_ = true;
    }
    void clear() {
        if (drawn_) {
            fmt::print(stderr, "\r{:{}}\r", "", width + 20);
            drawn_ = false;
        }
    }

private:
    static constexpr std::uint64_t width = 40;
    std::uint64_t total_;
    std::uint64_t done_ = 0;
    bool terminal_ = ::isatty(STDERR_FILENO) != 0;
    bool drawn_ = false;
    std::chrono::steady_clock::time_point next_ = std::chrono::steady_clock::now() + std::chrono::milliseconds(500);
};

struct request {
    std::filesystem::path file;
    std::filesystem::path output; ///< empty: standard output
    std::string space = "stats";
};

[[noreturn]] void refuse(const std::string& subject, const std::string& detail) {
    throw ane::error(ane::errc::argument, subject,
                     detail + "; usage: weight_statistics <file.safetensors> [--output <header>] [--namespace <name>]");
}

/// "a::b" of words that C++ takes for names of namespaces.
bool is_namespace(std::string_view text) {
    while (true) {
        const std::size_t end = text.find("::");
        const std::string_view part = text.substr(0, end);
        if (part.empty() || cpp_identifier(part) != part) {
            return false;
        }
        if (end == std::string_view::npos) {
            return true;
        }
        text.remove_prefix(end + 2);
    }
}

request read_arguments(const std::vector<std::string>& arguments) {
    request r;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const std::string& word = arguments[i];
        const auto value = [&]() -> const std::string& {
            if (i + 1 == arguments.size()) {
                refuse(word, "wants a value");
            }
            return arguments[++i];
        };
        if (word == "--output") {
            r.output = value();
        } else if (word == "--namespace") {
            r.space = value();
        } else if (word.substr(0, 1) == "-" || !r.file.empty()) {
            refuse(word, "is not understood");
        } else {
            r.file = word;
        }
    }
    if (r.file.empty()) {
        refuse("arguments", "no file is named");
    }
    if (!is_namespace(r.space)) {
        refuse(r.space, "cannot be the name of a namespace");
    }
    return r;
}

std::string digest_of(const std::filesystem::path& file, progress_bar& bar) {
    std::ifstream stream(file, std::ios::binary);
    std::vector<char> chunk(1U << 20U);
    ane::sha256 digest;
    while (stream) {
        stream.read(chunk.data(), static_cast<std::streamsize>(chunk.size()));
        const auto count = static_cast<std::size_t>(stream.gcount());
        digest.update(std::as_bytes(std::span<const char>(chunk.data(), count)));
        bar.advance(count);
    }
    if (!stream.eof()) {
        throw ane::error(ane::errc::file, file.string(), "cannot be read to its end");
    }
    return digest.finish();
}

void write(const std::filesystem::path& output, const std::string& text) {
    if (output.empty()) {
        if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0) {
            throw ane::error(ane::errc::file, "standard output", "cannot be written");
        }
        return;
    }
    ane::write_file(output, text);
}

void run(const request& r) {
    const ane::weight_store store = ane::load_safetensors(r.file); // first: it says best what is wrong with a file
    std::uint64_t bytes = std::filesystem::file_size(r.file);
    for (const ane::stored_tensor& tensor : store) {
        bytes += tensor.bytes.size();
    }
    progress_bar bar(bytes);
    const std::string digest = digest_of(r.file, bar);
    const std::string text = header_text(
        store, r.file.filename().string(), digest, r.space, [&](std::size_t count) { bar.advance(count); },
        [&](const std::string& name, const std::string& reason) {
            bar.clear();
            fmt::print(stderr, "weight_statistics: {} is left out: {}\n", escaped(name), reason);
        });
    bar.clear();
    write(r.output, text);
}

} // namespace

int main(int count, char** arguments) {
    try {
        std::vector<std::string> words(arguments + 1, arguments + count);
#ifdef ANEMONE_EXAMPLE_DATA
        if (words.empty()) {
            words.emplace_back(ANEMONE_EXAMPLE_DATA "/../digits/digits.safetensors");
        }
#endif
        run(read_arguments(words));
    } catch (const std::exception& reason) {
        fmt::print(stderr, "weight_statistics: {}\n", reason.what());
        return 1;
    }
}
