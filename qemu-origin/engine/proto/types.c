/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names and fixed attributes of states and messages (types.h). */
#include "types.h"

const uint8_t sn_msg_class[SN_NMSG + 1] = {
#define X(name, cls, data, text) SN_CLS_##cls,
    SN_MSG_LIST(X) SN_MSG_WHAT_LIST(X)
#undef X
};

const uint8_t sn_msg_data[SN_NMSG + 1] = {
#define X(name, cls, data, text) data,
    SN_MSG_LIST(X) SN_MSG_WHAT_LIST(X)
#undef X
};

static const char *const msg_name[] = {
#define X(name, cls, data, text) #name,
    SN_MSG_LIST(X) SN_MSG_WHAT_LIST(X)
#undef X
};

const char *sn_msg_name(unsigned type)
{
    return type < SN_NMSG ? msg_name[type] : "?";
}

const char *sn_mesi_name(unsigned s)
{
    static const char *const n[] = { "I", "S", "E", "M" };

    return s < 4 ? n[s] : "?";
}

const char *sn_dstate_name(unsigned s)
{
    static const char *const n[8] = {
#define X(name, value, text) [value] = #name,
        SN_DSTATE_LIST(X) SN_DSTATE_WHAT_LIST(X)
#undef X
    };

    return s < 8 && n[s] ? n[s] : "?";
}

unsigned sn_msg_like(unsigned type)
{
    static const uint8_t like[SN_NMSG - SN_NMSG_HW] = {
#define LIKE(what, hardware) [SN_##what - SN_NMSG_HW] = SN_##hardware
        LIKE(EVICT, INVAL), LIKE(EVACK, DNGRD), LIKE(BEVCT, BINV),
        LIKE(FRDSH, IRDSH), LIKE(FRDEX, IRDEX), LIKE(BFSH, BRDSH),
        LIKE(BFEX, BRDEX),  LIKE(GONE, DNGRD),  LIKE(HRDSH, IRDSH),
        LIKE(HRDEX, IRDEX), LIKE(BHSH, BRDSH),  LIKE(BHEX, BRDEX),
#undef LIKE
    };

    return type < SN_NMSG_HW || type >= SN_NMSG ? type
                                                : like[type - SN_NMSG_HW];
}
