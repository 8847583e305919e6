import { effect } from '@preact/signals'
import { accountQuery } from '../api/operator-access.ts'
import { queryClient } from '../api/query-client.ts'
import { session } from '../session/session.ts'

let owner: string | null = null

/** The account id; null while unknown. Other tabs may have other accounts. */
export const ownerNow = (): string | null => owner

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
