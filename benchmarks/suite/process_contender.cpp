#include "process_contender.hpp"

#include <anemone/base/error.hpp>

#include <rapidjson/document.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

namespace suite {

peer_process::peer_process(std::string name, const std::vector<std::string>& command) : name_(std::move(name)) {
    int down[2] = {-1, -1};
    int up[2] = {-1, -1};
    if (pipe2(down, O_CLOEXEC) != 0 || pipe2(up, O_CLOEXEC) != 0) {
        throw ane::error(ane::errc::library, name_, std::string("no pipe: ") + std::strerror(errno));
    }
    std::vector<char*> arguments;
    for (const std::string& word : command) {
        arguments.push_back(const_cast<char*>(word.c_str())); // NOLINT: execvp does not write
    }
    arguments.push_back(nullptr);
    child_ = fork();
    if (child_ == 0) {
        dup2(down[0], 0);
        dup2(up[1], 1);
        execvp(arguments[0], arguments.data());
        _exit(127);
    }
    close(down[0]);
    close(up[1]);
    to_ = fdopen(down[1], "w");
    from_ = fdopen(up[0], "r");
    std::signal(SIGPIPE, SIG_IGN); // a peer that ended is an error of its own
}

peer_process::~peer_process() {
    std::fclose(to_); // the program ends with its input
    std::fclose(from_);
    int status = 0;
    waitpid(child_, &status, 0);
}

peer_process::answer peer_process::ask(const std::string& command) {
    std::fputs((command + "\n").c_str(), to_);
    std::fflush(to_);
    std::string text;
    for (int c = std::fgetc(from_); c != '\n'; c = std::fgetc(from_)) {
        if (c == EOF) {
            throw ane::error(ane::errc::library, name_, "the program ended at: " + command);
        }
        text += static_cast<char>(c);
    }
    rapidjson::Document json;
    json.Parse(text.c_str());
    if (json.HasParseError() || !json.IsObject()) {
        throw ane::error(ane::errc::library, name_, "no JSON: " + text);
    }
    if (json.HasMember("error")) {
        throw ane::error(ane::errc::lowering, name_, json["error"].GetString());
    }
    answer found;
    if (json.HasMember("seconds")) {
        const auto& value = json["seconds"];
        if (value.IsNumber()) {
            found.seconds.push_back(value.GetDouble());
        } else {
            for (const auto& element : value.GetArray()) {
                found.seconds.push_back(element.GetDouble());
            }
        }
    }
    if (json.HasMember("text")) {
        found.text = json["text"].GetString();
    }
    return found;
}

namespace {

class process_session final : public session {
public:
    process_session(const problem& p, std::shared_ptr<peer_process> process, std::string scratch)
        : process_(std::move(process)), scratch_(std::move(scratch)) {
        write_problem(p, scratch_);
        prepare_seconds = process_->ask("load " + scratch_).seconds.at(0);
        for (const int node : p.output_nodes()) {
            counts_.push_back(static_cast<std::size_t>(p.graph.view()[node].shape.count()));
        }
    }

    std::vector<double> run(int count) override { return process_->ask("run " + std::to_string(count)).seconds; }

    std::vector<std::vector<float>> outputs() override {
        const std::string path = scratch_ + "/outputs.f32";
        process_->ask("outputs " + path);
        std::ifstream file(path, std::ios::binary);
        std::vector<std::vector<float>> list;
        for (const std::size_t count : counts_) {
            auto& numbers = list.emplace_back(count);
            file.read(reinterpret_cast<char*>(numbers.data()), static_cast<std::streamsize>(count * sizeof(float)));
            if (!file) {
                numbers.clear();
            }
        }
        return list;
    }

private:
    std::shared_ptr<peer_process> process_;
    std::string scratch_;
    std::vector<std::size_t> counts_;
};

} // namespace

process_contender::process_contender(std::string name, const std::vector<std::string>& command, std::string scratch)
    : name_(std::move(name)), process_(std::make_shared<peer_process>(name_, command)), scratch_(std::move(scratch)),
      description_(process_->ask("describe").text) {}

std::unique_ptr<session> process_contender::prepare(const problem& p) {
    return std::make_unique<process_session>(p, process_, scratch_);
}

} // namespace suite
