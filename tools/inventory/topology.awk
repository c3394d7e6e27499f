# SPDX-License-Identifier: GPL-2.0-or-later
# Draws a machine for topology(1) from its lines "cpu NODE SLICE", "node PATH", "router PATH", "link PATH PORT PATH"; a link stands once at each
# end. form: --dot, --json or --svg. name: the machine's.

# "2n1", "2r1", "m3" of a path in /hw: module and slot.
function short(path, part) {
    split(path, part, "/")
    return path ~ /metarouter/ ? "m" substr(part[6], 2) : part[4] part[6]
}
function module(path, part) { split(path, part, "/"); return part[4] }
function slot(path, part) { split(path, part, "/"); return substr(part[6], 2) + 0 }

$1 == "cpu" { slices[$2] = slices[$2] (slices[$2] == "" ? "" : ",") "{\"slice\":\"" $3 "\"}" }
$1 == "node" { node[++nodes] = $2 }
$1 == "router" { router[++routers] = $2 }
# Both ends tell of a link between routers; what comes first stays. Where the target is a router, its port is where it tells of us.
$1 == "link" { from[++ends] = $2; port[ends] = $3; to[ends] = $4 }

# The port of router b, not taken yet, that leads to a.
function back(a, b, i) {
    if (b !~ /router$/)
        return 0
    for (i = 1; i <= ends; i++)
        if (from[i] == b && to[i] == a && !taken[i]) {
            taken[i] = 1
            return port[i]
        }
    return "-"
}

function links(i) {
    for (i = 1; i <= ends; i++)
        if (!taken[i]) {
            taken[i] = 1
            a[++n] = from[i]; aport[n] = port[i]; b[n] = to[i]; bport[n] = back(from[i], to[i])
        }
}

function dot(i) {
    print "graph \"" name "\" {\nlayout=neato; overlap=false;"
    for (i = 1; i <= nodes; i++)
        print "\"" short(node[i]) "\" [shape=box];"
    for (i = 1; i <= routers; i++)
        print "\"" short(router[i]) "\" [shape=circle];"
    for (i = 1; i <= n; i++)
        print "\"" short(a[i]) "\" -- \"" short(b[i]) "\";"
    print "}"
}

function json(i) {
    print "{\"name\":\"" name "\",\n\"nodes\":["
    for (i = 1; i <= nodes; i++)
        print "{\"path\":\"" node[i] "\",\"module\":" module(node[i]) ",\"slot\":" slot(node[i]) ",\"cpus\":[" slices[node[i]] "]}" (i < nodes ? "," : "")
    print "],\n\"routers\":["
    for (i = 1; i <= routers; i++)
        print "{\"path\":\"" router[i] "\",\"module\":" module(router[i]) ",\"slot\":" slot(router[i]) ",\"meta\":" (router[i] ~ /metarouter$/ ? "true" : "false") "}" (i < routers ? "," : "")
    print "],\n\"links\":["
    for (i = 1; i <= n; i++)
        print "{\"a\":\"" a[i] "\",\"aport\":" aport[i] ",\"b\":\"" b[i] "\",\"bport\":" bport[i] "}" (i < n ? "," : "")
    print "]}"
}

# Modules in squares of four; a node in each corner of its module, two routers in the middle, metarouters in a row below.
function place(path, odd, k) {
    odd = slot(path)
    if (path ~ /metarouter$/) {
        x[path] = 60 + 90 * metas++
        y[path] = bottom + 40
        return
    }
    k = number[module(path)]
    x[path] = 20 + (int(k / 4) * 2 + k % 2) * 194
    y[path] = 20 + int(k / 2) % 2 * 208
    if (path ~ /router$/) {
        x[path] += 75; y[path] += odd == 1 ? 75 : 107
    } else {
        x[path] += odd % 2 ? 38 : 112; y[path] += odd <= 2 ? 37 : 142
    }
}

function svg(i, m, modules, wide) {
    for (i = 1; i <= nodes; i++)
        if (!(module(node[i]) in number))
            number[module(node[i])] = modules++
    wide = modules < 2 ? 1 : int((modules + 3) / 4) * 2
    bottom = modules > 2 ? 416 : 208
    for (i = 1; i <= nodes; i++)
        place(node[i])
    for (i = 1; i <= routers; i++)
        place(router[i])
    i = 20 + wide * 194
    if (i < 60 + 90 * metas)
        i = 60 + 90 * metas
    print "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" i "\" height=\"" bottom + (metas ? 80 : 10) "\" font-family=\"sans-serif\" font-size=\"11\" text-anchor=\"middle\">"
    print "<title>" name "</title><rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>"
    for (m in number) {
        i = number[m]
        print "<rect x=\"" 20 + (int(i / 4) * 2 + i % 2) * 194 "\" y=\"" 20 + int(i / 2) % 2 * 208 "\" width=\"150\" height=\"168\" rx=\"8\" fill=\"#f2f2f0\" stroke=\"#bbb\"/>"
    }
    for (i = 1; i <= n; i++)
        print "<path d=\"M" x[a[i]] " " y[a[i]] "L" x[b[i]] " " y[b[i]] "\" stroke=\"#4a6fb5\" stroke-width=\"2\"/>"
    for (i = 1; i <= nodes; i++)
        print "<rect x=\"" x[node[i]] - 28 "\" y=\"" y[node[i]] - 15 "\" width=\"56\" height=\"30\" rx=\"3\" fill=\"#ddcc77\" stroke=\"#333\"/><text x=\"" x[node[i]] "\" y=\"" y[node[i]] + 4 "\">" short(node[i]) "</text>"
    for (i = 1; i <= routers; i++)
        print "<circle cx=\"" x[router[i]] "\" cy=\"" y[router[i]] "\" r=\"15\" fill=\"#fff\" stroke=\"#333\"/><text x=\"" x[router[i]] "\" y=\"" y[router[i]] + 4 "\">" short(router[i]) "</text>"
    print "</svg>"
}

END {
    links()
    if (form == "--dot")
        dot()
    else if (form == "--json")
        json()
    else
        svg()
}
