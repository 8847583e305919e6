import { objectsApi } from '@tideport/contracts/internal/objects'
import type { Batching } from '@tideport/service-kit/batching/batching'
import { serve } from '@tideport/service-kit/http/route'
import type { RoutesOf } from '@tideport/service-kit/http/routes-of'
import { getBucket } from '../buckets/find-bucket.ts'
import { prefixesOf } from '../calls/enforce-key-limits.ts'
import type { SendDeps } from '../downloads/send-file.ts'
import { callerOf } from '../uploads/routes.ts'
import { copyObjectRoute } from './copy-object.ts'
import { type DeleteDeps, deleteObjectRoute, deleteObjectsRoute } from './delete-objects.ts'
import { listKeys } from './list-keys.ts'
import { putObjectTagsRoute, readObjectTagsRoute } from './object-tags.ts'
import { type PutObjectDeps, putObjectRoute } from './put-object.ts'
import { readObjectRoute } from './read-object.ts'
import { restoreObjectRoute } from './restore-object.ts'

interface Deps extends PutObjectDeps, DeleteDeps, SendDeps {
  batching: Batching
  config: PutObjectDeps['config'] & DeleteDeps['config']
}

export function objectRoutes(deps: Deps) {
  const { db } = deps
  const asCaller = callerOf(deps.batching)
  return {
    readObject: readObjectRoute(deps),
    putObject: asCaller(putObjectRoute(deps)),
    copyObject: copyObjectRoute(deps),
    deleteObject: deleteObjectRoute(deps),
    deleteObjects: deleteObjectsRoute(deps),
    readObjectTags: readObjectTagsRoute(deps),
    putObjectTags: putObjectTagsRoute(deps),
    listObjects: serve(objectsApi.listObjects, async ({ principal, params, query }) => {
      const vault = await getBucket(db, principal, params.slug)
      return await listKeys(db, { vault, prefixes: prefixesOf(principal) }, query)
    }),
    restoreObject: restoreObjectRoute(deps),
  } satisfies Partial<RoutesOf<'files'>>
}
