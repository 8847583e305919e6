import type { NamedCopy } from '../state/file-copies.ts'

/** What a network is by its configuration, as far as it matters for reads. */
export interface ReadCosts {
  /** Of a GB that is read, in any currency that all networks share; 0 where there is no price. */
  readPriceGb: number
  /** To be read is to be brought back, which takes hours and is billed: nobody asks it just to be quicker. */
  isArchive: boolean
}

/** How quickly networks began to answer this process's reads of late, and what follows from that. */
export interface ReadSpeeds {
  /**
   * Where to read first: proved copies by what their networks cost and how quick they are, then the others as they
   * come. Archives are last among them, before these slow networks; then the cheaper come first, then the quicker, then
   * the preferred.
   */
  order(copies: readonly NamedCopy[]): NamedCopy[]
  /** For how many ms an opening is waited for before another copy is asked as well. */
  patienceMs(network: string): number
  /** Whether a copy there may be asked as well now: of ten reads one, in the long run. */
  mayHedge(network: string): boolean
  /** So long an opening took; also one that was given up, or failed. */
  note(network: string, tookMs: number): void
}

const SAMPLES = 64
const SAMPLES_TO_KNOW = 8
/** Older ones say nothing: what was slow is tried again. */
const LIFE_MS = 120_000
const SLOW_MS = 250
const SLOW_FACTOR = 4
/** Differences below this do not count. */
const QUICK_MS = 25
const PATIENCE_MS = { least: 50, unknown: 1_000, most: 2_000 }
const HEDGED_SHARE = 0.1
const HEDGES_AT_ONCE = 10

interface Known {
  median: number
  p95: number
}

export function createReadSpeeds(
  networks: readonly ({ name: string } & Partial<ReadCosts>)[],
  now: () => number = () => performance.now(),
): ReadSpeeds {
  const costs = new Map(networks.map((network) => [network.name, network]))
  const samples = new Map<string, { at: number; tookMs: number }[]>()
  let hedges = HEDGES_AT_ONCE

  function known(network: string): Known | null {
    const since = now() - LIFE_MS
    const times = (samples.get(network) ?? []).filter(({ at }) => at > since).map(({ tookMs }) => tookMs)
    if (times.length < SAMPLES_TO_KNOW) return null
    times.sort((a, b) => a - b)
    return { median: times[times.length >> 1] ?? 0, p95: times[Math.floor(times.length * 0.95)] ?? 0 }
  }

  return {
    order(copies) {
      const isChosen = ({ state }: NamedCopy) => state === 'proved'
      const chosen = copies.filter(isChosen)
      if (chosen.length < 2) return [...copies]
      const medians = chosen.map(({ network }) => known(network)?.median ?? 0)
      const quickest = Math.min(...medians)
      const rank = (copy: NamedCopy, median: number) => [
        costs.get(copy.network)?.isArchive ? 1 : 0,
        median > SLOW_MS && median > SLOW_FACTOR * quickest ? 1 : 0,
        costs.get(copy.network)?.readPriceGb ?? 0,
        Math.floor(Math.log2(Math.max(median, QUICK_MS) / QUICK_MS)),
      ]
      const ranked = chosen.map((copy, index) => ({ copy, rank: rank(copy, medians[index] ?? 0) }))
      ranked.sort((a, b) => a.rank.map((one, index) => one - (b.rank[index] ?? 0)).find((one) => one !== 0) ?? 0)
      return [...ranked.map(({ copy }) => copy), ...copies.filter((copy) => !isChosen(copy))]
    },

    patienceMs(network) {
      const found = known(network)
      if (found === null) return PATIENCE_MS.unknown
      return Math.min(PATIENCE_MS.most, Math.max(PATIENCE_MS.least, found.p95))
    },

    mayHedge(network) {
      if (hedges < 1 || costs.get(network)?.isArchive) return false
      hedges -= 1
      return true
    },

    note(network, tookMs) {
      hedges = Math.min(HEDGES_AT_ONCE, hedges + HEDGED_SHARE)
      const kept = samples.get(network) ?? []
      samples.set(network, kept)
      kept.push({ at: now(), tookMs })
      if (kept.length > SAMPLES) kept.shift()
    },
  }
}
