/// Any bytes as a GGUF file: read, or refused with errc::file. Of what was read, every value of the metadata is given or
/// refused, and every tensor decoded, whole and in part alike.
#include "scratch_file.hpp"
#include <anemone/weights/convert.hpp>
#include <anemone/weights/gguf.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <span>
#include <vector>

namespace {

void require(bool good) {
    if (!good) {
        std::abort();
    }
}

/// What a call gives; nothing where it refuses the file.
template <class Call> auto allowed(const Call& call) -> std::optional<decltype(call())> {
    try {
        return call();
    } catch (const ane::error& e) {
        require(e.code() == ane::errc::file);
        return std::nullopt;
    }
}

void look_at(const ane::gguf_file& file, const std::string& key) {
    const int kinds =
        (allowed([&] { return file.text(key); }) ? 1 : 0) + (allowed([&] { return file.number(key); }) ? 1 : 0) +
        (allowed([&] { return file.truth(key); }) ? 1 : 0) + (allowed([&] { return file.length(key); }) ? 1 : 0);
    require(kinds == 1);
    static_cast<void>(allowed([&] { return file.integer(key); }));
    const auto numbers = allowed([&] { return file.numbers(key); });
    const auto texts = allowed([&] { return file.texts(key); });
    require(!numbers || !texts);
}

void decode(const ane::gguf_file& file, const ane::gguf_tensor& tensor) {
    const ane::stored_tensor whole = file.read(tensor);
    require(ane::to_float(whole).size() == static_cast<std::size_t>(tensor.shape.count()));
    require(file.beyond_fp16(tensor) <= tensor.shape.count());
    if (tensor.shape[0] % 4 == 0 && tensor.shape.rank > 1) {
        const ane::stored_tensor turned = file.read(tensor, {4});
        const std::size_t row = whole.bytes.size() / static_cast<std::size_t>(tensor.shape[0]);
        std::vector<std::byte> second(row);
        turned.bytes.read(row, second);
        require(std::equal(second.begin(), second.end(), whole.bytes.begin() + static_cast<std::ptrdiff_t>(2 * row)));
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const scratch_file scratch(".gguf");
    scratch.fill(data, size);
    const auto file = allowed([] { return ane::gguf_file(scratch.path()); });
    if (!file) {
        return 0;
    }
    for (const std::string& key : file->keys()) {
        look_at(*file, key);
    }
    for (const ane::gguf_tensor& tensor : file->tensors()) {
        require(file->find(tensor.name) == &tensor);
        decode(*file, tensor);
    }
    return 0;
}
