#include "numpy_file.hpp"

#include "input_file.hpp"
#include "output_path.hpp"
#include <anemone/base/error.hpp>
#include <anemone/io/file.hpp>
#include <anemone/io/path_status.hpp>
#include <anemone/values/element_type.hpp>
#include <anemone/weights/formats/elements.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <memory>
#include <span>
#include <string_view>
#include <zip.h>

namespace command {

namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const std::string& where, const std::string& why) {
    throw ane::error(ane::errc::file, where, why);
}

// ---- one array: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html

constexpr std::string_view magic = "\x93NUMPY";

/// The value of a key in the header, which is a Python dictionary: {'descr': '<f2', 'fortran_order': False, ...}
std::string_view value_of(std::string_view header, std::string_view key, const std::string& where) {
    const std::size_t at = header.find(fmt::format("'{}'", key));
    const std::size_t colon = at == std::string_view::npos ? at : header.find(':', at);
    if (colon == std::string_view::npos) {
        refuse(where, fmt::format("the header has no '{}'", key));
    }
    std::string_view rest = header.substr(colon + 1);
    rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
    const char end = rest.starts_with('(') ? ')' : ',';
    return rest.substr(0,
                       rest.find(end) == std::string_view::npos ? rest.size() : rest.find(end) + (end == ')' ? 1 : 0));
}

std::vector<std::int64_t> shape_in(std::string_view tuple, const std::string& where) {
    std::vector<std::int64_t> shape;
    std::string_view rest = tuple;
    while (true) {
        const std::size_t digit = rest.find_first_of("0123456789-");
        if (digit == std::string_view::npos) {
            return shape;
        }
        std::int64_t extent = 0;
        const auto [end, failed] = std::from_chars(rest.data() + digit, rest.data() + rest.size(), extent);
        if (failed != std::errc() || extent < 0 || shape.size() == 32) {
            refuse(where, fmt::format("the shape {} is invalid", tuple));
        }
        shape.push_back(extent);
        rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
    }
}

tensor array_in(std::string_view bytes, std::string name, const std::string& where, std::uint64_t most) {
    if (bytes.size() < 12 || !bytes.starts_with(magic)) {
        refuse(where, "is not a NumPy array: it does not begin with \\x93NUMPY");
    }
    const int major = static_cast<unsigned char>(bytes[6]);
    const std::size_t width = major == 1 ? 2 : 4;
    std::size_t length = 0;
    for (std::size_t i = 0; i < width; ++i) {
        length |= static_cast<std::size_t>(static_cast<unsigned char>(bytes[8 + i])) << (8 * i);
    }
    const std::size_t begin = 8 + width;
    if (major < 1 || major > 3 || length > bytes.size() - begin) {
        refuse(where, fmt::format("its header of {} bytes (version {}) is not in the file", length, major));
    }
    const std::string_view header = bytes.substr(begin, length);
    std::string_view type = value_of(header, "descr", where);
    type.remove_prefix(std::min(type.find('\'') == std::string_view::npos ? 0 : type.find('\'') + 1, type.size()));
    type = type.substr(0, type.find('\''));
    if (value_of(header, "fortran_order", where).starts_with("True")) {
        refuse(where, "is in Fortran order; save numpy.ascontiguousarray(x)");
    }
    const ane::element_type known =
        type.size() == 3 ? ane::find_element(&ane::element_facts::numpy, type.substr(1)) : ane::element_type::undefined;
    if (known == ane::element_type::undefined || type[0] == '>') {
        refuse(where,
               fmt::format("has elements of type '{}'; known are little-endian floats, integers and bool", type));
    }
    tensor result{std::move(name), shape_in(value_of(header, "shape", where), where), {}};
    const std::string_view data = bytes.substr(begin + length);
    std::uint64_t count = 1;
    for (const std::int64_t extent : result.shape) {
        if (extent > 0 && count > data.size() / static_cast<std::uint64_t>(extent)) { // an element has a byte at least
            refuse(where, fmt::format("the shape {} has more elements than the file", app::shape_text(result.shape)));
        }
        count *= static_cast<std::uint64_t>(extent);
    }
    const auto each = static_cast<std::size_t>(ane::bytes(known, 1));
    if (count > data.size() / each || count * each != data.size()) {
        refuse(where, fmt::format("{} elements of {} bytes are {} bytes, the file has {}", count, each, count * each,
                                  data.size()));
    }
    if (count * sizeof(double) > most) {
        refuse(where,
               fmt::format("takes {} bytes of memory, allowed are {} (--max-memory)", count * sizeof(double), most));
    }
    result.was_fp16 = known == ane::element_type::f16;
    result.values.reserve(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < count; ++i) {
        result.values.push_back(ane::weight_formats::element_as<double>(std::as_bytes(std::span(data)), known,
                                                                        static_cast<std::int64_t>(i)));
    }
    return result;
}

std::string array_bytes(const tensor& from) {
    const bool is_half = std::all_of(from.values.begin(), from.values.end(),
                                     [](double v) { return std::isnan(v) || static_cast<double>(ane::half(v)) == v; });
    std::string shape;
    for (const std::int64_t extent : from.shape) {
        shape += fmt::format("{}, ", extent);
    }
    std::string header = fmt::format("{{'descr': '<f{}', 'fortran_order': False, 'shape': ({}), }}", is_half ? 2 : 4,
                                     from.shape.size() > 1 ? shape.substr(0, shape.size() - 2)
                                                           : shape.substr(0, shape.empty() ? 0 : shape.size() - 1));
    header.append(63 - (10 + header.size()) % 64, ' ').append("\n");
    std::string bytes(magic);
    bytes.append({'\x01', '\0', static_cast<char>(header.size() & 0xFFU), static_cast<char>(header.size() >> 8U)});
    bytes += header;
    for (const double value : from.values) {
        const ane::half small(value);
        const auto wide = static_cast<float>(value);
        bytes.append(is_half ? reinterpret_cast<const char*>(&small) : reinterpret_cast<const char*>(&wide),
                     is_half ? 2 : 4);
    }
    return bytes;
}

