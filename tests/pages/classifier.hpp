#pragma once

#include <vector>

// classifier.hpp: what the program sees
std::vector<float> classify(const std::vector<float>& pixels);
