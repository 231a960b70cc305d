// A model that the installed program made of a file.
#include "edges.hpp"

int main() { return edges::model.view().find(ane::op::input, "image") == 0 ? 0 : 1; }
