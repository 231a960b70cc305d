// A state that the model does not have, by name.
// expect: port_fault<ane::port_rule::the_model_has_no_state_of_this_name
#include <anemone/backend/cpu/cpu.hpp>
#include <anemone/backend/program.hpp>
#include <anemone/model.hpp>

using namespace ane;

constexpr auto model = graph([](auto& g) {
    auto total = g.state("total"_s, f16<4>);
    write(total, read(total) + g.input("x"_s, f16<4>));
    g.output("y"_s, read(total));
});

auto running = compile<model>(backend::cpu{});
#ifdef OK
auto total = running.state("total"_s);
#else
auto total = running.state("x"_s);
#endif
