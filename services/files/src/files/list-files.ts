import { listFiles } from '@tideport/contracts/public/files'
import { orderOf } from '@tideport/contracts/public/paths'
import type { FileRow } from '@tideport/file-lifecycle/state/tables'
import { type ShowDeps, showFiles, toFile } from '@tideport/file-lifecycle/views/file-views'
import { serve } from '@tideport/service-kit/http/route'
import { sql } from 'kysely'
import { sightOf } from '../calls/enforce-key-limits.ts'
import type { SlowCalls } from '../calls/slow-calls.ts'
import { foldersSeen, isServed, liveFiles, seenBelow, trashedFiles } from '../lists/file-lists.ts'
import { readFiles } from '../lists/read-files.ts'
import { readFolders } from '../lists/read-folders.ts'
import { isNamed } from '../lists/search.ts'
import { liveVaultOf } from '../lookups/authorized-vault.ts'
import type { TrashedRow } from '../lookups/find-file.ts'
import { pairsIn } from './file-fields.ts'
import { toTrashedFile } from './trash-views.ts'

interface Deps extends ShowDeps {
  slowCalls: SlowCalls
}

export function listFilesRoute({ slowCalls, ...shown }: Deps) {
  const { db } = shown
  return serve(listFiles, async ({ principal, query, charge, request }) => {
    const { accountId } = principal
    const { cursor, limit, sortBy: _, order: __, delimiter, trashed = false, q, ...given } = query
    const pairs = pairsIn(request?.query)
    const filters = {
      ...given,
      status: given.status && [...new Set(given.status)].toSorted(),
      ...(Object.keys(pairs).length > 0 && { meta: pairs }),
    }
    const page = { cursor, limit, ...orderOf(query) }
    const listed = { reader: accountId, list: 'files', ...filters, q, trashed }
    const shared = { page, named: listed, charge }
    const asked = { sight: sightOf(principal), filters: { ...filters, sortBy: page.sortBy } }
    const read = async () => {
      if (trashed) {
        const list = await trashedFiles(db, asked)
        const { rows, nextCursor } = await readFiles<TrashedRow>(db, { ...shared, q, list })
        return { files: await showFiles(shown, rows, toTrashedFile), nextCursor }
      }
      const list = await liveFiles(db, asked)
      if (delimiter !== undefined) {
        const isWanted = q === undefined ? list.isWanted : sql`${list.isWanted} and ${isNamed(q)}`
        const { vaultId = '', prefix } = filters
        const below = seenBelow(asked.sight, filters) ?? undefined
        const vault = liveVaultOf(asked.sight, vaultId)
        const isKeptSeen = foldersSeen(asked, q)
        const { rows, ...others } = await readFolders(db, { ...shared, vault, prefix, below, isWanted, isKeptSeen })
        return { files: await showFiles(shown, rows, toFile), ...others }
      }
      const { rows, nextCursor } = await readFiles<FileRow>(db, { ...shared, q, list })
      return { files: await showFiles(shown, rows, toFile), nextCursor }
    }
    const isQuick = q === undefined && !trashed && isServed(asked)
    return await (isQuick ? read() : slowCalls.run(accountId, read))
  })
}
