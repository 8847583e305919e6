import { once } from 'node:events'
import { mkdir } from 'node:fs/promises'
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { openBlobs } from './blobs.ts'
import { type TokenRules, tokenCheck } from './check-token.ts'
import type { Devnet } from './devnet.ts'
import { openEpochs } from './epochs.ts'
import { createFaults, type FaultOptions, faultNames, isFaultName } from './faults.ts'
import { sendJson } from './refusals.ts'
import { answerRequest } from './routes.ts'

export interface DevnetOptions {
  /** Created when missing; persists across starts. One running devnet per directory. */
  dataDir: string
  /** Host for `/v1`. Defaults to 127.0.0.1. */
  host?: string
  /** Defaults to a free port. */
  port?: number
  /** Always on 127.0.0.1. Defaults to a free port. */
  adminPort?: number
  /** Defaults to 1000, as on mainnet. Fewer shards speed up the computation of blob IDs, but change the IDs. */
  shards?: number
  /** Defaults to one day. */
  epochSeconds?: number
  /** Defaults to 10 MiB, as for a publisher. */
  maxBodyBytes?: number
  /** No token is required when missing. */
  token?: TokenRules
}

export interface RunningDevnet extends AsyncDisposable, Devnet {
  /** URL of publisher and aggregator: `http://127.0.0.1:<port>` */
  url: string
  port: number
  adminUrl: string
}

/** Starts a Walrus network in this process, with real blob IDs, epochs, tokens, and injectable faults (`faults.ts`). */
export async function startDevnet(options: DevnetOptions): Promise<RunningDevnet> {
  const { dataDir, host = '127.0.0.1', shards = 1000, epochSeconds = 86_400, token } = options
  await mkdir(dataDir, { recursive: true })
  const epochs = await openEpochs(dataDir, epochSeconds)
  const blobs = await openBlobs(dataDir, epochs)
  const devnet: Devnet = {
    ...{ epochs, blobs, shards, faults: createFaults(), maxBodyBytes: options.maxBodyBytes ?? 10 * 1024 ** 2 },
    checkToken: token ? tokenCheck(token) : null,
  }
  const daemon = await listening(
    (request, answer) => {
      void answerRequest(devnet, request, answer, () => undefined)
    },
    [host, options.port],
  )
  daemon.on('checkContinue', (request, answer) => {
    void answerRequest(devnet, request, answer, () => answer.writeContinue())
  })
  const admin = await listening(
    (request, answer) => void answerAdmin(devnet, request, answer),
    ['127.0.0.1', options.adminPort],
  )
  return {
    ...devnet,
    url: `http://127.0.0.1:${portOf(daemon)}`,
    port: portOf(daemon),
    adminUrl: `http://127.0.0.1:${portOf(admin)}`,
    async [Symbol.asyncDispose]() {
      await Promise.all([daemon, admin].map(close))
    },
  }
}

async function listening(listener: RequestListener, [host, port = 0]: [string, number | undefined]): Promise<Server> {
  const server = createServer(listener)
  // No time limit for request bodies.
  server.requestTimeout = 0
  server.listen(port, host)
  await once(server, 'listening')
  return server
}

const portOf = (server: Server) => (server.address() as AddressInfo).port

async function close(server: Server): Promise<void> {
  server.close()
  server.closeAllConnections()
  await once(server, 'close')
}

/** `/state`, `POST /epochs?end=N`, `DELETE /blobs/{id}`, `PUT /faults/{name}` (`{times, blobId}`), `DELETE /faults`. */
async function answerAdmin(devnet: Devnet, request: IncomingMessage, answer: ServerResponse): Promise<void> {
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
