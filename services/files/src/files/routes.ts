import { readCopies } from '@tideport/contracts/public/file-actions'
import { readFile } from '@tideport/contracts/public/files'
import type { RetryDeps } from '@tideport/file-lifecycle/copies/retry-file'
import type { Relay } from '@tideport/file-lifecycle/outbox/start-relay'
import { readCopies as readRows } from '@tideport/file-lifecycle/state/file-copies'
import { type ShowDeps, showFile, toCopies, toFile } from '@tideport/file-lifecycle/views/file-views'
import { serve } from '@tideport/service-kit/http/route'
import type { RoutesOf } from '@tideport/service-kit/http/routes-of'
import type { SlowCalls } from '../calls/slow-calls.ts'
import type { FilesConfig } from '../config.ts'
import { getOwnFile } from '../lookups/find-file.ts'
import type { AnnounceDeps } from './announce-work.ts'
import { recordEtag } from './conditions.ts'
import { listFilesRoute } from './list-files.ts'
import { readTimelineRoute } from './read-timeline.ts'
import { rehydrateFileRoute } from './rehydrate-file.ts'
import { retryFileRoute } from './retry-file.ts'
import { updateFileRoute } from './update-file.ts'

interface Deps extends AnnounceDeps, ShowDeps, Pick<RetryDeps, 'hotTier'> {
  slowCalls: SlowCalls
  relay: Pick<Relay, 'wake'>
  config: Pick<FilesConfig, 'settleSeconds' | 'trashRetentionSeconds'>
}

export function fileRoutes(deps: Deps) {
  const { db, networks } = deps
  return {
    listFiles: listFilesRoute(deps),
    readFile: serve(readFile, async ({ principal, params, reply }) => {
      const file = await getOwnFile(db, principal.accountId, params.fileId)
      reply.header('etag', recordEtag(file))
      return await showFile(deps, file, toFile)
    }),
    updateFile: updateFileRoute(deps),
    retryFile: retryFileRoute(deps),
    rehydrateFile: rehydrateFileRoute(deps),
    // Reads the rows only, without requests to networks.
    readCopies: serve(readCopies, async ({ principal, params }) => {
      const { id } = await getOwnFile(db, principal.accountId, params.fileId)
      return { copies: toCopies(await readRows(db, id), networks) }
    }),
    readTimeline: readTimelineRoute(db),
  } satisfies Partial<RoutesOf<'files'>>
}
