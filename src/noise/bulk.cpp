#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "noise/bulk.cpp"
#include <hwy/foreach_target.h>
// The include above compiles this file once for each vector target. Highway requires these lines in
// the kernel's own file: HWY_TARGET_INCLUDE must name it, and the file includes itself by that
// name.

#include <hwy/highway.h>

#include <algorithm>
#include <array>
#include <bit>

#include "noise/bulk.hpp"

HWY_BEFORE_NAMESPACE();
namespace freegap::detail::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

/// Vectors of floats, and of 32-bit integers with as many lanes.
using Floats = hn::ScalableTag<float>;
using Ints = hn::RebindToSigned<Floats>;
using Float = hn::Vec<Floats>;
using Int = hn::Vec<Ints>;

/// L and w of BulkLogarithm, one pair per lane.
struct Logarithm {
  Float l;
  Float w;
};

/// Computes L and w from v, the first 31 bits of U.
///
/// v, rounded to single precision, is 2^k m with sqrt(1/2) <= m < sqrt 2. So -ln(v / 2^31) = (31 -
/// k) ln 2 - ln m. With r = m - 1, which is exact (Sterbenz), ln m = r + r² P(r). P has degree 7
/// and interpolates at the Chebyshev points. MulAdd rounds once or twice, depending on the target;
/// the bound of BulkLogarithm allows for both and is checked for every v.
HWY_INLINE Logarithm logarithm(Int v) {
  const Floats df;
  const Ints di;
  const auto set = [&](float x) HWY_ATTR { return hn::Set(df, x); };
  const Int bits = hn::BitCast(di, hn::ConvertTo(df, v));
  // 0x3f3504f3 is the bit pattern of sqrt(1/2). Subtracting it makes the exponent field count from
  // there, so the shift gives k directly. Subtracting k from the exponent field of v gives m.
  const Int k = hn::ShiftRight<23>(hn::Sub(bits, hn::Set(di, 0x3f3504f3)));
  const Float r = hn::Sub(hn::BitCast(df, hn::Sub(bits, hn::ShiftLeft<23>(k))), set(1));
  Float p = set(0x1.67ed28p-4F);
  p = hn::MulAdd(p, r, set(-0x1.21fd54p-3F));
  p = hn::MulAdd(p, r, set(0x1.2fd102p-3F));
  p = hn::MulAdd(p, r, set(-0x1.53bb74p-3F));
  p = hn::MulAdd(p, r, set(0x1.990710p-3F));
  p = hn::MulAdd(p, r, set(-0x1.000302p-2F));
  p = hn::MulAdd(p, r, set(0x1.555638p-2F));
  p = hn::MulAdd(p, r, set(-0x1.fffffep-2F));
  const Float log_m = hn::MulAdd(hn::Mul(r, r), p, r);
  const Float j = hn::ConvertTo(df, hn::Sub(hn::Set(di, 31), k));
  // w = 2^-e for the exponent e of v, by 254 - (e + 127) = 127 - e in the exponent field. This is
  // at least about 1/v, which bounds ln((v + 1) / v), the effect of the bits not yet drawn. For v =
  // 0 it is the largest power of two, so that such a sample is never settled.
  const Int exponent = hn::And(bits, hn::Set(di, 0x7f800000));
  return {hn::MulSub(j, set(0x1.62e43p-1F), log_m),
          hn::BitCast(df, hn::Sub(hn::Set(di, 254 << 23), exponent))};
}

/// The kernel alone, for tests. The last vector may be incomplete.
void logarithms(std::span<const std::uint32_t> v, std::span<BulkLogarithm> out) {
  const Floats df;
  const Ints di;
  const std::size_t lanes = hn::Lanes(df);
  HWY_ALIGN std::array<std::int32_t, hn::MaxLanes(Floats())> in{};
  HWY_ALIGN std::array<float, hn::MaxLanes(Floats())> l{};
  HWY_ALIGN std::array<float, hn::MaxLanes(Floats())> w{};
  for (std::size_t i = 0; i < v.size(); i += lanes) {
    const std::size_t rest = HWY_MIN(lanes, v.size() - i);
    for (std::size_t j = 0; j < rest; ++j) {
      in[j] = static_cast<std::int32_t>(v[i + j]);
    }
    const Logarithm found = logarithm(hn::Load(di, in.data()));
    hn::Store(found.l, df, l.data());
    hn::Store(found.w, df, w.data());
    for (std::size_t j = 0; j < rest; ++j) {
      out[i + j] = {l[j], w[j]};
    }
  }
}

/// Appends to `open` the positions first + i of the lanes i < size that are set in `mask`, and
/// returns their number. Few are set, so a loop over bits is fast enough.
HWY_INLINE std::size_t note(hn::Mask<Floats> mask, std::size_t first, std::size_t size,
                            std::uint32_t* open) {
  std::array<std::uint8_t, hn::MaxLanes(Floats()) / 8 + 8> bytes{};
  hn::StoreMaskBits(Floats(), mask, bytes.data());
  std::size_t found = 0;
  for (std::size_t byte = 0; byte < (size + 7) / 8; ++byte) {
    for (std::uint32_t bits = bytes[byte]; bits != 0; bits &= bits - 1) {
      const std::size_t i = 8 * byte + static_cast<std::size_t>(std::countr_zero(bits));
      if (i < size) {
        open[found++] = static_cast<std::uint32_t>(first + i);
      }
    }
  }
  return found;
}

