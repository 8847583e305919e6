import type { downloadFile } from '@tideport/sdk'
import { apiUrl } from '../base.ts'

/**
 * The URL for a file's bytes. The page may load from this console's own origin only, whatever host the service reports.
 */
export function bytesUrl({ downloadUrl, source }: Awaited<ReturnType<typeof downloadFile>>): string {
  if (source === 'hot') return downloadUrl
  const { pathname, search } = new URL(downloadUrl)
  return new URL(pathname.slice(pathname.indexOf('/api/') + 1) + search, apiUrl).href
}
