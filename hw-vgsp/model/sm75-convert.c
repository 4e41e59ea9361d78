/*
 * sm_75 convert instructions: exec-facts 8.2.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "model/sm75-alu.h"

const Sm75Table sm75_table_convert = { NULL, 0 };
