// Compiled for anemone::compiled: what it takes is another type than what the header-only file hands over.
#include <anemone/weights/store.hpp>

void take(const ane::weight_store& weights);
void take(const ane::weight_store& weights) { static_cast<void>(weights.size()); }
