import { objectsApi } from '@tideport/contracts/internal/objects'
import type { FilesDb } from '@tideport/file-lifecycle/state/tables'
import { serve } from '@tideport/service-kit/http/route'
import type { RoutesOf } from '@tideport/service-kit/http/routes-of'
import type { Kysely } from 'kysely'
import { getBucket } from '../buckets/find-bucket.ts'
import { prefixesOf } from '../calls/enforce-key-limits.ts'
import type { AnnounceDeps } from '../files/announce-work.ts'
import { listKeys } from './list-keys.ts'
import { restoreObjectRoute } from './restore-object.ts'

interface Deps extends AnnounceDeps {
  db: Kysely<FilesDb>
}

export function objectRoutes(deps: Deps) {
  const { db } = deps
  return {
    listObjects: serve(objectsApi.listObjects, async ({ principal, params, query }) => {
      const vault = await getBucket(db, principal, params.slug)
      return await listKeys(db, { vault, prefixes: prefixesOf(principal) }, query)
    }),
    restoreObject: restoreObjectRoute(deps),
  } satisfies Partial<RoutesOf<'files'>>
}
