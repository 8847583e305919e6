import { createServer } from 'node:http'
import { closeAtOnce, listenOnLoopback } from '@tideport/testing/loopback-server'
import { createTemporaryDirectory } from '@tideport/testing/temporary-directory'
import { expect, it, vi } from 'vitest'
import { openSession } from '../../src/profile/keep-session.ts'
import { keepKey, writeProfile } from '../../src/profile/profiles.ts'
import type { Session } from '../../src/sign-in/session.ts'

const url = 'https://files.example'

/** An expired login, at a provider with numbered tokens of this lifetime in seconds. */
async function openLogin(lifeSeconds: number) {
  let given = 0
  const provider = createServer((_, response) => {
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ access_token: `t${++given}`, token_type: 'Bearer', expires_in: lifeSeconds }))
  })
  const directory = await createTemporaryDirectory('session')
  const environment = { XDG_CONFIG_HOME: directory.path }
  const tokenEndpoint = `http://127.0.0.1:${await listenOnLoopback(provider)}/token`
  const about = { issuer: 'i', clientId: 'c', parameters: {}, tokenEndpoint, revocationEndpoint: null }
  const session: Session = { ...about, accessToken: 't0', refreshToken: 'r', expiresAt: 1 }
  await writeProfile(
    environment,
    'p',
    await keepKey(environment, { name: 'p', url, key: JSON.stringify(session) }, null),
  )
  return {
    token: openSession(environment, 'p', session),
    async [Symbol.asyncDispose]() {
      await closeAtOnce(provider)
      await directory[Symbol.asyncDispose]()
    },
  }
}

it.each([
  [5, 4],
  [30, 24],
  [100, 80],
  [3600, 3570],
])('uses a token with a lifetime of %d seconds for %d seconds', async (life, used) => {
  await using login = await openLogin(life)
  const { signal } = new AbortController()
  let now = Date.now()
  const clock = vi.spyOn(Date, 'now').mockImplementation(() => now)
  try {
    const begin = now
    const at = async (seconds: number, refused?: string) => {
      now = begin + seconds * 1000
      return await login.token(signal, refused)
    }
    expect([await at(0), await at(1), await at(used)]).toEqual(['t1', 't1', 't1'])
    // A service that rejects a new token also rejects the next one.
    expect(await at(used, 't1')).toBe('t1')
    expect(await at(used + 0.5, 't1')).toBe('t2')
    expect(await at(used + 1)).toBe('t2')
  } finally {
    clock.mockRestore()
  }
})
