/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * IOC3's Ethernet, with the test as its driver: the rings are in memory of node
 * 0, the other end of the cable is a datagram socket of this program.  The test
 * computes checksums, CRC and the multicast hash from their definitions.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "regs/regs.h"
#include "regs/addr.h"
#include "qt.h"

#define BRIDGE SN_PA(SN_SPACE_IO, 0, SN_SWIN(15))
#define IOC3   (BRIDGE + 0x600000)

/* Places in memory; IOC3 reaches memory through widget 10, the Hub. */
#define TX_RING   0x2000000ULL
#define RX_RING   0x2010000ULL
#define BUFFERS   0x2020000ULL
#define BUFFER(i) (BUFFERS + (i)*0x800ULL)
#define DMA(pa)   (0xaULL << 60 | (pa))

#define RX_OFFSET 10

static int sock;
static char dir[] = "/tmp/origin-test-eth-XXXXXX";
static struct sockaddr_un qemu_addr = { .sun_family = AF_UNIX };

static uint32_t r(uint32_t reg)
{
    return qt_r32(IOC3 + reg);
}

static void w(uint32_t reg, uint32_t v)
{
    qt_w32(IOC3 + reg, v);
}

static void put(uint64_t pa, const uint8_t *p, unsigned n)
{
    while (n--) {
        qt_w8(pa++, *p++);
    }
}

static void get(uint64_t pa, uint8_t *p, unsigned n)
{
    while (n--) {
        *p++ = qt_r8(pa++);
    }
}

static uint32_t crc32_raw(const uint8_t *p, unsigned n)
{
    uint32_t crc = ~0u;

    while (n--) {
        crc ^= *p++;
        for (int i = 0; i < 8; i++) {
            crc = crc & 1 ? crc >> 1 ^ 0xedb88320 : crc >> 1;
        }
    }
    return crc;
}

static uint16_t sum(const uint8_t *p, unsigned n)
{
    uint32_t s = 0;

    for (unsigned i = 0; i < n; i++) {
        s += i & 1 ? p[i] : p[i] << 8;
    }
    while (s >> 16) {
        s = (s & 0xffff) + (s >> 16);
    }
    return s;
}

/* Takes a frame from the guest; returns its length, 0 if none came in a second. */
static int from_guest(uint8_t *p)
{
    ssize_t n = recv(sock, p, 2048, 0);

    return n < 0 ? 0 : n;
}

static void to_guest(const uint8_t *p, unsigned n)
{
    if (sendto(sock, p, n, 0, (struct sockaddr *)&qemu_addr, sizeof(qemu_addr)) != (ssize_t)n) {
        printf("Bail out! cannot send to QEMU\n");
        exit(1);
    }
}

/* Lets QEMU's main loop take what was sent. */
static bool wait_eisr(uint32_t bits)
{
    for (int i = 0; i < 200; i++) {
        if (r(R_IOC3_EISR) & bits) {
            return true;
        }
        usleep(1000);
    }
    return false;
}

