import type { Vault } from '@tideport/sdk'
import type { PrfValues } from '@tideport/sdk/crypto'
import { keepPasskeyFile, type PasskeyFile } from '../kept/key-files.ts'
import { PasskeyError } from './ask-page.ts'
import { callWorker } from './call-worker.ts'
import type { PasskeyAnswer } from './protocol.ts'

interface Prf {
  enabled?: boolean
  results?: { first: BufferSource; second?: BufferSource }
}

/** Passkeys need a domain, so IP addresses have none. */
export async function canUsePasskeys(): Promise<boolean> {
  if (!isSecureContext || /^[\d.]+$|^\[/.test(location.hostname) || !('PublicKeyCredential' in globalThis)) return false
  const { PublicKeyCredential } = globalThis as { PublicKeyCredential: { getClientCapabilities?(): Promise<Record<string, boolean>> } } // biome-ignore format: one line
  const capabilities = await PublicKeyCredential.getClientCapabilities?.().catch(() => null)
  return capabilities?.['extension:prf'] === true
}

/** Returns the id. Rejects with a `PasskeyError`. */
async function createPasskey(name: string): Promise<string> {
  const credential = await asked(() =>
    navigator.credentials.create({
      publicKey: {
        rp: { name: 'Tideport' },
        user: { id: random(16), name, displayName: name },
        // Nobody verifies its signatures, so any algorithm works.
        pubKeyCredParams: [-8, -7, -257].map((alg) => ({ type: 'public-key', alg })),
        authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'required' },
        extensions: { prf: {} },
        challenge: random(16),
      },
    }),
  )
  if (prfOf(credential).enabled !== true) throw new PasskeyError('no_prf')
  return credential.id
}

/** A port through which the worker uses a passkey. Null: the user chooses one. */
export function passkeyPort(credentialId: string | null): MessagePort {
  const { port1, port2 } = new MessageChannel()
  port1.onmessage = async ({ data }: MessageEvent<PrfValues>) => {
    const answer: PasskeyAnswer = await askPasskey(credentialId, data).catch((error: unknown) => ({
      reason: error instanceof PasskeyError ? error.reason : 'declined',
    }))
    port1.postMessage(answer)
  }
  return port2
}

async function askPasskey(credentialId: string | null, inputs: PrfValues): Promise<PrfValues> {
  const wanted = credentialId === null ? [] : [{ type: 'public-key' as const, id: bytesOfId(credentialId) }]
  const credential = await asked(() =>
    navigator.credentials.get({
      publicKey: {
        allowCredentials: wanted,
        userVerification: 'required',
        extensions: { prf: { eval: inputs } },
        challenge: random(16),
      },
    }),
  )
  const { first, second } = prfOf(credential).results ?? {}
  if (first === undefined || second === undefined) throw new PasskeyError('no_prf')
  return { first: bytesOf(first), second: bytesOf(second) }
}

/** Browsers do not report why a credential is missing. */
async function asked(ask: () => Promise<Credential | null>): Promise<PublicKeyCredential> {
  const credential = await ask().catch((error: unknown) => {
    throw new PasskeyError('declined', { cause: error })
  })
  if (credential === null) throw new PasskeyError('declined')
  return credential as PublicKeyCredential
}

const prfOf = (credential: PublicKeyCredential): Prf =>
  (credential.getClientExtensionResults() as { prf?: Prf }).prf ?? {}

const bytesOfId = (id: string) =>
  Uint8Array.from(atob(id.replaceAll('-', '+').replaceAll('_', '/')), (letter) => letter.charCodeAt(0))

const random = (length: number) => crypto.getRandomValues(new Uint8Array(length))

const bytesOf = (source: BufferSource): Uint8Array<ArrayBuffer> =>
  source instanceof ArrayBuffer
    ? new Uint8Array(source.slice(0))
    : new Uint8Array(source.buffer as ArrayBuffer, source.byteOffset, source.byteLength).slice()

/**
 * Creates a passkey and keeps the vault's key sealed for it; the vault must be open. Rejects with a `PasskeyError` or a
 * `PrivateError`.
 */
export async function addPasskey({ id: vaultId, name }: Pick<Vault, 'id' | 'name'>): Promise<PasskeyFile> {
  const credentialId = await createPasskey(`Tideport: ${name}`)
  const passkey = passkeyPort(credentialId)
  const ageFile = await callWorker('seal', { vaultId, to: { passkey } }, [passkey])
  const file = { credentialId, ageFile }
  keepPasskeyFile(vaultId, file)
  return file
}
