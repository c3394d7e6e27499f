#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What the report says of blocked.csv, of a profile that is written by hand: sums of each thread and of each lock, the first line, the three views of a page.
. "$(dirname "$0")/../lib.sh"
. "$root/tests/cli/profile.inc"
cd "$tmp" || exit 99
make simple target
make p target
# A lock in table: the word that thread 2 waits for 300 us, woken by thread 3 twice, and 3 waits for 100 us until an interrupt comes. A sleep, and the end of 3.
printf '%s\n' path,parent,pc "1,0,$(plus "$main" 24)" "2,1,$(plus "$outermost" 16)" 3,2,0xa800000000100000 >p/paths.csv
printf '%s\n' thread,state,what,call,address,block,path,by,region,cpu,count,ticks \
    2,user,none,-,-,0,0,-,0,0,3,60000 2,kernel,none,-,-,0,0,-,0,0,2,5000 2,interrupt,none,-,-,0,0,-,0,0,1,1000 \
    "2,blocked,futex,futex,$table,0,3,3,0,-,2,300000" "2,ready,futex,futex,$table,0,3,3,0,-,2,4000" 2,blocked,join,futex,0x50000000,0,1,3,0,-,1,500000 \
    3,user,none,-,-,0,0,-,0,2,1,10000 "3,blocked,futex,futex,$table,0,3,interrupt,0,-,1,100000" 3,blocked,sleep,nanosleep,-,0,3,interrupt,1,-,1,20000 \
    3,ready,preempted,-,-,0,3,-,0,-,1,30000 4,blocked,sleep,nanosleep,-,0,3,interrupt,0,-,1,900000 5,kernel,none,-,-,0,0,-,0,0,4,25000 5,interrupt,none,-,-,0,0,-,0,0,4,2000 9,blocked,sleep,-,-,0,0,-,0,-,1,1 >p/blocked.csv
echo 5,0,0,0,0,swapper/0,0,9 >>p/threads.csv
# A miss of the kernel that a thread's system call made, and one that nobody called.
echo "capacity,load,unowned,0,1,1,2,0,0xa800000000100000,3,0xa800000000200000,1,1,0,100,100,0,?
capacity,load,unowned,0,1,1,2,0,0xa800000000100000,0,0xa800000000200000,1,1,0,100,100,0,?" >>p/misses.csv
# The last column: main waited for the L2 while the kernel handled an interrupt.
sed -i '1s/$/,mode/; /^l2,/s/$/,interrupt/; /^l2,/!{1!s/$/,user/}' p/stalls.csv
# Two threads take the lock: 2 twice at main's line, 3 once when 2 gave it back two links away, and waits longest; another process does not count.
printf '%s\n' thread,address,block,pc,path,region,cpu,from,hops,count,contended,waited,held "2,$table,0,$(plus "$outermost" 16),0,0,0,-,-,2,0,1000,50000" \
    "3,$table,0,$(plus "$main" 24),0,1,2,1,2,1,1,40000,3000" "4,$table,0,$(plus "$main" 24),0,0,2,1,2,1,1,40000,3000" >p/locks.csv
"$origin" report p >out 2>err
# The threads' time is 530 us: all but the wait for the end of thread 3.
like "the first line: the lock" "$(head -n 1 out)" '^table \(.*\): 2 threads are blocked for 400.0 us, 75 % of all threads'"' time, most of it at target.c:[0-9]+ in outermost\(\)$"
lives() { sed -n '/^THREADS/,/^$/p' out; }
like "a life: its parts" "$(lives)" "^ +870\.0 +60\.0 +5\.0 +1\.0 +4\.0 +800\.0 +46\.7  #?m* *-?\.*  20 target futex=300\.0 join=500\.0$"
like "all lives" "$(lives)" "^ +1030\.0 +70\.0 +5\.0 +1\.0 +34\.0 +920\.0 +51\.7 .* all futex=400\.0 join=500\.0 sleep=20\.0$"
is "lives: those of the command" "$(lives | wc -l)" 6
is "what is waited for" "$(sed -n '/^BLOCKED/,/^$/p' out | sed -n '3,$s/ at .*//p')" "      500.0         0.0        1       1  the end of a thread: join;
      400.0         4.0        3       2  $(head -n 1 out | sed 's/: .*//'): futex;
       20.0         0.0        1       1  nanosleep(): sleep;"
