// Everything included, nothing used.
#include <anemone/anemone.hpp>

int main() {}
