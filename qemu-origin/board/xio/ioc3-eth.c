/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * IOC3's Ethernet: see ioc3-eth.h.
 */
#include "qemu/osdep.h"
#include "qemu/bswap.h"
#include "qemu/log.h"
#include "hw/net/mii.h"
#include "net/checksum.h"
#include "net/eth.h"
#include "xio/ioc3-eth.h"
#include "../trace.h"

#define RX_ENTRIES      512
#define TX_DESC_BYTES   128
#define TX_DATA_OFFSET  24 /* data inside a descriptor */
#define TX_DATA_BYTES   104
#define RX_BUFFER_BYTES 1664 /* 13 DMA transfers of 128 bytes */
#define FRAME_MIN       60
#define FRAME_MAX       2048
#define CRC_BYTES       4

/* The ICS1890 that Origin boards carry: id 0x0015 0xf42x. */
#define PHY_ID1 0x0015
#define PHY_ID2 0xf421

static uint64_t *reg(OriginIoc3 *s, uint32_t offset)
{
    return origin_reg(&s->rf, offset);
}

void origin_ioc3_eth_irq(OriginIoc3 *s)
{
    pci_set_irq(PCI_DEVICE(s), !!(*reg(s, R_IOC3_EISR) & *reg(s, R_IOC3_EIER)));
}

static void raise_eisr(OriginIoc3 *s, uint64_t bits)
{
    *reg(s, R_IOC3_EISR) |= bits;
    origin_ioc3_eth_irq(s);
}

static uint64_t reg64(OriginIoc3 *s, uint32_t high, uint32_t low)
{
    return *reg(s, high) << 32 | *reg(s, low);
}

/* --- PHY --- */

static bool link_up(OriginIoc3 *s)
{
    return s->eth.nic && !qemu_get_queue(s->eth.nic)->link_down;
}

static uint16_t phy_read(OriginIoc3 *s, unsigned phy, unsigned n)
{
    if (phy != IOC3_PHY_ADDR) {
        return 0xffff;
    }
    if (n == MII_BMSR) {
        return s->eth.phy[n] |
               (link_up(s) ? MII_BMSR_LINK_ST | MII_BMSR_AN_COMP : 0);
    }
    if (n == MII_ANLPAR) {
        return link_up(s)
                   ? MII_ANLPAR_ACK | MII_ANLPAR_TXFD | MII_ANLPAR_TX |
                         MII_ANLPAR_10FD | MII_ANLPAR_10 | MII_ANLPAR_CSMACD
                   : 0;
    }
    return s->eth.phy[n];
}

static void phy_reset(OriginIoc3 *s)
{
    memset(s->eth.phy, 0, sizeof(s->eth.phy));
    s->eth.phy[MII_BMCR] = MII_BMCR_AUTOEN | MII_BMCR_SPEED100 | MII_BMCR_FD;
    s->eth.phy[MII_BMSR] = MII_BMSR_100TX_FD | MII_BMSR_100TX_HD |
                           MII_BMSR_10T_FD | MII_BMSR_10T_HD |
                           MII_BMSR_AUTONEG | MII_BMSR_EXTCAP;
    s->eth.phy[MII_PHYID1] = PHY_ID1;
    s->eth.phy[MII_PHYID2] = PHY_ID2;
    s->eth.phy[MII_ANAR] = MII_ANAR_TXFD | MII_ANAR_TX | MII_ANAR_10FD |
                           MII_ANAR_10 | MII_ANAR_CSMACD;
}

static void phy_write(OriginIoc3 *s, unsigned phy, unsigned n, uint16_t v)
{
    if (phy != IOC3_PHY_ADDR) {
        return;
    }
    if (n == MII_BMCR && v & MII_BMCR_RESET) {
        phy_reset(s);
    } else if (n == MII_BMCR) {
        s->eth.phy[n] = v & ~MII_BMCR_ANRESTART;
    } else if (n == MII_ANAR) {
        s->eth.phy[n] = v;
    }
}

