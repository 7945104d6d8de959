// Every mechanism that is a template, instantiated, for checks that look at types.
#include "freegap/freegap.hpp"

namespace freegap {

template class detail::RandomOrder<SecureNoise>;
template class detail::Ranking<detail::RandomOrder<SecureNoise>>;
template class detail::SkipSampler<SecureNoise>;
template class detail::TopMHeap<detail::RandomOrder<SecureNoise>>;
template class detail::SkipScan<SecureNoise, detail::TopMHeap<detail::RandomOrder<SecureNoise>>>;
template class detail::AboveScan<SecureNoise>;
template class detail::SparseVectorState<SecureNoise>;
template class detail::ConstantWorkBranches<SecureNoise>;
template class SparseVector<SecureNoise>;
template class detail::Shuffle<SecureNoise>;

template std::vector<detail::NoisyCandidate> detail::constant_work_top_m(
    std::span<const std::int64_t>, const Grid&, std::size_t, const detail::TickNoise&, SecureNoise&,
    detail::RandomOrder<SecureNoise>&);
template std::vector<detail::NoisyCandidate> detail::constant_work_top_m(
    std::span<const double>, const Grid&, std::size_t, const detail::TickNoise&, SecureNoise&,
    detail::RandomOrder<SecureNoise>&);
template std::vector<detail::NoisyCandidate> detail::constant_work_top_m(
    const Candidates&, const Grid&, std::size_t, const detail::TickNoise&, SecureNoise&,
    detail::RandomOrder<SecureNoise>&);
template TopKRelease top_k(const Candidates&, const TopKOptions&, SecureNoise&);
template HybridRelease top_k_above(const Candidates&, const HybridOptions&, SecureNoise&);
template SparseVectorRelease sparse_vector(const Candidates&, const SparseVectorOptions&,
                                           SecureNoise&);
template SparseVectorRelease sparse_vector_above(const Candidates&, const SparseVectorOptions&,
                                                 SecureNoise&);
template MeasureRelease measure(const Candidates&, std::span<const Item>, const MeasureOptions&,
                                SecureNoise&);
template ExponentialRelease exponential(const Candidates&, const ExponentialOptions&, SecureNoise&);
template ExponentialRelease exponential_around(const Candidates&, const ExponentialOptions&,
                                               Item (&)(), SecureNoise&);

}  // namespace freegap
