! SPDX-License-Identifier: GPL-2.0-only
! mpiio-fortran FILE: each rank writes and reads every size-th word of a file, from Fortran
program mpiio_fortran
  implicit none
  include 'mpif.h'
  integer, parameter :: words = 5000
  integer :: rank, ranks, error, i, file, view, status(MPI_STATUS_SIZE), count, wrong, all_wrong
  integer :: from(words), to(words)
  integer(kind=MPI_OFFSET_KIND) :: begin
  character(len=500) :: name

  call get_command_argument(1, name)
  call MPI_INIT(error)
  call MPI_COMM_RANK(MPI_COMM_WORLD, rank, error)
  call MPI_COMM_SIZE(MPI_COMM_WORLD, ranks, error)
  from = [(100000 * rank + i, i = 1, words)]
  to = -1
  wrong = 0
  call MPI_FILE_OPEN(MPI_COMM_WORLD, trim(name), MPI_MODE_RDWR + MPI_MODE_CREATE, MPI_INFO_NULL, &
    file, error)
  call MPI_TYPE_VECTOR(words, 1, ranks, MPI_INTEGER, view, error)
  call MPI_TYPE_COMMIT(view, error)
  begin = 4 * rank
  call MPI_FILE_SET_VIEW(file, begin, MPI_INTEGER, view, 'native', MPI_INFO_NULL, error)
  call MPI_TYPE_FREE(view, error)
  call MPI_FILE_WRITE_ALL(file, from, words, MPI_INTEGER, status, error)
  call MPI_GET_COUNT(status, MPI_INTEGER, count, error)
  if (count /= words) wrong = wrong + 1
  begin = 0
  call MPI_FILE_READ_AT_ALL(file, begin, to, words, MPI_INTEGER, MPI_STATUS_IGNORE, error)
  wrong = wrong + sum(merge(1, 0, to /= from))
  call MPI_FILE_CLOSE(file, error)
  call MPI_REDUCE(wrong, all_wrong, 1, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD, error)
  if (rank == 0) print '(a, i0)', 'wrong=', all_wrong
  call MPI_FINALIZE(error)
  if (wrong /= 0) stop 1
end program
