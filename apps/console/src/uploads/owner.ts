import { effect } from '@preact/signals'
import { accountQuery } from '../api/operator-access.ts'
import { queryClient } from '../api/query-client.ts'
import { session } from '../session/session.ts'

let owner: string | null = null

/** The account that is signed in; null while that is not known. What is kept for uploads bears it, as other tabs may be of others. */
export const ownerNow = (): string | null => owner

/** Whose account it is is asked once for each session. */
effect(() => {
  owner = null
  const whose = session.value
  if (whose === null) return
  queryClient.fetchQuery(accountQuery).then(
    ({ id }) => {
      if (session.peek() === whose) owner = id
    },
    () => {},
  )
})
