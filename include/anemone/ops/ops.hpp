#pragma once

#include "activation.hpp"
#include "attention.hpp"
#include "convolution.hpp"
#include "elementwise.hpp"
#include "infer.hpp"
#include "matmul.hpp"
#include "movement.hpp"
#include "normalization.hpp"
#include "pooling.hpp"
#include "reduction.hpp"
