import { readOperatorRelease } from '@tideport/contracts/public/operator-release'
import { serve } from '@tideport/service-kit/http/route'
import { cachedFor } from '@tideport/service-kit/process/cached-for'
import type { Log } from '@tideport/service-kit/telemetry/logger'
import manifest from '../../package.json' with { type: 'json' }

const DAY_MS = 86_400_000

export interface ReleaseDeps {
  config: { releaseSiteUrl?: string | undefined; serviceEnv: string }
  log: Log
  signal: AbortSignal
}

/** `GET /api/operator/release`. Requests the file only if an operator asks, and at most once a day. */
export function readReleaseRoute({ config: { releaseSiteUrl, serviceEnv }, log, signal }: ReleaseDeps) {
  const find = cachedFor(DAY_MS, async () => {
    if (releaseSiteUrl === undefined) return null
    // Loaded on first use, because most processes never send this request.
    const { findNewerRelease } = await import('./newer-release.ts')
    return await findNewerRelease({ releaseSiteUrl, serviceEnv, log, signal }, manifest.version)
  })
  return serve(readOperatorRelease, async () => ({ running: manifest.version, newer: await find() }))
}
