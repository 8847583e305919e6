import type { Networks } from '@tideport/file-lifecycle/copies/networks'
import { createByteShare } from '@tideport/service-kit/process/byte-share'
import type { Metrics } from '@tideport/service-kit/telemetry/metrics'
import type { FilesConfig } from '../config.ts'
import { uploadLimits } from './new-upload.ts'

/** The limits of uploads, and the memory of all bodies that are read completely. One account gets at most half. */
export function createUploadMemory({
  networks,
  metrics,
  config,
}: {
  networks: Networks
  metrics: Metrics
  config: FilesConfig
}) {
  const { directUploadMaxBytes, directUploadMemoryBytes: maxBytes } = config
  const known = uploadLimits(networks, config)
  const { file, put } = known.largest
  const directBytes = Math.min(directUploadMaxBytes, maxBytes, file, put)
  const share = createByteShare({ maxBytes, perHolderBytes: Math.max(maxBytes / 2, directBytes) })
  const help = 'Memory of DIRECT_UPLOAD_MEMORY_BYTES that one-request uploads use'
  metrics.show('tideport_direct_upload_bytes', help, () => share.takenBytes)
  return { share, limits: { ...known, directBytes } }
}
