import type { Client } from '../client/create-client.ts'
import { pause } from '../client/pause.ts'
import { listFiles } from '../generated/calls.ts'
import type { FileRecord } from '../generated/shapes.ts'
import type { Source, Stream } from './source.ts'
import type { UploadOptions } from './upload-options.ts'

/** One file, with options that override those of the batch. */
export interface UploadItem extends Partial<Omit<UploadOptions, 'signal' | 'onToken' | 'resume' | 'idempotencyKey'>> {
  /** ID of the item in the journal and the results, for example its path. */
  key: string
  /** The bytes, or a function that opens them when the upload starts. A disposable result is closed afterwards. */
  source: ItemSource | (() => ItemSource | Promise<ItemSource>)
}

export type ItemSource = Blob | Uint8Array | ArrayBuffer | Source | Stream

/** State of an item: its unfinished upload, or its file. */
export interface JournalEntry {
  idempotencyKey?: string
  token?: string
  fileId?: string
}

/** State of a batch, so that a killed run can resume. `openJournal` stores one in a file. */
export interface Journal {
  read(key: string): JournalEntry | undefined | Promise<JournalEntry | undefined>
  /** Must be durable when it resolves. */
  write(key: string, entry: JournalEntry): void | Promise<void>
}

/** Longest time that a group waits for further items. */
const PATIENCE_MS = 50
/** Maximum clock difference between machines of a service. */
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

/**
 * Items with their journal entries and with the records of files that an earlier run finished, read 100 per request.
 */
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

/** Lists the files created in the period that the IDs encode. Files that the list lacks are requested by ID. */
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
    // For example, a key that may not list files.
    signal.throwIfAborted()
  }
}
