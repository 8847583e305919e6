import { ProtocolError } from '../errors/transfer-errors.ts'

/** A URL that the service answered. Throws a `ProtocolError` unless it is one of the web: some platforms' `fetch` reads files of the machine. */
export function webUrl(url: string, base: string): string {
  const { protocol, href } = URL.canParse(url, base) ? new URL(url, base) : { protocol: null, href: '' }
  if (protocol !== 'https:' && protocol !== 'http:')
    throw new ProtocolError('The service returned a URL that is not http or https')
  return href
}
