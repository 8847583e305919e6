import { isBlobId, isReference } from '../copy-name.ts'
import type { CopyName } from '../storage-network.ts'

export type Named = Pick<CopyName, 'blobId' | 'reference'>

/** The last characters of an ID belong to the digest. They distribute copies over 1,024 directories. */
const SHARD = /(..).$/

export interface Paths {
  root: string
  copies: string
  staging: string
  shardOf(blobId: string): string
}

export const MARKER = 'network.json'

/**
 * A copy is `copies/<shard>/<blob id>.<reference>`. MFS could remove a blob's own directory with a copy just linked.
 */
export function pathsIn(directory: string): Paths {
  const root = directory.replace(/\/+$/, '')
  const copies = `${root}/copies`
  return { root, copies, staging: `${root}/staging`, shardOf: (blobId) => `${copies}/${SHARD.exec(blobId)?.[1]}` }
}

export const entryOf = ({ blobId, reference }: Named): string => `${blobId}.${reference}`

/** The copy that an entry of a shard belongs to; null for any other entry. */
export function copyNamed(name: string): Named | null {
  const [blobId = '', reference = '', ...more] = name.split('.')
  return more.length === 0 && isBlobId(blobId) && isReference(reference) ? { blobId, reference } : null
}
