import { createHash } from 'node:crypto'
import type { Log } from '@tideport/service-kit/telemetry/logger'
import type { StorageNetwork } from '@tideport/storage-network/storage-network'
import type { Kysely } from 'kysely'
import { nameOf } from '../state/copy-transitions.ts'
import type { NamedCopy } from '../state/file-copies.ts'
import type { FileRow, FilesDb } from '../state/tables.ts'
import { isGone } from './failures.ts'
import { cutWhenIdle } from './open-bytes.ts'
import { noteMended } from './record-outcome.ts'

/**
 * What a network holds under a copy's reference, when that is the file's bytes: all of it is read. Before a file was
 * stored anywhere nobody knows its digest but perhaps its owner; the bytes then tell it, verified by the network. Null:
 * it is not there, or not those bytes.
 */
export async function findHeld(
  deps: { db: Kysely<FilesDb>; log: Log },
  network: StorageNetwork,
  file: FileRow,
  copy: NamedCopy,
  signal: AbortSignal,
): Promise<{ sha256: string; leaseExpiresAt: Date | null } | null> {
  const { sizeBytes } = file
  const sha256 = file.sha256 ?? file.checksumDeclared?.toLowerCase()
  if (sha256 !== undefined) {
    const proof = await network.prove(nameOf(copy), { sha256, sizeBytes }, signal)
    await noteMended(deps, copy, proof)
    return proof.ok ? { sha256, leaseExpiresAt: proof.expiresAt } : null
  }
  const read = await hashHeld(network, copy, signal)
  if (read?.sizeBytes !== sizeBytes) return null
  const answer = await network.stat(nameOf(copy), signal)
  return answer.state === 'present' ? { sha256: read.sha256, leaseExpiresAt: answer.expiresAt } : null
}

async function hashHeld(
  network: StorageNetwork,
  copy: NamedCopy,
  signal: AbortSignal,
): Promise<{ sha256: string; sizeBytes: number } | null> {
  const hash = createHash('sha256')
  let sizeBytes = 0
  try {
    const body = cutWhenIdle(await network.open(nameOf(copy), { signal }), 'storage network')
    for await (const chunk of body as AsyncIterable<Uint8Array>) {
      hash.update(chunk)
      sizeBytes += chunk.length
    }
  } catch (error) {
    if (isGone(error)) return null
    throw error
  }
  return { sha256: hash.digest('hex'), sizeBytes }
}
