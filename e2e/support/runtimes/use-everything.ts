import {
  createClient,
  createVault,
  download,
  followJob,
  listFiles,
  moveFiles,
  NotFoundError,
  readFile,
  trashMany,
  upload,
} from '@tideport/sdk'
import {
  createIdentity,
  createVaultKey,
  downloadPrivate,
  openVaultKey,
  sealVaultKey,
  uploadPrivate,
} from '@tideport/sdk/crypto'
import { verify } from '@tideport/sdk/webhooks'

export interface Given {
  baseUrl: string
  apiKey: string
  delivery: { body: string; headers: Record<string, string>; secret: string }
}

const MIB = 1024 ** 2

/** Uses all SDK functions that need no file system, as an application would in any runtime. */
export async function useEverything({ baseUrl, apiKey, delivery }: Given): Promise<Record<string, unknown>> {
  const client = createClient({ baseUrl, apiKey })
  const bytes = randomBytes(12 * MIB)
  const { id: vaultId } = await createVault(client, { name: 'Runtime', visibility: 'public' })
  const told: number[] = []
  const onProgress = ({ sentBytes }: { sentBytes: number }) => void told.push(sentBytes)
  const small = await upload(client, new Blob(['small']), { vaultId, name: 'small.txt', mimeType: 'text/plain' })
  const once = await upload(client, bytes.subarray(0, 5 * MIB), { vaultId, name: 'once' })
  const parts = await upload(client, bytes, { vaultId, name: 'parts', partSizeBytes: 5 * MIB, onProgress })
  const stream = await upload(client, new Blob([bytes]).stream(), { vaultId, name: 'stream', sizeBytes: bytes.length })
  const names: string[] = []
  for await (const { name } of listFiles(client, { vaultId, limit: 2 })) names.push(name)

  const abort = AbortSignal.abort(new Error('enough'))
  const states: string[] = []
  const { job } = await moveFiles(client, { vaultId, prefix: '', to: 'moved/' })
  if (job) for await (const { state } of followJob(client, job)) states.push(state)
  return {
    names: names.toSorted(),
    small: await new Response((await download(client, small)).body).text(),
    whole: [await isSame(client, parts.id, bytes), await isSame(client, stream.id, bytes)],
    part: await read((await download(client, once, { start: 100, end: 200 })).body).then(
      (read) => read.join() === bytes.subarray(100, 200).join(),
    ),
    progress: told.at(-1) === bytes.length && told.length > 1,
    missing: await readFile(client, { fileId: crypto.randomUUID() }).catch(
      (error: unknown) => error instanceof NotFoundError && error.requestId !== null,
    ),
    aborted: await upload(client, bytes, { vaultId, name: 'no', signal: abort }).catch((error: Error) => error.message),
    lastState: states.at(-1),
    trashed: (await trashMany(client, { vaultId, ids: [small.id] })).done,
    event: (await verify(delivery.body, delivery.headers, delivery.secret)).event,
    forged: await verify(`${delivery.body} `, delivery.headers, delivery.secret).catch((error: Error) => error.name),
    private: await usePrivateVault(client, bytes),
  }
}

async function usePrivateVault(client: ReturnType<typeof createClient>, bytes: Uint8Array<ArrayBuffer>) {
  const { id: vaultId } = await createVault(client, { name: 'Secret', visibility: 'private' })
  const { identity, recipient } = await createIdentity()
  const vaultKey = createVaultKey()
  const byIdentity = await openVaultKey(await sealVaultKey(vaultKey, { recipients: [recipient] }), { identity })
  const passphrase = 'Häfen'
  const byPassphrase = await openVaultKey(await sealVaultKey(vaultKey, { passphrase, workFactor: 8 }), { passphrase })
  const options = { vaultId, name: 'secret', vaultKey: byIdentity, partSizeBytes: 5 * MIB }
  const file = await uploadPrivate(client, bytes, options)
  const whole = await read((await downloadPrivate(client, file, { vaultKey: byPassphrase })).body)
  const part = await read((await downloadPrivate(client, file, { vaultKey, start: 3_000_000, end: 3_000_010 })).body)
  return [equal(whole, bytes), equal(part, bytes.subarray(3_000_000, 3_000_010))]
}

async function isSame(client: ReturnType<typeof createClient>, id: string, bytes: Uint8Array): Promise<boolean> {
  return equal(await read((await download(client, id)).body), bytes)
}

const read = async (body: ReadableStream) => new Uint8Array(await new Response(body).arrayBuffer())
const equal = (a: Uint8Array, b: Uint8Array) => a.length === b.length && a.every((byte, index) => byte === b[index])

function randomBytes(size: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(size)
  for (let at = 0; at < size; at += 65_536) crypto.getRandomValues(bytes.subarray(at, at + 65_536))
  return bytes
}
