# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# What the build wants of this host's system; for scripts/lib.sh and launcher/doctor. $root is the repository. Nothing is written.

# The guest's compilers are those of Debian 12 on every host. There they are packages like others. Elsewhere scripts/toolchain unpacks them into the cache.
compilers_are_packages() {
    # shellcheck source=/dev/null
    [ "$(. /etc/os-release && echo "${VERSION_CODENAME-}")" = bookworm ]
}

# packages_missing [NAME...]: what packages.txt names, and the list of each NAME, and is not installed
packages_missing() (
    cd "$root/scripts" || exit
    here=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' 2>/dev/null | sed -n 's/^installed //p')
    {
        cat packages.txt
        for name; do cat "packages-$name.txt"; done
        if compilers_are_packages; then cat packages-guest.txt; else echo mmdebstrap; fi
    } | grep -v -e '^#' -e '^$' | grep -vxF -- "$here" || true
)
