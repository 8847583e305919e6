import type { downloadFile } from '@tideport/sdk'
import { apiUrl } from '../base.ts'

/**
 * Where the page gets a file's bytes. Those that come through the service are asked for at the address by which we were
 * reached, whatever it calls itself: the page may load from no other.
 */
export function bytesUrl({ downloadUrl, source }: Awaited<ReturnType<typeof downloadFile>>): string {
  if (source === 'hot') return downloadUrl
  const { pathname, search } = new URL(downloadUrl)
  return new URL(pathname.slice(pathname.indexOf('/api/') + 1) + search, apiUrl).href
}
