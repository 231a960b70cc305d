#pragma once

/// Dense linear algebra as graphs: docs/science.md.
#include "factorizations.hpp"
#include "matrix.hpp"
#include "products.hpp"
#include "triangular.hpp"
