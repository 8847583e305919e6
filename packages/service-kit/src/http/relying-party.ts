import { isIP } from 'node:net'

/** The address to which passkeys are bound. */
export interface RelyingParty {
  id: string
  origin: string
}

/** Null if browsers allow no passkeys at this address: they need a host name, and https except on localhost. */
export function relyingPartyOf(publicUrl: string | undefined): RelyingParty | null {
  if (publicUrl === undefined) return null
  const { protocol, hostname, origin } = new URL(publicUrl)
  if (isIP(hostname.replace(/^\[|\]$/g, '')) !== 0) return null
  const isLocal = hostname === 'localhost' || hostname.endsWith('.localhost')
  return protocol === 'https:' || isLocal ? { id: hostname, origin } : null
}
