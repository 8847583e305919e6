import { randomBytes, randomUUID } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { computeBlobId } from '@tideport/storage-network/walrus/blob-id'
import { encodedSizeBytes } from '@tideport/storage-network/walrus/encoded-size'
import { type BlobObject, removeIncoming } from './blobs.ts'
import type { Devnet } from './devnet.ts'
import { type PutQuery, readPutQuery } from './put-query.ts'
import { Refusal, sendJson } from './refusals.ts'

export async function putBlob(
  devnet: Devnet,
  url: URL,
  request: IncomingMessage,
  answer: ServerResponse,
  goOn: () => void,
): Promise<void> {
  const query = readPutQuery(url.searchParams)
  const declared = request.headers['content-length']
  const sizeBytes = declared === undefined ? null : Number(declared)
  devnet.checkToken?.(request.headers.authorization, { ...query, sizeBytes })
  refuseEarly(devnet, sizeBytes)
  goOn()
  const file = join(devnet.blobs.incoming, randomUUID())
  try {
    const taken = await take(devnet, request, file)
    const { faults } = devnet
    if (faults.happens('publisher_fails')) throw Refusal.of('INTERNAL', 'an internal error occurred')
    if (faults.happens('publisher_no_confirmations')) throw insufficient()
    if (faults.happens('publisher_error_in_200')) {
      const errorMsg = 'the client internal error: could not retrieve enough confirmations'
      return sendJson(answer, 200, { error: { blobId: null, failurePhase: 'upload', errorMsg } })
    }
    const blobId = await computeBlobId(await readFile(file), devnet.shards)
    if (faults.happens('publisher_marked_invalid')) {
      return sendJson(answer, 500, { markedInvalid: { blobId, event: newEvent() } })
    }
    await tell(devnet, answer, blobId, await store(devnet, file, { blobId, sizeBytes: taken }, query))
  } finally {
    await removeIncoming(file)
  }
}

function refuseEarly({ faults, maxBodyBytes }: Devnet, sizeBytes: number | null): void {
  if (faults.happens('publisher_overloaded')) {
    throw Refusal.plain(429, 'the publisher is receiving too many requests; please try again later')
  }
  if (faults.happens('publisher_token_used')) throw Refusal.of('TOKEN_ALREADY_USED', 'the JWT token was already used')
  if (faults.happens('publisher_token_expired')) {
    throw Refusal.of('EXPIRED_SIGNATURE', 'the signature on the token has expired')
  }
  if (faults.happens('publisher_blocked')) throw Refusal.of('FORBIDDEN_BLOB', 'the blob is blocked')
  if (faults.happens('publisher_out_of_funds')) {
    throw Refusal.of('INTERNAL', 'could not find WAL coins with sufficient balance')
  }
  const isTooLarge = sizeBytes !== null && sizeBytes > maxBodyBytes
  if (isTooLarge || faults.happens('publisher_cap')) throw Refusal.plain(413, 'length limit exceeded')
}

async function take({ maxBodyBytes, faults }: Devnet, request: IncomingMessage, file: string): Promise<number> {
  let sizeBytes = 0
  const counted = new Transform({
    transform(chunk: Buffer, _, done) {
      sizeBytes += chunk.length
      if (faults.happens('publisher_breaks_off')) request.socket.resetAndDestroy()
      done(sizeBytes > maxBodyBytes ? Refusal.plain(413, 'length limit exceeded') : null, chunk)
    },
  })
  await pipeline(request, counted, createWriteStream(file, { flags: 'wx', flush: true }))
  return sizeBytes
}

type Outcome = { created: BlobObject; sizeBytes: number; query: PutQuery } | { endEpoch: number }

async function store(
  { blobs, epochs }: Devnet,
  file: string,
  blob: { blobId: string; sizeBytes: number },
  query: PutQuery,
): Promise<Outcome> {
  const endEpoch = epochs.current() + query.epochs
  const known = (await blobs.find(blob.blobId))?.objects.filter(({ isPermanent }) => isPermanent) ?? []
  const lasting = Math.max(0, ...known.map((object) => object.endEpoch))
  if (!query.force && query.isPermanent && lasting >= endEpoch) {
    await blobs.replace(file, blob.blobId)
    return { endEpoch: lasting }
  }
  const { isPermanent, sendObjectTo: owner } = query
  const created = await blobs.register(file, blob, { endEpoch, isPermanent, owner })
  return { created, sizeBytes: blob.sizeBytes, query }
}

async function tell({ faults, shards }: Devnet, answer: ServerResponse, blobId: string, outcome: Outcome) {
  if (faults.happens('publisher_fails_after')) throw Refusal.of('INTERNAL', 'an internal error occurred')
  if (faults.happens('publisher_no_confirmations_after')) throw insufficient()
  if (faults.happens('publisher_breaks_off_after')) return void answer.socket?.resetAndDestroy()
  if (faults.happens('publisher_hangs')) return
  const told = faults.happens('publisher_wrong_id') ? randomBytes(32).toString('base64url') : blobId
  if (!('created' in outcome)) {
    const { endEpoch } = outcome
    return sendJson(answer, 200, { alreadyCertified: { blobId: told, event: newEvent(), endEpoch } })
  }
  const { created, sizeBytes, query } = outcome
  const storageSize = encodedSizeBytes(sizeBytes, shards)
  const blobObject = {
    ...{ id: created.id, registeredEpoch: created.startEpoch, blobId: told, size: sizeBytes, encodingType: 'RS2' },
    certifiedEpoch: null, // the response shows the object as of its registration
    storage: { id: created.storageId, startEpoch: created.startEpoch, endEpoch: created.endEpoch, storageSize },
    deletable: !created.isPermanent,
  }
  if (faults.happens('publisher_wrong_shape')) return sendJson(answer, 200, { newlyCreated: blobObject })
  const registered = { registerFromScratch: { encodedLength: storageSize, epochsAhead: query.epochs } }
  const cost = Math.ceil(storageSize / 1024 ** 2) * query.epochs
  sendJson(answer, 200, { newlyCreated: { blobObject, resourceOperation: registered, cost } })
}

const insufficient = () =>
  Refusal.of('INSUFFICIENT_CONFIRMATIONS', 'the service timed-out while waiting for confirmations')

const BASE58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'

function newEvent() {
  const txDigest = Array.from(randomBytes(44), (byte) => BASE58[byte % BASE58.length]).join('')
  return { txDigest, eventSeq: '0' }
}
