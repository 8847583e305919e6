import type { ApiClient } from './api-client.ts'
import type { Status } from './resources.ts'

export type TimelineEntry = { id: string; type: string; at: string; status: Status | null; details: object }

/** All entries of a file's timeline, read in pages of three, oldest first. */
export async function readTimeline(client: ApiClient, fileId: string): Promise<TimelineEntry[]> {
  const entries: TimelineEntry[] = []
  for (let cursor = ''; ; ) {
    const path = `/api/files/${fileId}/timeline?limit=3${cursor && `&cursor=${encodeURIComponent(cursor)}`}`
    const { body } = await client.get<{ timeline: TimelineEntry[]; nextCursor: string | null }>(path)
    entries.push(...body.timeline)
    if (body.nextCursor === null) return entries
    cursor = body.nextCursor
  }
}
