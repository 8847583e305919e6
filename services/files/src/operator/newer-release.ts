import { createAddressGuard, loopbackNetworks } from '@tideport/service-kit/outgoing/address-guard'
import { createDnsResolver } from '@tideport/service-kit/outgoing/dns-resolver'
import { readPublicFile } from '@tideport/service-kit/outgoing/read-public-file'
import type { Log } from '@tideport/service-kit/telemetry/logger'
import { z } from 'zod'

const TIMEOUT_MS = 5000
const BYTES_MAX = 16 * 1024

/** The release workflow writes this file (deploy/release/announce.ts). Other fields are ignored. */
const announced = z.object({ version: z.string().regex(/^\d{1,6}\.\d{1,6}\.\d{1,6}$/) })

interface Release {
  version: string
  notesUrl: string
}

interface Site {
  releaseSiteUrl: string
  serviceEnv: string
  log: Log
  signal: AbortSignal
  timeoutMs?: number
}

/** Null without a newer release, and after a failure. */
export async function findNewerRelease(site: Site, own: string): Promise<Release | null> {
  const { releaseSiteUrl, serviceEnv, log, signal, timeoutMs = TIMEOUT_MS } = site
  const allows = createAddressGuard(serviceEnv === 'development' ? loopbackNetworks : [])
  const { resolve } = createDnsResolver({ servers: [], hosts: new Map(), onOutcome: () => undefined })
  try {
    const limits = { allows, resolve, timeoutMs, bytesMax: BYTES_MAX }
    const { version } = announced.parse(
      JSON.parse(await readPublicFile(`${releaseSiteUrl}/release.json`, limits, signal)),
    )
    // The link comes from the setting, so that the file cannot lead anybody elsewhere.
    return isNewer(version, own) ? { version, notesUrl: `${releaseSiteUrl}/release-notes/` } : null
  } catch (error) {
    log.warn({ err: error }, 'the newest release could not be read')
    return null
  }
}

/** Compares a release with a version that may be a pre-release such as 0.2.0-rc.1, by semantic versioning. */
export function isNewer(release: string, own: string): boolean {
  const [core = '', preRelease] = own.split(/-(.*)/)
  const [left, right] = [release, core].map((text) => text.split('.').map(Number)) as [number[], number[]]
  const index = left.findIndex((part, at) => part !== right[at])
  return index === -1 ? preRelease !== undefined : (left[index] as number) > (right[index] as number)
}
