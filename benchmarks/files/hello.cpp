// What files are measured against: one line that fmt prints.
#include <fmt/format.h>

int main() { fmt::print("hello {}\n", 1); }
