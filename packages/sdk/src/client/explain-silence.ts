import { NetworkError } from '../errors/transfer-errors.ts'

const PROBE_MS = 5_000

const settings = {
  service: 'CORS_ORIGINS of the service',
  storage: 'the CORS rule of the bucket',
}

/** Distinguishes an outage from a response that CORS hides, with a request that needs no permission. */
export async function explainSilence(
  url: string,
  peer: keyof typeof settings,
  error: NetworkError,
): Promise<NetworkError> {
  const { origin: page } = (globalThis as { location?: { origin?: string } }).location ?? {}
  const { origin, host } = new URL(url)
  if (page === undefined || page === origin) return error
  const signal = AbortSignal.timeout(PROBE_MS)
  const isThere = await globalThis.fetch(origin, { mode: 'no-cors', cache: 'no-store', signal }).then(
    () => true,
    () => false,
  )
  if (!isThere) return error
  const sentence = `The browser blocked the response of ${host}: CORS does not allow ${page}. Add this origin to ${settings[peer]}.`
  return new NetworkError(sentence, { cause: error.cause })
}
