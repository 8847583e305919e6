/**
 * `tideport smoke`: the main job against a running installation, as a client sees it: a vault, an upload, hot, synced,
 * cold, the same bytes each time, and an attempt to deliver each piece of news. Exits 0 only if all held; the vault and what
 * is in it end in the trash.
 *
 * GATEWAY_URL          where the API answers
 * TIDEPORT_API_KEY     a key with full access, or TIDEPORT_API_KEY_FILE, the path of a file that holds it; neither: an
 *                      account of its own, which development mode makes for it and production refuses
 * FORWARD              "PORT=HOST:PORT …": local ports that lead elsewhere, where clients' addresses mean localhost
 * WAIT_SECONDS     how long each step may take (600)
 */
import { createHash, randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'

const { GATEWAY_URL, TIDEPORT_API_KEY, TIDEPORT_API_KEY_FILE, FORWARD, WAIT_SECONDS } = process.env
const waitMs = Number(WAIT_SECONDS || 600) * 1000
const news = ['file.hot', 'file.synced', 'file.cold']

type File = { status: string; storageNetworkBlobId: string | null; error?: string | null }

process.exitCode = await main().catch((error: Error) => {
  process.stderr.write(`smoke failed: ${error.message}${error.cause ? ` (${(error.cause as Error).message})` : ''}\n`)
  return 1
})
process.exit()

async function main(): Promise<number> {
  if (!GATEWAY_URL) throw new Error('GATEWAY_URL is required')
  const key = TIDEPORT_API_KEY_FILE ? readFileSync(TIDEPORT_API_KEY_FILE, 'utf8').trim() : TIDEPORT_API_KEY
  await Promise.all((FORWARD ?? '').split(/\s+/).filter(Boolean).map(forward))
  const call = client(GATEWAY_URL, key)
  await using cleanup = new AsyncDisposableStack()

  // Nobody answers there (RFC 2606): what is to be seen is that each event is tried.
  const target = { url: 'https://smoke.invalid/', events: news }
  const webhook = await call<{ id: string }>('POST', '/api/webhooks', target)
  cleanup.defer(() => call('DELETE', `/api/webhooks/${webhook.id}`))

  const vault = await call<{ id: string }>('POST', '/api/vaults', {
    name: `smoke ${Date.now()}`,
    visibility: 'public',
  })
  cleanup.defer(() => call('DELETE', `/api/vaults/${vault.id}`))
  const bytes = randomBytes(256 * 1024)
  const id = await upload(call, vault.id, bytes)
  cleanup.defer(() => call('DELETE', `/api/files/${id}`))
  for (const status of ['hot', 'synced', 'cold']) {
    const file = await untilStatus(call, id, status)
    await readBack(`${GATEWAY_URL}/api/public/files/${id}`, bytes)
    const { downloadUrl } = await call<{ downloadUrl: string }>('GET', `/api/files/${id}/download`)
    await readBack(downloadUrl, bytes)
    tell(`${file.status}: read back byte for byte, twice`)
  }
  await until('three webhook deliveries', () => areTried(call, webhook.id))
  tell('webhooks: the deliveries of hot, synced and cold were tried')
  tell('all of it held')
  return 0
}

type Call = <T>(method: string, path: string, body?: unknown) => Promise<T>

function client(gatewayUrl: string, key: string | undefined): Call {
  const caller: Record<string, string> = key ? { authorization: `Bearer ${key}` } : { 'x-dev-provider-id': 'smoke' }
  return async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const answer = await ask(`${method} ${path}`, new URL(path, gatewayUrl), {
      method,
      headers: { ...caller, ...(body ? { 'content-type': 'application/json' } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
    const text = await answer.text()
    return (text === '' ? undefined : JSON.parse(text)) as T
  }
}

async function upload(call: Call, vaultId: string, bytes: Buffer): Promise<string> {
  const request = { vaultId, name: 'smoke.bin', mimeType: 'application/octet-stream', sizeBytes: bytes.length }
  const { fileId, uploadUrl } = await call<{ fileId: string; uploadUrl: string }>('POST', '/api/files/upload', request)
  const headers = { 'content-type': request.mimeType }
  await ask('the PUT of the bytes', uploadUrl, { method: 'PUT', body: new Uint8Array(bytes), headers })
  await call('POST', `/api/files/${fileId}/confirm`)
  tell(`uploaded ${bytes.length} bytes as ${fileId}`)
  return fileId
}

/** A status that was passed already counts: workers may be faster than we ask. */
async function untilStatus(call: Call, id: string, status: string): Promise<File> {
  const order = ['pending', 'hot', 'synced', 'evicting', 'cold']
  let file = await call<File>('GET', `/api/files/${id}`)
  await until(`the file to be ${status}`, async () => {
    file = await call<File>('GET', `/api/files/${id}`)
    if (file.status === 'error') throw new Error(`The file is in error: ${file.error}`)
    return order.indexOf(file.status) >= order.indexOf(status)
  })
  return file
}

async function readBack(url: string, bytes: Buffer): Promise<void> {
  const answer = await ask('a read', url, {})
  const digest = (data: Buffer) => createHash('sha256').update(data).digest('hex')
  if (digest(Buffer.from(await answer.arrayBuffer())) !== digest(bytes)) throw new Error('A read gave other bytes')
}

type Delivery = { event: string; attempts: number }

async function areTried(call: Call, webhookId: string): Promise<boolean> {
  const { deliveries } = await call<{ deliveries: Delivery[] }>('GET', `/api/webhooks/${webhookId}/deliveries`)
  return news.every((name) => deliveries.some(({ event, attempts }) => event === name && attempts > 0))
}

/** Signed URLs never appear in a message. */
async function ask(what: string, url: string | URL, init: RequestInit): Promise<Response> {
  const signal = AbortSignal.timeout(waitMs)
  const answer = await fetch(url, { ...init, signal }).catch((cause: Error) => {
    throw new Error(`${what} got no answer`, { cause: cause.cause ?? cause })
  })
  if (answer.ok) return answer
  throw new Error(`${what} answered ${answer.status}: ${(await answer.text()).slice(0, 300)}`)
}

async function until(what: string, check: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + waitMs
  while (!(await check())) {
    if (performance.now() > deadline) throw new Error(`Waited ${waitMs / 1000} s for ${what}`)
    await delay(250)
  }
}

async function forward(rule: string): Promise<void> {
  const [, port, host, to] = /^(\d+)=(.+):(\d+)$/.exec(rule) ?? []
  if (host === undefined) throw new Error(`FORWARD: ${rule} is not PORT=HOST:PORT`)
  const server = createServer((socket) => {
    const upstream = connect(Number(to), host)
    socket.on('error', () => upstream.destroy()).pipe(upstream)
    upstream.on('error', () => socket.destroy()).pipe(socket)
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(Number(port), '127.0.0.1', resolve)
  })
}

function tell(line: string): void {
  process.stdout.write(`${line}\n`)
}
