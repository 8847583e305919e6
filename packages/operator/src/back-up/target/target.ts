import type { Readable } from 'node:stream'

export interface Stored {
  name: string
  sizeBytes: number
}

/** A folder or bucket with backups. Names are paths with `/`. */
export interface BackupTarget extends Disposable {
  /** Replaces an existing blob. The blob appears only after its last byte was stored. */
  put(name: string, bytes: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<void>
  /** Null: no such blob. */
  open(name: string, signal: AbortSignal): Promise<Readable | null>
  /** Names with this prefix, which ends in `/` or is empty, in ascending order. */
  list(prefix: string): AsyncIterable<Stored>
  /** Succeeds for a missing blob. */
  remove(name: string): Promise<void>
  /** Makes all names survive a power failure. */
  flush(): Promise<void>
  /** Deletes what killed processes left. Only for the only writer. */
  removeUnfinished(): Promise<void>
}