/// The loop over vectors of samples. A sample is settled where the lower bound of -ln(U) / rate is
/// at least the floor of the upper bound: then both have the same floor, whatever the bits not yet
/// drawn are (docs/proofs/samplers.md, "The bounds"). The order of evaluation is part of that
/// proof.
template <bool two_sided>
std::size_t samples_of(const BulkBounds& bounds, const std::uint32_t* bits,
                       std::span<std::int64_t> out, std::uint32_t* open) {
  const Floats df;
  const Ints di;
  const hn::ScalableTag<std::int64_t> d64;
  const hn::Rebind<std::int32_t, decltype(d64)> d32;
  const std::size_t lanes = hn::Lanes(df);
  const Float lower_factor = hn::Set(df, bounds.lower_factor);
  const Float shift = hn::Set(df, bounds.shift);
  const Float width_factor = hn::Set(df, bounds.width_factor);
  const Float upper_factor = hn::Set(df, bounds.upper_factor);
  HWY_ALIGN std::array<std::int32_t, hn::MaxLanes(Floats())> narrow{};
  std::size_t found = 0;
  for (std::size_t i = 0; i < out.size(); i += lanes) {
    const Int drawn = hn::BitCast(di, hn::LoadU(hn::RebindToUnsigned<Ints>(), bits + i));
    const Logarithm u = logarithm(hn::And(drawn, hn::Set(di, 0x7fffffff)));
    const Float lower = hn::NegMulAdd(u.w, width_factor, hn::MulSub(u.l, lower_factor, shift));
    const Float floor = hn::Floor(hn::MulAdd(u.l, upper_factor, shift));
    auto unsettled = hn::Lt(lower, floor);
    // A settled sample is below 2^23 (docs/proofs/samplers.md, "Range"). Added to 2^23, it stands
    // in the 23 low bits of the float, which is cheaper than a conversion.
    Int sample =
        hn::And(hn::BitCast(di, hn::Add(floor, hn::Set(df, 0x1p23F))), hn::Set(di, 0x7fffff));
    if constexpr (two_sided) {
      const Int sign = hn::BroadcastSignBit(drawn);  // all ones or all zeros
      // Zero with a negative sign is rejected by the caller, or zero would be twice as likely.
      const auto minus_zero = hn::And(hn::Lt(sign, hn::Zero(di)), hn::Eq(sample, hn::Zero(di)));
      sample = hn::IfThenElse(hn::RebindMask(di, unsettled),
                              hn::Set(di, static_cast<std::int32_t>(bulk_unsettled)),
                              hn::Sub(hn::Xor(sample, sign), sign));  // -sample where negative
      unsettled = hn::Or(unsettled, hn::RebindMask(df, minus_zero));
    }
    // Widen 32-bit lanes to the 64-bit output. The last vector may reach beyond its end.
    hn::Store(sample, di, narrow.data());
    const std::size_t rest = out.size() - i;
    if (rest >= lanes) {
      for (std::size_t j = 0; j < lanes; j += hn::Lanes(d64)) {
        hn::StoreU(hn::PromoteTo(d64, hn::Load(d32, narrow.data() + j)), d64, out.data() + i + j);
      }
    } else {
      std::copy_n(narrow.begin(), rest, out.data() + i);
    }
    if (HWY_UNLIKELY(!hn::AllFalse(df, unsettled))) {
      found += note(unsettled, i, HWY_MIN(rest, lanes), open + found);
    }
  }
  return found;
}

// HWY_EXPORT takes the name of a function, not a template.
std::size_t one_sided(const BulkBounds& bounds, const std::uint32_t* bits,
                      std::span<std::int64_t> out, std::uint32_t* open) {
  return samples_of<false>(bounds, bits, out, open);
}
std::size_t two_sided(const BulkBounds& bounds, const std::uint32_t* bits,
                      std::span<std::int64_t> out, std::uint32_t* open) {
  return samples_of<true>(bounds, bits, out, open);
}

}  // namespace
}  // namespace freegap::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace freegap::detail {
namespace {
HWY_EXPORT(logarithms);
HWY_EXPORT(one_sided);
HWY_EXPORT(two_sided);
}  // namespace

// Between a constant, rounded to single precision, and a bound there are at most four roundings of
// 2^-24 each. Five make up for them, with one to spare: so what vectors settle, doubles settle too,
// and seeded noise is the same on every machine (docs/proofs/samplers.md, "The bounds" and "The
// same on every machine").
namespace {
constexpr double rounding = 5 * 0x1p-24;
constexpr double error = BulkLogarithm::error_factor + rounding;
}  // namespace

BulkBounds::BulkBounds(const Rate& rate, double widening)
    : lower_factor(static_cast<float>((1 - error) / rate.upper())),
      upper_factor(static_cast<float>((1 + error) / rate.lower())),
      width_factor(static_cast<float>((1 + rounding) / rate.lower())),
      shift(static_cast<float>(BulkLogarithm::error_shift * (1 + rounding) / rate.lower() +
                               widening)) {}

void bulk_logarithms(std::span<const std::uint32_t> v, std::span<BulkLogarithm> out) {
  HWY_DYNAMIC_DISPATCH(logarithms)(v, out);
}

std::size_t bulk_draw(const BulkBounds& bounds, bool two_sided, const std::uint32_t* bits,
                      std::span<std::int64_t> out, std::uint32_t* open) {
  return two_sided ? HWY_DYNAMIC_DISPATCH(two_sided)(bounds, bits, out, open)
                   : HWY_DYNAMIC_DISPATCH(one_sided)(bounds, bits, out, open);
}

}  // namespace freegap::detail

#endif
