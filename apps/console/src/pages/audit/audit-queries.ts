import { type ListAccountEventsInput, type ListFileEventsInput, listAccountEvents, listFileEvents } from '@tideport/sdk'
import { client } from '../../api/client.ts'
import { usePages } from '../../api/use-pages.ts'

const changes = ['audit'] as const

/** What was done to keys, logins and webhooks, newest first. */
export const useAccountEvents = (filter: Pick<ListAccountEventsInput, 'kind' | 'after' | 'before'>) =>
  usePages([...changes, 'account', filter], async ({ cursor, signal }) => {
    const { events, nextCursor } = await listAccountEvents(client(), { ...filter, cursor }, { signal }).page()
    return { items: events, nextCursor }
  })

/** What was done to files and vaults, newest first. */
export const useFileEvents = (filter: Pick<ListFileEventsInput, 'kind' | 'after' | 'before' | 'keyId' | 'subjectId'>) =>
  usePages([...changes, 'files', filter], async ({ cursor, signal }) => {
    const { events, nextCursor } = await listFileEvents(client(), { ...filter, cursor }, { signal }).page()
    return { items: events, nextCursor }
  })
