#include "models.hpp"
#include <anemone/onnx/message_memory.hpp>
#include <anemone/onnx/onnx.hpp>

#include <doctest/doctest.h>

#include <string>

using models::has;
using models::list;
using models::model;

namespace {

ane::onnx::decoded_size counted(const std::string& bytes, std::uint64_t most = UINT64_MAX) {
    return ane::onnx::message_memory(most).of_model(std::as_bytes(std::span(bytes)));
}

/// The count against what Protocol Buffers says of the message that it made.
void check_against_decoded(const std::string& bytes) {
    ::onnx::ModelProto decoded;
    REQUIRE(decoded.ParseFromString(bytes));
    const auto used = static_cast<double>(decoded.SpaceUsedLong());
    const auto found = static_cast<double>(counted(bytes).bytes);
    CHECK(found > used * 0.5);          // lists grow by doubling
    CHECK(found < used * 2.5 + 10'000); // with the allocator's share
}

} // namespace

TEST_CASE("what a file takes decoded is counted before that") {
    model nodes;
    for (int i = 0; i < 10'000; ++i) {
        nodes.graph().add_node();
    }
    check_against_decoded(nodes.proto.SerializeAsString());
    CHECK(counted(nodes.proto.SerializeAsString()).nodes == 10'000);

    model integers;
    integers.integers("i", {100'000}, list(100'000, 1)); // a byte each in the file
    check_against_decoded(integers.proto.SerializeAsString());

    model bytes;
    bytes.tensor("w", {250'000}, ::onnx::TensorProto::FLOAT).set_raw_data(std::string(1'000'000, 'x'));
    check_against_decoded(bytes.proto.SerializeAsString());

    model texts;
    ::onnx::NodeProto& n = texts.node("Sum", {"x"}, {"y"});
    for (int i = 0; i < 20'000; ++i) {
        n.add_input("");
    }
    check_against_decoded(texts.proto.SerializeAsString());

    model attributes;
    auto& a = *attributes.node("Pad", {"x"}, {"y"}).add_attribute();
    for (int i = 0; i < 50'000; ++i) {
        a.add_ints(i % 2); // a tag each
    }
    check_against_decoded(attributes.proto.SerializeAsString());
}

TEST_CASE("counting stops at its limit, and where the bytes are none") {
    model nodes;
    for (int i = 0; i < 10'000; ++i) {
        nodes.graph().add_node();
    }
    const std::string bytes = nodes.proto.SerializeAsString();
    CHECK(counted(bytes, 100'000).bytes < 110'000);
    for (std::size_t size = 0; size < 60; ++size) {
        CHECK(counted(bytes.substr(0, size)).bytes < 100'000);
    }
    CHECK(counted(std::string(1000, '\xFF')).nodes == 0);
    std::string deep; // branches within branches, each of them in its length
    for (int i = 0; i < 300 && deep.size() < 120; ++i) {
        deep = "\x0a" + std::string(1, static_cast<char>(deep.size())) + deep;
    }
    CHECK(counted("\x3a" + std::string(1, static_cast<char>(deep.size())) + deep).nodes < 200);
}

TEST_CASE("a file that would take more than is allowed is not decoded") {
    std::string nodes;
    for (int i = 0; i < 400'000; ++i) {
        nodes += std::string("\x0a\x00", 2); // an empty node
    }
    model m;
    const std::string head = m.proto.SerializeAsString();
    const auto file = [&](const std::string& graph) {
        std::string size;
        for (std::size_t rest = graph.size(); rest > 0 || size.empty(); rest >>= 7U) {
            size += static_cast<char>((rest & 0x7FU) | (rest > 0x7FU ? 0x80U : 0U));
        }
        return head + "\x3a" + size + graph;
    };
    const auto refusal = [](const std::string& bytes, std::uint64_t most) {
        try {
            ane::read_onnx(std::as_bytes(std::span(bytes)), {.max_bytes = most});
        } catch (const ane::unreadable& refused) {
            return ane::text(refused.faults().front());
        }
        return std::string();
    };
    CHECK(has(refusal(file(nodes), 1 << 20), "takes more than 16777216 bytes of memory when it is decoded"));
    CHECK_FALSE(has(refusal(file(nodes), std::uint64_t{1} << 30U), "when it is decoded"));
    CHECK(has(refusal(file(nodes + nodes), UINT64_MAX), "has more than 500000 nodes"));
}
