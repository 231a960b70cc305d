#include "arguments.hpp"
#include "guarded.hpp"
#include "handles.hpp"

#include <cstddef>

namespace {

using c_interface::array_of;
using c_interface::arrays_of;
using c_interface::guarded;
using c_interface::needed;

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
