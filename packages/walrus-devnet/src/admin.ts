import type { IncomingMessage, ServerResponse } from 'node:http'
import { json } from 'node:stream/consumers'
import type { Devnet } from './devnet.ts'
import { type FaultOptions, faultNames, isFaultName } from './faults.ts'
import { sendJson } from './refusals.ts'

/**
 * `GET /state`, `POST /epochs?end=N`, `DELETE /blobs/{id}`, `PUT /faults/{name}` (`{times, blobId}`), `DELETE
 * /faults[/{name}]`.
 */
export async function answerAdmin(devnet: Devnet, request: IncomingMessage, answer: ServerResponse): Promise<void> {
  const { epochs, faults, blobs, shards } = devnet
  const url = new URL(request.url ?? '/', 'http://devnet')
  const [, place, name] = url.pathname.split('/')
  const asked = `${request.method} ${place}`
  try {
    if (asked === 'POST epochs') {
      await epochs.advance(Math.max(1, Number(url.searchParams.get('end') ?? 1) || 1))
      await blobs.collect()
    } else if (asked === 'DELETE blobs' && name) await blobs.forget(name)
    else if (asked === 'PUT faults' && name !== undefined && isFaultName(name)) {
      faults.set(name, optionsOf(await json(request).catch(() => ({}))))
    } else if (asked === 'DELETE faults' && name === undefined) faults.clear()
    else if (asked === 'DELETE faults' && name !== undefined && isFaultName(name)) faults.clear(name)
    else if (asked !== 'GET state') return sendJson(answer, 404, { faultNames })
    sendJson(answer, 200, { epoch: epochs.current(), shards, faults: faults.list() })
  } catch {
    sendJson(answer, 500, {})
  }
}

function optionsOf(given: unknown): FaultOptions {
  const { times, blobId } = (given ?? {}) as FaultOptions
  return { ...(typeof times === 'number' && { times }), ...(typeof blobId === 'string' && { blobId }) }
}
