// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The graph of this machine, from the tables that firmware left on each node
 * (KLCONFIG, reached through the GDA), laid out as thesis 3.3.1 shows it:
 *
 *   module/M/slot/nS/node             a node board: _cnodeid, _nasid
 *                     /cpu/a  b       processors: _cpuid
 *                     /memory  hub
 *                     /link           -> the router it hangs on
 *   module/M/slot/rS/router           a router
 *                     /1 .. 6         -> what is at that port
 *   module/0/slot/rS/metarouter       a router of the meta rack, likewise
 *   nodenum/N  cpunum/N               -> node, processor by number
 *   inventory                         what each board has, as text:
 *
 *	node PATH hub-revision hub-hz
 *	cpu PATH prid fpu-id mhz l2-mb l2-mhz        (ids in hexadecimal)
 *	memory PATH mb premium|standard mb-of-bank-0 ... mb-of-bank-7
 *	router PATH revision
 *
 * klgraph_build()  klgraph_inventory()
 *
 * Left out: the devices behind a node's crossbow.
 */
#include <linux/io.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/string.h>
#include <asm/sn/addrs.h>
#include <asm/sn/arch.h>
#include <asm/sn/gda.h>
#include <asm/sn/klconfig.h>
#include "hwgdev.h"
#include "hwgfs.h"
#include "hwgraph.h"

#define for_each_nasid(cnode, nasid)                                         \
	for (cnode = 0; cnode < MAX_NUMNODES &&                              \
			(nasid = GDA->g_nasidtable[cnode]) != INVALID_NASID; \
	     cnode++)

#define for_each_board(brd, nasid) \
	for (brd = KL_CONFIG_INFO(nasid); brd; brd = KLCF_NEXT(brd))

static bool is_node(lboard_t *brd)
{
	return KLCF_CLASS(brd) == KLCLASS_NODE;
}

static bool is_router(lboard_t *brd)
{
	return brd->brd_type == KLTYPE_ROUTER ||
	       brd->brd_type == KLTYPE_META_ROUTER;
}

/* Firmware lists metarouters as routers, so that kernels route through them. */
static bool is_meta(lboard_t *brd)
{
	return brd->brd_type == KLTYPE_META_ROUTER ||
	       !strncmp(brd->brd_name, "META", 4);
}

static const char *board_label(lboard_t *brd)
{
	if (is_node(brd))
		return "node";
	return is_meta(brd) ? "metarouter" : "router";
}

/* The vertex of a node or router board.  It is made if it does not exist. */
static int board_vertex(lboard_t *brd, vertex_hdl_t *v)
{
	char path[HWGRAPH_PATH_MAX];

	snprintf(path, sizeof(path), "module/%d/slot/%c%d/%s", brd->brd_module,
		 is_node(brd) ? 'n' : 'r', brd->brd_slot, board_label(brd));
	return hwgraph_path_add(hwgraph_root, path, v);
}

/* An edge from PARENT/N to @v. */
static int number(const char *parent, unsigned int n, vertex_hdl_t v)
{
	vertex_hdl_t from;
	char label[12];
	int err;

	snprintf(label, sizeof(label), "%u", n);
	err = hwgraph_path_add(hwgraph_root, parent, &from);
	return err ?: hwgraph_edge_add(from, v, label);
}

static int info(vertex_hdl_t v, const char *label, long value)
{
	return hwgraph_info_add_LBL(v, label, (void *)value);
}

static int add_cpu(vertex_hdl_t node, klinfo_t *comp)
{
	char path[] = "cpu/a";
	vertex_hdl_t v;
	int err;

	if (!KLCONFIG_INFO_ENABLED(comp))
		return 0;
	path[4] += comp->physid;
	err = hwgraph_path_add(node, path, &v);
	err = err ?: info(v, "_cpuid", comp->virtid);
	return err ?: number("cpunum", comp->virtid, v);
}

static int add_node(lboard_t *brd, int cnode)
{
	vertex_hdl_t node, v;
	int i, err;

	err = board_vertex(brd, &node);
	err = err ?: info(node, "_cnodeid", cnode);
	err = err ?: info(node, "_nasid", brd->brd_nasid);
	err = err ?: number("nodenum", cnode, node);
	for (i = 0; i < KLCF_NUM_COMPS(brd) && !err; i++) {
		klinfo_t *comp = KLCF_COMP(brd, i);

		switch (KLCF_COMP_TYPE(comp)) {
		case KLSTRUCT_CPU:
			err = add_cpu(node, comp);
			break;
		case KLSTRUCT_HUB:
			err = hwgraph_path_add(node, "hub", &v);
			break;
		case KLSTRUCT_MEMBNK:
			err = hwgraph_path_add(node, "memory", &v);
			break;
		}
	}
	return err;
}

/* The board at the other end of a port, or NULL. */
static lboard_t *port_board(klport_t *port)
{
	lboard_t *brd;

	if (port->port_nasid == INVALID_NASID || !port->port_offset)
		return NULL;
	brd = (lboard_t *)NODE_OFFSET_TO_K1(port->port_nasid,
					    port->port_offset);
	return is_node(brd) || is_router(brd) ? brd : NULL;
}

