// Included by simd/each_set.inl: the loops of one instruction set, and its tables filled with those that are needed.

#include "../simd/turn.inl"
#include "elementary.inl"
#include "functions.inl"
// after functions.inl
#include "elementwise_loops.inl"
// after elementwise_loops.inl
#include "chain_loops.inl"
#include "norm_loops.inl"
#include "reduce_loops.inl"
#include "finishing.inl"
// after finishing.inl
#include "product_loops.inl"
// after product_loops.inl
#include "few_loops.inl"
#include "coded_loops.inl"
#include "attention_loops.inl"
#include "channel_planes.inl"
#include "fetching.inl"
// after channel_planes.inl
#include "channel_tiles.inl"
#include "position_tiles.inl"
#include "depthwise_loops.inl"
#include "depthwise_places.inl"
#include "winograd_loops.inl"
// after all loops
#include "tables.inl"
