import { hash } from 'node:crypto'
import { cidOf, formatCid, RAW } from '../unixfs/cid.ts'
import { objectsOf, unlikeKubo } from './answer.ts'
import { isBlockMissing } from './failure.ts'
import type { Kubo } from './kubo.ts'
import type { Rpc } from './rpc.ts'

/** A node stores blocks by digest only, so the raw CID names a block of any codec. */
const nameOf = (digest: Buffer) => formatCid(cidOf(RAW, digest))

export const isBlockOf = (digest: Buffer, block: Buffer): boolean => hash('sha256', block, 'buffer').equals(digest)

/** An unverified block of the node; null if it is missing. */
export function readBlock(rpc: Rpc, digest: Buffer, signal: AbortSignal): Promise<Buffer | null> {
  return orNull(rpc.ask({ command: 'block/get', args: [nameOf(digest)], parameters: { offline: true } }, signal))
}

/** The unverified length of a block; null if it is missing. */
export async function rawBytes(rpc: Rpc, digest: Buffer, signal: AbortSignal): Promise<number | null> {
  const call = { command: 'block/stat', args: [nameOf(digest)], parameters: { offline: true } }
  const answer = await orNull(rpc.ask(call, signal))
  if (answer === null) return null
  const [{ Size } = {}] = objectsOf(answer)
  if (typeof Size !== 'number') throw unlikeKubo()
  return Size
}

/**
 * Makes the node forget a damaged block, so that it can be stored again. Reads the block in two parts first, because
 * the connection may be at fault. False: the node does not have the block, or no longer.
 */
export async function forgetDamaged({ rpc, writeMs }: Kubo, digest: Buffer, signal: AbortSignal): Promise<boolean> {
  const block = await readBlock(rpc, digest, signal)
  if (block === null) return false
  if (isBlockOf(digest, block) || !(await isReadAgain(rpc, digest, block, signal))) return true
  await rpc.ask({ command: 'block/rm', args: [nameOf(digest)], parameters: { force: true } }, signal, writeMs)
  return false
}

/**
 * Split at one third: each byte has another offset than before, so a faulty connection does not change the same byte
 * twice.
 */
async function isReadAgain(rpc: Rpc, digest: Buffer, block: Buffer, signal: AbortSignal): Promise<boolean> {
  const cut = Math.floor(block.length / 3)
  const read = (offset: number, parameters = {}) =>
    orNull(
      rpc.ask({ command: 'cat', args: [nameOf(digest)], parameters: { offset, ...parameters, offline: true } }, signal),
    )
  const [head, rest] = [cut > 0 ? await read(0, { length: cut }) : Buffer.alloc(0), await read(cut)]
  return head?.equals(block.subarray(0, cut)) === true && rest?.equals(block.subarray(cut)) === true
}

async function orNull<T>(call: Promise<T>): Promise<T | null> {
  try {
    return await call
  } catch (error) {
    if (isBlockMissing(error)) return null
    throw error
  }
}
