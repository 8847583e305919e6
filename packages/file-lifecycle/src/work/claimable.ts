import type { CopyRow, FileRow } from '../state/tables.ts'

/** A table whose rows steps and periodic tasks claim. */
export interface Claimable<Row> {
  table: 'file' | 'copy'
  key: readonly string[]
  /** The column that counts failures of a periodic task. */
  failures: keyof Row & string
}

export const fileRows: Claimable<FileRow> = { table: 'file', key: ['id'], failures: 'taskFailures' }
export const copyRows: Claimable<CopyRow> = { table: 'copy', key: ['file_id', 'network'], failures: 'attempt' }