void origin_ioc3_micr_write(void *opaque, unsigned i, unsigned who,
                            uint64_t old, uint64_t raw)
{
    OriginIoc3 *s = opaque;
    unsigned phy = SN_FIELD_GET(raw, IOC3_MICR, PHYADDR);
    unsigned n = SN_FIELD_GET(raw, IOC3_MICR, REGADDR);

    if (raw & R_IOC3_MICR_READTRIG_MASK) {
        *reg(s, R_IOC3_MIDR_R) = phy_read(s, phy, n);
    } else {
        phy_write(s, phy, n, *reg(s, R_IOC3_MIDR_W));
    }
}

/* --- checksum: the one's complement sum of 16-bit words, not inverted --- */

static uint16_t sum16(const uint8_t *p, size_t n)
{
    uint32_t sum = 0;

    for (size_t i = 0; i + 1 < n; i += 2) {
        sum += lduw_be_p(p + i);
    }
    if (n & 1) {
        sum += p[n - 1] << 8;
    }
    while (sum >> 16) {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    return sum;
}

/* --- transmit --- */

/* Appends a piece of a frame from memory; false: DMA error, or it is too long. */
static bool gather(OriginIoc3 *s, uint8_t *frame, unsigned *len, uint64_t from,
                   unsigned n)
{
    if (*len + n > FRAME_MAX ||
        pci_dma_read(PCI_DEVICE(s), from, frame + *len, n) != MEMTX_OK) {
        return false;
    }
    *len += n;
    return true;
}

/* A piece of an IPv4 datagram whose other pieces follow */
static bool more_fragments(const uint8_t *frame, unsigned len)
{
    return len >= ETH_HLEN + sizeof(struct ip_header) &&
           lduw_be_p(frame + 2 * ETH_ALEN) == ETH_P_IP &&
           frame[ETH_HLEN + offsetof(struct ip_header, ip_off)] & IP_MF >> 8;
}

static bool transmit_one(OriginIoc3 *s, uint64_t desc, uint32_t *cmd)
{
    uint8_t d[TX_DESC_BYTES], frame[FRAME_MAX + 1];
    unsigned len = 0, at;
    uint32_t cnt;

    if (pci_dma_read(PCI_DEVICE(s), desc, d, sizeof(d)) != MEMTX_OK) {
        return false;
    }
    *cmd = ldl_be_p(d);
    cnt = ldl_be_p(d + 4);
    if (*cmd & IOC3_ETXD_D0V) {
        len = MIN(cnt & 0x7f, TX_DATA_BYTES);
        memcpy(frame, d + TX_DATA_OFFSET, len);
    }
    if ((*cmd & IOC3_ETXD_B1V &&
         !gather(s, frame, &len, ldq_be_p(d + 8), extract32(cnt, 8, 11))) ||
        (*cmd & IOC3_ETXD_B2V &&
         !gather(s, frame, &len, ldq_be_p(d + 16), extract32(cnt, 20, 11)))) {
        return false;
    }
    if (*cmd & IOC3_ETXD_DOCHECKSUM) {
        at = extract32(*cmd, 20, 7);
        if (at + 2 <= len) {
            stw_be_p(frame + at, ~sum16(frame, len));
        }
    }
    if (len < FRAME_MIN && *reg(s, R_IOC3_EMCR) & R_IOC3_EMCR_PADEN_MASK) {
        memset(frame + len, 0, FRAME_MIN - len);
        len = FRAME_MIN;
    }
    trace_origin_ioc3_tx(len);
    s->eth.partial = more_fragments(frame, len);
    /*
     * Receivers of QEMU expect a whole header.  A frame without one is not sent,
     * as every receiver would drop it.
     */
    if (s->eth.nic && len >= ETH_HLEN) {
        qemu_send_packet(qemu_get_queue(s->eth.nic), frame, len);
    }
    return true;
}

static void transmit(OriginIoc3 *s)
{
    const uint64_t on = R_IOC3_EMCR_TXEN_MASK | R_IOC3_EMCR_TXDMAEN_MASK;
    uint64_t base = reg64(s, R_IOC3_ETBR_H, R_IOC3_ETBR_L);
    unsigned ring = (base & 1 ? 512 : 128) * TX_DESC_BYTES;
    uint64_t *consume = reg(s, R_IOC3_ETCIR);
    uint64_t eisr = 0;
    bool sent = false;

    if ((*reg(s, R_IOC3_EMCR) & on) != on) {
        return;
    }
    base &= ~0x3fffULL;
    while (((*consume ^ *reg(s, R_IOC3_ETPIR)) & (ring - 1) &
            ~(TX_DESC_BYTES - 1u)) != 0) {
        unsigned at = *consume & (ring - 1) & ~(TX_DESC_BYTES - 1u);
        uint32_t cmd = 0;

        if (!transmit_one(s, base + at, &cmd)) {
            raise_eisr(s, eisr | R_IOC3_EISR_TXMEMERR_MASK);
            return;
        }
        *consume = R_IOC3_ETCIR_IDLE_MASK | ((at + TX_DESC_BYTES) & (ring - 1));
        if (cmd & IOC3_ETXD_INTWHENDONE) {
            eisr |= R_IOC3_EISR_TXEXPLICIT_MASK;
        }
        sent = true;
    }
    if (sent) {
        raise_eisr(s, eisr | R_IOC3_EISR_TXEMPTY_MASK);
    }
}

void origin_ioc3_etpir_write(void *opaque, unsigned i, unsigned who,
                             uint64_t old, uint64_t raw)
{
    transmit(opaque);
}

/* --- receive --- */

static unsigned rx_index(OriginIoc3 *s, uint32_t pointer)
{
    return *reg(s, pointer) >> 3 & (RX_ENTRIES - 1);
}

/* QEMU asks when it has a frame. If the answer is no, it keeps the frame. */
static bool can_receive(NetClientState *nc)
{
    OriginIoc3 *s = qemu_get_nic_opaque(nc);
    const uint64_t on = R_IOC3_EMCR_RXEN_MASK | R_IOC3_EMCR_RXDMAEN_MASK;
    bool can = (*reg(s, R_IOC3_EMCR) & on) == on &&
               rx_index(s, R_IOC3_ERCIR) != rx_index(s, R_IOC3_ERPIR);

    s->eth.held |= !can;
    return can;
}

static void take_held_frames(OriginIoc3 *s)
{
    s->eth.held = false;
    if (s->eth.nic) {
        qemu_flush_queued_packets(qemu_get_queue(s->eth.nic));
    }
}

const char *origin_ioc3_eth_busy(OriginIoc3 *s)
{
    return s->eth.held      ? "frames wait until the guest's eth0 has buffers"
           : s->eth.partial ? "a datagram is on its way in fragments"
                            : NULL;
}

/* Whether the address filter lets a frame pass; *kind gets its status bits. */
static bool wanted(OriginIoc3 *s, const uint8_t *dest, uint32_t *kind)
{
    uint8_t own[ETH_ALEN];
    bool pass = *reg(s, R_IOC3_EMCR) & R_IOC3_EMCR_PROMISC_MASK;

    if (is_broadcast_ether_addr(dest)) {
        *kind = IOC3_ERXBUF_BROADCAST;
        return true;
    }
    if (is_multicast_ether_addr(dest)) {
        unsigned crc = net_crc32_le(dest, ETH_ALEN) & 0x3f, bit = 0;

        for (int k = 0; k < 6; k++) { /* its bits are used in reverse order */
            bit |= (crc >> k & 1) << (5 - k);
        }
        *kind = IOC3_ERXBUF_MULTICAST;
        return pass || reg64(s, R_IOC3_EHAR_H, R_IOC3_EHAR_L) >> bit & 1;
    }
    *kind = 0;
    stl_le_p(own, *reg(s, R_IOC3_EMAR_L));
    stw_le_p(own + 4, *reg(s, R_IOC3_EMAR_H));
    return pass || !memcmp(own, dest, ETH_ALEN);
}

static void frame_arrived(OriginIoc3 *s)
{
    if (s->eth.armed) {
        s->eth.armed = false;
        s->eth.unseen = false;
        raise_eisr(s, R_IOC3_EISR_RXTIMERINT_MASK);
    } else {
        s->eth.unseen = true;
    }
}

static ssize_t receive(NetClientState *nc, const uint8_t *buf, size_t size)
{
    OriginIoc3 *s = qemu_get_nic_opaque(nc);
    PCIDevice *d = PCI_DEVICE(s);
    uint8_t frame[RX_BUFFER_BYTES], head[8];
    unsigned offset = 2 * SN_FIELD_GET(*reg(s, R_IOC3_EMCR), IOC3_EMCR, RXOFF);
    unsigned at = rx_index(s, R_IOC3_ERCIR), len = MAX(size, FRAME_MIN);
    uint64_t ring = reg64(s, R_IOC3_ERBR_H, R_IOC3_ERBR_L), buffer;
    uint8_t entry[8] = { 0 };
    MemTxResult bad;
    uint32_t kind;

    if (!can_receive(nc)) {
        return 0; /* QEMU keeps the frame until a buffer is posted */
    }
    if (size < ETH_HLEN || offset < sizeof(head) ||
        offset + len + CRC_BYTES > RX_BUFFER_BYTES || !wanted(s, buf, &kind)) {
        return size; /* dropped: a runt, too long for a buffer, or not for us */
    }
    memcpy(frame, buf, size);
    memset(frame + size, 0, len - size);
    stl_le_p(frame + len, ~net_crc32_le(frame, len));
    len += CRC_BYTES;

    stl_be_p(head, IOC3_ERXBUF_V | len << IOC3_ERXBUF_BYTECNT_SHIFT |
                       sum16(frame, len));
    stl_be_p(head + 4, IOC3_ERXBUF_GOODPKT | kind);
    bad = pci_dma_read(d, ring + 8 * at, entry, sizeof(entry));
    buffer = ldq_be_p(entry);
    if (bad == MEMTX_OK) {
        bad = pci_dma_write(d, buffer + offset, frame, len);
    }
    if (bad == MEMTX_OK) {
        bad = pci_dma_write(d, buffer, head, sizeof(head));
    }
    if (bad != MEMTX_OK) {
        raise_eisr(s, R_IOC3_EISR_RXMEMERR_MASK);
        return size;
    }
    trace_origin_ioc3_rx(len, at, buffer);
    *reg(s, R_IOC3_ERCIR) = (at + 1) % RX_ENTRIES << 3;
    frame_arrived(s);
    return size;
}

void origin_ioc3_erpir_write(void *opaque, unsigned i, unsigned who,
                             uint64_t old, uint64_t raw)
{
    OriginIoc3 *s = opaque;

    if (raw & R_IOC3_ERPIR_ARM_MASK) {
        s->eth.armed = true;
        if (s->eth.unseen) {
            frame_arrived(s);
        }
    }
    take_held_frames(s);
}

void origin_ioc3_emcr_write(void *opaque, unsigned i, unsigned who,
                            uint64_t old, uint64_t raw)
{
    OriginIoc3 *s = opaque;

    if (raw & R_IOC3_EMCR_RST_MASK) {
        *reg(s, R_IOC3_EISR) = 0;
        *reg(s, R_IOC3_EIER) = 0;
        *reg(s, R_IOC3_ETCIR) = R_IOC3_ETCIR_RESET;
        *reg(s, R_IOC3_ETPIR) = 0;
        *reg(s, R_IOC3_ERCIR) = 0;
        *reg(s, R_IOC3_ERPIR) = 0;
        s->eth.armed = s->eth.unseen = false;
        origin_ioc3_eth_irq(s);
        return;
    }
    transmit(s);
    take_held_frames(s);
}

/* --- set-up --- */

static NetClientInfo eth_info = {
    .type = NET_CLIENT_DRIVER_NIC,
    .size = sizeof(NICState),
    .can_receive = can_receive,
    .receive = receive,
};

void origin_ioc3_eth_init(OriginIoc3 *s)
{
    DeviceState *dev = DEVICE(s);

    qemu_macaddr_default_if_unset(&s->eth.conf.macaddr);
    if (s->eth.conf.peers.ncs[0]) {
        s->eth.nic = qemu_new_nic(&eth_info, &s->eth.conf,
                                  object_get_typename(OBJECT(s)), dev->id,
                                  &dev->mem_reentrancy_guard, s);
        qemu_format_nic_info_str(qemu_get_queue(s->eth.nic),
                                 s->eth.conf.macaddr.a);
    }
    phy_reset(s);
}

void origin_ioc3_eth_reset(OriginIoc3 *s)
{
    s->eth.armed = s->eth.unseen = false;
    phy_reset(s);
}
