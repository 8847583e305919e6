import { ProtocolError } from '../errors/transfer-errors.ts'

/**
 * Resolves a URL from the service. Throws a `ProtocolError` unless it is http or https: some platforms' `fetch` reads
 * local files.
 */
export function webUrl(url: string, base: string): string {
  const { protocol, href } = URL.canParse(url, base) ? new URL(url, base) : { protocol: null, href: '' }
  if (protocol !== 'https:' && protocol !== 'http:')
    throw new ProtocolError('The service returned a URL that is not http or https')
  return href
}
