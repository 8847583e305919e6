import { ApiError, createClient, readAccount } from '@tideport/sdk'
import { command } from '../grammar/command.ts'
import { profileName, serviceUrl } from '../profile/connect.ts'
import { forgetKey, keepKey } from '../profile/key-store.ts'
import { readProfile, removeProfile, writeProfile } from '../profile/profiles.ts'
import { keyringOrNull, systemKeyring } from '../profile/system-keyring.ts'
import { readSecret } from '../terminal/ask.ts'
import { UsageError } from '../terminal/failures.ts'

export const login = command({
  name: 'login',
  summary: 'Keep the address of a service and a key for it',
  description:
    'The key is asked for, or read from stdin. It is tried, and kept in the keyring of this system or, where that cannot\n' +
    'be written to, in a file that nobody else can read. TIDEPORT_API_KEY is above what is kept.',
  options: {
    tokenStdin: { type: 'boolean', summary: 'Read the key from stdin' },
    noKeyring: { type: 'boolean', summary: 'Keep the key in a file' },
  },
  async run({ tokenStdin, noKeyring }, context) {
    const { environment, output, chosen, signal } = context
    const name = profileName(context)
    const before = await readProfile(environment, name)
    const given = chosen.url ?? (environment.TIDEPORT_URL || before?.url)
    if (!given) throw new UsageError('Say where the service is: --url https://files.example.com')
    const url = serviceUrl(given)
    if (url.startsWith('http:') && !isThisMachine(url)) {
      output.remark(`${url} is not https: whoever is on the way reads the key and the files`)
    }
    const key = await readSecret(context, 'API key', tokenStdin, 'pipe it in, with --token-stdin')
    await tryKey(url, key, signal)
    const profile = await keepKey(environment, { name, url, key }, noKeyring ? null : await keyringOrNull())
    await writeProfile(environment, name, profile)
    const where = profile.keyIn === 'keyring' ? 'the keyring of this system' : profile.keyIn
    await output.result(
      { profile: name, ...profile },
      `Logged in to ${url} as profile "${name}". The key is in ${where}`,
    )
  },
})

export const logout = command({
  name: 'logout',
  summary: 'Forget a profile and its key',
  description: 'The key goes on working until it is revoked (tideport keys revoke).',
  async run(_, context) {
    const name = profileName(context)
    const profile = await readProfile(context.environment, name)
    if (!profile) throw new Error(`There is no profile "${name}"`)
    await forgetKey(name, profile, systemKeyring)
    await removeProfile(context.environment, name)
    await context.output.result({ profile: name }, `Forgot profile "${name}" and its key`)
  },
})

/** A key with narrow scopes may not read the account, and is right all the same. */
async function tryKey(url: string, apiKey: string, signal: AbortSignal): Promise<void> {
  try {
    await readAccount(createClient({ baseUrl: url, apiKey }), {}, { signal })
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 403 && error.code !== null)) throw error
  }
}

const isThisMachine = (url: string) => /^(localhost|.*\.localhost|127\..*|\[::1\])$/.test(new URL(url).hostname)
