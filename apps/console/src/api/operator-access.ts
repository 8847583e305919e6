import { queryOptions, useQuery } from '@tanstack/preact-query'
import { ApiError, readAccount, readOperatorOverview } from '@tideport/sdk'
import { session } from '../session/session.ts'
import { client } from './client.ts'
import { isOutage } from './is-outage.ts'
import { queryClient } from './query-client.ts'

const watchMs = 10_000
const askAgainMs = 30_000

export const useOverview = ({ isWatched }: { isWatched: boolean }) =>
  useQuery({
    queryKey: ['operator', 'overview'],
    queryFn: ({ signal }) => readOperatorOverview(client(), {}, { signal }).catch(forgetIfRefused),
    ...(isWatched
      ? { refetchInterval: watchMs }
      : { staleTime: Number.POSITIVE_INFINITY, refetchOnWindowFocus: false }),
  })

export const useAccess = () =>
  useQuery({
    ...accountQuery,
    // Of API keys, only a session of the owner is an operator.
    enabled: session.value?.kind !== 'key' || session.value.sessionId !== undefined,
    refetchInterval: ({ state: { data, error } }) => (data === undefined && error !== null ? askAgainMs : false),
  })

/** A 404 means that the user is no longer an operator. */
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

/** The signed-in account, requested once per session. */
export const accountQuery = queryOptions({
  queryKey: ['account'],
  queryFn: ({ signal }) => readAccount(client(), {}, { signal }),
  retry: (count, error) => count < retriesMax && isOutage(error),
  staleTime: Number.POSITIVE_INFINITY,
})
