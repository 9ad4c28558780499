#!/usr/bin/env python3
"""Derives the polynomials of src/expr/polynomials.h: minimax fits by Remez' exchange, in 60 digits.

    tools/make_polynomials.py | clang-format > src/expr/polynomials.h    needs python3-mpmath; takes a minute

Each row of FITS says which function is fitted, on which interval, and by which weight its error counts: the weight turns
an error of the polynomial into a relative error of the whole formula. The number beside each polynomial is the largest
weighted error with its rounded coefficients.
"""
import sys

from mpmath import (atanh, cos, erfc, expm1, ldexp, log, log1p, lu_solve, matrix, mp, mpf, nstr, pi, sin, sqrt)

mp.dps = 60
GRID = 1500


def rounded(x, bits):
    """x to the nearest number of so many bits."""
    if x == 0:
        return mpf(0)
    saved, mp.prec = mp.prec, bits
    x = +x
    mp.prec = saved
    return x


def horner(coefficients, x):
    total = mpf(0)
    for c in reversed(coefficients):
        total = total * x + c
    return total


def exchange(values, grid, weights, count):
    """The `count` coefficients that make the largest weighted error smallest."""
    size = len(grid)
    at = [int(round((size - 1) * (1 - float(cos(pi * i / count))) / 2)) for i in range(count + 1)]
    for _ in range(40):
        rows, right = matrix(count + 1, count + 1), matrix(count + 1, 1)
        for i, p in enumerate(at):
            for j in range(count):
                rows[i, j] = grid[p] ** j
            rows[i, count] = (-1) ** i / weights[p]
            right[i] = values[p]
        solution = lu_solve(rows, right)
        coefficients = [solution[j] for j in range(count)]
        errors = [(values[p] - horner(coefficients, grid[p])) * weights[p] for p in range(size)]
        if max(abs(e) for e in errors) <= abs(solution[count]) * mpf("1.001"):
            break
        at = alternating(errors, count + 1, at)
    return coefficients


def alternating(errors, wanted, before):
    """Where the error is extreme between its changes of sign; as many places as are wanted."""
    peaks = []
    for p, error in enumerate(errors):
        if peaks and (errors[peaks[-1]] > 0) == (error > 0):
            if abs(error) > abs(errors[peaks[-1]]):
                peaks[-1] = p
        else:
            peaks.append(p)
    while len(peaks) > wanted:
        peaks.pop(0 if abs(errors[peaks[0]]) < abs(errors[peaks[-1]]) else -1)
    return peaks if len(peaks) == wanted else before


def fit(f, low, high, weight, degree, bits, apart=False):
    """Coefficients of so many bits, the lowest power first; `apart`: the lowest as the sum of two."""
    half, middle = (high - low) / 2, (high + low) / 2
    grid = [middle - half * cos(pi * i / (GRID - 1)) for i in range(GRID)]
    grid = [x if abs(x) > mpf(10) ** -12 else mpf(10) ** -12 for x in grid]
    values = [f(x) for x in grid]
    weights = [weight(x) for x in grid]
    exact = exchange(values, grid, weights, degree + 1)
    numbers = [rounded(c, bits) for c in exact]
    rest = rounded(exact[0] - numbers[0], bits)
    kept = [numbers[0] + rest] + numbers[1:] if apart else numbers
    largest = max(abs(v - horner(kept, x)) * w for v, x, w in zip(values, grid, weights))
    return [numbers[0], rest] + numbers[1:] if apart else numbers, largest


HALF_LN2 = log(2) / 2 * mpf("1.0005")
LOG_LOW, LOG_HIGH = sqrt(mpf(1) / 2) - 1, sqrt(mpf(2)) - 1
LOG_Z = (LOG_HIGH / (2 + LOG_HIGH)) ** 2 * mpf("1.001")
SIN_Z = (pi / 4) ** 2 * mpf("1.0005")


def erf_exponent(a):
    """u where erf(a) = 1 - exp(-u)."""
    return -log(erfc(a))


def erf_weight(bits):
    """Where erf is 1 but for less than its precision, the exponent still has to be right to about 1/4."""
    return lambda a: a / expm1(erf_exponent(a)) + a * ldexp(4, -bits)


