// Whatever a model's file names is opened in the model's folder and below it, however it is spelled, by every reader.

#include "mil_support.hpp"
#include "netplist_network.hpp"
#include <anemone/io/file.hpp>
#include <anemone/readers/model_folder.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

namespace fs = std::filesystem;

namespace {

/// A folder "m" with a folder "weights" in it, and beside it a file that no model may have.
class stranger {
public:
    stranger() {
        std::string pattern = (fs::temp_directory_path() / "anemone-folder-XXXXXX").string();
        home_ = ::mkdtemp(pattern.data());
        fs::create_directories(home_ / "m/weights");
        ane::write_file(path("secret"), weights());
        ane::write_file(path("m/weights/own.bin"), weights());
    }
    stranger(const stranger&) = delete;
    stranger& operator=(const stranger&) = delete;
    ~stranger() { fs::remove_all(home_); }

    std::string path(const std::string& name) const { return (home_ / name).string(); }
    void link(const std::string& name, const std::string& to) const { fs::create_symlink(to, home_ / name); }

    /// A blob with four numbers.
    static std::string weights() {
        ane::blob_writer blob;
        blob.add(std::vector<ane::half>{ane::half(1.0), ane::half(2.0), ane::half(3.0), ane::half(4.0)});
        const auto bytes = blob.bytes();
        return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
    }
    /// MIL text that adds the numbers of a blob.
    static std::string text(const std::string& blob) {
        return reading::program_of("tensor<fp16, [4]> x",
                                   "tensor<fp16, [4]> w = const()[name = string(\"w\"), val = tensor<fp16, "
                                   "[4]>(BLOBFILE(path = string(\"" +
                                       blob + "\"), offset = uint64(64)))];\ntensor<fp16, [4]> y = add(x = x, y = w);");
    }
    /// A netplist that adds them.
    static std::string netplist(const std::string& blob) {
        netplist_network::network n;
        n.input("x", {1, 1, 2, 1, 2}).constant("c", {1, 1, 2, 1, 2}, 0);
        n.unit("sum", "ElementWise", {"x", "c"}, {{"Type", "Add"}});
        n.blobs = {{blob, {}}};
        return ane::formats::to_xml(n.program().document);
    }

private:
    fs::path home_;
};

/// What a reader says of a file, or "read".
template <class Read> std::string said(const Read& read) {
    try {
        read();
        return "read";
    } catch (const ane::error& e) {
        return e.what();
    }
}

void has(const std::string& text, const std::string& words) {
    CHECK_MESSAGE(text.find(words) != std::string::npos, text);
}

} // namespace

TEST_CASE("MIL text reads blobs in its folder alone") {
    const stranger s;
    s.link("m/out.bin", s.path("secret"));
    s.link("m/up.bin", "../secret");
    s.link("m/weights/own", "own.bin");
    s.link("m/around", "weights/../weights");
    s.link("m/folder", "..");
    s.link("m/loop", "loop");
    s.link("again", "m");
    const auto read = [&](const std::string& blob, const std::string& file = "m/model.mil") {
        ane::write_file(s.path("m/model.mil"), stranger::text(blob));
        return said([&] { ane::read_mil_file(s.path(file)); });
    };
    for (const std::string start : {"", "@model_path/"}) {
        CHECK(read(start + "weights/own.bin") == "read");
        CHECK(read(start + "weights/own") == "read"); // links within the folder lead nowhere else
        CHECK(read(start + "around/own.bin") == "read");
        CHECK(read(start + "./weights/./own.bin") == "read");
        CHECK(read(start + "weights/own.bin", "again/model.mil") == "read"); // the folder itself may be a link
        CHECK(read(start + "weights/own.bin", "m") == "read");
        has(read(start + "../secret"), "no path below the model's folder");
        has(read(start + "weights/../../secret"), "no path below the model's folder");
        has(read(start + "out.bin"), "a link that leads out of the model's folder");
        has(read(start + "up.bin"), "a link that leads out of the model's folder");
        has(read(start + "folder/secret"), "a link that leads out of the model's folder");
        has(read(start + "out.bin", "m"), "a link that leads out of the model's folder");
        has(read(start + "loop"), "cannot be opened: Too many levels of symbolic links");
        has(read(start + std::string(300, 'n')), "cannot be opened: File name too long"); // refused, and not missing
        has(read(start + "none.bin"), "cannot be found: No such file");
        has(read(start + "weights/own.bin/more"), "cannot be found: Not a directory");
        has(read(start + "weights"), "not a regular file");
        has(read(start + "."), "not a regular file");
        has(read(start), "no path below");
    }
    has(read(s.path("secret")), "no path below the model's folder");
    has(read(s.path("m/weights/own.bin")), "no path below the model's folder");
    fs::remove(s.path("m/model.mil"));
    ane::write_file(s.path("text"), stranger::text("weights/own.bin"));
    s.link("m/model.mil", "../text");
    CHECK(said([&] { ane::read_mil_file(s.path("m/model.mil")); }) == "read"); // the user's own choice
    has(said([&] { ane::read_mil_file(s.path("m")); }), "a link that leads out of the model's folder");
}

