import { useQuery } from '@tanstack/preact-query'
import { type ListDeliveriesInput, listDeliveries, readDelivery, redeliver, type WebhookDelivery } from '@tideport/sdk'
import { client } from '../../api/client.ts'
import { useChange } from '../../api/use-change.ts'
import { usePages } from '../../api/use-pages.ts'
import { changes } from './webhook-queries.ts'

/** What is on its way is looked at this often. */
const pendingMs = 3_000

/** Nothing came of it yet, but will. */
export const isPending = ({ success, nextAttemptAt }: Pick<WebhookDelivery, 'success' | 'nextAttemptAt'>): boolean =>
  !success && nextAttemptAt !== null

/** Those that a filter lets through, newest first. */
export function useDeliveries(filter: Pick<ListDeliveriesInput, 'webhookId' | 'event' | 'success'>) {
  return usePages(
    [...changes, filter.webhookId, 'deliveries', filter],
    async ({ cursor, signal }) => {
      const { deliveries, nextCursor } = await listDeliveries(client(), { ...filter, cursor }, { signal }).page()
      return { items: deliveries, nextCursor }
    },
    { everyMs: (deliveries) => (deliveries.some(isPending) ? pendingMs : false) },
  )
}

type Which = { webhookId: string; deliveryId: string }

export const useDelivery = (which: Which) =>
  useQuery({
    queryKey: [...changes, which.webhookId, 'deliveries', which.deliveryId],
    queryFn: ({ signal }) => readDelivery(client(), which, { signal }),
    refetchInterval: ({ state: { data } }) => (data !== undefined && isPending(data) ? pendingMs : false),
  })

export const useRedeliver = () => useChange({ changes, run: (which: Which) => redeliver(client(), which) })
