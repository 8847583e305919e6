import { askedRows } from '@tideport/file-lifecycle/state/queries'
import type { FilesDb } from '@tideport/file-lifecycle/state/tables'
import { type Kysely, sql } from 'kysely'

const BATCH = 100

/**
 * Saves checksums of files that were read in full, so that later archives need not read the files for their checksums.
 */
export interface Checksums {
  note(fileId: string, crc: number): Promise<void>
  end(): Promise<void>
}

/** Skips locked rows; the next archive computes those checksums again. */
export function createChecksums(db: Kysely<FilesDb>): Checksums {
  const known = new Map<string, number>()
  async function write(): Promise<void> {
    if (known.size === 0) return
    const asked = askedRows({ asked_id: ['uuid', [...known.keys()]], asked_crc: ['bigint', [...known.values()]] })
    known.clear()
    await sql`
      with asked as materialized (${asked}), held as materialized (
        select id, asked_crc from asked join file on file.id = asked_id where crc32 is null
        order by id for no key update of file skip locked
      )
      update file set crc32 = asked_crc from held where file.id = held.id`.execute(db)
  }
  return {
    async note(fileId, crc) {
      known.set(fileId, crc)
      if (known.size >= BATCH) await write()
    },
    end: write,
  }
}
