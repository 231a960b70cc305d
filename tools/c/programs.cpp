#include "guarded.hpp"
#include "handles.hpp"

#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace {

using c_interface::guarded;
using c_interface::needed;
using c_interface::needed_text;

template <class Byte> bindings::array<Byte> array_of(const anemone_array& a) {
    const std::string name = needed_text(a.name, "name of an array");
    if (a.type < ANEMONE_FLOAT16 || a.type > ANEMONE_FLOAT64) {
        throw ane::error(ane::errc::argument, name, "has type " + std::to_string(a.type) + ", which is none");
    }
    if (a.data == nullptr) {
        throw ane::error(ane::errc::argument, name, "has data NULL");
    }
    return {name, static_cast<bindings::element>(a.type), {static_cast<Byte*>(a.data), a.bytes}, std::nullopt};
}

template <class Byte>
std::vector<bindings::array<Byte>> arrays_of(const anemone_array* list, std::size_t count, const char* name) {
    std::vector<bindings::array<Byte>> all;
    for (std::size_t i = 0; i < count; ++i) {
        all.push_back(array_of<Byte>((&needed(list, name))[i]));
    }
    return all;
}

static_assert(static_cast<int>(bindings::element::float16) == ANEMONE_FLOAT16 &&
              static_cast<int>(bindings::element::int8) == ANEMONE_INT8 &&
              static_cast<int>(bindings::element::uint8) == ANEMONE_UINT8 &&
              static_cast<int>(bindings::element::float32) == ANEMONE_FLOAT32 &&
              static_cast<int>(bindings::element::float64) == ANEMONE_FLOAT64);

} // namespace

extern "C" {

anemone_status anemone_compile(const anemone_model* model, const char* backend, anemone_program** program) {
    return guarded([&] {
        needed(program, "program") = nullptr;
        *program = new anemone_program{{needed(model, "model").held, backend == nullptr ? "cpu" : backend}};
    });
}

void anemone_program_free(anemone_program* program) { delete program; }

anemone_status anemone_run(anemone_program* program, const anemone_array* inputs, size_t input_count,
                           const anemone_array* outputs, size_t output_count) {
    return guarded([&] {
        needed(program, "program")
            .held.run(arrays_of<const std::byte>(inputs, input_count, "inputs"),
                      arrays_of<std::byte>(outputs, output_count, "outputs"));
    });
}

anemone_status anemone_read_state(anemone_program* program, const anemone_array* to) {
    return guarded([&] { needed(program, "program").held.read_state(array_of<std::byte>(needed(to, "to"))); });
}

anemone_status anemone_write_state(anemone_program* program, const anemone_array* from) {
    return guarded(
        [&] { needed(program, "program").held.write_state(array_of<const std::byte>(needed(from, "from"))); });
}

anemone_status anemone_reset(anemone_program* program) {
    return guarded([&] { needed(program, "program").held.reset(); });
}

} // extern "C"