// ---- many arrays: a ZIP archive of them

struct close_archive {
    void operator()(zip_t* archive) const noexcept { ::zip_discard(archive); }
};
struct close_entry {
    void operator()(zip_file_t* entry) const noexcept { ::zip_fclose(entry); }
};

std::vector<tensor> arrays_of_archive(const std::string& path, std::uint64_t most) {
    int failed = 0;
    const std::unique_ptr<zip_t, close_archive> archive(::zip_open(path.c_str(), ZIP_RDONLY, &failed));
    if (!archive) {
        zip_error_t reason;
        ::zip_error_init_with_code(&reason, failed);
        const std::string why = ::zip_error_strerror(&reason);
        ::zip_error_fini(&reason);
        refuse(path, "is not an .npz file: " + why);
    }
    std::vector<tensor> arrays;
    const zip_int64_t entries = ::zip_get_num_entries(archive.get(), 0);
    if (entries > 65'536) {
        refuse(path, fmt::format("has {} arrays, at most 65536 are read", entries));
    }
    for (zip_int64_t i = 0; i < entries; ++i) {
        const auto place = static_cast<zip_uint64_t>(i);
        zip_stat_t about;
        if (::zip_stat_index(archive.get(), place, 0, &about) != 0 || (about.valid & ZIP_STAT_SIZE) == 0 ||
            about.name == nullptr) {
            refuse(path, fmt::format("entry {} cannot be read: {}", i, ::zip_strerror(archive.get())));
        }
        const std::string where = fmt::format("{}({})", path, about.name);
        if (about.size > most) { // before a byte is unpacked
            refuse(where, fmt::format("unpacks to {} bytes, allowed are {} (--max-memory)", about.size, most));
        }
        const std::unique_ptr<zip_file_t, close_entry> entry(::zip_fopen_index(archive.get(), place, 0));
        std::string bytes(static_cast<std::size_t>(about.size), '\0');
        if (!entry || ::zip_fread(entry.get(), bytes.data(), about.size) != static_cast<zip_int64_t>(about.size)) {
            refuse(where, fmt::format("cannot be unpacked: {}", ::zip_strerror(archive.get())));
        }
        std::string name = about.name;
        if (name.ends_with(".npy")) {
            name.resize(name.size() - 4);
        }
        arrays.push_back(array_in(bytes, std::move(name), where, most));
        most -= std::min<std::uint64_t>(most, arrays.back().count() * sizeof(double));
    }
    return arrays;
}

} // namespace

std::vector<tensor> read_arrays(const std::string& path, std::uint64_t most) {
    read_files().add(path);
    if (fs::is_regular_file(ane::detail::status_of(path)) && first_bytes(path, 2) == "PK") {
        return arrays_of_archive(path, most);
    }
    return {array_in(input_bytes(path, most), fs::path(path).stem().string(), path, most)};
}

void write_arrays(const std::string& path, std::span<const tensor> arrays) {
    if (fs::path(path).extension() == ".npy") {
        if (arrays.size() != 1) {
            refuse(path, fmt::format("a .npy file has one array, there are {}: name a .npz file", arrays.size()));
        }
        require_unread(path);
        ane::write_file(path, array_bytes(arrays.front()));
        return;
    }
    std::vector<std::string> contents; // live until the archive is closed
    contents.reserve(arrays.size());
    zip_error_t reason;
    ::zip_error_init(&reason);
    zip_source_t* const memory = ::zip_source_buffer_create(nullptr, 0, 0, &reason);
    std::unique_ptr<zip_t, close_archive> archive(
        memory != nullptr ? ::zip_open_from_source(memory, ZIP_TRUNCATE, &reason) : nullptr);
    if (!archive) {
        refuse(path, fmt::format("the archive cannot be made: {}", ::zip_error_strerror(&reason)));
    }
    ::zip_source_keep(memory);
    for (const tensor& each : arrays) {
        contents.push_back(array_bytes(each));
        zip_source_t* const source =
            ::zip_source_buffer(archive.get(), contents.back().data(), contents.back().size(), 0);
        const zip_int64_t at = ::zip_file_add(archive.get(), (each.name + ".npy").c_str(), source, ZIP_FL_ENC_UTF_8);
        if (at < 0) {
            refuse(path, fmt::format("'{}' cannot be added: {}", each.name, ::zip_strerror(archive.get())));
        }
        ::zip_set_file_compression(archive.get(), static_cast<zip_uint64_t>(at), ZIP_CM_STORE, 0);
        ::zip_file_set_mtime(archive.get(), static_cast<zip_uint64_t>(at), 315'532'800,
                             0); // 1980: equal bytes each time
    }
    if (::zip_close(archive.get()) != 0) {
        refuse(path, fmt::format("the archive cannot be made: {}", ::zip_strerror(archive.get())));
    }
    static_cast<void>(archive.release());
    zip_stat_t about;
    ::zip_source_stat(memory, &about);
    std::string bytes(static_cast<std::size_t>(about.size), '\0');
    ::zip_source_open(memory);
    const zip_int64_t got = ::zip_source_read(memory, bytes.data(), about.size);
    ::zip_source_close(memory);
    ::zip_source_free(memory);
    if (got != static_cast<zip_int64_t>(bytes.size())) {
        refuse(path, "the archive cannot be made");
    }
    require_unread(path);
    ane::write_file(path, bytes);
}

} // namespace command
