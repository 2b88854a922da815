! SPDX-License-Identifier: GPL-2.0-only
! mpi-fortran: MPI_ALLTOALL from Fortran, whose bindings call no function that a preload replaces
program mpi_fortran
  implicit none
  include 'mpif.h'
  integer, parameter :: words = 5000
  integer :: rank, ranks, error, i, k, calls, wrong, all_wrong, request
  integer, allocatable :: from(:, :), to(:, :)

  call MPI_INIT(error)
  call MPI_COMM_RANK(MPI_COMM_WORLD, rank, error)
  call MPI_COMM_SIZE(MPI_COMM_WORLD, ranks, error)
  allocate(from(words, 0:ranks - 1), to(words, 0:ranks - 1))
  wrong = 0
  do calls = 1, 6
    do k = 0, ranks - 1
      do i = 1, words
        from(i, k) = 1000000 * calls + 10000 * (10 * rank + k) + i
      end do
    end do
    to = -1
    if (mod(calls, 2) == 1) then
      call MPI_ALLTOALL(from, words, MPI_INTEGER, to, words, MPI_INTEGER, MPI_COMM_WORLD, error)
    else
      call MPI_IALLTOALL(from, words, MPI_INTEGER, to, words, MPI_INTEGER, MPI_COMM_WORLD, &
        request, error)
      call MPI_WAIT(request, MPI_STATUS_IGNORE, error)
    end if
    do k = 0, ranks - 1
      do i = 1, words
        if (to(i, k) /= 1000000 * calls + 10000 * (10 * k + rank) + i) wrong = wrong + 1
      end do
    end do
  end do
  call MPI_REDUCE(wrong, all_wrong, 1, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD, error)
  if (rank == 0) print '(a, i0)', 'wrong=', all_wrong
  call MPI_FINALIZE(error)
  if (wrong /= 0) stop 1
end program
