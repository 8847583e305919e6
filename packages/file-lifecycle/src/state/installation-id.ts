import type { Kysely } from 'kysely'
import type { FilesDb } from './tables.ts'

/** Asks which installation the database is, until it has answered once: that never changes. */
export function installationIdOf(db: Kysely<FilesDb>): () => Promise<string> {
  let known: string | undefined
  return async () => {
    known ??= (await db.selectFrom('installation').select('id').executeTakeFirstOrThrow()).id
    return known
  }
}
