import { confirmUpload, deleteFile, downloadFile, type FileCopy, readCopies, requestUpload } from '@tideport/sdk'
import { client } from '../../api/client.ts'
import { describeError } from '../../api/describe-error.ts'
import { apiUrl } from '../../base.ts'
import { text } from '../../text/text.ts'
import type { Finding } from './finding.ts'

const answerMs = 15_000
const probeMs = 5_000
/** Disks and buckets need about a second. Others may need minutes, for which the page does not wait. */
const copiesMs = 20_000
const copiesPollMs = 500

/** Uploads a small file from this browser to the bucket, reads it back, and deletes it when all networks have it. */
export async function checkStorage(vaultId: string, signal: AbortSignal): Promise<Finding[]> {
  const t = text.value.check
  const bytes = crypto.getRandomValues(new Uint8Array(1000))
  const name = `tideport-check-${Date.now()}`
  const { fileId, uploadUrl, headers } = await requestUpload(
    client(),
    { vaultId, name, mimeType: 'application/octet-stream', sizeBytes: bytes.length },
    { signal },
  )
  const origin = new URL(uploadUrl, apiUrl).origin
  const bad = (sentence: string): Finding => ({ name: 'storage', look: 'bad', text: sentence })
  try {
    const put = await reach(uploadUrl, { method: 'PUT', headers: withoutLength(headers), body: bytes, signal })
    if (typeof put === 'string') return [bad(put)]
    if (!put.ok) return [bad(t.refused(origin, codeOf(await put.text(), put.status)))]
    await confirmUpload(client(), { fileId }, { signal })
    const { downloadUrl } = await downloadFile(client(), { fileId }, { signal })
    const got = await reach(downloadUrl, { signal })
    if (typeof got === 'string') return [bad(got)]
    if (!got.ok) return [bad(t.refused(origin, codeOf(await got.text(), got.status)))]
    const back = new Uint8Array(await got.arrayBuffer())
    if (back.length !== bytes.length || back.some((byte, index) => byte !== bytes[index])) return [bad(t.otherBytes)]
    const stored = { name: 'storage', look: 'good', text: t.storage(origin) } as const
    return [stored, networksFinding(await awaitCopies(fileId, signal))]
  } catch (error) {
    return [bad(describeError(error))]
  } finally {
    // An unfinished upload expires if this fails.
    await deleteFile(client(), { fileId, permanent: true }).catch(() => {})
  }
}

/** Browsers set the length and reject the header. */
const withoutLength = (headers: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => name.toLowerCase() !== 'content-length'))

/** The error code of S3, such as SignatureDoesNotMatch, or else the status. */
const codeOf = (body: string, status: number): string => /<Code>(\w{1,64})<\/Code>/.exec(body)?.[1] ?? String(status)

/** Returns the response, or a sentence that says why the browser got none. */
async function reach(url: string, { signal, ...init }: RequestInit & { signal: AbortSignal }) {
  const either = AbortSignal.any([signal, AbortSignal.timeout(answerMs)])
  const blocked = new Set<string>()
  const onBlocked = ({ blockedURI }: SecurityPolicyViolationEvent) => blocked.add(blockedURI)
  document.addEventListener('securitypolicyviolation', onBlocked)
  try {
    return await fetch(url, { cache: 'no-store', credentials: 'omit', ...init, signal: either })
  } catch {
    signal.throwIfAborted()
    return await explain(new URL(url, apiUrl), blocked)
  } finally {
    document.removeEventListener('securitypolicyviolation', onBlocked)
  }
}

async function explain({ origin, protocol }: URL, blocked: ReadonlySet<string>): Promise<string> {
  const t = text.value.check
  if (location.protocol === 'https:' && protocol === 'http:') return t.mixed(origin)
  // A request without CORS distinguishes a blocked response from no response.
  const probe = await fetch(origin, { mode: 'no-cors', cache: 'no-store', signal: AbortSignal.timeout(probeMs) }).then(
    () => true,
    () => false,
  )
  if (probe) return t.cors(origin, location.origin)
  return [...blocked].some((uri) => uri.startsWith(origin)) ? t.policy(origin) : t.unreachable(origin)
}

async function awaitCopies(fileId: string, signal: AbortSignal): Promise<FileCopy[]> {
  const end = Date.now() + copiesMs
  for (;;) {
    const { copies } = await readCopies(client(), { fileId }, { signal })
    if (copies.every(isStored) || Date.now() > end) return copies
    await new Promise((resolve) => setTimeout(resolve, copiesPollMs))
  }
}

/** One disk without a second network is the only way in which cold files have a single copy. */
function networksFinding(copies: readonly FileCopy[]): Finding {
  const t = text.value.check
  const namesOf = (some: readonly FileCopy[]) =>
    some.map(({ network, driver }) => (driver === network ? network : `${network} (${driver})`)).join(', ')
  const [written, missing] = [copies.filter(isStored), copies.filter((copy) => !isStored(copy))]
  const isSingleDisk = copies.length === 1 && copies[0]?.driver === 'embedded'
  const sentences = [
    copies.length === 0 && t.noNetwork,
    written.length > 0 && t.written(namesOf(written)),
    missing.length > 0 && t.notWritten(namesOf(missing)),
    isSingleDisk && t.singleDisk,
  ]
  const look = copies.length === 0 || missing.length > 0 || isSingleDisk ? 'warning' : 'good'
  return { name: 'networks', look, text: sentences.filter(Boolean).join(' ') }
}

const isStored = ({ storedAt }: FileCopy): boolean => storedAt !== null
