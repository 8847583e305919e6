import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Devnet } from './devnet.ts'
import { getBlob } from './get-blob.ts'
import { putBlob } from './put-blob.ts'
import { Refusal } from './refusals.ts'

const BLOB = /^\/v1\/blobs\/([A-Za-z0-9_-]+)$/
const OBJECT = /^\/v1\/blobs\/by-object-id\/(0x[0-9a-fA-F]{64})$/
const BYTE_RANGE = /^\/v1\/blobs\/([A-Za-z0-9_-]+)\/byte-range$/

/** Serves the publisher and the aggregator. `goOn` tells a waiting client to send its body. */
export async function answerRequest(
  devnet: Devnet,
  request: IncomingMessage,
  answer: ServerResponse,
  goOn: () => void,
): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://devnet')
  try {
    await route(devnet, url, request, answer, goOn)
  } catch (error) {
    if (answer.headersSent || answer.destroyed) answer.destroy()
    else if (error instanceof Refusal) refuse(error, request, answer)
    else refuse(Refusal.of('INTERNAL', 'an internal error occurred'), request, answer)
  }
}

async function route(
  devnet: Devnet,
  url: URL,
  request: IncomingMessage,
  answer: ServerResponse,
  goOn: () => void,
): Promise<void> {
  const { pathname } = url
  const isRead = request.method === 'GET' || request.method === 'HEAD'
  if (isRead && pathname === '/status') return void answer.writeHead(200, { 'content-type': 'text/plain' }).end('OK')
  if (request.method === 'PUT' && pathname === '/v1/blobs') return await putBlob(devnet, url, request, answer, goOn)
  const [blob, object, range] = [BLOB, OBJECT, BYTE_RANGE].map((form) => form.exec(pathname)?.[1])
  if (!isRead) throw Refusal.plain(405, '')
  if (object !== undefined) {
    const record = await devnet.blobs.findByObject(object)
    if (record === null) throw Refusal.of('OBJECT_ID_RESOLUTION_FAILED', 'failed to resolve object ID')
    return await getBlob(devnet, record, { url, request, answer })
  }
  const blobId = blob ?? range
  if (blobId === undefined) throw Refusal.plain(404, '')
  if (Buffer.from(blobId, 'base64url').length !== 32) throw Refusal.plain(400, 'Invalid URL: failed to parse a blob ID')
  const record = await devnet.blobs.find(blobId)
  await getBlob(devnet, record, { url, request, answer, byQuery: range !== undefined })
}

/** Sends the refusal. Closes the connection if the request body was not completely received. */
function refuse(refusal: Refusal, request: IncomingMessage, answer: ServerResponse): void {
  if (!request.complete) {
    answer.shouldKeepAlive = false
    answer.once('finish', () => request.socket?.destroySoon())
  }
  refusal.sendTo(answer)
}
