import type { NetworkIdentity } from '../identity.ts'
import type { Owner } from '../owner.ts'
import { type Mfs, openMfs } from './mfs.ts'
import { ownerOf } from './owner.ts'
import { type Paths, pathsIn } from './paths.ts'
import { openRpc, type Rpc } from './rpc.ts'
import type { IpfsSettings } from './settings.ts'

export interface Kubo {
  rpc: Rpc
  mfs: Mfs
  paths: Paths
  owner: Owner
  /** How long a write may wait for a garbage collection. */
  writeMs: number
}

export function openKubo(url: string, settings: IpfsSettings, identity: NetworkIdentity): Kubo {
  const writeMs = settings.collectionSeconds * 1000
  const rpc = openRpc({ url, token: settings.token })
  const [mfs, paths] = [openMfs(rpc, writeMs), pathsIn(settings.directory)]
  return { rpc, mfs, paths, writeMs, owner: ownerOf(rpc, mfs, paths, identity) }
}
