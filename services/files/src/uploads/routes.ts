import type { Endpoint } from '@tideport/contracts/endpoint/endpoint'
import type { Batching } from '@tideport/service-kit/batching/batching'
import type { Route } from '@tideport/service-kit/http/route'
import type { TakeBytes } from '../calls/key-byte-quota.ts'
import type { SlowCalls } from '../calls/slow-calls.ts'
import type { FilesConfig } from '../config.ts'
import type { AnnounceDeps } from '../files/announce-work.ts'
import { checkLinkedContentRoute, postLinkContentRoute, putLinkedContentRoute } from './by-link.ts'
import { confirmUploadRoute } from './confirm.ts'
import { type ContentLimits, checkContentRoute, postContentRoute, putContentRoute } from './one-call.ts'
import { listUploadedPartsRoute, renewUploadUrlsRoute } from './parts.ts'
import type { BodyDeps } from './read-body.ts'
import { requestUploadRoute } from './request.ts'
import type { StoreContentDeps } from './store-content.ts'
import { readUploadCostRoute } from './upload-cost.ts'

interface Deps extends Omit<StoreContentDeps, 'config'>, AnnounceDeps {
  config: FilesConfig
  batching: Batching
  slowCalls: SlowCalls
  takeBytes: TakeBytes
  share: BodyDeps['share']
  limits: ContentLimits
}

export function uploadRoutes(all: Deps) {
  const asCaller = callerOf(all.batching)
  return {
    checkContent: checkContentRoute(all),
    putContent: asCaller(putContentRoute(all)),
    postContent: asCaller(postContentRoute(all)),
    requestUpload: asCaller(requestUploadRoute(all)),
    readUploadCost: readUploadCostRoute(all),
    renewUploadUrls: renewUploadUrlsRoute(all),
    listUploadedParts: listUploadedPartsRoute(all),
    confirmUpload: asCaller(confirmUploadRoute(all)),
    checkLinkedContent: checkLinkedContentRoute(all),
    putLinkedContent: asCaller(putLinkedContentRoute(all)),
    postLinkContent: asCaller(postLinkContentRoute(all)),
  }
}

/** Each request is a separate caller for batching. */
export function callerOf(batching: Batching) {
  return <E extends Endpoint>(route: Route<E>): Route<E> => ({
    ...route,
    handle: (input) => batching.asCaller(() => route.handle(input)),
  })
}
