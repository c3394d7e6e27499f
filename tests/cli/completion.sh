#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Completion of command lines: every option of the host's tools is completed, values and machines too, in bash and zsh. (Options of `origin`:
# options.sh.)
. "$(dirname "$0")/../lib.sh"
"$origin" completion bash >"$tmp/origin" 2>"$tmp/err"
is 'origin completion bash' "$? $(cat "$tmp/err")" '0 '
# complete FUNCTION WORD...: what bash offers for the last word
offers() {
    local function=$1
    shift
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
    "$function"
    printf '%s\n' "${COMPREPLY[@]}"
}
# shellcheck source=/dev/null
. "$tmp/origin"
has() { # NAME WANTED FUNCTION WORD...
    local name=$1 wanted=$2
    shift 2
    "$@" | grep -q -x -F -e "$wanted"
    result $? "$name" "not offered: $wanted" "$("$@" | tr '\n' ' ')"
}
has 'a command' profile offers _origin origin prof
has 'a machine' arctic offers _origin origin run -m arc
has 'a value in the next word' full offers _origin origin run --time f
has 'a value behind =, as bash splits it' off offers _origin origin run --model = of
has 'a machine in the next word, by the long name' arctic offers _origin origin run --machine arc
has 'an image' tools offers _origin origin run --image t
has 'a machine to draw' stinger offers _origin origin machines -v st
cd "$root" || exit 99
has 'files of the host elsewhere' Makefile offers _origin origin run -k Makef
for tool in sninfo sndump snreport; do
    "$root/build/host/$tool" --bash-completion >"$tmp/$tool"
    # shellcheck source=/dev/null
    . "$tmp/$tool"
    missing=
    for option in $("$root/build/host/$tool" --help | sed -n 's/^ *\(-[a-zA-Z], *\)\{0,1\}\(--[a-z][-a-z0-9]*\).*/\2/p'); do
        offers "_$tool" "$tool" "$option" | grep -q -x -F -e "$option" || missing="$missing $option"
    done
    is "$tool: each option of its help" "$missing" ''
done
"$origin" completion fish >"$tmp/out" 2>"$tmp/err"
is 'another shell' "$? $(wc -l <"$tmp/err")" '2 1'
if command -v zsh >/dev/null; then
    "$origin" completion zsh >"$tmp/zsh"
    is 'zsh takes the scripts and knows the commands' "$(HOME=$tmp zsh -f -c '. "$1"; . "$2"; echo $_comps[origin] $_comps[sndump]' zsh "$tmp/zsh" "$tmp/sndump" 2>&1)" \
        '_bash_complete -o filenames -F _origin _bash_complete -o filenames -F _sndump'
else
    skip 'zsh' 'there is no zsh'
fi

# --- origin machines draws ---
"$origin" machines -v ricotta >"$tmp/v"
is '-v: every node under its router, every cable' "$(grep -c -e '-- node' "$tmp/v") $(grep -c '^2r1  1=1r1:1  6=2r2:6$' "$tmp/v")" '8 1'
"$origin" machines --dot stinger >"$tmp/dot"
is '--dot: nodes, routers, links' "$(grep -c 'shape=box' "$tmp/dot") $(grep -c 'shape=circle' "$tmp/dot") $(grep -c ' -- ' "$tmp/dot")" \
    "$("$origin" machines --json stinger | python3 -c 'import json, sys; d = json.load(sys.stdin); print(*[len(d[k]) for k in ("nodes", "routers", "links")])')"
"$origin" machines --svg "$root/qemu-origin/machines/arctic.dts" >"$tmp/svg"
ok '--svg of a .dts is the picture of docs' cmp "$tmp/svg" "$root/docs/machine.svg"
"$origin" machines -v onyx >"$tmp/out" 2>"$tmp/err"
is 'no such machine' "$? $(cat "$tmp/err")" "1 origin: machines: no machine 'onyx'; \`origin machines\` lists the presets"
finish
