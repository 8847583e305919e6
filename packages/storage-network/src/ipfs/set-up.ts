import { NetworkError } from '../errors.ts'
import type { NetworkIdentity } from '../identity.ts'
import { formatMarker } from '../owner.ts'
import type { CopyName } from '../storage-network.ts'
import { addFile } from './add-file.ts'
import { findCopy } from './find-copy.ts'
import { type Kubo, openKubo } from './kubo.ts'
import { assertVersion, readMarker } from './owner.ts'
import { MARKER } from './paths.ts'
import type { IpfsSettings } from './settings.ts'

interface SetUp extends NetworkIdentity, IpfsSettings {
  remembered: CopyName[]
  acceptLostCopies: boolean
}

/**
 * Marks a directory of a node as the network's. Accepts an unmarked one if it holds remembered copies, or if it has
 * none and none are remembered. @throws Error with a sentence for the operator, NetworkError (`foreign`, `unreadable`)
 */
export async function setUpIpfsNetwork({ remembered, acceptLostCopies, name, installationId, ...settings }: SetUp) {
  const kubo = openKubo(settings.urls[0], settings, { name, installationId })
  const { rpc, mfs, paths, writeMs } = kubo
  const signal = AbortSignal.timeout(3 * writeMs)
  return await explained(settings, name, async () => {
    await assertVersion(rpc, signal)
    const isMarked = (await readMarker(rpc, mfs, paths, signal)) !== null
    if (isMarked) await kubo.owner.check(signal)
    else await assertOurs(kubo, name, { remembered, acceptLostCopies }, signal)
    for (const directory of [paths.copies, paths.staging]) await mfs.makeDirectory(directory, signal)
    if (isMarked) return 'was_set_up' as const
    await writeMarker(kubo, { installation: await installationId(), network: name }, signal)
    return 'set_up' as const
  })
}

/** By way of the staging directory, as copies are: `add` puts nothing in the place of something. */
async function writeMarker(kubo: Kubo, marker: Parameters<typeof formatMarker>[0], signal: AbortSignal) {
  const staged = `${kubo.paths.staging}/${Date.now()}-marker`
  await addFile(kubo, piecesOf(formatMarker(marker)), staged, signal)
  await kubo.mfs.link(staged, `${kubo.paths.root}/${MARKER}`, signal)
  await kubo.mfs.remove(staged, signal)
}

async function* piecesOf(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes
}

async function assertOurs(
  kubo: Kubo,
  name: string,
  { remembered, acceptLostCopies }: Pick<SetUp, 'remembered' | 'acceptLostCopies'>,
  signal: AbortSignal,
): Promise<void> {
  const { root, copies } = kubo.paths
  if (remembered.length > 0 && !acceptLostCopies && !(await holdsAny(kubo, remembered, signal))) {
    throw new Error(
      `The database remembers copies on the network ${name}, and ${root} of the IPFS node holds none of those that were looked for. Is it the right node? If the copies are lost, say --accept-lost-copies.`,
    )
  }
  if (remembered.length === 0 && ((await kubo.mfs.list(copies, signal)) ?? []).length > 0) {
    throw new Error(
      `${root} of the IPFS node holds copies, and the database remembers none on the network ${name}: it is another network's or another installation's, or the database is.`,
    )
  }
}

async function holdsAny(kubo: Kubo, copies: CopyName[], signal: AbortSignal): Promise<boolean> {
  for (const copy of copies) if ((await findCopy(kubo, copy, signal)) === 'held') return true
  return false
}

async function explained<T>({ urls }: IpfsSettings, name: string, call: () => Promise<T>): Promise<T> {
  try {
    return await call()
  } catch (error) {
    if (!(error instanceof NetworkError) || error.fault === 'foreign' || error.fault === 'unreadable') throw error
    const hint = /40[13]/.test(error.message)
      ? 'Its token has to be one of API.Authorizations of the node, and may call /api/v0/version, add, ls, cat, block, dag/resolve and files.'
      : 'Its URL is that of the RPC, such as http://ipfs:5001.'
    throw new Error(`The IPFS node of the network ${name} (${urls[0]}) cannot be used: ${error.message}. ${hint}`, {
      cause: error,
    })
  }
}
