import { queryOptions } from '@tanstack/preact-query'
import { readAccount } from '@tideport/sdk'
import { client } from './client.ts'
import { isOutage } from './is-outage.ts'

const retriesMax = 5

/** Who is signed in. One request for a session, unless its reader wants it newer. */
export const accountQuery = queryOptions({
  queryKey: ['account'],
  queryFn: ({ signal }) => readAccount(client(), {}, { signal }),
  retry: (count, error) => count < retriesMax && isOutage(error),
  staleTime: Number.POSITIVE_INFINITY,
})
