/// Any bytes as a weight file of the stand-in: an entry of just the bytes that were asked for, or a refusal. The first
/// ten bytes say what is asked for: the element type, the number of elements, the offset; the rest is the file.
#include "../standin/blob_reader.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace {

namespace sa = ane::standin;

constexpr sa::element types[] = {sa::element::fp16,   sa::element::fp32,  sa::element::uint8, sa::element::int8,
                                 sa::element::bf16,   sa::element::int16, sa::element::int4,  sa::element::uint1,
                                 sa::element::uint2,  sa::element::uint4, sa::element::uint3, sa::element::uint6,
                                 sa::element::uint16, sa::element::int32, sa::element::uint32};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    constexpr std::size_t asked = 10;
    if (size < asked) {
        return 0;
    }
    const sa::element type = types[data[0] % std::size(types)];
    std::int64_t count = data[1];
    std::uint64_t offset = 0;
    std::memcpy(&offset, data + 2, sizeof offset);
    count = count < 250 ? count : std::int64_t{1} << (count - 196); // some are too many for any file
    try {
        const sa::blob_reader file(std::vector<std::uint8_t>(data + asked, data + size));
        const auto found = file.entry(offset, type, count);
        if (found.size() != (static_cast<std::uint64_t>(count * sa::bits(type)) + 7) / 8 ||
            found.data() < file.bytes().data() + offset + 64 ||
            found.data() + found.size() > file.bytes().data() + file.bytes().size()) {
            std::abort();
        }
        if (type != sa::element::fp16 && type != sa::element::fp32 && type != sa::element::bf16) {
            const auto values = sa::unpack_integers(found, type, count);
            const std::int64_t above = std::int64_t{1} << sa::bits(type);
            if (std::any_of(values.begin(), values.end(), [&](auto v) { return v < -above || v >= above; })) {
                std::abort();
            }
        }
    } catch (const sa::refusal& r) {
        if (*r.what() == '\0') {
            std::abort();
        }
    }
    return 0;
}
