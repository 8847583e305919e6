import {
  beginPasskeySignIn,
  type Client,
  type NewPasskey,
  type PasskeyCreationOptions,
  type Session,
  signInWithPasskey,
} from '@tideport/sdk'
import { signInAs } from './session.ts'
import { waysIn } from './start-session.ts'

/** The browser or the person did not use a passkey. */
export class NoPasskey extends Error {}

/** Browsers offer a passkey only on the origin for which it was created. */
export const canUsePasskeysHere = (): boolean =>
  location.origin === waysIn.passkeyOrigin && window.PublicKeyCredential !== undefined

/** Creates a passkey of the owner. Throws `NoPasskey`. */
export async function createOwnerPasskey(options: PasskeyCreationOptions, name: string): Promise<NewPasskey> {
  const { startRegistration } = await import('@simplewebauthn/browser')
  const optionsJSON = options as Parameters<typeof startRegistration>[0]['optionsJSON']
  const credential = await startRegistration({ optionsJSON }).catch(declined)
  return { name, credential }
}

/** Throws `NoPasskey`, or the refusal of the service. */
export async function signInByPasskey(client: Client): Promise<void> {
  const { startAuthentication } = await import('@simplewebauthn/browser')
  const optionsJSON = await beginPasskeySignIn(client, {})
  const credential = await startAuthentication({ optionsJSON }).catch(declined)
  const { session } = await signInWithPasskey(client, { credential })
  startOwnerSession(session)
}

export function startOwnerSession({ id, key }: Session): void {
  signInAs({ kind: 'key', key, sessionId: id })
}

function declined(cause: unknown): never {
  throw new NoPasskey('No passkey was used', { cause })
}
