import { randomBytes } from 'node:crypto'
import { stat } from 'node:fs/promises'
import { buffer } from 'node:stream/consumers'
import { ApiError, type Client, deleteFile, download, downloadFile, readAccount, upload } from '@tideport/sdk'
import { fetch, proxyFor } from '@tideport/sdk/node'
import type { Identity } from '../profile/connect.ts'
import { findVault } from '../remote/find-vault.ts'
import { readText } from '../remote/read-text.ts'
import { formatBytes, formatCount } from '../terminal/amounts.ts'

/** The result of a check, as a sentence. A warning is not a failure. */
export interface Finding {
  text: string
  isWarning?: boolean
}

/** Signed URLs depend on the clock of the service, and webhook receivers reject deliveries older than five minutes. */
const SKEW_SECONDS_MAX = 60
const ANSWER_MS = 15_000
const DESCRIPTION_MAX = 8 * 1024 ** 2

export async function checkKeyPlace({ keyFrom }: Identity): Promise<Finding> {
  if (keyFrom === 'keyring' || keyFrom === 'TIDEPORT_API_KEY') return { text: `The key comes from ${keyFrom}` }
  const { mode } = await stat(keyFrom)
  const isOpen = process.platform !== 'win32' && (mode & 0o077) !== 0
  const text = `The key comes from ${keyFrom}${isOpen ? ', which other users can read. Run chmod 600 on the file' : ''}`
  return { text, isWarning: isOpen }
}

export function checkProxy(url: string): Finding {
  return { text: `Requests to ${url} go ${wayTo(new URL(url))}` }
}

function wayTo(url: URL): string {
  const proxy = proxyFor(url)
  return proxy === null ? 'without a proxy' : `through the proxy ${proxy.origin}`
}

export async function checkService(
  url: string,
  signal: AbortSignal,
): Promise<{ finding: Finding; date: string | null }> {
  const either = AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS)])
  const response = await fetch(`${url}/api/openapi.json`, { signal: either, redirect: 'manual' }).catch(explain)
  const text = await readText(response, DESCRIPTION_MAX)
  const date = response.headers.get('date')
  if (response.status !== 200) throw new Error(`${url} returned status ${response.status} for its API description`)
  const version = versionOf(text)
  if (version === null)
    throw new Error(`${url} responds, but is not Tideport. A proxy or another service may be at this address`)
  const isPlain = url.startsWith('http:')
  return {
    finding: { text: `${url} is Tideport ${version}${isPlain ? ', without TLS' : ''}`, isWarning: isPlain },
    date,
  }
}

function versionOf(text: string): string | null {
  try {
    const { info, paths } = JSON.parse(text) as { info?: { version?: string }; paths?: Record<string, unknown> }
    return paths?.['/api/files/upload'] && info?.version ? info.version : null
  } catch {
    return null
  }
}

/** `fetch failed` hides the cause. */
function explain(error: Error): never {
  const { code, message } = (error.cause ?? error) as NodeJS.ErrnoException
  throw new Error(code === undefined ? message : `${message} (${code})`, { cause: error })
}

export function checkClock(date: string | null): Finding {
  if (date === null)
    return { text: 'The service sends no Date header, so the clock cannot be checked', isWarning: true }
  const seconds = Math.round((Date.now() - Date.parse(date)) / 1000)
  if (Math.abs(seconds) <= SKEW_SECONDS_MAX) return { text: 'The local clock matches the clock of the service' }
  const text = `The local clock is ${Math.abs(seconds)} s ${seconds > 0 ? 'ahead of' : 'behind'} the service. Webhook signatures and log times may look wrong. Set the clock`
  return { text, isWarning: true }
}

export async function checkKey(client: Client, signal: AbortSignal): Promise<Finding> {
  try {
    const { id, usage } = await readAccount(client, {}, { signal })
    const { fileCount, storageBytes } = usage
    return { text: `The key is valid: account ${id}, ${formatCount(fileCount, 'file')}, ${formatBytes(storageBytes)}` }
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 403 && error.code !== null)) throw error
    return { text: `The key is valid, but limited: ${error.message}` }
  }
}

/** Tests the object storage, whose address is not the API's. Deletes the test file permanently. */
export async function checkStorage(client: Client, vault: string, signal: AbortSignal): Promise<Finding> {
  const { id: vaultId, visibility } = await findVault(client, vault, signal)
  if (visibility === 'private') throw new Error(`Vault "${vault}" is private. Name a public vault`)
  const bytes = randomBytes(1000)
  const name = `tideport-doctor-${bytes.toString('hex', 0, 8)}`
  // Uses parts, because an upload in one call would not go from this machine to the storage.
  const file = await upload(client, bytes, { vaultId, name, partSizeBytes: 5 * 1024 ** 2, signal })
  let way: string
  try {
    const { downloadUrl } = await downloadFile(client, { fileId: file.id }, { signal })
    way = wayTo(new URL(downloadUrl, client.baseUrl))
    const { body } = await download(client, file, { signal })
    const back = await buffer(body)
    if (!back.equals(bytes)) throw new Error('The object storage returned different bytes')
  } finally {
    await deleteFile(client, { fileId: file.id, permanent: true })
  }
  return { text: `The object storage stores and returns bytes, ${way} (test file in "${vault}", deleted)` }
}
