import { NetworkError } from '../errors.ts'
import type { NetworkIdentity } from '../identity.ts'
import { createOwner, formatMarker, type Marker, type Owner, parseMarker } from '../owner.ts'
import { isNotFound, openAt } from './aggregator.ts'
import { canComputeBlobIds, computeBlobId } from './blob-id.ts'
import type { Endpoints } from './endpoints.ts'
import { EndpointError, silenceError } from './failure.ts'
import type { WalrusSettings } from './settings.ts'
import { ask, wholeOf } from './transport.ts'

const PLACE = 'Walrus network'
const QUESTION_MS = 20_000

/** The bytes of the marker. Every process that knows the installation can compute its blob ID. */
export async function markerOf({ name, installationId }: NetworkIdentity): Promise<Buffer> {
  return formatMarker({ installation: await installationId(), network: name })
}

/** Aggregators are ours if they have our marker blob. Without computed blob IDs nothing is ever found absent. */
export function ownerOf(
  aggregators: Endpoints,
  { shards }: Pick<WalrusSettings, 'shards'>,
  identity: NetworkIdentity,
): Owner {
  if (!canComputeBlobIds()) return ownerWithoutIds(aggregators)
  let id: Promise<string> | null = null
  const markerId = async () => {
    id ??= markerOf(identity).then((bytes) => computeBlobId(bytes, shards))
    // A missing database connection can be the reason.
    id.catch(() => {
      id = null
    })
    return await id
  }
  return createOwner(PLACE, async (signal) => await readMarker(aggregators, await markerId(), signal), identity)
}

/** Null: no marker exists. @throws NetworkError */
export async function readMarker(aggregators: Endpoints, blobId: string, signal: AbortSignal): Promise<Marker | null> {
  try {
    const text = await aggregators.first(async (endpoint) => {
      const { body } = await openAt(endpoint, blobId, { signal })
      return await wholeOf(body).catch((error) => {
        signal.throwIfAborted()
        throw silenceError('the aggregator', error)
      })
    })
    return parseMarker(PLACE, text.toString())
  } catch (error) {
    if (isNotFound(error)) return null
    throw error
  }
}

function ownerWithoutIds(aggregators: Endpoints): Owner {
  return {
    async check() {
      const says = 'the network cannot be identified without @mysten/walrus-wasm'
      throw new NetworkError('unreachable', says, { fault: 'missing' })
    },
    ensure: (signal) => assertAnswers(aggregators, signal),
  }
}

/** Succeeds if one endpoint reports that it works. @throws NetworkError `unreachable` */
export async function assertAnswers(endpoints: Endpoints, signal: AbortSignal): Promise<void> {
  await endpoints.first(async (endpoint) => {
    const call = { method: 'GET' as const, path: 'status' }
    const answer = await ask(endpoint, call, { what: 'Walrus', signal, deadlineMs: QUESTION_MS })
    answer.destroy()
    // A publisher that requires a token for everything is also available.
    const isDown = (answer.statusCode ?? 500) >= 500
    if (isDown)
      throw new EndpointError({ code: 'unreachable', says: `Walrus returned ${answer.statusCode}`, elsewhere: true })
  })
}
