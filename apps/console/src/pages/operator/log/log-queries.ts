import { signal } from '@preact/signals'
import { ApiError, listOperatorEvents, listOperatorWebhookEvents } from '@tideport/sdk'
import { client } from '../../../api/client.ts'
import { queryClient } from '../../../api/query-client.ts'
import { usePages } from '../../../api/use-pages.ts'
import { isOver, mergeLogs, type Place } from './merge-logs.ts'

const logs = { files: listOperatorEvents, webhooks: listOperatorWebhookEvents } as const
type Log = keyof typeof logs
const names = Object.keys(logs) as Log[]

interface Missing {
  log: Log
  error: unknown
}

const queryKey = ['operator', 'log'] as const
/** Not refetched: new events of a failed log belong above the shown ones. */
const ended: Place = { rest: [], cursor: null }

/** Logs that could not be read, so their events are missing. */
export const missingLogs = signal<readonly Missing[]>([])

/** The operator events of both services, newest first. A failed service does not hide the events of the other. */
export const useOperatorLog = () =>
  usePages(queryKey, async ({ cursor, signal }) => {
    const readSoFar: readonly Place[] = cursor === undefined ? names.map(() => ({ rest: [] })) : JSON.parse(cursor)
    const missing: Missing[] = []
    const places = await Promise.all(
      readSoFar.map(async (place, index) => {
        const log = names[index] as Log
        try {
          return await readOn(place, log, signal)
        } catch (error) {
          if (signal.aborted || isSignedOut(error)) throw error
          missing.push({ log, error })
          return ended
        }
      }),
    )
    const isNothing = missing.length > 0 && places.every(isOver)
    const missingBefore = cursor === undefined ? [] : missingLogs.value
    // An empty list shows the error itself.
    missingLogs.value = isNothing ? missingBefore : [...missingBefore, ...missing]
    if (isNothing) throw missing[0]?.error
    const { items, rest } = mergeLogs(places)
    return { items, nextCursor: rest.every(isOver) ? null : JSON.stringify(rest) }
  })

export const readLogsAnew = () => queryClient.resetQueries({ queryKey })

async function readOn(place: Place, log: Log, signal: AbortSignal): Promise<Place> {
  if (place.rest.length > 0 || place.cursor === null) return place
  const { events, nextCursor } = await logs[log](client(), { cursor: place.cursor }, { signal }).page()
  return { rest: events, cursor: nextCursor }
}

const isSignedOut = (error: unknown): boolean => error instanceof ApiError && error.status === 401
