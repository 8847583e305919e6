import { hash as digest } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { loadConfig } from '@tideport/service-kit/config/config'
import { baseUrl, secret, url } from '@tideport/service-kit/config/setting'
import { makePassword } from '@tideport/set-up/make-secrets'
import { prepareOwnDatabase } from '@tideport/set-up/prepare-database'
import { hash } from 'bcryptjs'
import { z } from 'zod'
import { type Command, type Environment, UsageError } from './command.ts'
import { replaceFile } from './secret-files.ts'

/** The services compare the issuer letter by letter, so no slash may follow. */
const isOrigin = (text: string) => URL.parse(text)?.origin === text
const settings = z.object({
  SIGN_IN_URL: url().refine(isOrigin, 'must be an address without a path, such as https://login.example.org'),
  SIGN_IN_DATABASE_URL: secret(url(['postgres', 'postgresql'])),
  PUBLIC_URL: baseUrl(),
})
const adminSettings = z.object({ ADMIN_DATABASE_URL: secret(url(['postgres', 'postgresql'])), ...settings.shape })

const person = z.looseObject({ email: z.email(), hash: z.string(), userID: z.string() })
type Person = z.infer<typeof person>

/** The address of Dex is also the issuer. Access tokens are short, because removed people keep theirs until they expire. */
function configurationOf(env: Environment, people: readonly Person[]) {
  const { signInUrl, publicUrl, signInDatabaseUrl } = loadConfig(settings, env)
  const database = new URL(signInDatabaseUrl)
  return {
    issuer: signInUrl,
    // With SQLite or memory, Dex waits for itself when one of its own people refreshes a token.
    storage: {
      type: 'postgres',
      config: {
        host: database.hostname,
        port: Number(database.port || 5432),
        database: decodeURIComponent(database.pathname.slice(1)),
        user: decodeURIComponent(database.username),
        password: decodeURIComponent(database.password),
        ssl: { mode: 'disable' },
      },
    },
    web: { http: '0.0.0.0:5556', allowedOrigins: [new URL(publicUrl).origin] },
    frontend: { issuer: 'Tideport' },
    oauth2: { skipApprovalScreen: true },
    // Dex cannot revoke a login, so the refresh token of a person who signed out must expire.
    expiry: { idTokens: '15m', refreshTokens: { validIfNotUsedFor: '168h', absoluteLifetime: '720h' } },
    staticClients: [
      {
        id: 'tideport',
        name: 'Tideport',
        public: true,
        redirectURIs: [`${publicUrl}/console/`, '/device/callback'],
      },
    ],
    enablePasswordDB: true,
    staticPasswords: people,
  }
}

/**
 * The ID, and so the account, depends only on the address: people who are added again, also after a restore on another
 * machine, find their files. Passwords are generated: Dex does not limit attempts.
 */
async function withPerson(people: readonly Person[], email: string, password: string): Promise<Person[]> {
  const added = { email, username: email, hash: await hash(password, 10), userID: digest('sha256', email) }
  return [...people.filter((other) => other.email !== email), added]
}

/** The people of Dex, the identity provider of Compose's profile `sign-in`. Its configuration is one file. */
export const people: Command = {
  usage: '[add EMAIL | remove EMAIL | configure] [--file PATH]',
  summary: "Lists, adds, and removes people of Compose's identity provider. add: prints a new password",
  async run({ args, env, print }) {
    const options = { file: { type: 'string', default: '/run/sign-in/config.json' } } as const
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true })
    const [action = 'list', given, ...more] = positionals
    const now = await readPeople(values.file)
    // Dex runs as another user. Only its container and the operator's have the folder.
    const write = (next: readonly Person[]) =>
      replaceFile(values.file, JSON.stringify(configurationOf(env, next), null, 2), 0o444)
    if (more.length > 0) throw new UsageError('name one action and one person')
    if (action === 'list') for (const { email } of now) print(email)
    else if (action === 'configure') {
      const { adminDatabaseUrl, signInDatabaseUrl } = loadConfig(adminSettings, env)
      await prepareOwnDatabase(adminDatabaseUrl, signInDatabaseUrl)
      await write(now)
    } else if (action === 'add') {
      const password = makePassword()
      await write(await withPerson(now, emailOf(given), password))
      print(password)
    } else if (action === 'remove') {
      const email = emailOf(given)
      const others = now.filter((other) => other.email !== email)
      if (others.length === now.length) throw new Error(`${email} is not one of the people`)
      await write(others)
    } else throw new UsageError(`unknown action ${action}`)
  },
}

/** Dex compares addresses in lower case. */
function emailOf(given: string | undefined): string {
  const { success, data } = z.email().safeParse(given?.toLowerCase())
  if (!success) throw new UsageError('name an email address')
  return data
}

async function readPeople(file: string): Promise<Person[]> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '{ "staticPasswords": [] }'
    throw error
  })
  return z.object({ staticPasswords: z.array(person) }).parse(JSON.parse(text)).staticPasswords
}
