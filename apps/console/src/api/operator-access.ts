import { queryOptions, useQuery } from '@tanstack/preact-query'
import { ApiError, readAccount, readOperatorOverview } from '@tideport/sdk'
import { session } from '../session/session.ts'
import { client } from './client.ts'
import { isOutage } from './is-outage.ts'
import { queryClient } from './query-client.ts'

/** How often the figures are read while somebody looks at them; they are taken every fifteen seconds at most. */
const watchMs = 10_000
/** How often the service is asked again who is signed in, while that is unknown. */
const askAgainMs = 30_000

/** The state of the installation. For operators alone: the service has no such path for others. */
export const useOverview = ({ isWatched }: { isWatched: boolean }) =>
  useQuery({
    queryKey: ['operator', 'overview'],
    queryFn: ({ signal }) => readOperatorOverview(client(), {}, { signal }).catch(forgetIfRefused),
    ...(isWatched
      ? { refetchInterval: watchMs }
      : { staleTime: Number.POSITIVE_INFINITY, refetchOnWindowFocus: false }),
  })

/** The account, whose `isOperator` says whether the user operates the installation. */
export const useAccess = () =>
  useQuery({
    ...accountQuery,
    // No key is ever an operator's.
    enabled: session.value?.kind !== 'key',
    refetchInterval: ({ state: { data, error } }) => (data === undefined && error !== null ? askAgainMs : false),
  })

/** An operator no longer: there are no such pages any more. */
function forgetIfRefused(error: unknown): never {
  if (error instanceof ApiError && error.status === 404) {
    queryClient.setQueryData(accountQuery.queryKey, (account) => {
      const { isOperator: _, ...others } = account ?? {}
      return account && (others as typeof account)
    })
  }
  throw error
}

const retriesMax = 5

/** Who is signed in. One request for a session, unless its reader wants it newer. */
export const accountQuery = queryOptions({
  queryKey: ['account'],
  queryFn: ({ signal }) => readAccount(client(), {}, { signal }),
  retry: (count, error) => count < retriesMax && isOutage(error),
  staleTime: Number.POSITIVE_INFINITY,
})
