import type { FilesDb } from '@tideport/file-lifecycle/state/tables'
import type { Kysely } from 'kysely'

export interface NewObject {
  name: string
  mimeType: string
  /** Known before the first byte is there. */
  sizeBytes: number
}

/** Something that an export has written, but that counts only with `keep`. */
export interface Written {
  /** In the transaction that writes how far the export is. */
  keep(trx: Kysely<FilesDb>): Promise<void>
  /** The transaction failed: takes it away again, as far as that goes. */
  drop(): Promise<void>
}

/** Where the files of an export go. */
export interface ExportTarget extends Disposable {
  /** Before each batch: takes away what nobody finished, and throws `JobEnd` when nothing can be written. */
  prepare(signal: AbortSignal): Promise<void>
  /** What `body` throws passes unchanged; nothing is left then but what `Written` or the job's next turn takes away. */
  write(object: NewObject, body: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<Written>
}
