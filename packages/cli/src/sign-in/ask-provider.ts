import { fetch } from '@tideport/sdk/node'
import { readText } from '../remote/read-text.ts'

const TIMEOUT_MS = 20_000
const BODY_MAX = 256 * 1024

/** Fields of a JSON response of the identity provider, which are untrusted. */
export interface ProviderAnswer {
  status: number
  body: Record<string, unknown>
}

export class NoAnswer extends Error {
  override readonly name = 'NoAnswer'
}

/** Sends a GET, or a POST of a form. Redirects are not followed, because the form is only for this URL. */
export async function askProvider(
  url: string,
  form: Record<string, string> | null,
  signal: AbortSignal,
): Promise<ProviderAnswer> {
  const init: RequestInit = {
    redirect: 'manual',
    headers: { accept: 'application/json' },
    signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    ...(form && { method: 'POST', body: new URLSearchParams(form) }),
  }
  const address = checkedUrl(url, 'The URL of the identity provider')
  try {
    const response = await fetch(address, init)
    return { status: response.status, body: objectIn(await readText(response, BODY_MAX)) }
  } catch (error) {
    signal.throwIfAborted()
    throw new NoAnswer(`${new URL(url).origin} did not respond`, { cause: error })
  }
}

/** Throws a sentence unless the URL is https, or http on this machine. */
export function checkedUrl(text: unknown, what: string): string {
  const url = typeof text === 'string' && URL.canParse(text) ? new URL(text) : null
  const isSafe = url && (url.protocol === 'https:' || (url.protocol === 'http:' && isThisMachine(url)))
  if (!isSafe || url.username || url.password) throw new Error(`${what} is not an https URL`)
  return url.href
}

export const isThisMachine = ({ hostname }: URL): boolean =>
  /^(localhost|.*\.localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(hostname)

function objectIn(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? { ...value } : {}
  } catch {
    return {}
  }
}
