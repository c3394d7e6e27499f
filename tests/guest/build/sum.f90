! SPDX-License-Identifier: GPL-2.0-or-later
! A sum by all threads; the program's arguments and the runtime's own input and output come from libgfortran.
program sum
    use omp_lib
    implicit none
    integer :: i, threads
    real(8) :: s
    character(16) :: arg
    s = 0
    threads = 0
    call get_command_argument(1, arg)
    !$omp parallel reduction(+:s, threads)
    threads = 1
    !$omp do
    do i = 1, 1000
        s = s + i
    end do
    !$omp end parallel
    print '(a, f9.1, i4)', trim(arg), s, threads
end program
