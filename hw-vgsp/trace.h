/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "trace/trace-vgsp_hw_vgsp.h"
