#pragma once

#include "../base/way.hpp"
#include "proto.hpp"

#include <algorithm>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <google/protobuf/descriptor.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/message.h>
#include <google/protobuf/wire_format_lite.h>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

/// What a file takes when Protocol Buffers decodes it, which it does whole: an empty message of two bytes becomes an
/// object of a hundred. Only bodies include this header.
namespace ane::onnx::inline ANEMONE_WAY {

/// What decoding a message gives; lists may take twice as much, for they grow by doubling.
struct decoded_size {
    std::uint64_t bytes = 0;
    std::uint64_t nodes = 0;
    std::uint64_t tensors = 0;
};

/// Walks over the bytes of a message field by field, and counts; allocates nothing that grows with the file. What is
/// malformed ends the count, and fails again when it is decoded.
class message_memory {
public:
    /// Counting ends beyond `most_bytes`.
    ANEMONE_INLINE explicit message_memory(std::uint64_t most_bytes) : most_(most_bytes) {}

    ANEMONE_INLINE decoded_size of_model(std::span<const std::byte> bytes) {
        if (bytes.size() <= INT_MAX) {
            coded in(reinterpret_cast<const std::uint8_t*>(bytes.data()), static_cast<int>(bytes.size()));
            in.SetTotalBytesLimit(INT_MAX);
            walk(in, kind_of(*::onnx::ModelProto::descriptor()), 0);
        }
        return found_;
    }

private:
    using coded = ::google::protobuf::io::CodedInputStream;
    using field_about = ::google::protobuf::FieldDescriptor;
    using wire = ::google::protobuf::internal::WireFormatLite;
    static constexpr int deepest = 100; ///< as the decoder has it

    struct message_kind;
    struct field_kind {
        const message_kind* message = nullptr; ///< of a field that is one
        std::uint64_t growth = 1; ///< bytes in memory for one in the file: integers in a row may have one each
    };
    struct message_kind {
        std::uint64_t bytes = 0; ///< of an empty one, with its place in a list and the allocator's words
        bool is_node = false;
        bool is_tensor = false;
        std::vector<field_kind> fields; ///< by their numbers
    };

    ANEMONE_INLINE const message_kind& kind_of(const ::google::protobuf::Descriptor& about) {
        const auto [place, is_new] = kinds_.try_emplace(&about);
        if (is_new) {
            place->second = std::make_unique<message_kind>();
            message_kind& kind = *place->second;
            constexpr std::uint64_t around = 5 * sizeof(void*);
            const auto* const empty = ::google::protobuf::MessageFactory::generated_factory()->GetPrototype(&about);
            kind.bytes = empty->SpaceUsedLong() + around;
            kind.is_node = &about == ::onnx::NodeProto::descriptor();
            kind.is_tensor = &about == ::onnx::TensorProto::descriptor();
            for (int i = 0; i < about.field_count(); ++i) {
                const auto& field = *about.field(i);
                const auto number = static_cast<std::size_t>(field.number());
                kind.fields.resize(std::max(kind.fields.size(), number + 1));
                field_kind f;
                switch (field.cpp_type()) {
                case field_about::CPPTYPE_MESSAGE: f.message = &kind_of(*field.message_type()); break;
                case field_about::CPPTYPE_STRING:
                case field_about::CPPTYPE_FLOAT:
                case field_about::CPPTYPE_DOUBLE: break; // as long in the file
                default: f.growth = sizeof(std::uint64_t); break;
                }
                kind.fields[number] = f;
            }
        }
        return *place->second;
    }

    bool is_enough() const { return found_.bytes > most_; }

    /// Returns false where the bytes end or are none.
    ANEMONE_INLINE bool walk(coded& in, const message_kind& kind, int depth) {
        constexpr std::uint64_t text_bytes = sizeof(std::string) + 3 * sizeof(void*);
        found_.bytes += kind.bytes;
        found_.nodes += kind.is_node ? 1 : 0;
        found_.tensors += kind.is_tensor ? 1 : 0;
        while (const std::uint32_t tag = in.ReadTag()) {
            const auto number = static_cast<std::size_t>(wire::GetTagFieldNumber(tag));
            const field_kind field = number < kind.fields.size() ? kind.fields[number] : field_kind{};
            std::uint32_t length = 0;
            switch (wire::GetTagWireType(tag)) {
            case wire::WIRETYPE_VARINT:
            case wire::WIRETYPE_FIXED32:
            case wire::WIRETYPE_FIXED64:
                found_.bytes += 2 * sizeof(std::uint64_t); // of a list, or of what nobody knows
                if (!wire::SkipField(&in, tag)) {
                    return false;
                }
                break;
            case wire::WIRETYPE_LENGTH_DELIMITED:
                if (!in.ReadVarint32(&length)) {
                    return false;
                }
                if (field.message != nullptr) {
                    const auto outside = in.PushLimit(static_cast<int>(std::min<std::uint32_t>(length, INT_MAX)));
                    if (depth == deepest || !walk(in, *field.message, depth + 1) || in.BytesUntilLimit() != 0) {
                        return false;
                    }
                    in.PopLimit(outside);
                } else {
                    found_.bytes += text_bytes + length * field.growth;
                    if (!in.Skip(static_cast<int>(std::min<std::uint32_t>(length, INT_MAX)))) {
                        return false;
                    }
                }
                break;
            default: return false; // groups, which ONNX has none of
            }
            if (is_enough()) {
                return false;
            }
        }
        return in.ConsumedEntireMessage() || in.BytesUntilLimit() == 0;
    }

    std::uint64_t most_;
    decoded_size found_;
    std::map<const ::google::protobuf::Descriptor*, std::unique_ptr<message_kind>> kinds_;
};

} // namespace ane::onnx::inline ANEMONE_WAY
