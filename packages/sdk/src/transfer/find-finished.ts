import type { Client } from '../client/create-client.ts'
import { pause } from '../client/pause.ts'
import { listFiles } from '../generated/calls.ts'
import type { FileRecord } from '../generated/shapes.ts'
import type { Source, Stream } from './source.ts'
import type { UploadOptions } from './upload-options.ts'

/** One file of many. Options of its own are laid over those of all. */
export interface UploadItem extends Partial<Omit<UploadOptions, 'signal' | 'onToken' | 'resume' | 'idempotencyKey'>> {
  /** Names the item in the journal and in the results: a path, for example. */
  key: string
  /** The bytes, or what opens them when it is their turn; what was opened so is closed again, if it is disposable. */
  source: ItemSource | (() => ItemSource | Promise<ItemSource>)
}

export type ItemSource = Blob | Uint8Array | ArrayBuffer | Source | Stream

/** What is remembered of an item: how to go on with it, or the file that it has become. */
export interface JournalEntry {
  idempotencyKey?: string
  token?: string
  fileId?: string
}

/** Where uploads of many files are remembered, so that a run which was killed goes on. `./node` keeps one in a file. */
export interface Journal {
  read(key: string): JournalEntry | undefined | Promise<JournalEntry | undefined>
  /** Has to be durable before it resolves. */
  write(key: string, entry: JournalEntry): void | Promise<void>
}

/** Items that come later than that are not waited for. */
const PATIENCE_MS = 50
/** How far the clocks of a service's machines may be apart. */
const SKEW_MS = 2000

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
