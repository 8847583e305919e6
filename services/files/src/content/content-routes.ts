import { createByteShare } from '@tideport/service-kit/process/byte-share'
import type { Metrics } from '@tideport/service-kit/telemetry/metrics'
import type { TakeBytes } from '../calls/take-bytes.ts'
import type { FilesConfig } from '../config.ts'
import type { AnnounceDeps } from '../files/announce-work.ts'
import { checkContentRoute } from '../routes/check-content.ts'
import { checkLinkedContentRoute } from '../routes/check-linked-content.ts'
import { postLinkContentRoute, putLinkedContentRoute } from '../routes/receive-by-link.ts'
import { postContentRoute, putContentRoute } from '../routes/upload-content.ts'
import { uploadLimits } from '../uploads/upload-limits.ts'
import type { StoreContentDeps } from './store-content.ts'

interface Deps extends Omit<StoreContentDeps, 'config'>, AnnounceDeps {
  config: FilesConfig
  takeBytes: TakeBytes
  metrics: Metrics
}

/** The routes of uploads in one call, by links too, with the memory that they share. One account has at most half of it. */
export function contentRoutes(deps: Deps) {
  const { config, metrics } = deps
  const { directUploadMaxBytes, directUploadMemoryBytes: maxBytes } = config
  const known = uploadLimits(deps.networks, config)
  const { file, put } = known.largest
  const directBytes = Math.min(directUploadMaxBytes, maxBytes, file, put)
  const share = createByteShare({ maxBytes, perHolderBytes: Math.max(maxBytes / 2, directBytes) })
  metrics.gauge({
    name: 'tideport_direct_upload_bytes',
    help: 'Memory that uploads in one call have taken of DIRECT_UPLOAD_MEMORY_BYTES',
    collect() {
      this.set(share.takenBytes)
    },
  })
  const routes = { ...deps, share, limits: { ...known, directBytes } }
  return {
    check: checkContentRoute(routes),
    checkByLink: checkLinkedContentRoute(routes),
    put: putContentRoute(routes),
    post: postContentRoute(routes),
    putByLink: putLinkedContentRoute(routes),
    postByLink: postLinkContentRoute(routes),
  }
}
