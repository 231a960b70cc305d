// What is written and read when disks are full, rights are missing, and paths name links, pipes, devices and folders.

#include "../sanitized.hpp"
#include "changed_variable.hpp"
#include "full_disk.hpp"
#include "scratch_folder.hpp"
#include <anemone/backend/any.hpp>
#include <anemone/backend/cpu/constants.hpp>
#include <anemone/backend/engine/engine.hpp>
#include <anemone/dynamic_builder.hpp>
#include <anemone/formats/mil.hpp>
#include <anemone/formats/netplist.hpp>
#include <anemone/io/file.hpp>
#include <anemone/mlpackage/mlpackage.hpp>
#include <anemone/passes/lowering.hpp>
#include <anemone/readers/file_verdict.hpp>
#include <anemone/weights/safetensors.hpp>

#include <doctest/doctest.h>

#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <functional>
#include <limits>
#include <set>
#include <sys/resource.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

using namespace ane;

namespace {

/// Root may do everything: it becomes somebody else for a scope.
class nobody {
public:
    explicit nobody(const scratch_folder& folder) : was_(::geteuid()) {
        if (was_ == 0) {
            ::chmod(folder.path().c_str(), 0777);
            REQUIRE(::seteuid(65534) == 0);
        }
    }
    nobody(const nobody&) = delete;
    nobody& operator=(const nobody&) = delete;
    ~nobody() {
        if (was_ == 0 && ::seteuid(was_) != 0) {
            std::abort();
        }
    }

private:
    uid_t was_;
};

weight_store small_store(float value) {
    weight_store store;
    store.add("layer.weight", {2, 3}, {value, 1, 2, 3, 4, 5});
    store.add("layer.bias", {3}, {value, value, value});
    store.set_metadata("format", "pt");
    return store;
}

dynamic_graph graph_for_files() {
    dynamic_builder g;
    const auto x = g.input("x", {1, 3});
    g.output("y", g.add(op::linear, {x, g.weight("layer.weight", {2, 3})}));
    g.output("z", g.add(op::mul, {x, g.weight("layer.bias", {3})}));
    return g.finish();
}

backend::engine engine() {
    backend::engine_options options;
    options.library = ANEMONE_STANDIN_PATH;
    options.preflight = false;
    options.session.compile_backoff = e5rt::clock_source::duration::zero();
    return backend::engine(h13, options);
}

/// The message of what is thrown, which must be errc::file; "nothing" where nothing is.
template <class Action> std::string refusal(const Action& action) {
    try {
        action();
    } catch (const error& e) {
        CHECK_MESSAGE(e.code() == errc::file, std::string(e.what()));
        return e.what();
    }
    return "nothing";
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

mode_t mode_of(const std::string& path) {
    struct stat found {};
    REQUIRE(::lstat(path.c_str(), &found) == 0);
    return found.st_mode;
}

/// The dense header and data of a file of one tensor of bytes, which is sparse.
void write_sparse(const std::string& path, std::uint64_t bytes) {
    const std::string size = std::to_string(bytes);
    const std::string header = R"({"a":{"dtype":"U8","shape":[)" + size + R"(],"data_offsets":[0,)" + size + "]}}";
    const std::uint64_t length = header.size();
    std::ofstream file(path, std::ios::binary);
    file.write(reinterpret_cast<const char*>(&length), 8);
    file << header;
    file.close();
    std::filesystem::resize_file(path, 8 + header.size() + bytes);
}

} // namespace

TEST_CASE("a disk that is full at any byte leaves the old file, and nothing else") {
    const scratch_folder folder;
    const std::string path = folder / "model.safetensors";
    const weight_store old =
        load_safetensors((save_safetensors(path, small_store(1)), path)); // saved over what it is from
    const std::string before = contents(path);
    for (std::size_t room = 0; room < before.size(); ++room) {
        const std::string reason = refusal([&] {
            const full_disk disk(room);
            save_safetensors(path, small_store(2));
        });
        CAPTURE(room);
        CHECK(contains(reason, "cannot be written (" + std::to_string(before.size()) + " bytes): "));
        CHECK(contents(path) == before);
        CHECK(folder.names() == std::vector<std::string>{"model.safetensors"});
    }
    {
        const full_disk disk(before.size());
        save_safetensors(path, small_store(2));
    }
    CHECK(load_safetensors(path).at("layer.bias") == small_store(2).at("layer.bias"));
    CHECK(load_safetensors(path) != old);
    CHECK(folder.names() == std::vector<std::string>{"model.safetensors"});
}

TEST_CASE("files that belong together stay those of one program") {
    const scratch_folder folder;
    const dynamic_graph g = graph_for_files();
    const auto write_both = [&](float value) {
        const lowered_graph lowered = lower(g);
        const folded_constants constants = fold_constants(lowered.graph, small_store(value));
        write_mil(emit_mil(lowered.graph, constants), folder / "mil");
        write_netplist(emit_netplist(lowered.graph, constants), folder / "netplist");
    };
    const auto all = [&] {
        std::set<std::string> texts; // a folder that was exchanged may come elsewhere in a listing
        for (const auto& entry : std::filesystem::recursive_directory_iterator(folder.path())) {
            texts.insert(entry.path().string() + "\n" +
                         (entry.is_regular_file() ? contents(entry.path().string()) : ""));
        }
        return texts;
    };
    write_both(1);
    const std::set<std::string> before = all();
    std::size_t room = 0;
    for (bool refused = true; refused; room += 16) {
        refused = refusal([&] {
                      const full_disk disk(room);
                      write_both(1);
                  }) != "nothing";
        CHECK(all() == before);
    }
    CHECK(room > 1000);
    CHECK(refusal([&] {
              const full_disk disk(200); // enough for the weights
              write_both(2);
          }) != "nothing");
    CHECK(all() == before);
}

TEST_CASE("a package is there as a whole, or as it was") {
    const scratch_folder folder;
    const std::string path = folder / "net.mlpackage";
    const auto write_to = [&](const std::string& place, float value) {
        const dynamic_graph g = graph_for_files();
        const lowered_graph lowered = lower(g);
        write_mlpackage(emit_mil(lowered.graph, fold_constants(lowered.graph, small_store(value))), place);
    };
    const auto all = [&] {
        std::set<std::string> texts; // a folder that was exchanged may come elsewhere in a listing
        for (const auto& entry : std::filesystem::recursive_directory_iterator(folder.path())) {
            texts.insert(entry.path().string() + "\n" +
                         (entry.is_regular_file() ? contents(entry.path().string()) : ""));
        }
        return texts;
    };
    const auto attempt = [&](std::size_t room) {
        return refusal([&] {
            const full_disk disk(room);
            write_to(path, 2);
        });
    };
    CHECK(contains(attempt(0), path + "/Data/com.apple.CoreML/weights/weight.bin: cannot be written ("));
    CHECK(folder.names().empty());
    write_to(path, 1);
    const std::set<std::string> before = all();
    std::size_t room = 0;
    for (; attempt(room) != "nothing"; room += 16) {
        CHECK(all() == before);
    }
    CHECK(room > 500);
    CHECK(all() != before);
    CHECK(folder.names() == std::vector<std::string>{"net.mlpackage"});
    CHECK(contains(refusal([&] { write_to(folder / std::string(300, 'x'), 1); }), "too long"));
    const nobody user(folder);
    CHECK(contains(refusal([&] { write_to("/net.mlpackage", 1); }), "no folder can be made beside it"));
    CHECK(folder.names() == std::vector<std::string>{"net.mlpackage"});
}

TEST_CASE("a disk that is full while the engine compiles") {
    const scratch_folder folder;
    const changed_variable temporary("TMPDIR", folder.path().string());
    std::size_t room = 0;
    for (bool refused = true; refused; room += 16) {
        const std::string reason = refusal([&] {
            const full_disk disk(room);
            (void)engine().compile(graph_for_files(), small_store(1));
        });
        refused = reason != "nothing";
        CHECK(contains(reason, refused ? "cannot be written" : "nothing"));
        CHECK(folder.names().empty());
    }
    CHECK(room > 500);
}

TEST_CASE("a disk that is full leaves no file where there was none") {
    const scratch_folder folder;
    const full_disk disk(3);
    CHECK(contains(refusal([&] { write_file(folder / "new.txt", std::string("four")); }), "new.txt"));
    CHECK(folder.names().empty());
}

TEST_CASE("a name that cannot be given leaves nothing behind") {
    const scratch_folder folder;
    CHECK(contains(refusal([&] { write_file(folder / std::string(300, 'x'), std::string("text")); }), "too long"));
    CHECK(contains(refusal([&] { write_file(folder.path().string(), std::string("text")); }), "is a directory"));
    CHECK(contains(refusal([&] { write_file(folder / "file/", std::string("text")); }), "is a directory"));
    CHECK(contains(refusal([&] { write_file("", std::string("text")); }), "empty"));
    CHECK(contains(refusal([&] { write_file(folder / std::string("a\0b", 3), std::string("text")); }), "null"));
    CHECK(contains(refusal([&] { save_safetensors(folder / "none/x", small_store(1)); }), "No such file"));
    CHECK(folder.names().empty());
}

TEST_CASE("permissions are kept, and obeyed") {
    const scratch_folder folder;
    const std::string path = folder / "file";
    const mode_t before = ::umask(027);
    write_file(path, std::string("first"));
    CHECK((mode_of(path) & 0777U) == 0640U); // of a new file the umask's
    ::umask(before);
    for (const mode_t mode : {mode_t{0600}, mode_t{0666}, mode_t{0755}}) {
        ::chmod(path.c_str(), mode);
        write_file(path, std::string("second"));
        CHECK((mode_of(path) & 0777U) == mode);
    }
    ::chmod(path.c_str(), 0444);
    const nobody user(folder);
    CHECK(contains(refusal([&] { write_file(path, std::string("third")); }), "denied"));
    CHECK(contents(path) == "second");
    CHECK(contains(refusal([&] { write_file("/file", std::string("third")); }), "no file can be made beside it"));
    ::seteuid(::getuid()); // root again, where it was
    ::chmod(path.c_str(), 0);
    if (::getuid() == 0) {
        REQUIRE(::seteuid(65534) == 0);
    }
    CHECK(contains(refusal([&] { load_safetensors(path); }), "denied"));
}

TEST_CASE("no verdict on what is no file of text") {
    const scratch_folder folder;
    const std::string text = folder / "model.mil";
    const std::string pipe = folder / "pipe";
    REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
    const auto told = [](const std::string& path) { return refusal([&] { judge_mil_file(path, h13); }); };
    for (const std::string& path : {folder.path().string(), pipe, std::string("/dev/zero"), std::string("/dev/null")}) {
        CAPTURE(path);
        const bool is_folder = path == folder.path(); // whose model.mil is read
        CHECK(contains(told(path), is_folder ? "model.mil: cannot be found" : "is not a regular file"));
        // Where it is a blob, the statement that reads it is refused.
        const std::string blob = is_folder ? "." : path == pipe ? "pipe" : path;
        write_file(text, "program(1.3)\n{\n    func main<ios18>(tensor<fp16, [4]> x) {\n"
                         "        tensor<fp16, [4]> y = add(x = x, y = tensor<fp16, [4]>(BLOBFILE(path = string(\"" +
                             blob + "\"), offset = uint64(64))))[name = string(\"y\")];\n    } -> (y);\n}\n");
        const file_verdict verdict = judge_mil_file(text, h13);
        REQUIRE(verdict.reasons.size() == 1);
        CHECK(verdict.reasons[0].line == 4);
        CHECK(contains(verdict.reasons[0].reason,
                       blob == path ? "is no path below the model's folder" : "is not a regular file"));
        std::filesystem::remove(text);
    }
    CHECK(contains(told(folder / "none"), "No such file"));
    write_file(text, std::string());
    const file_verdict empty = judge_mil_file(text, h13);
    REQUIRE(empty.reasons.size() == 1);
    CHECK(contains(empty.reasons[0].reason, "MIL text begins with program"));
    ::chmod(text.c_str(), 0);
    const nobody user(folder);
    CHECK(contains(told(text), "denied"));
}

TEST_CASE("a link is replaced, what it names is left alone") {
    const scratch_folder folder;
    const scratch_folder elsewhere;
    write_file(elsewhere / "target", std::string("precious"));
    for (const std::string& target : {elsewhere / "target", elsewhere / "none", folder / "link"}) {
        const std::string link = folder / "link";
        std::filesystem::remove(link);
        std::filesystem::create_symlink(target, link);
        write_file(link, std::string("text"));
        CHECK(S_ISREG(mode_of(link)));
        CHECK(contents(link) == "text");
    }
    CHECK(contents(elsewhere / "target") == "precious");
    CHECK(elsewhere.names() == std::vector<std::string>{"target"});
}

TEST_CASE("pipes and devices are written straight") {
    const scratch_folder folder;
    const std::string pipe = folder / "pipe";
    REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
    std::string arrived;
    std::thread reader([&] { arrived = contents(pipe); });
    write_file(pipe, std::string("through the pipe"));
    reader.join();
    CHECK(arrived == "through the pipe");
    CHECK(S_ISFIFO(mode_of(pipe)));

    write_file("/dev/null", std::string("gone"));
    CHECK(S_ISCHR(mode_of("/dev/null")));
    if (std::filesystem::exists("/dev/full")) {
        CHECK(contains(refusal([&] { save_safetensors("/dev/full", small_store(1)); }), "No space left"));
        std::filesystem::create_symlink("/dev/full", folder / "link");
        CHECK(contains(refusal([&] { save_safetensors(folder / "link", small_store(1)); }), "No space left"));
    }
    const mode_t before = mode_of("/dev/stdout");
    const int output = ::dup(STDOUT_FILENO);
    const int file = ::open((folder / "output").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    ::dup2(file, STDOUT_FILENO);
    write_file("/dev/stdout", std::string("one, "));
    write_file("/dev/fd/1", std::string("two"));
    ::dup2(output, STDOUT_FILENO);
    ::close(output);
    ::close(file);
    CHECK(contents(folder / "output") == "one, two");
    CHECK(mode_of("/dev/stdout") == before);
}

TEST_CASE("what is not a regular file is not read, nor waited for") {
    const scratch_folder folder;
    REQUIRE(::mkfifo((folder / "pipe").c_str(), 0600) == 0);
    CHECK(contains(refusal([&] { load_safetensors(folder / "pipe"); }), "not a regular file"));
    CHECK(contains(refusal([&] { load_safetensors("/dev/zero"); }), "not a regular file"));
    CHECK(contains(refusal([&] { load_safetensors(folder.path()); }), "is a directory"));
    CHECK(contains(refusal([&] { load_safetensors(folder / "none"); }), "No such file"));
    CHECK(contains(refusal([&] { load_safetensors(""); }), "empty"));
}

// The sanitizer ends the program where memory is asked for that the system does not have.
#if defined(__APPLE__) // which knows no such limit
constexpr bool limits_memory = false;
#else
constexpr bool limits_memory = !sanitized;
#endif

TEST_CASE("a file of more bytes than there is memory for is refused at once" * doctest::skip(!limits_memory)) {
    const scratch_folder folder;
    write_sparse(folder / "12GB", std::uint64_t{12} << 30U);
    const limited memory(RLIMIT_AS, std::size_t{4} << 30U);
    CHECK(contains(refusal([&] { load_safetensors(folder / "12GB"); }), "12884901888 bytes"));
}

TEST_CASE("a temporary folder that is not there is told") {
    const changed_variable temporary("TMPDIR", "/no/such/folder");
    CHECK(contains(refusal([&] { (void)engine().compile(graph_for_files(), small_store(1)); }), "/no/such/folder"));
}
