import type { downloadFile } from '@tideport/sdk'
import { apiUrl } from '../base.ts'

/** The URL for a file's bytes. The page may load only from its own origin, whatever host the service reports. */
export function bytesUrl({ downloadUrl, source }: Awaited<ReturnType<typeof downloadFile>>): string {
  if (source === 'hot') return downloadUrl
  const { pathname, search } = new URL(downloadUrl)
  return new URL(pathname.slice(pathname.indexOf('/api/') + 1) + search, apiUrl).href
}
