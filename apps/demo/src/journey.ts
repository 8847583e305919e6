import { setTimeout as delay } from 'node:timers/promises'
import {
  type Client,
  createApiKey,
  createClient,
  createVault,
  createWebhook,
  type FileRecord,
  readCopies,
  readFile,
  readTimeline,
  type Vault,
  waitFor,
} from '@tideport/sdk'
import { type DemoFile, type Original, uploadFile } from './demo-file.ts'
import { loseACopy } from './lose-a-copy.ts'
import { readEveryWay } from './read-every-way.ts'
import type { Timings } from './timings.ts'
import { startWebhookReceiver, type WebhookReceiver } from './webhook-receiver.ts'

const NEWS = ['file.hot', 'file.synced', 'file.cold'] as const
const DELIVERY_WAIT_MS = 60_000
const CALL_WAIT_MS = 90_000
const STATE_WAIT_MS = 10 * 60_000

export type Tell = (line: string) => void

export interface Where {
  gatewayUrl: string
  /** By network name. */
  networkDirs: Readonly<Record<string, string>>
  /** Whether a copy of the public file is removed and restored from another network. */
  loses: boolean
}

/**
 * Takes a file in each vault from upload to cold, reads it in every state, and verifies every event. Throws at the
 * first wrong result. Returns the public vault and a function that reads both files again.
 */
export async function runJourney(
  where: Where,
  original: Original,
  timings: Timings,
  tell: Tell,
): Promise<{ vaultId: string; readAgain: () => Promise<void> }> {
  const { gatewayUrl: baseUrl } = where
  const options = { baseUrl, timeoutMs: CALL_WAIT_MS }
  // In development mode, a request without credentials acts as the first user.
  const firstUser = createClient({ ...options, development: {} })
  const { key } = await createApiKey(firstUser, { name: 'Demo', expiresInDays: 1 })
  const client = createClient({ ...options, apiKey: key })
  tell('An API key was created. All further calls use it.')

  const vaults = new Map<string, Vault['visibility']>()
  await using receiver = await startWebhookReceiver(({ event, data }) =>
    tell(`${vaults.get(data.vaultId)}: ${event} delivered, signature verified`),
  )
  const webhook = await createWebhook(client, { url: receiver.url, events: [...NEWS, 'file.error'] })
  receiver.secret = webhook.secret

  const demo = { ...where, client, timings, tell }
  const files: DemoFile[] = []
  for (const visibility of ['public', 'private'] as const) {
    const vault = await createVault(client, { name: `Demo ${visibility}`, visibility })
    vaults.set(vault.id, visibility)
    const file = await timings.time('upload and confirm', visibility, () => uploadFile(client, vault, original))
    tell(`${visibility}: confirmed, hot${visibility === 'private' ? '; it was encrypted before the upload' : ''}`)
    await timings.time('read while hot', visibility, () => readNow(demo, file))
    files.push(file)
  }
  await Promise.all(files.map((file) => follow(demo, file)))
  await awaitDeliveries(receiver, files)
  tell(`${receiver.events.length} events were delivered, each verified and delivered once.`)
  const readAgain = async () => {
    for (const file of files) {
      await readNow(demo, file)
      tell(`${file.visibility}: the file reads back unchanged from the current networks`)
    }
  }
  const [vaultId] = vaults.keys()
  return { vaultId: vaultId as string, readAgain }
}

interface Demo extends Where {
  client: Client
  timings: Timings
  tell: Tell
}

const readNow = async ({ client }: Demo, file: DemoFile): Promise<void> =>
  readEveryWay(client, file, await readFile(client, { fileId: file.id }))

async function follow(demo: Demo, file: DemoFile): Promise<void> {
  const { client, timings, tell } = demo
  const { visibility, original } = file
  const synced = await timings.time('hot → synced', visibility, () => awaitState(demo, file, 'synced'))
  tell(`${visibility}: synced as ${synced.storageNetworkBlobId}`)
  // Of a private file, the service knows only the encrypted bytes.
  if (visibility === 'public' && synced.checksumSha256 !== original.sha256)
    throw new Error('The SHA-256 that sync recorded differs from the uploaded file')
  await timings.time('read after sync', visibility, () => readEveryWay(client, file, synced))
  tell(`${visibility}: the file reads back unchanged after sync`)

  const cold = await timings.time('synced → cold', visibility, () => awaitState(demo, file, 'cold'))
  tell(`${visibility}: cold, the hot copy was removed`)
  await timings.time('read when cold', visibility, () => readEveryWay(client, file, cold))
  if (demo.loses && visibility === 'public')
    await timings.time('lost → healed', visibility, () => lose(demo, file, cold))
}

async function lose({ client, networkDirs, tell }: Demo, file: DemoFile, cold: FileRecord): Promise<void> {
  const { id: fileId, visibility } = file
  await loseACopy({
    fileId,
    networkDirs,
    readCopies: () => readCopies(client, { fileId }),
    readTimeline: () => readTimeline(client, { fileId, limit: 100 }).page(),
    readFile: () => readEveryWay(client, file, cold),
    tell: (line) => tell(`${visibility}: ${line}`),
  })
}

/** Reports how long the hot copy stays. Throws after too long without a change. */
async function awaitState({ client, tell }: Demo, { id, visibility }: DemoFile, state: 'synced' | 'cold') {
  const { hotUntil } = await readFile(client, { fileId: id })
  const retentionMs = hotUntil === null ? 0 : Math.max(0, Date.parse(hotUntil) - Date.now())
  if (state === 'cold' && retentionMs > 0)
    tell(`${visibility}: the hot copy is kept for another ${Math.ceil(retentionMs / 1000)} s`)
  return await waitFor(client, id, state, { signal: AbortSignal.timeout(STATE_WAIT_MS + retentionMs) })
}

async function awaitDeliveries(receiver: WebhookReceiver, files: DemoFile[]): Promise<void> {
  const expected = files.flatMap(({ id }) => NEWS.map((event) => `${event} ${id}`)).toSorted()
  const got = () => receiver.events.map(({ event, data }) => `${event} ${data.fileId}`).toSorted()
  for (const startedAt = performance.now(); got().length < expected.length; await delay(50)) {
    if (performance.now() - startedAt > DELIVERY_WAIT_MS) throw new Error('Some events were not delivered')
  }
  if (got().join() !== expected.join()) throw new Error(`Unexpected set of delivered events: ${got().join(', ')}`)
  if (receiver.refused > 0) throw new Error(`${receiver.refused} deliveries had a wrong signature`)
}
