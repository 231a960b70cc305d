#include "arguments.hpp"
#include "guarded.hpp"
#include "handles.hpp"
#include "options.hpp"

#include <cstddef>

namespace {

using c_interface::array_of;
using c_interface::arrays_of;
using c_interface::caller;
using c_interface::guarded;
using c_interface::needed;

} // namespace

extern "C" {

anemone_status anemone_compile(const anemone_model* model, const char* backend, anemone_program** program) {
    return guarded([&] {
        needed(program, "program") = nullptr;
        const app::model& of = *needed(model, "model").held;
        app::compile_options how;
        how.backend = backend == nullptr ? how.backend : backend;
        *program = new anemone_program{{of, how, caller}};
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
