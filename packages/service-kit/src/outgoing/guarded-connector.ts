import type { LookupAddress } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import { buildConnector } from '@tideport/http-client/connector'
import type undici from 'undici'
import { type AddressGuard, literalAddress, withoutTrailingDot } from './address-guard.ts'

/** All addresses of a host name. Rejects, or resolves to an empty list, if the name does not exist. */
export type Resolve = (hostname: string) => Promise<LookupAddress[]>

interface ConnectorOptions {
  allows: AddressGuard
  resolve: Resolve
  /** Limit for lookup, TCP, and TLS together. */
  timeoutMs: number
}

/** The guard refused the target. The customer sees the same message as for any failed connection. */
class BlockedTargetError extends Error {
  override name = 'BlockedTargetError'
  readonly code = 'TARGET_BLOCKED'
}

/**
 * Every address of a name must be allowed. Connects only to the checked addresses, so a later change of the name's
 * addresses has no effect. Checks the connected address again. HTTP/1.1 only.
 */
export function createGuardedConnector({
  allows,
  resolve,
  timeoutMs,
}: ConnectorOptions): undici.buildConnector.connector {
  const lookup: LookupFunction = (hostname, _options, callback) => {
    resolveAllowed(hostname, resolve, allows).then(
      (addresses) => callback(null, addresses),
      (error) => callback(error, []),
    )
  }
  const connect = buildConnector({ timeout: timeoutMs, autoSelectFamily: true, lookup })
  return (options, callback) => {
    const hostname = withoutTrailingDot(options.hostname)
    const literal = literalAddress(hostname)
    if (literal !== null && !allows(literal)) {
      queueMicrotask(() => callback(new BlockedTargetError(), null))
      return
    }
    const servername = options.servername || (isIP(hostname) === 0 ? hostname : '')
    connect({ ...options, hostname, servername: withoutTrailingDot(servername) }, (error, socket) => {
      if (error !== null) return callback(error, null)
      if (allows(socket.remoteAddress ?? '')) return callback(null, socket)
      socket.destroy()
      return callback(new BlockedTargetError(), null)
    })
  }
}

/** One disallowed address blocks the name: the other addresses may only be there to hide it. */
async function resolveAllowed(hostname: string, resolve: Resolve, allows: AddressGuard): Promise<LookupAddress[]> {
  const addresses = await resolve(hostname)
  if (addresses.length === 0) throw Object.assign(new Error('No addresses'), { code: 'ENOTFOUND' })
  if (!addresses.every(({ address }) => allows(address))) throw new BlockedTargetError()
  return addresses
}
