! SPDX-License-Identifier: GPL-2.0-or-later
! For t_profile_ways.sh: two threads of OpenMP count in every other element of an array that ALLOCATE made.
program share
    use omp_lib
    implicit none
    type score
        integer(8) :: calls, hits
    end type
    type(score), allocatable, volatile :: scores(:)
    integer :: me, i

    allocate (scores(16)) ! ALLOCATE
    scores%hits = 0
    !$omp parallel num_threads(2) private(me, i) shared(scores)
    me = omp_get_thread_num() + 1
    !$omp barrier
    do i = 1, 200000 ! DO: the compiler tells the loop's accesses of this line
        scores(me + 2 * mod(i, 8))%hits = scores(me + 2 * mod(i, 8))%hits + 1
    end do
    !$omp end parallel
end program
