import { join } from 'node:path'
import type { Environment } from '../grammar/context.ts'
import { waitForLock } from '../local/lock-file.ts'
import { makeFolder } from '../local/make-folder.ts'
import { ProviderError } from '../sign-in/request-tokens.ts'
import { isStale, parseSession, renewSession, type Session } from '../sign-in/session.ts'
import { LoginNeeded } from '../terminal/failures.ts'
import { configDirectory } from './directories.ts'
import { keepKey, readKey, readProfile, writeProfile } from './profiles.ts'
import { keyringOrNull, systemKeyring } from './secrets.ts'

const PATIENCE_MS = 60_000
/**
 * A token that is rejected this soon after its renewal is not renewed again, because the service would reject any
 * token.
 */
const YOUNG_MS = 60_000

/** Renews the token when it expires by the local clock, or earlier when the service rejects it. */
export function openSession(environment: Environment, name: string, first: Session) {
  let session = first
  let renewal: Promise<Session> | null = null
  let renewedAt = Number.NEGATIVE_INFINITY
  return async (_signal: AbortSignal, refused?: string): Promise<string> => {
    const isRefused = refused === session.accessToken && performance.now() - renewedAt >= YOUNG_MS
    if (isRefused || isStale(session)) {
      renewal ??= renew(environment, name, refused).finally(() => {
        renewal = null
      })
      session = await renewal
      renewedAt = performance.now()
    }
    return session.accessToken
  }
}

/**
 * One process at a time, because using a refresh token twice revokes the login. Uses a token that another process
 * renewed.
 */
async function renew(environment: Environment, name: string, refused: string | undefined): Promise<Session> {
  const signal = AbortSignal.timeout(PATIENCE_MS)
  const folder = join(configDirectory(environment), 'keys')
  await makeFolder(folder, 0o700)
  await using _lock = await waitForLock(join(folder, `${name}.lock`), signal)
  const profile = await readProfile(environment, name)
  const secret = profile && (await readKey(name, profile, systemKeyring))
  const session = secret ? parseSession(secret) : null
  if (!profile || !session) throw new LoginNeeded(`Profile "${name}" was logged out during the command`)
  if (!isStale(session) && session.accessToken !== refused) return session
  if (session.refreshToken === null) throw new LoginNeeded(`The login of profile "${name}" has expired. Log in again`)
  const renewed = await renewSession(session, session.refreshToken, signal).catch((error: unknown) => {
    if (!(error instanceof ProviderError)) throw error
    throw new LoginNeeded(`The login of profile "${name}" has expired. Log in again`, { cause: error })
  })
  const keyring = profile.keyIn === 'keyring' ? await keyringOrNull() : null
  const kept = await keepKey(environment, { name, url: profile.url, key: JSON.stringify(renewed) }, keyring)
  if (kept.keyIn !== profile.keyIn) await writeProfile(environment, name, kept)
  return renewed
}
