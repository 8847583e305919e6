import type { IncomingMessage } from 'node:http'
import { parseAddress } from '@tideport/service-kit/http/ip-address'
import { AppError } from '@tideport/service-kit/process/app-error'
import { isLoopback } from './client-address.ts'

interface KnownHostsOptions {
  publicUrl: string | undefined
  developmentHosts: readonly string[]
  developmentAllowNetwork: boolean
}

export type AssertKnownHost = (request: IncomingMessage) => void

/** Throws 421 unless the request names this machine: a web page can point its own name to 127.0.0.1 (DNS rebinding). */
export function createKnownHosts(options: KnownHostsOptions): AssertKnownHost {
  const { publicUrl, developmentHosts, developmentAllowNetwork } = options
  const known = new Set(developmentHosts.map((host) => hostnameOf(host)))
  if (publicUrl !== undefined) known.add(new URL(publicUrl).hostname)

  function isKnown(authority: string | undefined): boolean {
    const name = hostnameOf(authority)
    if (name === null) return false
    const address = name.replace(/^\[|\]$/g, '')
    if (known.has(name) || name.endsWith('.localhost') || isLoopback(address)) return true
    // DNS rebinding needs a name; an address cannot be pointed elsewhere.
    return developmentAllowNetwork && parseAddress(address) !== null
  }

  return ({ headers, url = '/' }) => {
    if (!isKnown(headers.host) || (!url.startsWith('/') && !isKnown(targetAuthority(url)))) {
      throw new AppError(
        'misdirected_request',
        'Unknown host. Development mode accepts only localhost, the host of PUBLIC_URL, and DEVELOPMENT_HOSTS.',
      )
    }
  }
}

/** Lowercase, IPv6 in brackets; null if the text is not a host. */
function hostnameOf(authority = ''): string | null {
  if (!/^[^\s/?#@\\]+$/.test(authority) || !URL.canParse(`http://${authority}`)) return null
  return new URL(`http://${authority}`).hostname.replace(/\.$/, '')
}

/** The host of an absolute URL as the request target (RFC 9112 §3.2.2). */
function targetAuthority(target: string): string | undefined {
  return /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)/i.exec(target)?.[1]
}
