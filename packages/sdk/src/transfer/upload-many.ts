import type { Client } from '../client/create-client.ts'
import { orAbort } from '../client/or-abort.ts'
import {
  IdempotencyKeyReusedError,
  InsufficientScopeError,
  NotFoundError,
  OutsideKeyLimitsError,
} from '../errors/generated/error-classes.ts'
import { SourceChangedError } from '../errors/transfer-errors.ts'
import { confirmUpload, readFile } from '../generated/calls.ts'
import type { FileRecord, WrittenFile } from '../generated/shapes.ts'
import {
  type ItemSource,
  type Journal,
  type JournalEntry,
  type Pending,
  type UploadItem,
  withEntries,
} from './find-finished.ts'
import { inParallel } from './in-parallel.ts'
import type { Source } from './source.ts'
import { upload } from './upload.ts'
import type { UploadOptions } from './upload-options.ts'

export interface UploadManyOptions
  extends Omit<UploadOptions, 'name' | 'sizeBytes' | 'onToken' | 'resume' | 'idempotencyKey'> {
  /** Concurrent files. Default: 3. */
  files?: number | undefined
  journal?: Journal | undefined
  /**
   * Called with each file that an earlier run finished, unless it is in the trash. If false, the item is uploaded
   * again. Not called with a key that may not read files.
   */
  isStill?: ((file: FileRecord, item: UploadItem) => boolean) | undefined
}

export type UploadResult =
  | { key: string; file: WrittenFile; error?: never }
  | { key: string; error: unknown; file?: never }

/**
 * Uploads many files and yields each result. A failed file does not block others. With a journal, files of earlier runs
 * are not uploaded again, and unfinished uploads resume. At most `files` results wait for the consumer. An abort
 * rejects with the signal's reason.
 */
export function uploadMany(
  client: Client,
  items: Iterable<UploadItem> | AsyncIterable<UploadItem>,
  options: UploadManyOptions,
): AsyncGenerator<UploadResult> {
  return uploadManyBy(upload, client, items, options)
}

/** Uploads one item. With a journal, a resumed item has the same `idempotencyKey`. */
export type UploadOne = (client: Client, source: ItemSource, options: UploadOptions) => Promise<WrittenFile>

/** `uploadMany` with your own upload function, for example to encrypt or to handle errors. */
export async function* uploadManyBy(
  uploadOne: UploadOne,
  client: Client,
  items: Iterable<UploadItem> | AsyncIterable<UploadItem>,
  options: UploadManyOptions,
): AsyncGenerator<UploadResult> {
  const { files = 3, journal, isStill = () => true, ...shared } = options
  const left = new AbortController()
  const signal = AbortSignal.any([...(options.signal ? [options.signal] : []), left.signal])
  const results = new TransformStream<UploadResult, UploadResult>(undefined, { highWaterMark: files })
  const writer = results.writable.getWriter()
  const pending = withEntries(client, items, { journal, vaultId: options.vaultId, signal })
  const running = inParallel(pending, files, signal, async (one, either) => {
    const { item } = one
    const result = await uploadItem(uploadOne, client, one, { ...shared, signal: either }, { journal, isStill }).then(
      (file): UploadResult => ({ key: item.key, file }),
      (error: unknown): UploadResult => ({ key: item.key, error }),
    )
    either.throwIfAborted()
    await writer.write(result)
  }).then(
    () => writer.close(),
    (error) => writer.abort(error),
  )
  const reader = results.readable.getReader()
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value
  } finally {
    left.abort(new DOMException('The iteration over the results was stopped', 'AbortError'))
    await reader.cancel().catch(() => {})
    await running.catch(() => {})
  }
}

async function uploadItem(
  uploadOne: UploadOne,
  client: Client,
  { item, entry, record }: Pending,
  shared: Omit<UploadOptions, 'onToken' | 'resume'>,
  { journal, isStill }: { journal: Journal | undefined; isStill: (file: FileRecord, item: UploadItem) => boolean },
): Promise<WrittenFile> {
  const { key, source, ...own } = item
  const { signal = new AbortController().signal } = shared
  const finished = record ?? (entry?.fileId === undefined ? null : await readIfThere(client, entry.fileId, signal))
  if (finished && (!isRecord(finished) || isStill(finished, item))) return finished
  const options = { ...shared, ...own }
  const file = await withOpened(source, signal, (opened) =>
    journal
      ? remembered(uploadOne, client, opened, options, entry ?? {}, (now) => journal.write(key, now))
      : uploadOne(client, opened, options),
  )
  await journal?.write(key, { fileId: file.id })
  return file
}

/** Thousands of open files exceed the limits of a system. */
async function withOpened<T>(
  source: UploadItem['source'],
  signal: AbortSignal,
  work: (opened: ItemSource) => Promise<T>,
): Promise<T> {
  if (typeof source !== 'function') return await work(source)
  const opening = Promise.resolve(source())
  try {
    return await work(await orAbort(opening, signal))
  } finally {
    const closed = opening.then(close, () => {})
    // A source that is still opening is closed when it is open.
    if (!signal.aborted) await closed
  }
}

/** Not every browser has the symbol. */
async function close(opened: ItemSource): Promise<void> {
  if (Symbol.asyncDispose) await (opened as Partial<AsyncDisposable> | null)?.[Symbol.asyncDispose]?.()
}

/** Null for a trashed or deleted file, which is uploaded again. */
async function readIfThere(client: Client, fileId: string, signal: AbortSignal): Promise<WrittenFile | null> {
  try {
    const file = await readOrConfirm(client, fileId, signal)
    return file.deletedAt ? null : file
  } catch (error) {
    if (error instanceof NotFoundError) return null
    throw error
  }
}

/** For a key that may not read, a repeated confirm shows whether the file exists. */
async function readOrConfirm(client: Client, fileId: string, signal: AbortSignal): Promise<WrittenFile> {
  try {
    return await readFile(client, { fileId }, { signal })
  } catch (error) {
    if (!(error instanceof OutsideKeyLimitsError || error instanceof InsufficientScopeError)) throw error
    return await confirmUpload(client, { fileId }, { signal })
  }
}

const isRecord = (file: WrittenFile): file is FileRecord => file.updatedAt !== undefined

async function remembered(
  uploadOne: UploadOne,
  client: Client,
  source: ItemSource,
  options: UploadOptions,
  { token, idempotencyKey }: JournalEntry,
  write: (entry: JournalEntry) => void | Promise<void>,
): Promise<WrittenFile> {
  const onToken =
    typeof (source as Source | null)?.slice === 'function' ? (now: string) => write({ token: now }) : undefined
  if (token !== undefined || idempotencyKey !== undefined) {
    try {
      return await uploadOne(client, source, { ...options, onToken, resume: onToken && token, idempotencyKey })
    } catch (error) {
      if (
        !(
          error instanceof NotFoundError ||
          error instanceof SourceChangedError ||
          error instanceof IdempotencyKeyReusedError
        )
      )
        throw error
    }
  }
  const key = crypto.randomUUID()
  await write({ idempotencyKey: key })
  return await uploadOne(client, source, { ...options, onToken, idempotencyKey: key })
}
