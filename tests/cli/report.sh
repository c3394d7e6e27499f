#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# origin report: the text, the page, what is refused. Merged intervals keep their peaks, and the size of the page has a bound. A browser
# looks at pages in tests/guest/t_report.sh.
. "$(dirname "$0")/../lib.sh"
gcc -O2 -Wall -Wextra -I"$root/lib/trace" -o "$tmp/mktrace" "$root/tests/cli/mktrace.c" "$root/lib/trace/writer.c" "$root/lib/trace/crc32c.c" || exit 99
cd "$tmp" || exit 99
./mktrace short 4 11 && ./mktrace long 16 20001 || exit 99

# page FILE: the data of a page, as JSON
page() {
    sed '1,/id="data">$/d; /^<\/script>$/,$d' "$1"
}
# ask FILE EXPRESSION: of the first input d
ask() {
    page "$1" | python3 -c "import json, sys; d = json.load(sys.stdin)['inputs'][0]; print(($2))"
}

report=$("$origin" report short 2>&1)
like "text: the objects" "$report" '^n3 = /hw/module/1/slot/n4/node$'
like "text: metrics over the whole time" "$report" '^[0-9.]+ n3 '
"$origin" report --html page.html -m ricotta short >said 2>&1
is "page: written without a word" "$? $(cat said)" "0 "
is "page: every interval of every node" "$(ask page.html '[len(o["series"]["mdbusy"]["v"]) for o in d["objects"]]')" "[10, 10, 10, 10]"
is "page: the values" "$(ask page.html 'd["objects"][0]["series"]["mdbusy"]["v"][:3], d["objects"][3]["series"]["mdidle"]["v"]')" \
    "([100000, 100000, 100000], [900000, 900000, 900000, 900000, 900000, 0, 900000, 900000, 900000, 900000])"
is "page: the machine that was named" "$(ask page.html 'd["machine"]["name"], len(d["machine"]["nodes"]), len(d["machine"]["routers"])')" "('ricotta', 8, 4)"
is "page: the command that wrote it" "$(ask page.html 'd["report"]')" "origin report --html page.html -m ricotta short"
is "page: names cannot leave the data" "$(page page.html | grep -c '<')" 0
is "page: the host's name came through" "$(ask page.html 'd["host"]')" "<b>nobody</b>"
is "page: nothing from a network" "$(grep -c -E '(src|href)="?(https?:)?//' page.html)" 0
"$origin" report --html again.html -m ricotta short
ok "page: the same input gives the same bytes" sh -c 'sed s/again.html/page.html/ again.html | cmp - page.html'
mkdir dir || exit 99
cp short dir/t
"$origin" report --html dir.html dir
is "page: the description that was named" "$(ask page.html 'd["description"].split()[0].strip(";")')" /dts-v1/
"$origin" report --html two.html dir short
is "page: a directory and a file are two recordings" "$(page two.html | python3 -c 'import json, sys; print([i["name"] for i in json.load(sys.stdin)["inputs"]])')" "['dir', 'short']"
is "page: a directory stands for its files; an unknown host has no machine" "$(ask dir.html 'len(d["objects"]), d["machine"]')" "(4, None)"

"$origin" report --html long.html long
within "merged: the page stays small" 100000 "$(wc -c <long.html)" 10000000
is "merged: the peak is there" "$(ask long.html '[max(o["series"]["mdbusy"]["hi"]) for o in d["objects"][14:]]')" "[100000, 1000000]"
is "merged: so are the sums" "$(ask long.html '[sum(o["series"]["mdbusy"]["v"]) for o in d["objects"][14:]]')" "[2000000000, 2000900000]"

refuse() {
    said=$("$origin" report "$@" 2>&1)
    is "refused: $*" "$? $(printf '%s\n' "$said" | wc -l)" "$want 1"
}
want=2
refuse
refuse --bad x
refuse --html
want=1
refuse --html page.html missing
refuse --html page.html -m nix short
refuse --html none/page.html short
head -c 500 short >cut
refuse --html cut.html cut
ok "refused: no page is left" test ! -e cut.html
finish
