// SPDX-License-Identifier: GPL-2.0-or-later
/* The socket of --exec.  Interface: exec_socket.h. */
#include "exec_socket.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "messages.h"

static const char *volatile created;

/* Is it a socket that a killed launcher left? */
static bool is_left(const struct sockaddr_un *addr)
{
    struct stat st;
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    bool refused = lstat(addr->sun_path, &st) == 0 && S_ISSOCK(st.st_mode) &&
                   connect(fd, (const struct sockaddr *)addr, sizeof(*addr)) < 0 &&
                   errno == ECONNREFUSED;

    close(fd);
    return refused;
}

int exec_socket_open(const char *path)
{
    struct sockaddr_un addr = { .sun_family = AF_UNIX };
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), failed;
    mode_t mask = umask(0177);

    if (!*path || strlen(path) >= sizeof(addr.sun_path)) {
        errno = *path ? ENAMETOOLONG : ENOENT;
        failed = -1;
    } else {
        strcpy(addr.sun_path, path);
        failed = bind(fd, (struct sockaddr *)&addr, sizeof(addr));
        if (failed && errno == EADDRINUSE) {
            if (is_left(&addr))
                unlink(path);
            failed = bind(fd, (struct sockaddr *)&addr, sizeof(addr));
        }
    }
    umask(mask);
    if (failed || listen(fd, SOMAXCONN) < 0) {
        complain(MSG_EXEC, path, strerror(errno));
        close(fd);
        return -1;
    }
    created = path;
    atexit(exec_socket_remove);
    return fd;
}

void exec_socket_remove(void)
{
    const char *path = created;

    created = NULL;
    if (path)
        unlink(path);
}
