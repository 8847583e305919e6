import { isBlobId, isReference } from '../copy-name.ts'
import type { CopyName } from '../storage-network.ts'

export type Named = Pick<CopyName, 'blobId' | 'reference'>

/** The last characters of an id that are all digest; they part copies among 1,024 directories. */
const SHARD = /(..).$/

/** Where things are in the MFS of a node. */
export interface Paths {
  root: string
  copies: string
  staging: string
  /** The directory that the copies of a blob are in, with those of others. */
  shardOf(blobId: string): string
}

export const MARKER = 'network.json'

/**
 * A copy is `copies/<shard>/<blob id>.<reference>`. There is no directory of a blob: MFS removes none only if it is
 * empty, so that the last removal could take a copy with it that is linked just then.
 */
export function pathsIn(directory: string): Paths {
  const root = directory.replace(/\/+$/, '')
  const copies = `${root}/copies`
  return { root, copies, staging: `${root}/staging`, shardOf: (blobId) => `${copies}/${SHARD.exec(blobId)?.[1]}` }
}

/** The entry of its shard that a copy is. */
export const entryOf = ({ blobId, reference }: Named): string => `${blobId}.${reference}`

/** Whose copy an entry of a shard is; null for any other entry. */
export function copyNamed(name: string): Named | null {
  const [blobId = '', reference = '', ...more] = name.split('.')
  return more.length === 0 && isBlobId(blobId) && isReference(reference) ? { blobId, reference } : null
}
