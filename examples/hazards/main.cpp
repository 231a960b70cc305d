/// Five hazards that the engine's compiler lets through, or ends on without a reason, and their repairs. Each file has
/// a model that `conforms` refuses when this program is compiled, the words of the refusal, and a twin that is
/// accepted.
#include "hazard.hpp"

int main() {
    const bool all[] = {slice_above_4094(), matmul_above_32768(), dynamic_weight_at_batch_two(),
                        attention_without_maximum(), large_loss_scale()};
    for (const bool each : all) {
        if (!each) {
            return 1;
        }
    }
}
