import type { NamedCopy } from '../state/file-copies.ts'

export interface ReadCosts {
  /** Per GB, in the currency that all networks share. */
  readPriceGb: number
  /** A read needs a restore, which takes hours and costs money, so it is never the second attempt. */
  isArchive: boolean
}

/** How quickly networks have recently responded to this process. */
export interface ReadSpeeds {
  /** Proved copies first: by price, speed, and preference, then slow networks, then archives. Others stay in order. */
  order(copies: readonly NamedCopy[]): NamedCopy[]
  /** How long to wait for the first attempt before a second one. */
  patienceMs(network: string): number
  /** Allows one read in ten in the long run. */
  mayHedge(network: string): boolean
  /** Also called for attempts that failed or were abandoned. */
  note(network: string, tookMs: number): void
}

const SAMPLES = 64
const SAMPLES_TO_KNOW = 8
/** Older samples are ignored, so a slow network gets another chance. */
const LIFE_MS = 120_000
const SLOW_MS = 250
const SLOW_FACTOR = 4
/** Smaller differences do not count. */
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
