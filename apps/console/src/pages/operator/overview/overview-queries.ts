import { useQuery } from '@tanstack/preact-query'
import { listDeadDeliveries, readOperatorNetworks } from '@tideport/sdk'
import { client } from '../../../api/client.ts'

export type NetworksAnswer = Awaited<ReturnType<typeof readOperatorNetworks>>

const watchMs = 10_000
/** Poll interval while a network has not responded yet. */
const soonMs = 1_000

const isWaiting = ({ networks }: NetworksAnswer): boolean =>
  networks.some(({ role, works }) => role !== null && works === null)

export const useNetworks = ({ isWatched }: { isWatched: boolean }) =>
  useQuery({
    queryKey: ['operator', 'networks'],
    queryFn: ({ signal }) => readOperatorNetworks(client(), {}, { signal }),
    refetchInterval: ({ state: { data } }) => isWatched && (data !== undefined && isWaiting(data) ? soonMs : watchMs),
  })

/** At most one page, because the webhooks service returns no count. */
export const useDeadDeliveries = () =>
  useQuery({
    queryKey: ['operator', 'dead letters', 'count of deliveries'],
    async queryFn({ signal }) {
      const { deadLetters, nextCursor } = await listDeadDeliveries(client(), { limit: 100 }, { signal }).page()
      return { count: deadLetters.length, hasMore: nextCursor !== null }
    },
    refetchInterval: watchMs,
  })
