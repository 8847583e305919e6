import type { FilesDb } from '@tideport/file-lifecycle/state/tables'
import type { Batching } from '@tideport/service-kit/batching/batching'
import { type Kysely, sql } from 'kysely'
import { isOpen } from './find-link.ts'

export interface DownloadCounter {
  /** Counts a download before it begins. False: the link has no downloads left, or has expired. */
  take(linkId: string): Promise<boolean>
  giveBack(linkId: string): Promise<void>
}

/** Combines concurrent downloads of a link in one statement. The row enforces the limit across all processes. */
export function createDownloadCounter(db: Kysely<FilesDb>, batching: Batching): DownloadCounter {
  const ask = batching.batch<string, boolean>(
    async (linkIds) => {
      const [linkId] = linkIds
      if (await add(db, linkId, linkIds.length)) return linkIds.map(() => true)
      if (linkIds.length === 1) return [false]
      const each: boolean[] = []
      for (const _ of linkIds) each.push(each.at(-1) !== false && (await add(db, linkId, 1)))
      return each
    },
    { pauses: false },
  )
  return {
    take: (linkId) => ask(linkId, linkId),
    async giveBack(linkId) {
      await sql`update link set downloads = downloads - 1 where id = ${linkId} and downloads > 0`.execute(db)
    },
  }
}

async function add(db: Kysely<FilesDb>, linkId: string, downloads: number): Promise<boolean> {
  const { rows } = await sql`
    update link set downloads = downloads + ${downloads}::bigint, last_used_at = now()
    where id = ${linkId} and ${isOpen} and (max_downloads is null or downloads + ${downloads}::bigint <= max_downloads)
    returning id`.execute(db)
  return rows.length > 0
}
