#pragma once

/// The engine's arithmetic on dense row-major fp16 data: everything of this folder.
#include "accumulator.hpp"
#include "activation.hpp"
#include "activation_table.hpp"
#include "convolution.hpp"
#include "datapath.hpp"
#include "elementwise.hpp"
#include "matmul.hpp"
#include "movement.hpp"
#include "pooling.hpp"
#include "quantization.hpp"
#include "reduction.hpp"
#include "rounding.hpp"
#include "softmax.hpp"
#include "table_fit.hpp"
