import { NetworkError } from '../errors.ts'
import type { NetworkIdentity } from '../identity.ts'
import { createOwner, type Marker, type Owner, parseMarker } from '../owner.ts'
import { objectsOf } from './answer.ts'
import type { Mfs } from './mfs.ts'
import { MARKER, type Paths } from './paths.ts'
import type { Rpc } from './rpc.ts'

const PLACE = 'IPFS node'
const MINIMUM = [0, 43] as const

/** The owner of a directory, from its marker. A check first requests the version of the node. */
export function ownerOf(rpc: Rpc, mfs: Mfs, paths: Paths, identity: NetworkIdentity): Owner {
  return createOwner(
    PLACE,
    async (signal) => {
      await assertVersion(rpc, signal)
      return await readMarker(rpc, mfs, paths, signal)
    },
    identity,
  )
}

/** Null: no marker exists. @throws NetworkError */
export async function readMarker(rpc: Rpc, mfs: Mfs, { root }: Paths, signal: AbortSignal): Promise<Marker | null> {
  const cid = await mfs.resolve(root, MARKER, signal)
  if (cid === null) return null
  const text = await rpc.ask({ command: 'cat', args: [cid], parameters: { offline: true } }, signal)
  return parseMarker(PLACE, text.toString())
}

/** @throws NetworkError `unreachable` if this is not Kubo, or one that is too old */
export async function assertVersion(rpc: Rpc, signal: AbortSignal): Promise<void> {
  const [{ Version } = {}] = objectsOf(await rpc.ask({ command: 'version' }, signal))
  const [, major, minor] = /^v?(\d+)\.(\d+)\./.exec(String(Version)) ?? []
  if (major === undefined) throw new NetworkError('unreachable', 'the IPFS node does not report a version of Kubo')
  const isNewEnough = Number(major) > MINIMUM[0] || Number(minor) >= MINIMUM[1]
  if (isNewEnough) return
  const why =
    'in older versions, a garbage collection during writes can permanently damage the file system of the node (kubo#10842)'
  throw new NetworkError(
    'unreachable',
    `the IPFS node runs Kubo ${Version}, but ${MINIMUM.join('.')} or newer is required: ${why}`,
  )
}
