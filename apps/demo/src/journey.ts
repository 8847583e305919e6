import { setTimeout as delay } from 'node:timers/promises'
import { type Client, createClient } from '@tideport/contracts/client/create-client'
import type { File } from '@tideport/contracts/public/files'
import type { Visibility } from '@tideport/contracts/public/vaults'
import { fileStateEvents } from '@tideport/contracts/public/webhook-payload'
import { statusOf } from './bytes.ts'
import { type DemoFile, type Original, readAndCompare, uploadFile } from './demo-file.ts'
import { awaitStatus } from './follow-status.ts'
import { loseACopy } from './lose-a-copy.ts'
import type { Timings } from './timings.ts'
import { startWebhookReceiver, type WebhookReceiver } from './webhook-receiver.ts'

const NEWS = ['file.hot', 'file.synced', 'file.cold'] as const
const DELIVERY_WAIT_MS = 60_000
const CALL_WAIT_MS = 90_000

/** Prints one line of what was seen. */
export type Tell = (line: string) => void

export interface Where {
  gatewayUrl: string
  /** The directories of the storage networks, by name. */
  networkDirs: Readonly<Record<string, string>>
  /** Whether a copy of the public file is to be taken away, and made anew from another network. */
  loses: boolean
}

/**
 * The main job, as a client sees it: both vaults, upload, hot, synced, cold, read at every step, every event delivered
 * and verified. Throws at the first thing that does not hold. Returns how to read both files once more.
 */
export async function runJourney(
  where: Where,
  original: Original,
  timings: Timings,
  tell: Tell,
): Promise<() => Promise<void>> {
  const options = { baseUrl: where.gatewayUrl, timeoutMs: CALL_WAIT_MS }
  // The stack runs in development mode, where anybody may be the first user.
  const firstUser = createClient({ ...options, credentials: { development: {} } })
  const { key } = await firstUser.createApiKey({ body: { name: 'Demo', expiresInDays: 1 } })
  const client = createClient({ ...options, credentials: { apiKey: key } })
  tell('An API key was created; every call from here on uses it.')

  const names = new Map<string, Visibility>()
  await using receiver = await startWebhookReceiver(({ event, fileId }) =>
    tell(`${names.get(fileId)}: ${event} delivered, signature verified`),
  )
  const webhook = await client.createWebhook({ body: { url: receiver.url, events: [...fileStateEvents] } })
  receiver.secret = webhook.secret

  const demo = { ...where, client, key, timings, tell }
  const files: DemoFile[] = []
  for (const visibility of ['public', 'private'] as const) {
    const vault = await client.createVault({ body: { name: `Demo ${visibility}`, visibility } })
    const file = await timings.time('upload and confirm', visibility, () =>
      uploadFile(client, vault, original, (fileId) => names.set(fileId, visibility)),
    )
    tell(`${visibility}: confirmed, hot${visibility === 'private' ? '; it was encrypted before it left' : ''}`)
    await timings.time('read while hot', visibility, async () =>
      readEveryWay(demo, file, await client.readFile({ params: { fileId: file.id } })),
    )
    files.push(file)
  }
  await Promise.all(files.map((file) => follow(demo, file)))
  await awaitDeliveries(receiver, files)
  tell(`${receiver.events.length} events were delivered, each verified, each once.`)
  return async () => {
    for (const file of files) {
      await readEveryWay(demo, file, await client.readFile({ params: { fileId: file.id } }))
      tell(`${file.visibility}: reads the same, from the networks there are now`)
    }
  }
}

interface Demo extends Where {
  client: Client
  key: string
  timings: Timings
  tell: Tell
}

async function follow(demo: Demo, file: DemoFile): Promise<void> {
  const { client, timings, tell } = demo
  const { visibility } = file
  const synced = await timings.time('hot → synced', visibility, () => awaitStatus(client, file.id, 'synced', () => {}))
  tell(`${visibility}: synced as ${synced.storageNetworkBlobId}`)
  if (synced.checksumSha256 !== file.storedSha256) throw new Error('Sync recorded another SHA-256 than was uploaded')
  await timings.time('read after sync', visibility, () => readEveryWay(demo, file, synced))
  tell(`${visibility}: reads the same now that the network has a copy`)

  const cold = await timings.time('synced → cold', visibility, () =>
    awaitStatus(client, file.id, 'cold', countdown(visibility, tell)),
  )
  tell(`${visibility}: cold, the hot copy is gone`)
  await timings.time('read when cold', visibility, () => readEveryWay(demo, file, cold))
  if (demo.loses && visibility === 'public')
    await timings.time('lost → healed', visibility, () => lose(demo, file, cold))
}

async function lose(demo: Demo, file: DemoFile, cold: File): Promise<void> {
  const { client, networkDirs, tell } = demo
  const { id: fileId, visibility } = file
  await loseACopy({
    fileId,
    networkDirs,
    readCopies: () => client.readCopies({ params: { fileId } }),
    readTimeline: () => client.readTimeline({ params: { fileId }, query: { limit: 100 } }),
    readFile: () => readEveryWay(demo, file, cold),
    tell: (line) => tell(`${visibility}: ${line}`),
  })
}

/** Public: by file id and, once synced, by blob id. Private: by a download URL; the public routes must not know it. */
async function readEveryWay({ client, gatewayUrl }: Demo, file: DemoFile, record: File): Promise<void> {
  const byFileId = `${gatewayUrl}/api/public/files/${file.id}`
  const byBlobId = record.storageNetworkBlobId && `${gatewayUrl}/api/public/blobs/${record.storageNetworkBlobId}`
  if (file.visibility === ('public' satisfies Visibility)) {
    await readAndCompare(file, record, byFileId)
    if (byBlobId) await readAndCompare(file, record, byBlobId)
    return
  }
  const { downloadUrl } = await client.downloadFile({ params: { fileId: file.id } })
  await readAndCompare(file, record, downloadUrl)
  for (const url of [byFileId, byBlobId]) {
    if (url && (await statusOf(url)) !== 404) throw new Error('A private file can be seen without credentials')
  }
}

/** Tells every few seconds how long the hot copy still stays. */
function countdown(visibility: Visibility, tell: Tell): (file: File) => void {
  let toldAt = 0
  return ({ hotUntil }) => {
    const secondsLeft = Math.ceil((Date.parse(hotUntil ?? '') - Date.now()) / 1000)
    if (!(secondsLeft > 0) || performance.now() - toldAt < 5_000) return
    toldAt = performance.now()
    tell(`${visibility}: the hot copy stays for another ${secondsLeft} s`)
  }
}

async function awaitDeliveries(receiver: WebhookReceiver, files: DemoFile[]): Promise<void> {
  const expected = files.flatMap(({ id }) => NEWS.map((event) => `${event} ${id}`)).toSorted()
  const got = () => receiver.events.map(({ event, fileId }) => `${event} ${fileId}`).toSorted()
  for (const startedAt = performance.now(); got().length < expected.length; await delay(50)) {
    if (performance.now() - startedAt > DELIVERY_WAIT_MS) throw new Error('Some events were not delivered')
  }
  if (got().join() !== expected.join())
    throw new Error(`Other events were delivered than expected: ${got().join(', ')}`)
  if (receiver.refused > 0) throw new Error(`${receiver.refused} deliveries carried a wrong signature`)
}
