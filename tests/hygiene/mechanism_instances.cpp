// Every mechanism that is a template, instantiated, for checks that look at types.
#include "freegap/freegap.hpp"

namespace freegap {

template class RandomOrder<SecureNoise>;
template class Ranking<RandomOrder<SecureNoise>>;
template class SkipSampler<SecureNoise>;
template class TopMHeap<RandomOrder<SecureNoise>>;
template class SkipScan<SecureNoise, TopMHeap<RandomOrder<SecureNoise>>>;
template class AboveScan<SecureNoise>;
template class SparseVectorState<SecureNoise>;
template class SparseVector<SecureNoise>;
template class Shuffle<SecureNoise>;

template std::vector<NoisyCandidate> constant_work_top_m(std::span<const std::int64_t>, const Grid&,
                                                         std::size_t, const TickNoise&,
                                                         SecureNoise&, RandomOrder<SecureNoise>&);
template std::vector<NoisyCandidate> constant_work_top_m(std::span<const double>, const Grid&,
                                                         std::size_t, const TickNoise&,
                                                         SecureNoise&, RandomOrder<SecureNoise>&);
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
