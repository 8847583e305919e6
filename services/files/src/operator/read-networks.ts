import { readOperatorNetworks } from '@tideport/contracts/public/operator-overview'
import type { Networks } from '@tideport/file-lifecycle/copies/networks'
import { readOpenCircuits } from '@tideport/file-lifecycle/process/open-context'
import type { FilesDb } from '@tideport/file-lifecycle/state/tables'
import type { HotTier } from '@tideport/hot-tier/hot-tier'
import type { ShownStatistics } from '@tideport/repair/statistics/show-statistics'
import { serve } from '@tideport/service-kit/http/route'
import { cachedFor } from '@tideport/service-kit/process/cached-for'
import type { Kysely } from 'kysely'
import { type AskedNetwork, createAskNetworks } from './ask-networks.ts'

const CACHED_MS = 2000

export interface NetworksDeps {
  db: Kysely<FilesDb>
  networks: Networks
  hotTier: Pick<HotTier, 'health'>
  statistics: Pick<ShownStatistics, 'find'>
  signal: AbortSignal
}

/** `GET /api/operator/networks`, those that are not configured but have copies last. */
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

/** There are copies on it, and nobody here can ask it. */
function unknownNetwork(name: string) {
  const nothing = { driver: null, role: null, works: null, fault: null } as const
  const space = { freeBytes: null, totalBytes: null, reserveBytes: null }
  return { name, ...nothing, ...space } satisfies { [Key in keyof AskedNetwork]: AskedNetwork[Key] | null }
}
