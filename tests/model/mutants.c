/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Applies a mutant (model.h) to the protocol's tables. */
#include "proto/proto.h"
#include "model.h"

int mutate(const char *name)
{
    struct sn_home_row(*h)[SN_NCOL] = sn_home_rows[0];

    if (mutant_is(name, "no-inval")) {
        h[SN_RDEX][SN_COL_SHRD].out2 = h[SN_RDEX][SN_COL_SHRD_ME].out2 = SN_NOMSG;
        h[SN_RDEX][SN_COL_SHRD].entry = h[SN_RDEX][SN_COL_SHRD_ME].entry = SN_ENTRY_OWN;
        h[SN_RDEX][SN_COL_SHRD].out1 = h[SN_RDEX][SN_COL_SHRD_ME].out1 = SN_SRPLY;
    } else if (mutant_is(name, "no-intervention")) {
        h[SN_READ][SN_COL_EXCL] = h[SN_READ][SN_COL_UOWN];
    } else if (mutant_is(name, "wb-lost")) {
        h[SN_WB][SN_COL_BUSYE].out2 = SN_NOMSG;
    } else if (mutant_is(name, "no-wait-state")) {
        h[SN_WB][SN_COL_BUSYE_ME].next = SN_UOWN;
    } else if (mutant_is(name, "no-shwb")) {
        sn_snoop_rows[SN_IRDSH][SN_M].revision = SN_DNGRD;
    } else if (mutant_is(name, "owner-keeps")) {
        sn_snoop_rows[SN_IRDEX][SN_E].next = SN_E;
    } else if (mutant_is(name, "rdsh-keeps-owner")) {
        h[SN_RDSH][SN_COL_EXCL_ME].next = SN_EXCL;
        h[SN_RDSH][SN_COL_EXCL_ME].entry = SN_ENTRY_KEEP;
    } else if (mutant_is(name, "requestor-forgotten")) {
        h[SN_DNGRD][SN_COL_BUSYS].entry = SN_ENTRY_SELF;
    } else if (mutant_is(name, "brdex-dropped")) {
        sn_rrb_rows[SN_RR_REQ][SN_BRDEX].act = SN_ACT_DATA;
    } else {
        /* the rest live in the checker */
#define X(n, text)            \
    if (mutant_is(name, n)) { \
        return 0;             \
    }
        MUTANTS(X)
#undef X
        return mutant_is(name, MUTANT_REDUCTION) ? 0 : -1;
    }
    return 0;
}
