/**
 * `tideport smoke`: tests a running installation as a client: creates a vault, uploads a file, waits until it is hot,
 * synced, and cold, compares the bytes in each state, and checks that each event was sent to a webhook. If hot copies
 * stay longer than a step may take, the test stops at synced, with a copy on each network, and prints when the rest is
 * due. Exits 0 only if all checks passed. Moves the vault and its file to the trash.
 *
 * GATEWAY_URL          URL of the gateway
 * TIDEPORT_API_KEY     a key with full access, or TIDEPORT_API_KEY_FILE, the path of a file with the key. Without both,
 *                      the test uses an account that development mode creates; production rejects the requests
 * WAIT_SECONDS         most seconds (600) of each step after it is due
 */
import { createHash, randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'

const { TIDEPORT_API_KEY, TIDEPORT_API_KEY_FILE, WAIT_SECONDS } = process.env
const GATEWAY_URL = process.env.GATEWAY_URL?.replace(/\/+$/, '')
const waitMs = Number(WAIT_SECONDS || 600) * 1000

type Status = 'hot' | 'synced' | 'cold'
type File = { status: string; hotUntil: string | null; error?: string | null }
type CleanUp = { what: string; call: () => Promise<unknown> }

process.exitCode = await main()
process.exit()

/** Faults of the cleanup are reported separately, so that they hide no other fault. */
async function main(): Promise<number> {
  const cleanUps: CleanUp[] = []
  const faults: string[] = []
  await takeThroughLife(cleanUps).catch((error: Error) => faults.push(`smoke failed: ${sentenceOf(error)}`))
  for (const { what, call } of cleanUps.reverse()) {
    await call().catch((error: Error) => faults.push(`cleanup: ${what} was not deleted: ${sentenceOf(error)}`))
  }
  for (const fault of faults) process.stderr.write(`${fault}\n`)
  return faults.length === 0 ? 0 : 1
}

function sentenceOf({ message, cause }: Error): string {
  return cause instanceof Error ? `${message} (${cause.message})` : message
}

async function takeThroughLife(cleanUps: CleanUp[]): Promise<void> {
  if (!GATEWAY_URL) throw new Error('GATEWAY_URL is required')
  const key = TIDEPORT_API_KEY_FILE ? readFileSync(TIDEPORT_API_KEY_FILE, 'utf8').trim() : TIDEPORT_API_KEY
  const call = client(GATEWAY_URL, key)
  const made = (what: string, path: string) => cleanUps.push({ what, call: () => call('DELETE', path) })

  // This name never resolves (RFC 2606). The test checks only that a delivery of each event was attempted.
  const target = { url: 'https://smoke.invalid/', events: ['hot', 'synced', 'cold'].map((status) => `file.${status}`) }
  const webhook = await call<{ id: string }>('POST', '/api/webhooks', target)
  made('the webhook', `/api/webhooks/${webhook.id}`)
  const vault = await call<{ id: string }>('POST', '/api/vaults', {
    name: `smoke ${Date.now()}`,
    visibility: 'public',
  })
  made('the vault', `/api/vaults/${vault.id}`)
  const bytes = randomBytes(256 * 1024)
  const { fileId, uploadUrl } = await requestUpload(call, vault.id, bytes)
  made('the file', `/api/files/${fileId}`)
  await upload(call, fileId, uploadUrl, bytes)

  const reached = await watch(call, fileId, bytes)
  await until(`deliveries of ${reached.join(', ')}`, () => areTried(call, webhook.id, reached))
  tell(`webhooks: attempted deliveries of ${reached.join(', ')}`)
  tell(reached.includes('cold') ? 'all checks passed' : 'all checks up to synced passed')
}

/** Waits for hot, synced, and, if it is due in time, cold. Reads the bytes back in each state. */
async function watch(call: Call, id: string, bytes: Buffer): Promise<Status[]> {
  const reached: Status[] = []
  let dueInMs = 0
  for (const status of ['hot', 'synced', 'cold'] as const) {
    const file = await untilStatus(call, id, status, dueInMs)
    await readBack(`${GATEWAY_URL}/api/public/files/${id}`, bytes)
    const { downloadUrl, expiresAt } = await call<Download>('GET', `/api/files/${id}/download`)
    await readBack(downloadUrl, bytes)
    tell(`${file.status}: read identical bytes twice`)
    reached.push(status)
    if (status !== 'synced' || !file.hotUntil) continue
    // Hot bytes stay until a download URL that is issued at `hotUntil` expires. It is valid as long as this URL.
    const coldAt = Date.parse(file.hotUntil) + Date.parse(expiresAt) - Date.now()
    dueInMs = coldAt - Date.now()
    if (dueInMs > waitMs) {
      await until('a copy on each network', () => isStored(call, id))
      const at = new Date(coldAt).toISOString()
      tell(`skipped: proof and cold, due at ${at}, because hot copies stay longer than WAIT_SECONDS`)
      return reached
    }
  }
  return reached
}

type Download = { downloadUrl: string; expiresAt: string }

async function isStored(call: Call, id: string): Promise<boolean> {
  const { copies } = await call<{ copies: { state: string }[] }>('GET', `/api/files/${id}/copies`)
  return copies.length > 0 && copies.every(({ state }) => !['planned', 'lost', 'failed'].includes(state))
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

async function requestUpload(call: Call, vaultId: string, bytes: Buffer) {
  const request = { vaultId, name: 'smoke.bin', mimeType: 'application/octet-stream', sizeBytes: bytes.length }
  return await call<{ fileId: string; uploadUrl: string }>('POST', '/api/files/upload', request)
}

async function upload(call: Call, fileId: string, uploadUrl: string, bytes: Buffer): Promise<void> {
  const headers = { 'content-type': 'application/octet-stream' }
  await ask('the PUT of the bytes', uploadUrl, { method: 'PUT', body: new Uint8Array(bytes), headers })
  await call('POST', `/api/files/${fileId}/confirm`)
  tell(`uploaded ${bytes.length} bytes as ${fileId}`)
}

/** A later status counts as well, because workers may be faster than the polling. */
async function untilStatus(call: Call, id: string, status: string, dueInMs: number): Promise<File> {
  const order = ['pending', 'hot', 'synced', 'evicting', 'cold']
  let file = await call<File>('GET', `/api/files/${id}`)
  const isThere = async () => {
    file = await call<File>('GET', `/api/files/${id}`)
    if (file.status === 'error') throw new Error(`The file has the status error: ${file.error}`)
    return order.indexOf(file.status) >= order.indexOf(status)
  }
  await until(`the file to be ${status}`, isThere, dueInMs)
  return file
}

async function readBack(url: string, bytes: Buffer): Promise<void> {
  const answer = await ask('a read', url, {})
  const digest = (data: Buffer) => createHash('sha256').update(data).digest('hex')
  if (digest(Buffer.from(await answer.arrayBuffer())) !== digest(bytes))
    throw new Error('The downloaded bytes differ from the uploaded bytes')
}

type Delivery = { event: string; attempts: number }

async function areTried(call: Call, webhookId: string, reached: Status[]): Promise<boolean> {
  const { deliveries } = await call<{ deliveries: Delivery[] }>('GET', `/api/webhooks/${webhookId}/deliveries`)
  return reached.every((status) => deliveries.some(({ event, attempts }) => event === `file.${status}` && attempts > 0))
}

/** Messages never contain signed URLs. Reads are retried while the status is 503, with a line for each retry. */
async function ask(what: string, url: string | URL, init: RequestInit): Promise<Response> {
  const signal = AbortSignal.timeout(waitMs)
  const isRead = (init.method ?? 'GET') === 'GET'
  const once = () =>
    fetch(url, { ...init, signal }).catch((cause: Error) => {
      throw new Error(`${what} received no response`, { cause: cause.cause ?? cause })
    })
  let answer = await once()
  while (isRead && answer.status === 503) {
    tell(`${what} returned 503, retrying`)
    await delay(1000)
    answer = await once()
  }
  if (answer.ok) return answer
  throw new Error(`${what} returned ${answer.status}: ${(await answer.text()).slice(0, 300)}`)
}

async function until(what: string, check: () => boolean | Promise<boolean>, dueInMs = 0): Promise<void> {
  const begun = performance.now()
  while (!(await check())) {
    const waited = performance.now() - begun
    if (waited > dueInMs + waitMs) throw new Error(`Waited ${Math.round(waited / 1000)} s for ${what}`)
    await delay(250)
  }
}

function tell(line: string): void {
  process.stdout.write(`${line}\n`)
}