like "a lock: held, waited for, taken, found taken, handed over, hops, by how many" "$(sed -n '/^LOCKS/,/^$/p' out)" \
    '^ +53\.0 +41\.0 +3 +1 +1 +2 +2  table \(.*\); at target.c:[0-9]+ in main\(\)$'
like "a lock in a region" "$("$origin" report --region solve p 2>err | sed -n '/^LOCKS/,/^$/p')" '^ +3\.0 +40\.0 +1 +1 +1 +2 +1  table '
like "who ended it" "$(cat out)" '^ +woken by 21 target 2 times; interrupts 1 times$'
is "modes of misses" "$("$origin" report --format=csv p 2>err | sed 1d | sed 's/.*,//' | sort | uniq -c | tr -s ' ' | paste -s -d ,)" ' 1 -, 2 kernel, 4 user'
like "modes of a processor: of all threads, and what it waited in each" "$(sed -n '/^MODES/,$p' out)" '^ +0 +60\.0 +46\.0 +5\.0 +0\.0 +3\.0 +0\.7 +25\.0 +0\.0 +93\.0$'
like "modes of another" "$(sed -n '/^MODES/,$p' out)" '^ +2 +10\.0 +5\.0 +0\.0 +0\.0 +0\.0 +0\.0 +0\.0 +0\.0 +10\.0$'
like "a function: what it waited in interrupts" "$(sed -n '/^FUNCTIONS/,/^$/p' out)" '^ +16\.7 .* main \(.*; in interrupts 0\.7$'
# The same profile without the column.
mkdir older && cp p/* older && sed -i 's/,[a-z]*$//' older/stalls.csv
older=$("$origin" report older 2>err | sed -n '/^MODES/,$p')
like "a profile that does not say the mode of stalls" "$older" '^ +2 +10\.0 +- +0\.0 +- +0\.0 +- +0\.0 +- +10\.0$'
is "why, once" "$(printf '%s\n' "$older" | grep -c '^  MEM is not known: stalls.csv of this profile does not say')" 1
sed -i '1s/$/,mode/; 1!s/$/,user/; /^l2,/s/,user$/,-/' older/stalls.csv
like "a profile that knows of user mode only" "$("$origin" report older 2>err | sed -n '/^MODES/,$p')" '^ +2 +10\.0 +- '
"$origin" report --format=blocked p >csv 2>err
is "as CSV: the lock" "$(grep ',blocked,futex,' csv | sed 's|[^,]*/target.c|target.c|' | cut -d, -f1-8,11,14-)" "3,20,20,target,blocked,futex,futex,table,outermost,21,0,-,2,300000.000
7,20,21,target,blocked,futex,futex,table,outermost,interrupt,0,-,1,100000.000"
is "as CSV: a region" "$("$origin" report --format=blocked --region solve p 2>err | sed 1d | cut -d, -f3-6,15-)" "21,target,blocked,sleep,1,-,1,20000.000"
"$origin" report --format=blocked simple >out 2>&1
is "a profile without" "$? $(cat out)" "1 origin: simple: no blocked.csv: this profile does not say what threads wait for"
"$origin" report --html page.html p simple 2>said
is "the page is written" "$? $(cat said)" "0 "
python3 - page.html >points 2>said <<'END'
import sys
from browser import Page, Points