static int add_ports(lboard_t *brd)
{
	klrou_t *rou = (klrou_t *)KLCF_COMP(brd, ROUTER_COMPONENT_INDEX);
	vertex_hdl_t router, other;
	int port, err;

	err = board_vertex(brd, &router);
	for (port = 1; port <= MAX_ROUTER_PORTS && !err; port++) {
		char label[] = { '0' + port, 0 };
		lboard_t *at = port_board(&rou->rou_port[port]);

		if (!at)
			continue;
		err = board_vertex(at, &other);
		err = err ?: hwgraph_edge_add(router, other, label);
		if (!err && is_node(at))
			err = hwgraph_edge_add(other, router, "link");
	}
	return err;
}

/* In a machine of two nodes without a router the Hubs are connected directly. */
static int add_direct_link(lboard_t *brd)
{
	vertex_hdl_t node, other;
	lboard_t *at = NULL;
	int i, err;

	for (i = 0; i < KLCF_NUM_COMPS(brd); i++) {
		klhub_t *hub = (klhub_t *)KLCF_COMP(brd, i);

		if (KLCF_COMP_TYPE(&hub->hub_info) == KLSTRUCT_HUB)
			at = port_board(&hub->hub_port);
	}
	if (!at || !is_node(at))
		return 0;
	err = board_vertex(brd, &node);
	err = err ?: board_vertex(at, &other);
	return err ?: hwgraph_edge_add(node, other, "link");
}

/* --- inventory --- */

static void show_memory(struct seq_file *m, const char *path, klmembnk_t *mem)
{
	int bank, total = 0;

	for (bank = 0; bank < MD_MEM_BANKS; bank++)
		total += mem->membnk_bnksz[bank];
	seq_printf(m, "memory %s/memory %d %s", path, total,
		   mem->membnk_attr & MEMBNK_PREMIUM ? "premium" : "standard");
	for (bank = 0; bank < MD_MEM_BANKS; bank++)
		seq_printf(m, " %d", mem->membnk_bnksz[bank]);
	seq_putc(m, '\n');
}

static void show_component(struct seq_file *m, const char *path, klinfo_t *comp)
{
	klcpu_t *cpu = (klcpu_t *)comp;

	switch (KLCF_COMP_TYPE(comp)) {
	case KLSTRUCT_CPU:
		if (KLCONFIG_INFO_ENABLED(comp))
			seq_printf(m, "cpu %s/cpu/%c %x %x %d %d %d\n", path,
				   'a' + comp->physid, cpu->cpu_prid,
				   cpu->cpu_fpirr, cpu->cpu_speed,
				   cpu->cpu_scachesz, cpu->cpu_scachespeed);
		break;
	case KLSTRUCT_HUB:
		seq_printf(m, "node %s %d %llu\n", path, comp->revision,
			   ((klhub_t *)comp)->hub_speed);
		break;
	case KLSTRUCT_MEMBNK:
		show_memory(m, path, (klmembnk_t *)comp);
		break;
	case KLSTRUCT_ROU:
		seq_printf(m, "router %s %d\n", path, comp->revision);
		break;
	}
}

static int inventory_show(vertex_hdl_t dev, struct seq_file *m)
{
	char path[HWGRAPH_PATH_MAX];
	vertex_hdl_t v;
	lboard_t *brd;
	nasid_t nasid;
	int cnode, i;

	for_each_nasid(cnode, nasid)
		for_each_board(brd, nasid) {
			if (KL_CONFIG_DUPLICATE_BOARD(brd) ||
			    !(is_node(brd) || is_router(brd)) ||
			    board_vertex(brd, &v) ||
			    vertex_to_name(v, path, sizeof(path)))
				continue;
			for (i = 0; i < KLCF_NUM_COMPS(brd); i++)
				show_component(m, path, KLCF_COMP(brd, i));
		}
	return 0;
}

static const struct hwgraph_driver inventory_driver = {
	.prefix = "inventory",
	.owner = THIS_MODULE,
	.show = inventory_show,
};

int klgraph_inventory(void)
{
	vertex_hdl_t dev;

	return hwgraph_char_device_add(hwgraph_root, "inventory", 0444,
				       &inventory_driver, NULL, &dev);
}

int klgraph_build(void)
{
	vertex_hdl_t v;
	lboard_t *brd;
	nasid_t nasid;
	int cnode, err = 0;

	/* All boards first: an edge to a vertex that has its place is a link. */
	for_each_nasid(cnode, nasid)
		for_each_board(brd, nasid) {
			if (KL_CONFIG_DUPLICATE_BOARD(brd) || err)
				continue;
			if (is_node(brd))
				err = add_node(brd, cnode);
			else if (is_router(brd))
				err = board_vertex(brd, &v);
		}
	for_each_nasid(cnode, nasid)
		for_each_board(brd, nasid) {
			if (KL_CONFIG_DUPLICATE_BOARD(brd) || err)
				continue;
			if (is_node(brd))
				err = add_direct_link(brd);
			else if (is_router(brd))
				err = add_ports(brd);
		}
	if (err)
		pr_err("hwgfs: no graph of the firmware's tables: %d\n", err);
	return err;
}
