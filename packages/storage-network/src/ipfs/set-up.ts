import { acceptPlace, explained, type SetUp } from '../accept-place.ts'
import type { NetworkError } from '../errors.ts'
import { formatMarker } from '../owner.ts'
import { addFile } from './add-file.ts'
import { findCopy } from './find-copy.ts'
import { type Kubo, openKubo } from './kubo.ts'
import { assertVersion, readMarker } from './owner.ts'
import { MARKER } from './paths.ts'
import type { IpfsSettings } from './settings.ts'

/** Marks a node's directory as the network's. @throws Error for the operator, NetworkError (`foreign`, `unreadable`) */
export async function setUpIpfsNetwork({
  remembered,
  acceptLostCopies,
  name,
  installationId,
  ...settings
}: SetUp & IpfsSettings) {
  const kubo = openKubo(settings.urls[0], settings, { name, installationId })
  const { rpc, mfs, paths, writeMs } = kubo
  const signal = AbortSignal.timeout(3 * writeMs)
  const hintFor = ({ message }: NetworkError) =>
    /40[13]/.test(message)
      ? 'Add its token to API.Authorizations of the node, and allow /api/v0/version, add, ls, cat, block, dag/resolve, and files.'
      : 'Its URL must be the address of the RPC, such as http://ipfs:5001.'
  const what = `The IPFS node of the network ${name} (${settings.urls[0]})`
  return await explained(what, hintFor, async () => {
    await assertVersion(rpc, signal)
    const isMarked = (await readMarker(rpc, mfs, paths, signal)) !== null
    if (isMarked) await kubo.owner.check(signal)
    else {
      await acceptPlace(
        { name, remembered, acceptLostCopies },
        {
          place: `${paths.root} of the IPFS node`,
          question: 'Is it the correct node?',
          holds: async (copy) => (await findCopy(kubo, copy, signal)) === 'held',
          holdsAny: async () => ((await mfs.list(paths.copies, signal)) ?? []).length > 0,
        },
      )
    }
    for (const directory of [paths.copies, paths.staging]) await mfs.makeDirectory(directory, signal)
    if (isMarked) return 'was_set_up' as const
    await writeMarker(kubo, { installation: await installationId(), network: name }, signal)
    return 'set_up' as const
  })
}

/** Uses the staging directory like copies do, because `add` never replaces an existing file. */
async function writeMarker(kubo: Kubo, marker: Parameters<typeof formatMarker>[0], signal: AbortSignal) {
  const staged = `${kubo.paths.staging}/${Date.now()}-marker`
  await addFile(kubo, piecesOf(formatMarker(marker)), staged, signal)
  await kubo.mfs.link(staged, `${kubo.paths.root}/${MARKER}`, signal)
  await kubo.mfs.remove(staged, signal)
}

async function* piecesOf(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes
}
