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
  /** Made when missing; kept from start to start. One running devnet per directory. */
  dataDir: string
  /** Where `/v1` is; 127.0.0.1 when missing. */
  host?: string
  /** Any free one when missing. */
  port?: number
  /** On 127.0.0.1 always; any free one when missing. */
  adminPort?: number
  /** 1000, as mainnet has, when missing; fewer make ids quicker, and other ones. */
  shards?: number
  /** A day when missing. */
  epochSeconds?: number
  /** 10 MiB, as a publisher has, when missing. */
  maxBodyBytes?: number
  /** Nobody needs a token when missing. */
  token?: TokenRules
}

export interface RunningDevnet extends AsyncDisposable, Devnet {
  /** Of publisher and aggregator: `http://127.0.0.1:<port>` */
  url: string
  port: number
  adminUrl: string
}

/**
 * A Walrus network of one process, with real blob IDs, epochs, and tokens, and with faults on request (`faults.ts`).
 */
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
  // A body may take as long as it likes.
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