TEST_CASE("a snapshot of Hugging Face's hub reads the blobs of its model, and nothing else outside") {
    const stranger s;
    const std::string hash(64, 'a');
    const std::string blob = "hub/models--org--net/blobs/" + hash;
    const std::string snapshot = "hub/models--org--net/snapshots/0123abcd";
    for (const std::string folder : {"hub/models--org--net/blobs", "hub/models--org--other/blobs", "hub/blobs"}) {
        fs::create_directories(s.path(folder));
        ane::write_file(s.path(folder + "/" + hash), stranger::weights());
    }
    fs::create_directories(s.path(snapshot + "/inner"));
    const auto read = [&](const std::string& target, const std::string& name = "w.bin", const std::string& from = "") {
        const std::string folder = from.empty() ? snapshot : from;
        fs::remove(s.path(folder + "/" + name));
        s.link(folder + "/" + name, target);
        ane::write_file(s.path(folder + "/model.mil"), stranger::text(name));
        return said([&] { ane::read_mil_file(s.path(folder + "/model.mil")); });
    };
    CHECK(read("../../blobs/" + hash) == "read");
    CHECK(read("../../../blobs/" + hash, "inner/w.bin") == "read");
    CHECK(read("../../../blobs/" + hash, "w.bin", snapshot + "/inner") == "read"); // whichever folder is the model's
    s.link("way", snapshot);                                                       // the user's own
    CHECK(read("../../blobs/" + hash, "w.bin", "way") == "read");
    const std::string out = "a link that leads out of the model's folder";
    has(read("../../../blobs/" + hash), out);                    // of all models
    has(read("../../../models--org--other/blobs/" + hash), out); // of another one
    has(read("../../../models--org--net/blobs/" + hash), out);   // the same file by another text
    has(read("../../blobs/../blobs/" + hash), out);
    has(read("../../blobs/./" + hash), out);
    has(read("../../snapshots/0123abcd/../../blobs/" + hash), out);
    has(read("../../blobs/" + hash, "inner/w.bin"), out); // one level too few
    has(read(s.path(blob)), out);
    has(read("../../blobs/"), out);
    has(read("../../blobs/.."), out);
    has(read("../../../../secret"), out);
    has(read("../../blobs/" + std::string(64, 'b')), "cannot be found: No such file");
    // Neither the blob nor its folder may be a link.
    fs::remove(s.path(blob));
    s.link(blob, "../../../secret");
    has(read("../../blobs/" + hash), "cannot be opened");
    fs::rename(s.path("hub/models--org--net/blobs"), s.path("hub/real"));
    s.link("hub/models--org--net/blobs", "../blobs");
    has(read("../../blobs/" + hash), out);
    // Such links mean nothing where the folders have other names.
    fs::create_directories(s.path("plain/net/snapshots/0123abcd"));
    fs::create_directories(s.path("plain/net/blobs"));
    ane::write_file(s.path("plain/net/blobs/" + hash), stranger::weights());
    has(read("../../blobs/" + hash, "w.bin", "plain/net/snapshots/0123abcd"), out);
}

TEST_CASE("netplists read weight files in their folder alone") {
    const stranger s;
    ane::write_file(s.path("m/own"), stranger::weights());
    s.link("m/out", s.path("secret"));
    s.link("m/inside", "weights/own.bin");
    const auto read = [&](const std::string& blob, const std::string& file = "m/net.plist") {
        ane::write_file(s.path("m/net.plist"), stranger::netplist(blob));
        return said([&] { ane::read_netplist_file(s.path(file)); });
    };
    CHECK(read("own") == "read");
    CHECK(read("inside") == "read");
    CHECK(read("/somewhere/else/own") == "read"); // of a path only the name counts
    CHECK(read("own", "m") == "read");
    has(read("out"), "a link that leads out of the model's folder");
    has(read("out", "m"), "a link that leads out of the model's folder");
    has(read("../secret"), "cannot be found");
    has(read(".."), "no path below");
    has(read(s.path("secret")), "cannot be found");
    has(read(std::string(300, 'n')), "cannot be opened: File name too long");
}

TEST_CASE("nothing is opened outside while links change under the reader") {
    const stranger s;
    ane::write_file(s.path("secret"), std::string("SECRET"));
    const std::string folder = s.path("m");
    fs::rename(folder + "/weights", folder + "/real");
    std::atomic<bool> ends{false};
    std::thread swaps([&] { // "weights" is the folder, then a link out, then the folder
        fs::create_directories(folder + "/true");
        ane::write_file(folder + "/true/secret", std::string("own"));
        fs::create_directory_symlink("..", folder + "/false");
        while (!ends) {
            for (const char* const each : {"/true", "/false"}) {
                fs::rename(folder + each, folder + "/weights");
                fs::rename(folder + "/weights", folder + each);
            }
        }
    });
    const ane::readers::model_folder home(folder);
    int opened = 0;
    for (int i = 0; i < 100000 && opened < 2000; ++i) {
        ane::readers::opened_below found = home.file("weights/secret");
        if (found.refused.empty()) {
            ++opened;
            const ane::detail::file_reader file(std::move(found.file), "secret");
            CHECK(file.size() == 3);
        }
    }
    ends = true;
    swaps.join();
}
