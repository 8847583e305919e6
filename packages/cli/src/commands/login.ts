import { ApiError, type Client, createClient, readAccount } from '@tideport/sdk'
import { command } from '../grammar/command.ts'
import type { Context } from '../grammar/context.ts'
import { profileName, serviceUrl } from '../profile/connect.ts'
import { keepKey, readProfile, writeProfile } from '../profile/profiles.ts'
import { keyringOrNull } from '../profile/secrets.ts'
import { checkAnswer } from '../remote/check-answer.ts'
import { isThisMachine } from '../sign-in/ask-provider.ts'
import { signInByDevice } from '../sign-in/device-flow.ts'
import { signInByBrowser } from '../sign-in/loopback-flow.ts'
import { readProvider } from '../sign-in/read-provider.ts'
import { parseSession, sessionOf } from '../sign-in/session.ts'
import { isSomebodyThere, readSecret } from '../terminal/ask.ts'
import { UsageError } from '../terminal/failures.ts'

export const login = command({
  name: 'login',
  summary: 'Sign in to an installation, or store an API key for it',
  description:
    'If the installation has an identity provider, the command shows a code to enter in any browser, or opens a local browser.\n' +
    'Otherwise, and with --token-stdin, it reads an API key. It tests the login and stores it in the system keyring, or, if\n' +
    'the keyring is not writable, in a file that only you can read. TIDEPORT_API_KEY overrides the stored login.',
  options: {
    tokenStdin: { type: 'boolean', summary: 'Read an API key from stdin' },
    device: { type: 'boolean', summary: 'Sign in with a code, even without a terminal' },
    browser: { type: 'boolean', summary: 'Sign in with a local browser, even without a terminal' },
    noKeyring: { type: 'boolean', summary: 'Store the login in a file' },
  },
  async run({ tokenStdin, device, browser, noKeyring }, context) {
    const { environment, output, chosen, signal } = context
    if ([tokenStdin, device, browser].filter(Boolean).length > 1) {
      throw new UsageError('Use only one of --token-stdin, --device, and --browser')
    }
    const name = profileName(context)
    const before = await readProfile(environment, name)
    const given = chosen.url ?? (environment.TIDEPORT_URL || before?.url)
    if (!given) throw new UsageError('Name the installation, for example --url https://files.example.com')
    const url = serviceUrl(given)
    if (url.startsWith('http:') && !isThisMachine(new URL(url))) {
      output.remark(`${url} does not use https: the key and the files can be read on the network`)
    }
    const anyone = createClient({ baseUrl: url, checkAnswer })
    const secret =
      (tokenStdin ? null : await signIn(anyone, { device, browser }, context)) ?? (await readKey(context, tokenStdin))
    await tryCredential(url, secret, signal)
    const profile = await keepKey(environment, { name, url, key: secret }, noKeyring ? null : await keyringOrNull())
    await writeProfile(environment, name, profile)
    const where = profile.keyIn === 'keyring' ? 'the system keyring' : profile.keyIn
    const what = parseSession(secret) ? 'login' : 'key'
    await output.result(
      { profile: name, ...profile },
      `Logged in to ${url} as profile "${name}". The ${what} is stored in ${where}`,
    )
  },
})

const readKey = (context: Context, tokenStdin: boolean) =>
  readSecret(context, 'API key', tokenStdin, 'pipe it to stdin with --token-stdin')

/** Null: the service has no sign-in with a browser. */
async function signIn(
  anyone: Client,
  { device, browser }: { device: boolean; browser: boolean },
  context: Context,
): Promise<string | null> {
  const { output, signal } = context
  const provider = await readProvider(anyone, signal)
  if (!provider) {
    if (device || browser)
      throw new Error('This installation has no identity provider. Log in with an API key and --token-stdin')
    return null
  }
  if (!device && !browser && !isSomebodyThere(context)) {
    throw new UsageError('Signing in needs a terminal. Pipe an API key to stdin with --token-stdin, or use --device')
  }
  output.remark(`Signing in with ${provider.issuer}`)
  const byDevice = device || (provider.deviceEndpoint !== null && !browser)
  const tokens = await (byDevice ? signInByDevice : signInByBrowser)(provider, output, signal)
  return JSON.stringify(sessionOf(provider, tokens))
}

/** A key with narrow scopes may not read the account, but is valid. */
async function tryCredential(url: string, secret: string, signal: AbortSignal): Promise<void> {
  const session = parseSession(secret)
  const identity = session ? { bearerToken: session.accessToken } : { apiKey: secret }
  try {
    await readAccount(createClient({ baseUrl: url, checkAnswer, ...identity }), {}, { signal })
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 403 && error.code !== null)) throw error
  }
}
