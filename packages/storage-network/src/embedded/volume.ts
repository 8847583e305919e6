import { stat } from 'node:fs/promises'
import { NetworkError } from '../errors.ts'
import type { NetworkIdentity } from '../identity.ts'
import { isNowhere, syncDirectory } from './disk.ts'
import { createLane, type Lane } from './disk-call-limiter.ts'
import { type Marker, markerPath, markerUnreadable, readMarker } from './marker.ts'
import { shareRuns } from './share-runs.ts'

/** Default limit of concurrent calls of each kind. */
const CALLS_MAX = 4
/** A read is never larger than a tree (50 MB). A sleeping disk wakes up within this time. */
const READ_MS = 5_000
/** A sync writes at most 32 MiB, in addition to the writes of other programs. */
const WRITE_MS = 15_000

export interface Volume {
  readonly dir: string
  /** All calls to the disk use one of these two, so unresponsive writes do not block reads. */
  readonly reads: Lane
  readonly writes: Lane
  /**
   * Checks that the directory belongs to this network, before creating a file or after not finding one.
   * @throws NetworkError `unreachable` (`missing`, `foreign`, `unreadable`)
   */
  check(): Promise<void>
  /** Makes names in `dir` survive a power failure. One sync serves all callers that waited before it began. */
  syncNames(): Promise<void>
}

export function openVolume(dir: string, { name, installationId }: NetworkIdentity, callsMax = CALLS_MAX): Volume {
  const reads = createLane({ width: callsMax, deadlineMs: READ_MS })
  const writes = createLane({ width: callsMax, deadlineMs: WRITE_MS })
  let known: string | null = null
  return {
    dir,
    reads,
    writes,
    syncNames: shareRuns(() => writes.run(() => syncDirectory(dir))),
    async check() {
      const installation = await installationId()
      const found = await fingerprint(dir, reads)
      // Comparing the file's attributes is much cheaper than reading it, and also detects a changed or replaced file.
      if (found !== null && found === known) return
      known = null
      assertSame(dir, await readMarker(dir, reads), { installation, network: name })
      known = found
    },
  }
}

async function fingerprint(dir: string, reads: Lane): Promise<string | null> {
  try {
    const { dev, ino, mtimeNs, ctimeNs } = await reads.run(() => stat(markerPath(dir), { bigint: true }))
    return `${dev} ${ino} ${mtimeNs} ${ctimeNs}`
  } catch (cause) {
    if (isNowhere(cause)) return null
    throw markerUnreadable(dir, cause)
  }
}

function assertSame(dir: string, found: Marker | null, ours: Marker): void {
  if (found === null) {
    const message = `the network's volume ${dir} has no marker: it is not mounted, or was not set up`
    throw new NetworkError('unreachable', message, { fault: 'missing' })
  }
  if (found.installation === ours.installation && found.network === ours.network) return
  const message = `the volume ${dir} belongs to the network ${found.network} of installation ${found.installation}, not to ${ours.network} of ${ours.installation}`
  throw new NetworkError('unreachable', message, { fault: 'foreign' })
}
