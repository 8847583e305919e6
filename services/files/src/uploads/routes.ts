import type { Endpoint } from '@tideport/contracts/endpoint/endpoint'
import type { Batching } from '@tideport/service-kit/batching/batching'
import type { Route } from '@tideport/service-kit/http/route'
import { createByteShare } from '@tideport/service-kit/process/byte-share'
import type { Metrics } from '@tideport/service-kit/telemetry/metrics'
import type { TakeBytes } from '../calls/key-byte-quota.ts'
import type { SlowCalls } from '../calls/slow-calls.ts'
import type { FilesConfig } from '../config.ts'
import type { AnnounceDeps } from '../files/announce-work.ts'
import { checkLinkedContentRoute, postLinkContentRoute, putLinkedContentRoute } from './by-link.ts'
import { confirmUploadRoute } from './confirm.ts'
import { uploadLimits } from './new-upload.ts'
import { checkContentRoute, postContentRoute, putContentRoute } from './one-call.ts'
import { listUploadedPartsRoute, renewUploadUrlsRoute } from './parts.ts'
import { requestUploadRoute } from './request.ts'
import type { StoreContentDeps } from './store-content.ts'
import { readUploadCostRoute } from './upload-cost.ts'

interface Deps extends Omit<StoreContentDeps, 'config'>, AnnounceDeps {
  config: FilesConfig
  batching: Batching
  slowCalls: SlowCalls
  takeBytes: TakeBytes
  metrics: Metrics
}

/** One-request uploads and uploads by links share memory. One account gets at most half. */
export function uploadRoutes(deps: Deps) {
  const { config, batching, metrics } = deps
  const { directUploadMaxBytes, directUploadMemoryBytes: maxBytes } = config
  const known = uploadLimits(deps.networks, config)
  const { file, put } = known.largest
  const directBytes = Math.min(directUploadMaxBytes, maxBytes, file, put)
  const share = createByteShare({ maxBytes, perHolderBytes: Math.max(maxBytes / 2, directBytes) })
  const help = 'Memory of DIRECT_UPLOAD_MEMORY_BYTES that one-request uploads use'
  metrics.show('tideport_direct_upload_bytes', help, () => share.takenBytes)
  const all = { ...deps, share, limits: { ...known, directBytes } }
  const asCaller = callerOf(batching)
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
function callerOf(batching: Batching) {
  return <E extends Endpoint>(route: Route<E>): Route<E> => ({
    ...route,
    handle: (input) => batching.asCaller(() => route.handle(input)),
  })
}
