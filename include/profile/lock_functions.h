/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions of the guest that take locks and give them back.  The launcher finds them by name in the symbols of programs and
 * libraries and writes where they are; the model watches them (machine option profile-functions).
 *
 *   SN_LOCKS(X)   X(name, ACT, lock)
 *     ACT    TAKE    if the result is 0, the thread has the lock from the return on
 *            GIVE    the thread gives it back as it calls the function
 *            WAIT    GIVE, and the thread has it again when the function returns
 *            FORGET  a new lock is there, or none any more
 *     lock   the number of the argument that has the lock's address, 0 or 1
 */
#ifndef SN_PROFILE_LOCK_FUNCTIONS_H
#define SN_PROFILE_LOCK_FUNCTIONS_H

/* clang-format off */
#define SN_LOCKS(X)                          \
    X(pthread_mutex_init,      FORGET, 0)    \
    X(pthread_mutex_destroy,   FORGET, 0)    \
    X(pthread_mutex_lock,      TAKE,   0)    \
    X(pthread_mutex_trylock,   TAKE,   0)    \
    X(pthread_mutex_timedlock, TAKE,   0)    \
    X(pthread_mutex_clocklock, TAKE,   0)    \
    X(pthread_mutex_unlock,    GIVE,   0)    \
    X(pthread_cond_wait,       WAIT,   1)    \
    X(pthread_cond_timedwait,  WAIT,   1)    \
    X(pthread_cond_clockwait,  WAIT,   1)    \
    X(pthread_spin_init,       FORGET, 0)    \
    X(pthread_spin_destroy,    FORGET, 0)    \
    X(pthread_spin_lock,       TAKE,   0)    \
    X(pthread_spin_trylock,    TAKE,   0)    \
    X(pthread_spin_unlock,     GIVE,   0)
/* clang-format on */

#endif
