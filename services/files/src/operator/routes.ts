import type { Returned } from '@tideport/contracts/endpoint/two-sides'
import { listOperatorEvents } from '@tideport/contracts/public/operator-events'
import { readOperatorOverview } from '@tideport/contracts/public/operator-overview'
import type { Found, ShownStatistics } from '@tideport/repair/statistics/show-statistics'
import { readOperations } from '@tideport/service-kit/http/operator-log'
import { serve } from '@tideport/service-kit/http/route'
import type { RoutesOf } from '@tideport/service-kit/http/routes-of'
import { listDeadLettersRoute, type RedriveDeps, redriveDeadLettersRoute } from './dead-letters.ts'
import { type NetworksDeps, readNetworksRoute } from './read-networks.ts'
import { type ReleaseDeps, readReleaseRoute } from './read-release.ts'
import { runRoutes } from './runs.ts'

export function operatorRoutes(deps: NetworksDeps & RedriveDeps & ReleaseDeps) {
  return {
    readOperatorOverview: readOverviewRoute(deps),
    readOperatorNetworks: readNetworksRoute(deps),
    readOperatorRelease: readReleaseRoute(deps),
    listDeadLetters: listDeadLettersRoute(deps),
    redriveDeadLetters: redriveDeadLettersRoute(deps),
    listOperatorEvents: serve(listOperatorEvents, ({ query }) => readOperations(deps.db, query)),
    ...runRoutes(deps),
  } satisfies Partial<RoutesOf<'files'>>
}

type Overview = Returned<typeof readOperatorOverview>

function readOverviewRoute({ statistics }: { statistics: Pick<ShownStatistics, 'find'> }) {
  return serve(readOperatorOverview, async () => toOverview(await statistics.find()))
}

function toOverview({ figures, takenAt }: Found): Overview {
  const { files, oldestSeconds, dueSeconds, copiesLeft, copiesLost, eventsUnpublished } = figures
  const jobs = figures.jobs && Object.values(figures.jobs)
  const { uploading = 0, hot = 0, synced = 0, error = 0 } = oldestSeconds ?? {}
  const networks = [...new Set([...Object.keys(copiesLost ?? {}), ...Object.keys(copiesLeft ?? {})])]
  return {
    takenAt: takenAt?.toISOString() ?? null,
    files: files ?? null,
    oldestSeconds: oldestSeconds ? { uploading, hot, synced, error } : null,
    hotBytes: figures.hotBytes ?? null,
    due: dueSeconds ? Object.entries(dueSeconds).map(([queue, seconds]) => ({ queue, oldestSeconds: seconds })) : null,
    unfinishedClaimsMax: figures.unfinishedClaimsMax ?? null,
    copies:
      copiesLeft || copiesLost
        ? networks.map((network) => ({
            network,
            left: copiesLeft?.[network] ?? null,
            lost: copiesLost?.[network] ?? null,
          }))
        : null,
    deadLetters: {
      files: files?.error ?? null,
      copies: figures.copiesFailed ?? null,
      events: figures.eventsFailed ?? null,
    },
    events:
      eventsUnpublished === undefined
        ? null
        : {
            unpublished: eventsUnpublished,
            oldestSeconds: figures.eventsUnpublishedOldestSeconds ?? 0,
            resendLeftSeconds: figures.eventResendLeftSeconds ?? 0,
          },
    jobs: jobs
      ? {
          open: jobs.reduce((sum, { open }) => sum + open, 0),
          oldestSeconds: Math.max(0, ...jobs.map(({ dueSeconds }) => dueSeconds)),
        }
      : null,
    violations: figures.violations ?? null,
  }
}
