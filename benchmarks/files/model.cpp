// What a file includes that only writes models.
#include <anemone/model.hpp>

int main() {}
