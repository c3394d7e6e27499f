C SPDX-License-Identifier: GPL-2.0-or-later
C The system of 100 equations of programs.c in Fortran. Prints Mflop/s.
      PROGRAM LINPAK
      INTEGER N, TIMES
      PARAMETER (N = 100, TIMES = 20)
      DOUBLE PRECISION A(N, N), B(N), FLOPS
      INTEGER T, T0, T1, RATE
      CALL SOLVE(A, B, N)
      CALL SYSTEM_CLOCK(T0, RATE)
      DO 10 T = 1, TIMES
         CALL SOLVE(A, B, N)
   10 CONTINUE
      CALL SYSTEM_CLOCK(T1)
      FLOPS = (2D0 / 3 * N**3 + 2D0 * N**2) * TIMES
      WRITE (*, 20) FLOPS / (DBLE(T1 - T0) / RATE) / 1D6
   20 FORMAT ('linpack-100-Fortran ', F8.2, ' flop')
      END

      SUBROUTINE SOLVE(A, B, N)
      INTEGER N, I, J, K
      DOUBLE PRECISION A(N, N), B(N), T
      DO 20 J = 1, N
         DO 10 I = 1, N
            K = (J - 1) * N + I - 1
            A(I, J) = DBLE(MOD(K * 3125, 65536) - 32768) / 16384
            IF (I .EQ. J) A(I, J) = A(I, J) + 50
   10    CONTINUE
         B(J) = J - 1
   20 CONTINUE
      DO 60 K = 1, N - 1
         DO 30 I = K + 1, N
            A(I, K) = -A(I, K) / A(K, K)
   30    CONTINUE
         DO 50 J = K + 1, N
            T = A(K, J)
            DO 40 I = K + 1, N
               A(I, J) = A(I, J) + T * A(I, K)
   40       CONTINUE
   50    CONTINUE
         DO 55 I = K + 1, N
            B(I) = B(I) + B(K) * A(I, K)
   55    CONTINUE
   60 CONTINUE
      DO 80 K = N, 1, -1
         B(K) = B(K) / A(K, K)
         DO 70 I = 1, K - 1
            B(I) = B(I) - B(K) * A(I, K)
   70    CONTINUE
   80 CONTINUE
      END
