/// Any text as a program of the stand-in: accepted, and run where it is small, or refused.
#include "../standin/test_support.hpp"

#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

namespace sa = ane::standin;

/// What the texts of the corpus ask for: four halves at 64, eight bytes at 192.
std::string weights() {
    return standin_test::bytes()
        .header(2)
        .entry(1, {0x00, 0x3C, 0x00, 0xB8, 0x00, 0x34, 0x00, 0x40})
        .entry(3, {0, 1, 2, 3, 4, 5, 6, 7})
        .text();
}

void run(const sa::program& program, const std::vector<sa::step>& steps) {
    std::int64_t elements = 0;
    for (const sa::value& v : program.values) {
        elements += sa::element_count(v.type.shape);
    }
    if (elements > 4000) {
        return;
    }
    sa::executor executor(program, steps);
    for (const int id : program.inputs) {
        const std::vector<std::uint8_t> zeros(executor.port_bytes(id));
        executor.write(id, zeros.data());
    }
    executor.run();
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const standin_test::scratch folder;
    static const std::string file = folder.write("weights.bin", weights());
    try {
        const sa::program program =
            standin_test::check(std::string(reinterpret_cast<const char*>(data), size), folder.directory());
        run(program, sa::fuse(program));
    } catch (const sa::refusal& r) {
        if (*r.what() == '\0') {
            std::abort();
        }
    }
    return 0;
}
