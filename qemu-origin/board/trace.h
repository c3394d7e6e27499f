/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "trace/trace-hw_mips_origin_qemu_origin_board.h"
