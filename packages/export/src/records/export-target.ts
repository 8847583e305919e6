import type { FilesDb } from '@tideport/file-lifecycle/state/tables'
import type { Kysely } from 'kysely'

export interface NewObject {
  name: string
  mimeType: string
  /** Known before the first byte. */
  sizeBytes: number
}

/** An object that counts only after `keep`. */
export interface Written {
  /** In the transaction that writes the progress. */
  keep(trx: Kysely<FilesDb>): Promise<void>
  /** Best effort, after a failed transaction. */
  drop(): Promise<void>
}

export interface ExportTarget extends Disposable {
  /** Before each batch: removes unfinished objects. Throws `JobEnd` when nothing can be written. */
  prepare(signal: AbortSignal): Promise<void>
  /** Errors of `body` pass unchanged and leave only what `drop` or the next turn removes. */
  write(object: NewObject, body: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<Written>
}
