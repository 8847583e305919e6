import { type Kysely, sql } from 'kysely'
import type { FilesDb } from '../state/tables.ts'

/**
 * Copies that did not show, or had other bytes, are looked at now: what is lost must not be read from, nor relied on,
 * and what can be mended is read again soon.
 */
export async function checkSoon(db: Kysely<FilesDb>, fileId: string, networks: readonly string[]): Promise<void> {
  await sql`
    update copy set due_at = now()
    where file_id = ${fileId} and network = any(${networks}::text[]) and state in ('stored', 'proved') and due_at > now()`.execute(
    db,
  )
}
