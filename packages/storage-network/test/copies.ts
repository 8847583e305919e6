import { createHash, randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { expect } from 'vitest'
import { NetworkError, type NetworkErrorCode } from '../src/errors.ts'
import type { ByteRange, Committed, CopyName, StagedBlob, StorageNetwork } from '../src/storage-network.ts'

const signal = () => new AbortController().signal
export const newReference = (): string => randomUUID()
export const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')
/** The facts that a proof expects. */
export const factsOf = (bytes: Buffer) => ({ sha256: sha256(bytes), sizeBytes: bytes.length })

/** The bytes in pieces of uneven length, as a network would deliver them. */
export function bodyOf(bytes: Buffer): Readable {
  const pieces: Buffer[] = []
  for (let at = 0, length = 1; at < bytes.length; at += length, length = (length * 7) % 100_003) {
    pieces.push(bytes.subarray(at, at + length))
  }
  return Readable.from(pieces)
}

/** The name that a row would store for a staged copy, or for a committed one. */
export const nameOf = ({ blobId, ref }: StagedBlob, reference: string, committed?: Committed): CopyName => ({
  blobId,
  reference,
  ref: committed?.ref ?? ref,
})

export async function store(network: StorageNetwork, bytes: Buffer, reference = newReference()): Promise<CopyName> {
  await using staged = await network.stage(bodyOf(bytes), { reference, signal: signal() })
  return nameOf(staged, reference, await staged.commit())
}

/** The name of a copy that was never committed. */
export async function storeNot(network: StorageNetwork, bytes: Buffer): Promise<CopyName> {
  const reference = newReference()
  await using staged = await network.stage(bodyOf(bytes), { reference, signal: signal() })
  return nameOf(staged, reference)
}

export async function read(network: StorageNetwork, copy: CopyName | { blobId: string }, range?: ByteRange) {
  return await buffer(await network.open(copy, { range, signal: signal() }))
}

/** The code of the `NetworkError` that the promise must reject with. */
export async function codeOf(promise: Promise<unknown>): Promise<NetworkErrorCode> {
  const error = await promise.then(
    () => expect.unreachable('it should have failed'),
    (thrown: unknown) => thrown,
  )
  if (error instanceof NetworkError) return error.code
  throw error
}
