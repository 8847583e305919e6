import { setTimeout as pause } from 'node:timers/promises'
import { readOperatorNetworks } from '@tideport/contracts/public/operator-overview'
import type { Networks } from '@tideport/file-lifecycle/copies/networks'
import { readOpenCircuits } from '@tideport/file-lifecycle/process/open-context'
import type { FilesDb } from '@tideport/file-lifecycle/state/tables'
import type { HotTier } from '@tideport/hot-tier/hot-tier'
import type { ShownStatistics } from '@tideport/repair/statistics/show-statistics'
import { serve } from '@tideport/service-kit/http/route'
import { cachedFor } from '@tideport/service-kit/process/cached-for'
import { NetworkError } from '@tideport/storage-network/errors'
import type { StorageNetwork } from '@tideport/storage-network/storage-network'
import type { Kysely } from 'kysely'

const CACHED_MS = 2000

export interface NetworksDeps {
  db: Kysely<FilesDb>
  networks: Networks
  hotTier: Pick<HotTier, 'health'>
  statistics: Pick<ShownStatistics, 'find'>
  signal: AbortSignal
}

/** `GET /api/operator/networks`. Networks that have copies but are not configured come last. */
export function readNetworksRoute({ db, networks, hotTier, statistics, signal }: NetworksDeps) {
  const askNetworks = createAskNetworks(networks, signal)
  const askHotTier = cachedFor(CACHED_MS, () =>
    hotTier.health().then(
      () => true,
      () => false,
    ),
  )
  return serve(readOperatorNetworks, async () => {
    const [asked, works, circuits, { figures }] = await Promise.all([
      askNetworks(),
      askHotTier(),
      readOpenCircuits(db),
      statistics.find(),
    ])
    const { copiesLeft = {}, copiesLost = {} } = figures
    const others = Object.keys(copiesLeft).filter((name) => !networks.order.includes(name))
    const all = [...asked, ...others.map(unknownNetwork)]
    return {
      networks: all.map((network) => ({
        ...network,
        copiesLeft: copiesLeft[network.name] ?? null,
        copiesLost: copiesLost[network.name] ?? null,
      })),
      hotTier: { works },
      openCircuits: circuits.map(({ openedAt, ...circuit }) => ({ ...circuit, openedAt: openedAt.toISOString() })),
    }
  })
}

/** A network that has copies but is not configured, so it cannot be queried. */
function unknownNetwork(name: string) {
  const nothing = { driver: null, role: null, works: null, fault: null } as const
  const space = { freeBytes: null, totalBytes: null, reserveBytes: null }
  return { name, ...nothing, ...space } satisfies { [Key in keyof AskedNetwork]: AskedNetwork[Key] | null }
}

/** A network that does not respond within this time is unhealthy. */
const DEADLINE_MS = 10_000
/** A later response appears in the next request. */
const WAIT_MS = 300
/** Shortest interval between two checks of a network. */
const ASKED_MS = 2000
/** Older results are not shown. */
const FRESH_MS = 30_000

interface Answer {
  /** Null: the network has not responded yet. */
  works: boolean | null
  fault: string | null
  freeBytes: number | null
  totalBytes: number | null
  reserveBytes: number | null
}

interface AskedNetwork extends Answer {
  name: string
  driver: string
  role: 'required' | 'leaving'
}

const nothing: Answer = { works: null, fault: null, freeBytes: null, totalBytes: null, reserveBytes: null }

/** A slow network does not delay the response; its last state is shown until it responds. */
export function createAskNetworks(
  { order, get, required }: Networks,
  signal: AbortSignal,
): () => Promise<AskedNetwork[]> {
  const watched = order.flatMap((name) => {
    const network = get(name)
    if (network === undefined) return []
    const role: AskedNetwork['role'] = required.includes(name) ? 'required' : 'leaving'
    return [{ named: { name, driver: network.driver, role }, hear: watch(network, signal) }]
  })
  return () => Promise.all(watched.map(async ({ named, hear }) => ({ ...named, ...(await hear()) })))
}

function watch(network: StorageNetwork, signal: AbortSignal): () => Promise<Answer> {
  let asking: Promise<void> | null = null
  let heard = { answer: nothing, at: Number.NEGATIVE_INFINITY }
  return async () => {
    const age = performance.now() - heard.at
    if (age >= ASKED_MS) {
      asking ??= ask(network, signal)
        .then((answer) => {
          heard = { answer, at: performance.now() }
        })
        .finally(() => {
          asking = null
        })
      await Promise.race([asking, pause(WAIT_MS, undefined, { ref: false })])
    }
    return performance.now() - heard.at < FRESH_MS ? heard.answer : nothing
  }
}

async function ask(network: StorageNetwork, signal: AbortSignal): Promise<Answer> {
  const soon = AbortSignal.any([signal, AbortSignal.timeout(DEADLINE_MS)])
  const [answer, space] = await Promise.all([
    network.health(soon).then(
      () => ({ works: true, fault: null }),
      (error: unknown) => ({ works: false, fault: (error instanceof NetworkError && error.fault) || null }),
    ),
    network.space(soon).catch(() => null),
  ])
  const { freeBytes = null, totalBytes = null, reserveBytes = null } = space ?? {}
  return { ...answer, freeBytes, totalBytes, reserveBytes }
}
