import { type Client, type ClientOptions, createClient } from '@tideport/sdk'
import { proxyFor } from '@tideport/sdk/node'
import type { Context } from '../grammar/context.ts'
import { checkAnswer } from '../remote/check-answer.ts'
import { expectPrivate } from '../remote/find-vault.ts'
import { parseSession } from '../sign-in/session.ts'
import { LoginNeeded } from '../terminal/failures.ts'
import { openSession } from './keep-session.ts'
import { type Profile, readKey, readProfile } from './profiles.ts'
import { systemKeyring } from './secrets.ts'
import { keptVaults } from './stored-vault-keys.ts'

/** The service and the credentials. Flags override the environment, which overrides the profile. */
export interface Identity {
  url: string
  /** An API key, or a stored login of the identity provider. */
  key: string
  /** Null: the key comes from the environment. */
  profile: string | null
  keyFrom: string
}

export const profileName = ({ chosen, environment }: Pick<Context, 'chosen' | 'environment'>): string =>
  chosen.profile ?? (environment.TIDEPORT_PROFILE || 'default')

/** Throws `LoginNeeded` if something is missing. The key of a profile is sent only to the service of the profile. */
export async function identify(context: Context): Promise<Identity> {
  const { chosen, environment } = context
  const name = profileName(context)
  const profile = await readProfile(environment, name)
  const url = chosen.url ?? (environment.TIDEPORT_URL || profile?.url)
  if (!url) {
    throw new LoginNeeded(
      `Profile "${name}" does not exist. Log in with \`tideport login --url URL\`, or set TIDEPORT_URL`,
    )
  }
  const given = environment.TIDEPORT_API_KEY
  if (given) return { url: serviceUrl(url), key: given, profile: null, keyFrom: 'TIDEPORT_API_KEY' }
  if (!profile || serviceUrl(profile.url) !== serviceUrl(url)) {
    throw new LoginNeeded(`No key is stored for ${url}. Log in with \`tideport login\`, or set TIDEPORT_API_KEY`)
  }
  return { url: serviceUrl(url), key: await keyOf(name, profile), profile: name, keyFrom: profile.keyIn }
}

async function keyOf(name: string, profile: Profile): Promise<string> {
  const key = await readKey(name, profile, systemKeyring).catch((cause) => {
    throw new LoginNeeded(`The key of profile "${name}" cannot be read. Log in again`, { cause })
  })
  if (key === null)
    throw new LoginNeeded(`The key of profile "${name}" was deleted from ${profile.keyIn}. Log in again`)
  return key
}

export async function connect(context: Context): Promise<Client> {
  return await connectAs(context, await identify(context))
}

/** For a login, only the access token is sent to the service, never the refresh token. */
export async function connectAs(
  context: Context,
  { url, key, profile }: Identity,
  patience: Pick<ClientOptions, 'attempts' | 'timeoutMs'> = {},
): Promise<Client> {
  const session = profile === null ? null : parseSession(key)
  if (profile !== null && !session && key.startsWith('{')) {
    throw new LoginNeeded(`The login of profile "${profile}" is damaged. Log in again`)
  }
  const by = session ? { bearerToken: openSession(context.environment, profile as string, session) } : { apiKey: key }
  const client = createClient({ baseUrl: url, checkAnswer, ...by, ...patience })
  expectPrivate(client, await keptVaults(context.environment, client.baseUrl))
  return client
}

/** Normalized for comparison and storage. Throws a sentence for an invalid URL and for an unusable proxy. */
export function serviceUrl(text: string): string {
  const url = URL.parse(text.trim())
  if (!url || !/^https?:$/.test(url.protocol)) throw new Error(`"${text}" is not an http or https URL`)
  if (url.username || url.password || url.search || url.hash) {
    throw new Error('The URL of an installation must not have a user, password, query, or fragment')
  }
  proxyFor(url)
  return url.href.replace(/\/+$/, '')
}
