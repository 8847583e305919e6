import type { FilesDb } from '@tideport/file-lifecycle/state/tables'
import type { Kysely } from 'kysely'

export interface NewObject {
  name: string
  mimeType: string
  /** Known before the first byte is read. */
  sizeBytes: number
}

/** An object that counts only after `keep`. */
export interface Written {
  /** Runs in the transaction that writes the progress. */
  keep(trx: Kysely<FilesDb>): Promise<void>
  /** Removes the object after a failed transaction. Best effort. */
  drop(): Promise<void>
}

export interface ExportTarget extends Disposable {
  /** Runs before each batch: removes unfinished objects. Throws `JobEnd` when the target cannot be written to. */
  prepare(signal: AbortSignal): Promise<void>
  /** Passes errors of `body` unchanged. Remains of a failed write are removed by `drop` or by the next turn. */
  write(object: NewObject, body: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<Written>
}
