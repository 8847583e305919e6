import { useQuery } from '@tanstack/preact-query'
import { ApiError, readOperatorOverview } from '@tideport/sdk'
import { client } from '../api/client.ts'
import { isOutage } from '../api/is-outage.ts'
import { session } from '../session/session.ts'

/** How often the figures are read while somebody looks at them; they are taken every fifteen seconds at most. */
const watchMs = 10_000
const retriesMax = 5
/** How often somebody is asked about again of whom it is not known yet whether they are an operator. */
const askAgainMs = 30_000

/** How the installation is. To whoever is no operator of it this is a path that is none. */
export const useOverview = ({ isWatched }: { isWatched: boolean }) =>
  useQuery({
    queryKey: ['operator', 'overview'],
    queryFn: ({ signal }) => readOperatorOverview(client(), {}, { signal }),
    // Otherwise an operator whose first question met an outage would find no way to these pages.
    retry: (count, error) => count < retriesMax && isOutage(error),
    // No key is ever an operator's.
    enabled: session.value?.kind !== 'key',
    refetchInterval: ({ state: { data, error } }) => {
      if (isWatched) return watchMs
      return data === undefined && error !== null && !isNoOperator(error) ? askAgainMs : false
    },
    ...(isWatched ? {} : { staleTime: Number.POSITIVE_INFINITY, refetchOnWindowFocus: false }),
  })

/** Whether whoever is signed in operates the installation; false until it is known. */
export function useIsOperator(): boolean {
  const { data, error } = useOverview({ isWatched: false })
  return data !== undefined && !isNoOperator(error)
}

export const isNoOperator = (error: unknown): boolean => error instanceof ApiError && error.status === 404
