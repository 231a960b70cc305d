#pragma once

/// Dense linear algebra as graphs: docs/science.md.
#include "factorizations.hpp"
#include "iterations.hpp"
#include "matrix.hpp"
#include "newton_schulz.hpp"
#include "orthogonal.hpp"
#include "products.hpp"
#include "refusal.hpp"
#include "spectral.hpp"
#include "triangular.hpp"
