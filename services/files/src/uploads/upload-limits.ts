import type { Networks } from '@tideport/file-lifecycle/copies/networks'
import type { FilesConfig } from '../config.ts'

export interface UploadLimits {
  /** Of a whole file, and of what one PUT takes. */
  largest: { file: number; put: number }
  quotaBytes: number
  openUploadsMax: number
}

/** What one of the networks does not take would never be complete. */
export function uploadLimits(
  networks: Networks,
  config: Pick<FilesConfig, 'maxFileBytes' | 'maxPutBytes' | 'accountQuotaBytes' | 'openUploadsMax'>,
): UploadLimits {
  const taken = networks.required.map((name) => networks.get(name)?.maxBlobBytes ?? Number.POSITIVE_INFINITY)
  const largest = { file: Math.min(config.maxFileBytes, ...taken), put: config.maxPutBytes }
  return { largest, quotaBytes: config.accountQuotaBytes, openUploadsMax: config.openUploadsMax }
}
