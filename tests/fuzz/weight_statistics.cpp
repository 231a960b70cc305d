/// Any tensors under any names: statistics that hold for every element and are read back from their text as they were, or
/// errc::weights; and the header of weight_statistics, which declares each tensor once, under a name of its own.
///
/// The bytes: for each tensor its type, the length of its name, rank, extents (a byte each), the name, then the elements.
#include "../../examples/weight_statistics/header.hpp"
#include <anemone/weights/convert.hpp>
#include <anemone/weights/statistics.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <span>
#include <string>

namespace {

void require(bool good) {
    if (!good) {
        std::abort();
    }
}

/// The next bytes, as many as there are.
std::span<const std::uint8_t> next(std::span<const std::uint8_t>& rest, std::size_t count) {
    const auto taken = rest.first(std::min(count, rest.size()));
    rest = rest.subspan(taken.size());
    return taken;
}
std::size_t next_byte(std::span<const std::uint8_t>& rest) {
    const auto taken = next(rest, 1);
    return taken.empty() ? 0 : taken[0];
}

using ane::element_type;
/// In the order by which the corpus names them.
constexpr element_type stored_types[] = {
    element_type::boolean, element_type::f8_e4m3, element_type::f8_e5m2, element_type::uint8,  element_type::int8,
    element_type::f16,     element_type::bf16,    element_type::uint16,  element_type::int16,  element_type::f32,
    element_type::uint32,  element_type::int32,   element_type::f64,     element_type::uint64, element_type::int64};

ane::weight_store store_of(std::span<const std::uint8_t> rest) {
    ane::weight_store store;
    while (!rest.empty() && store.size() < 32) {
        ane::stored_tensor tensor;
        tensor.type = stored_types[next_byte(rest) % std::size(stored_types)];
        const std::size_t length = next_byte(rest) % 24;
        for (std::size_t rank = next_byte(rest) % 4; rank > 0; --rank) {
            tensor.shape.append(static_cast<std::int64_t>(next_byte(rest) % 9));
        }
        const auto name = next(rest, length);
        tensor.name.assign(name.begin(), name.end());
        std::vector<std::byte> bytes(static_cast<std::size_t>(tensor.shape.count() * ane::bytes(tensor.type, 1)));
        const auto elements = std::as_bytes(next(rest, bytes.size()));
        std::copy(elements.begin(), elements.end(), bytes.begin());
        tensor.bytes = std::move(bytes);
        if (!store.contains(tensor.name)) {
            store.add(std::move(tensor));
        }
    }
    return store;
}

void check_statistics(const ane::stored_tensor& tensor) {
    ane::tensor_statistics s;
    try {
        s = ane::statistics_of(tensor);
    } catch (const ane::error& e) {
        require(e.code() == ane::errc::weights);
        return;
    }
    for (const ane::half h : ane::to_half(tensor)) {
        const auto value = static_cast<double>(h);
        require(s.low <= value && value <= s.high);
        require(std::fabs(value) <= s.row_l1 && std::fabs(value) <= s.column_l1);
    }
    require(s.deviation >= 0 && s.deviation <= std::fmax(std::fabs(s.low), std::fabs(s.high)) * (1 + 1e-12));
    ane::tensor_statistics read;
    require(std::sscanf(ane::print(s).c_str(), // NOLINT(cert-err34-c): five conversions are counted
                        "{.low = %lf, .high = %lf, .row_l1 = %lf, .column_l1 = %lf, .deviation = %lf}", &read.low,
                        &read.high, &read.row_l1, &read.column_l1, &read.deviation) == 5);
    require(read.low == s.low && read.high == s.high && read.row_l1 == s.row_l1 && read.column_l1 == s.column_l1 &&
            read.deviation == s.deviation);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const ane::weight_store store = store_of({data, size});
    for (std::size_t i = 0; i < store.size(); ++i) {
        check_statistics(store[i]);
    }
    std::size_t done = 0;
    std::size_t left_out = 0;
    const std::string text = header_text(
        store, "file", "digest", "stats", [&](std::size_t) { ++done; }, [&](const auto&, const auto&) { ++left_out; });
    require(done == store.size());
    std::set<std::string> declared;
    constexpr std::string_view before = "\ninline constexpr ane::tensor_statistics ";
    for (std::size_t at = text.find(before); at != std::string::npos; at = text.find(before, at + 1)) {
        const std::size_t begin = at + before.size();
        require(declared.insert(text.substr(begin, text.find('{', begin) - begin)).second);
    }
    require(declared.size() + left_out == store.size());
    return 0;
}