# name, what it is, function, low, high, weight, degree for f32, degree for f64 (None: not needed)
FITS = [
    ("kExp", "(exp(r) - 1 - r) / r^2, |r| <= ln(2) / 2, for exp", lambda r: (expm1(r) - r) / r ** 2, -HALF_LN2, HALF_LN2,
     lambda r: r ** 2 / (1 + expm1(r)), 4, 9),
    ("kExpMinus1", "the same for exp - 1", lambda r: (expm1(r) - r) / r ** 2, -HALF_LN2, HALF_LN2,
     lambda r: abs(r ** 2 / expm1(r)), 5, 10),
    ("kLog", "(log(1 + f) - f + f^2 / 2) / f^3, sqrt(1/2) <= 1 + f <= sqrt(2)",
     lambda f: (log1p(f) - f + f ** 2 / 2) / f ** 3, LOG_LOW, LOG_HIGH, lambda f: abs(f ** 3 / log1p(f)), 7, None),
    ("kAtanh", "(2 atanh(s) / s - 2) / z, z = s^2, s = f / (2 + f)", lambda z: (2 * atanh(sqrt(z)) / sqrt(z) - 2) / z,
     mpf(0), LOG_Z, lambda z: z, None, 6),
    ("kAtanhShort", "the same for f32 in f64", lambda z: (2 * atanh(sqrt(z)) / sqrt(z) - 2) / z, mpf(0), LOG_Z,
     lambda z: z, None, 3),
    ("kExpShort", "exp for f32 in f64", lambda r: (expm1(r) - r) / r ** 2, -HALF_LN2, HALF_LN2,
     lambda r: r ** 2 / (1 + expm1(r)), None, 5),
    ("kAtanhTail", "(atanh(s) / s - 1 - z / 3) / z^2, z = s^2", lambda z: (atanh(sqrt(z)) / sqrt(z) - 1 - z / 3) / z ** 2,
     mpf(0), LOG_Z, lambda z: z ** 2, 2, 7),
    ("kSin", "(sin(r) / r - 1) / z, z = r^2, |r| <= pi / 4", lambda z: (sin(sqrt(z)) / sqrt(z) - 1) / z, mpf(0), SIN_Z,
     lambda z: z, 2, 5),
    ("kCos", "(cos(r) - 1 + z / 2) / z^2, z = r^2", lambda z: (cos(sqrt(z)) - 1 + z / 2) / z ** 2, mpf(0), SIN_Z,
     lambda z: z ** 2, 2, 5),
]
# By bits: the end of the interval, the degree.
ERF = {24: (mpf(4), 9), 53: (mpf(6), 24)}


def literal(x):
    mantissa, exponent = float(x).hex().split("p")
    return mantissa.rstrip("0").rstrip(".") + "p" + exponent


def emit(name, bits, degree, text, f, low, high, weight, apart=False):
    coefficients, largest = fit(f, low, high, weight, degree, bits, apart)
    print(f"/// {text}: 2^{nstr(log(largest, 2), 3)}.")
    print(f"static constexpr double {name}[] = {{" + ", ".join(literal(c) for c in coefficients) + "};")
    print(f"{name}, {bits} bits: 2^{nstr(log(largest, 2), 4)}", file=sys.stderr)


def emit_parts(name, text, x, bits, count, first_bits=None):
    """Numbers whose sum is x as nearly as so many of them can be."""
    parts = []
    for i in range(count):
        parts.append(rounded(x, first_bits if first_bits and i == 0 else bits))
        x -= parts[-1]
    if count == 1:
        print(f"/// {text}.\nstatic constexpr double {name} = {literal(parts[0])};")
    else:
        print(f"/// {text}.\nstatic constexpr double {name}[] = {{" + ", ".join(literal(p) for p in parts) + "};")


def emit_type(bits, dtype):
    print(f"template <>\nstruct Of<DType::{dtype}> {{")
    for name, text, f, low, high, weight, *degrees in FITS:
        degree = degrees[bits == 53]
        if degree is not None:
            emit(name, bits, degree, text, f, low, high, weight)
    high, degree = ERF[bits]
    emit("kErf", bits, degree, f"-log(1 - erf(a)) / a, 0 <= a <= {nstr(high, 3)}, the lowest power as the sum of two",
         lambda a: erf_exponent(a) / a, mpf(0), high, erf_weight(bits), apart=True)
    emit_parts("kLn2", "ln(2), the sum of its parts", log(2), bits, 2)
    emit_parts("kLn2Short", "ln(2) again; its first part times an exponent is exact", log(2), bits, 2, bits - 12)
    emit_parts("kHalfPi", "pi / 2, the sum of its parts", pi / 2, bits, 3)
    emit_parts("kThird", "1 / 3, the sum of its parts", mpf(1) / 3, bits, 2)
    emit_parts("kLog2E", "1 / ln(2)", 1 / log(2), bits, 1)
    emit_parts("kTwoOverPi", "2 / pi", 2 / pi, bits, 1)
    print("};\n")


def main():
    print("// Made by tools/make_polynomials.py, which says how. Coefficients from the lowest power on; the number after\n"
          "// the colon is the largest error, relative to the whole function.\n#pragma once\n\n"
          '#include "pawl/dtype.h"\n\nnamespace pawl::expr::polynomials {\n\n'
          "template <DType>\nstruct Of;\n")
    emit_type(24, "f32")
    emit_type(53, "f64")
    print("}  // namespace pawl::expr::polynomials")


main()
