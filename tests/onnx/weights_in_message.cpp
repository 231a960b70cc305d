#include "models.hpp"
#include <anemone/io/file.hpp>
#include <anemone/weights/convert.hpp>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cstring>
#include <filesystem>
#include <random>
#include <system_error>

using namespace ane;
using ::models::model;

namespace {

/// x [1, 256] times a matrix of 128 KiB, with a bias of 512 bytes between them in the file.
model large_model() {
    model m;
    std::string matrix(256 * 128 * 4, '\0');
    for (std::size_t i = 0; i < 256 * 128; ++i) {
        const auto value = static_cast<float>(i % 97) / 128;
        std::memcpy(matrix.data() + 4 * i, &value, 4);
    }
    m.input("x", {1, 256}).output("y");
    m.tensor("first", {256, 128}, ::onnx::TensorProto::FLOAT).set_raw_data(matrix);
    m.floats("bias", {128}, std::vector<float>(128, 0.5F));
    m.tensor("second", {128, 256}, ::onnx::TensorProto::FLOAT).set_raw_data(matrix);
    m.node("MatMul", {"x", "first"}, {"a"});
    m.node("Add", {"a", "bias"}, {"b"});
    m.node("MatMul", {"b", "second"}, {"y"});
    return m;
}

class kept_file {
public:
    explicit kept_file(const std::string& bytes) { write_file(path, bytes); }
    kept_file(const kept_file&) = delete;
    kept_file& operator=(const kept_file&) = delete;
    ~kept_file() {
        std::error_code ignored;
        std::filesystem::remove(path, ignored);
    }
    const std::string path =
        std::filesystem::temp_directory_path() / fmt::format("anemone-large-{}.onnx", std::random_device{}());
};

std::string reason_of(const std::string& path, const onnx_reader_options& options = {}) {
    try {
        static_cast<void>(read_onnx_file(path, options));
    } catch (const error& e) {
        return e.what();
    }
    return "read";
}

} // namespace

TEST_CASE("large weights of a model's own file stay there") {
    const model m = large_model();
    const kept_file file(m.bytes());
    const read_model found = read_onnx_file(file.path);
    CHECK(!found.weights.at("first").bytes.is_in_memory());
    CHECK(!found.weights.at("second").bytes.is_in_memory());
    CHECK(found.weights.at("bias").bytes.is_in_memory());
    const read_model wanted = m.read(); // of memory, where nothing can stay
    CHECK(found.weights == wanted.weights);
    CHECK(!found.weights.at("first").bytes.is_in_memory());
    CHECK(found.graph.view().size() == wanted.graph.view().size());
    std::filesystem::resize_file(file.path, 100'000);
    CHECK_THROWS_AS(static_cast<void>(to_half(found.weights.at("first"))), error);
}

TEST_CASE("what is wrong with such weights is told as of others") {
    const onnx_reader_options little{.max_bytes = 20 << 20U};
    model m = large_model();
    m.graph().mutable_initializer(0)->mutable_raw_data()->pop_back();
    CHECK(reason_of(kept_file(m.bytes()).path).find("131071 bytes instead of 131072") != std::string::npos);
    m = large_model();
    const float infinite = 1e9F;
    std::memcpy(m.graph().mutable_initializer(2)->mutable_raw_data()->data() + 4 * 40, &infinite, 4);
    CHECK(reason_of(kept_file(m.bytes()).path).find("element 40 of a constant is 1000000000") != std::string::npos);
    // The limit counts what stays in the file.
    m = large_model();
    m.tensor("huge", {6 << 20U}, ::onnx::TensorProto::FLOAT).set_raw_data(std::string(24U << 20U, '\0'));
    CHECK(reason_of(kept_file(m.bytes()).path, little).find("max_bytes") != std::string::npos);
    CHECK(reason_of(kept_file(large_model().bytes()).path, little) == "read");
}

TEST_CASE("a message that joins fields, and one that ends early, are decoded whole or refused") {
    const std::string bytes = large_model().bytes();
    // A second graph is joined to the first: its initializer is the fourth.
    model more;
    more.proto.clear_opset_import();
    more.proto.clear_ir_version();
    more.tensor("third", {256, 128}, ::onnx::TensorProto::FLOAT).set_raw_data(std::string(256 * 128 * 4, '\0'));
    const kept_file joined(bytes + more.bytes());
    CHECK(read_onnx_file(joined.path).weights.at("first").bytes.is_in_memory());
    for (const std::size_t cut : {bytes.size() / 3, bytes.size() / 2, bytes.size() - 1}) {
        CHECK(reason_of(kept_file(bytes.substr(0, cut)).path).find("not all of one") != std::string::npos);
    }
}
