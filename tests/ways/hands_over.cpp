// Header-only: hands a store to the file that is compiled for the library. It must not link.
#include <anemone/weights/store.hpp>

void take(const ane::weight_store& weights);

int main() {
    const ane::weight_store weights;
    take(weights);
}
