import type { Client } from '../client/create-client.ts'
import { pause } from '../client/pause.ts'
import { listFiles } from '../generated/calls.ts'
import type { FileRecord } from '../generated/shapes.ts'
import type { Journal, JournalEntry, UploadItem } from './upload-many.ts'

/** Items that come later than that are not waited for. */
const PATIENCE_MS = 50
/** How far the clocks of a service's machines may be apart. */
const SKEW_MS = 2000

/** An item, and what the journal and the service know of it. */
export interface Pending {
  item: UploadItem
  entry?: JournalEntry | undefined
  record?: FileRecord | undefined
}

interface Looking {
  journal: Journal | undefined
  vaultId: string
  signal: AbortSignal
}

/** Items with their journal entries, and with the records of those that a run before finished: listed, 100 in a request. */
export async function* withEntries(
  client: Client,
  items: Iterable<UploadItem> | AsyncIterable<UploadItem>,
  looking: Looking,
): AsyncGenerator<Pending> {
  const source = (async function* () {
    yield* items
  })()
  let finished: Pending[] = []
  let coming: Promise<IteratorResult<UploadItem>> | null = null
  for (;;) {
    coming ??= source.next()
    const next = await Promise.race(finished[0] ? [coming, pause(PATIENCE_MS, looking.signal)] : [coming])
    if (!next || next.done) {
      await addRecords(client, finished, looking)
      yield* finished
      if (next) return
      finished = []
      continue
    }
    coming = null
    const pending = { item: next.value, entry: await looking.journal?.read(next.value.key) }
    if (pending.entry?.fileId === undefined) yield pending
    else finished.push(pending)
  }
}

/** Lists the files that were created when those were, whose ids tell the time. One that is not found is asked for by its id. */
async function addRecords(client: Client, finished: Pending[], { vaultId, signal }: Looking) {
  const byId = new Map(finished.map((one) => [one.entry?.fileId as string, one]))
  if (byId.size < 2) return
  const ids = [...byId.keys()].toSorted()
  const first = Number.parseInt((ids[0] as string).slice(0, 13).replace('-', ''), 16)
  try {
    const createdAfter = new Date(first - SKEW_MS).toISOString()
    for await (const file of listFiles(client, { vaultId, createdAfter, order: 'asc', limit: 100 }, { signal })) {
      const one = byId.get(file.id)
      if (one) one.record = file
      if ((byId.delete(file.id) && byId.size === 0) || file.id > (ids.at(-1) as string)) return
    }
  } catch {
    // A key that may not list, for example.
    signal.throwIfAborted()
  }
}