static void set_up(void)
{
    struct sockaddr_un own = { .sun_family = AF_UNIX };
    struct timeval limit = { .tv_sec = 1 };
    char nic[320];

    if (!mkdtemp(dir)) {
        printf("Bail out! no temporary directory\n");
        exit(1);
    }
    snprintf(own.sun_path, sizeof(own.sun_path), "%s/test", dir);
    snprintf(qemu_addr.sun_path, sizeof(qemu_addr.sun_path), "%s/qemu", dir);
    sock = socket(AF_UNIX, SOCK_DGRAM, 0);
    setsockopt(sock, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
    if (bind(sock, (struct sockaddr *)&own, sizeof(own))) {
        printf("Bail out! cannot bind %s\n", own.sun_path);
        exit(1);
    }
    snprintf(nic, sizeof(nic),
             "dgram,id=cable,local.type=unix,local.path=%s,"
             "remote.type=unix,remote.path=%s",
             qemu_addr.sun_path, own.sun_path);
    qt_start("origin200", "-serial", "null", "-netdev", nic, "-global", "origin-ioc3.netdev=cable",
             NULL);
    qt_r32(IOC3);
    /* bus master, as pci_set_master() does */
    qt_w32(BRIDGE + 0x22004, 6);
}

static void clean_up(void)
{
    char path[128];

    close(sock);
    snprintf(path, sizeof(path), "%s/test", dir);
    unlink(path);
    unlink(qemu_addr.sun_path);
    rmdir(dir);
}

#define EMCR_ON                                                                 \
    (R_IOC3_EMCR_TXEN_MASK | R_IOC3_EMCR_TXDMAEN_MASK | R_IOC3_EMCR_RXEN_MASK | \
     R_IOC3_EMCR_RXDMAEN_MASK | R_IOC3_EMCR_PADEN_MASK | RX_OFFSET / 2 << R_IOC3_EMCR_RXOFF_SHIFT)

static void start(void)
{
    w(R_IOC3_EMCR, R_IOC3_EMCR_RST_MASK);
    w(R_IOC3_EMCR, 0);
    w(R_IOC3_ERBR_H, DMA(RX_RING) >> 32);
    w(R_IOC3_ERBR_L, (uint32_t)RX_RING);
    w(R_IOC3_ERCIR, 0);
    w(R_IOC3_ERPIR, 0);
    w(R_IOC3_ETBR_H, DMA(TX_RING) >> 32);
    w(R_IOC3_ETBR_L, (uint32_t)TX_RING);
    w(R_IOC3_ETPIR, 0);
    w(R_IOC3_ETCIR, 0);
    w(R_IOC3_EMAR_H, 0x5634); /* 08:00:69:12:34:56 */
    w(R_IOC3_EMAR_L, 0x12690008);
    w(R_IOC3_EHAR_H, 0);
    w(R_IOC3_EHAR_L, 0);
    w(R_IOC3_EMCR, EMCR_ON);
    for (int i = 0; i < 16; i++) {
        qt_w64(RX_RING + 8 * i, DMA(BUFFER(i)));
        qt_w64(BUFFER(i), 0);
    }
}

static void tx(void)
{
    uint8_t data[300], got[2048];
    int n;

    for (int i = 0; i < 300; i++) {
        data[i] = i * 7 + 1;
    }
    /* 20 bytes inside the descriptor */
    qt_w32(TX_RING, 20 | 1 << 16 | 1 << 12);
    qt_w32(TX_RING + 4, 20);
    put(TX_RING + 24, data, 20);
    w(R_IOC3_ETPIR, 1 << 7);
    n = from_guest(got);
    qt_eq(n, 60, "transmit: a short frame is padded to 60 bytes");
    qt_ok(!memcmp(got, data, 20) && !got[20] && !got[59], "transmit: its bytes, then zeros");
    qt_eq(r(R_IOC3_ETCIR), 1u << 31 | 1 << 7, "transmit: consumed, idle");
    qt_eq(r(R_IOC3_EISR), R_IOC3_EISR_TXEXPLICIT_MASK | R_IOC3_EISR_TXEMPTY_MASK,
          "transmit: interrupts when asked to");
    w(R_IOC3_EISR, ~0u);

    /* 10 bytes inside, two buffers at odd addresses outside, no interrupt */
    qt_w32(TX_RING + 128, 150 | 7 << 16);
    qt_w32(TX_RING + 132, 10 | 61 << 8 | 79 << 20);
    qt_w64(TX_RING + 136, DMA(BUFFERS + 0x101));
    qt_w64(TX_RING + 144, DMA(BUFFERS + 0x47f));
    put(TX_RING + 152, data, 10);
    put(BUFFERS + 0x101, data + 10, 61);
    put(BUFFERS + 0x47f, data + 71, 79);
    w(R_IOC3_ETPIR, 2 << 7);
    n = from_guest(got);
    qt_ok(n == 150 && !memcmp(got, data, 150), "transmit: a frame gathered from three places");
    qt_eq(r(R_IOC3_EISR), R_IOC3_EISR_TXEMPTY_MASK, "transmit: no interrupt unless asked for");
    w(R_IOC3_EISR, ~0u);

    /* The checksum field holds what Linux puts there: the pseudo header less
     * the Ethernet header; the hardware adds up everything. */
    static const uint8_t ip[] = { 8,  0,    0x69, 1,    2,  3, 8,           0,  0x69, 4, 5,
                                  6,  8,    0,    0x45, 0,  0, 20 + 8 + 51, 0,  1,    0, 0,
                                  64, 17,   0,    0,    10, 0, 2,           15, 10,   0, 2,
                                  2,  0x12, 0x34, 0,    7,  0, 8 + 51,      0,  0 };
    uint8_t f[14 + 20 + 8 + 51], pseudo[12 + 8 + 51];
    uint16_t s;

    memcpy(f, ip, sizeof(ip));
    memcpy(f + sizeof(ip), data, 51);
    s = ~sum(f + 14, 20);
    f[24] = s >> 8;
    f[25] = s;
    memcpy(pseudo, f + 26, 8);
    memcpy(pseudo + 8, (uint8_t[]){ 0, 17, 0, 8 + 51 }, 4);
    s = ~sum(f, 14);
    uint8_t parts[14];
    memcpy(parts, pseudo, 12);
    parts[12] = s >> 8;
    parts[13] = s;
    s = sum(parts, 14);
    f[40] = s >> 8;
    f[41] = s;
    qt_w32(TX_RING + 256, sizeof(f) | 2 << 16 | 1 << 19 | 40 << 20);
    qt_w32(TX_RING + 260, sizeof(f) << 8);
    qt_w64(TX_RING + 264, DMA(BUFFERS));
    put(BUFFERS, f, sizeof(f));
    w(R_IOC3_ETPIR, 3 << 7);
    n = from_guest(got);
    memcpy(pseudo + 12, got + 34, 8 + 51);
    qt_ok(n == sizeof(f) && sum(pseudo, sizeof(pseudo)) == 0xffff && !memcmp(got, f, 40),
          "transmit: the checksum put in makes a valid "
          "UDP packet");

    /* the ring wraps after 128 */
    w(R_IOC3_EMCR, 0);
    w(R_IOC3_ETCIR, 127 << 7);
    w(R_IOC3_ETPIR, 127 << 7);
    w(R_IOC3_EMCR, EMCR_ON);
    qt_w32(TX_RING + 127 * 128, 60 | 1 << 16);
    qt_w32(TX_RING + 127 * 128 + 4, 60);
    w(R_IOC3_ETPIR, 1 << 7);
    n = from_guest(got);
    qt_ok(n == 60 && from_guest(got) == 60, "transmit: the ring wraps");
    qt_eq(r(R_IOC3_ETCIR) & 0xffff, 1 << 7, "transmit: consume pointer too");

    /* a buffer that is not there */
    w(R_IOC3_EISR, ~0u);
    qt_w32(TX_RING + 128, 100 | 2 << 16);
    qt_w32(TX_RING + 132, 100 << 8);
    qt_w64(TX_RING + 136, 0x3ULL << 60 | BUFFERS);
    w(R_IOC3_ETPIR, 2 << 7);
    qt_eq(r(R_IOC3_EISR), R_IOC3_EISR_TXMEMERR_MASK,
          "transmit: DMA to an absent widget is TXMEMERR");
    qt_ok(qt_r32(BRIDGE + R_BRIDGE_INT_STATUS) & R_BRIDGE_INT_STATUS_RESP_XTLK_ERR_MASK,
          "Bridge: and RESP_XTLK_ERR");
    qt_eq(qt_r32(BRIDGE + R_BRIDGE_WID_RESP_UPPER) >> R_BRIDGE_WID_RESP_UPPER_DEVNUM_SHIFT & 7, 2,
          "Bridge: of device 2");
    qt_w32(BRIDGE + R_BRIDGE_INT_RST_STAT, 0x7f);
}

static void check_rx(int i, const uint8_t *f, unsigned n, uint32_t kind, const char *what)
{
    uint8_t got[1664], want[1664];
    unsigned len = n < 60 ? 60 : n;
    uint32_t crc;

    memset(want, 0, sizeof(want));
    memcpy(want, f, n);
    crc = ~crc32_raw(want, len);
    for (int k = 0; k < 4; k++) {
        want[len + k] = crc >> 8 * k;
    }
    len += 4;
    get(BUFFER(i) + RX_OFFSET, got, len);
    qt_eq(qt_r32(BUFFER(i)), 1u << 31 | len << 16 | sum(want, len),
          "receive: %s: valid, length, checksum", what);
    qt_eq(qt_r32(BUFFER(i) + 4), 0x40000000 | kind, "receive: %s: status", what);
    qt_ok(!memcmp(got, want, len), "receive: %s: frame and CRC", what);
}

static void rx(void)
{
    static const uint8_t multicast[6] = { 1, 0, 0x5e, 0, 0, 0xfb };
    uint8_t f[1514];
    unsigned hash = 0, crc;

    for (int i = 0; i < 1514; i++) {
        f[i] = i * 5 + 3;
    }
    start();
    w(R_IOC3_ERPIR, 1u << 31 | 4 << 3); /* four buffers, armed */
    memcpy(f, (uint8_t[]){ 8, 0, 0x69, 0x12, 0x34, 0x56 }, 6);
    to_guest(f, 1514);
    qt_ok(wait_eisr(R_IOC3_EISR_RXTIMERINT_MASK), "receive: interrupts");
    check_rx(0, f, 1514, 0, "own address, longest frame");
    qt_eq(r(R_IOC3_ERCIR), 1 << 3, "receive: consume pointer");
    w(R_IOC3_EISR, ~0u);

    to_guest(f, 43);
    for (int i = 0; i < 200 && r(R_IOC3_ERCIR) != 2 << 3; i++) {
        usleep(1000);
    }
    check_rx(1, f, 43, 0, "short frame");
    qt_eq(r(R_IOC3_EISR), 0, "receive: disarmed, it does not interrupt");
    w(R_IOC3_ERPIR, 1u << 31 | 4 << 3);
    qt_eq(r(R_IOC3_EISR), R_IOC3_EISR_RXTIMERINT_MASK,
          "receive: arming with a frame unseen interrupts at once");
    w(R_IOC3_EISR, ~0u);
    w(R_IOC3_ERPIR, 1u << 31 | 4 << 3);

    f[5] = 0x57; /* a frame for another station, then all frames */
    to_guest(f, 100);
    memset(f, 0xff, 6);
    to_guest(f, 101);
    qt_ok(wait_eisr(R_IOC3_EISR_RXTIMERINT_MASK), "receive: broadcast arrives");
    check_rx(2, f, 101, 0x08000000, "broadcast, odd length; others' dropped");
    w(R_IOC3_EISR, ~0u);

    crc = crc32_raw(multicast, 6) & 0x3f;
    for (int i = 0; i < 6; i++) {
        hash |= (crc >> i & 1) << (5 - i);
    }
    memcpy(f, multicast, 6);
    to_guest(f, 80); /* filtered out */
    w(hash < 32 ? R_IOC3_EHAR_L : R_IOC3_EHAR_H, 1u << (hash & 31));
    usleep(20000);
    qt_eq(r(R_IOC3_ERCIR), 3 << 3,
          "receive: multicast without its hash bit is "
          "dropped");
    to_guest(f, 82);
    for (int i = 0; i < 200 && r(R_IOC3_ERCIR) != 4 << 3; i++) {
        usleep(1000);
    }
    check_rx(3, f, 82, 0x04000000, "multicast by hash");

    /* No buffer is left: the frame waits until one is posted. */
    memset(f, 0xff, 6);
    to_guest(f, 90);
    usleep(20000);
    qt_eq(r(R_IOC3_ERCIR), 4 << 3, "receive: no buffer, no frame");
    w(R_IOC3_ERPIR, 1u << 31 | 5 << 3);
    for (int i = 0; i < 200 && r(R_IOC3_ERCIR) != 5 << 3; i++) {
        usleep(1000);
    }
    check_rx(4, f, 90, 0x08000000, "after a buffer is posted");

    w(R_IOC3_EMCR, EMCR_ON | R_IOC3_EMCR_PROMISC_MASK);
    w(R_IOC3_ERPIR, 1u << 31 | 7 << 3);
    memcpy(f, (uint8_t[]){ 2, 2, 2, 2, 2, 2 }, 6);
    to_guest(f, 64);
    for (int i = 0; i < 200 && r(R_IOC3_ERCIR) != 6 << 3; i++) {
        usleep(1000);
    }
    check_rx(5, f, 64, 0, "promiscuous");

    /* INTA of slot 2 is pin 2 */
    qt_eq(qt_r32(BRIDGE + R_BRIDGE_INT_STATUS) & 0xff, 0, "interrupt: not while EIER is clear");
    w(R_IOC3_EIER, ~0u);
    qt_eq(qt_r32(BRIDGE + R_BRIDGE_INT_STATUS) & 0xff, 1 << 2, "interrupt: INTA on Bridge pin 2");
    w(R_IOC3_EISR, ~0u);
    qt_eq(qt_r32(BRIDGE + R_BRIDGE_INT_STATUS) & 0xff, 0, "interrupt: gone when EISR is cleared");

    w(R_IOC3_MICR, 1 << 10 | 31 << 5 | 1);
    qt_eq(r(R_IOC3_MIDR_R) & 0x24, 0x24, "PHY: link up, negotiated");
}

int main(void)
{
    set_up();
    start();
    tx();
    rx();
    qt_ok(qt_stop(), "QEMU leaves cleanly");
    clean_up();
    return qt_done();
}