points = Points()
point = points.point
ROWS = "return [...document.querySelectorAll('#view-%s .bar-row')].map(g => [g.querySelector('text').firstChild.textContent, [...g.querySelectorAll('rect')].map(r => r.dataset.part + ' ' + (+r.dataset.value).toFixed(1)).join(', ')])"
with Page(sys.argv[1]) as page:
    rows = page.js(ROWS % "lives")
    point("a life in one bar", rows == [["20 target", "computing 14.0, memory 46.0, kernel 5.0, interrupt 0.3, interrupt_memory 0.7, ready 4.0, futex 300.0, join 500.0"],
                                        ["21 target", "computing 5.0, memory 5.0, ready 30.0, futex 100.0, sleep 20.0"]], *rows)
    point("its parts add up", all(abs(float(r["life"]) - sum(float(r[k]) for k in r if k not in ("thread", "life"))) < .001 for r in page.table("lives")), page.table("lives"))
    page.element("#view-time select option[value=modes]").click()
    rows = page.js(ROWS % "time")
    point("processors by mode", [r[1] for r in rows] == ["user 14.0, user_memory 46.0, kernel 5.0, interrupt 2.3, interrupt_memory 0.7, idle 25.0", "user 5.0, user_memory 5.0"], *rows)
    rows = page.table("functions")
    point("functions: in interrupts", [(r["function"], r["interrupt"]) for r in rows] == [("outermost", "0"), ("main", "0.7")], *rows)
    rows = page.js(ROWS % "blocked")
    point("waits by what they are for", [r[1] for r in rows] == ["blocked 500.0", "blocked 400.0, ready 4.0", "blocked 20.0"], *rows)
    table = page.table("blocked")
    point("the table has who ended them", [(r["what"], r["by"], r["by_count"], r["count"], r["threads"]) for r in table] ==
          [("join", "21 target", "1", "1", "1"), ("futex", "21 target", "2", "3", "2"), ("sleep", "interrupts", "1", "1", "1")], *table)
    counts = lambda table, *names: [tuple(r[n] for n in names) for r in table]
    table = page.table("locks")
    point("locks: the table is the report's", counts(table, "addresses", "threads", "count", "contended", "waited", "held", "handed", "hops") == [("1", "2", "3", "1", "41", "53", "1", "2")], *table)
    point("locks: its line", table[0]["lock"].startswith("table (") and table[0]["at"].startswith("target.c:") and table[0]["function"] == "main", *table)
    point("locks: waited, held", [r[1] for r in page.js(ROWS % "locks")] == ["waited 41.0, held 53.0"])
    page.js("document.querySelector('#view-locks .bar-row').dispatchEvent(new MouseEvent('click', {bubbles: true}))")
    rows = page.js(ROWS % "locks")
    point("a click on a lock: its threads and lines", [(r[0].split(":")[0], r[1]) for r in rows] ==
          [("21 target at target.c", "waited 40.0, held 3.0"), ("20 target at target.c", "waited 1.0, held 50.0")], *rows)
    table = page.copied("#view-locks details.as-table")
    point("its table", counts(table, "thread", "function", "count", "contended") == [("21 target", "main", "1", "1"), ("20 target", "outermost", "2", "0")], *table)
    page.element("#view-locks select option[value=ways]").click()
    table = page.copied("#view-locks details.as-table")
    point("between nodes", counts(table, "from", "to", "hops", "count", "waited") == [("1", "1", "2", "1", "40"), ("", "0", "", "2", "1")], *table)
    point("that way as bars", [r[0] for r in page.js(ROWS % "locks")] == ["node 1 to 1, 2 links", "node 0, no other thread before"], *page.js(ROWS % "locks"))
    page.element("#view-locks select option[value=locks]").click()
    point("back to all locks", len(page.copied("#view-locks details.as-table")) == 1 and page.js("return document.querySelectorAll('#view-locks select').length") == 1)
    page.js("document.querySelectorAll('#inputs button')[1].click()")
    point("another profile has no such views", page.js("return document.querySelector('#view-lives, #view-blocked, #view-locks') === null"))
    point("no error", not page.errors(), page.errors())
points.end()
END
points_of browser points said
finish
